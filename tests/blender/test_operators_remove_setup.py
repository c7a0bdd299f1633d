# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove Set-Up leaves no trace of Superpose, and nothing of the user's is lost."""

from importlib import import_module

import armatures
import bpy
import figures
import pytest

pytestmark = pytest.mark.usefixtures("blend")


def test_no_trace_is_left():
    ob = figures.figure()
    before = figures.state()
    figures.select_bones(ob, *figures.EFFECTORS)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    ob.pose.bones["chest"].superpose.stiffness = 0.5
    bpy.ops.superpose.solve()
    assert bpy.ops.superpose.remove_setup() == {'FINISHED'}
    figures.select_bones(ob)
    assert figures.state() == before
    assert not ob.keys()
    assert not any(bone.keys() for bone in ob.pose.bones)


def is_drawn(addon):
    return import_module(f"{addon.name}.overlay.switch").is_on()


def test_the_scenes_forget_what_was_shown(addon):
    figures.ready()
    scenes = [bpy.context.scene, bpy.data.scenes.new("Other")]
    for scene in scenes:
        scene.superpose_show_limits, scene.superpose_limits_of = True, 'ALL'
    bpy.ops.superpose.remove_setup()
    assert not is_drawn(addon)
    for scene in scenes:
        for name in ("superpose_show_limits", "superpose_show_targets", "superpose_limits_of"):
            assert not scene.is_property_set(name)


def test_limits_of_another_armature_are_still_shown(addon):
    figures.ready("Other")
    ob = figures.ready()
    bpy.context.scene.superpose_show_limits = True
    figures.make_active(ob)
    bpy.ops.superpose.remove_setup()
    assert is_drawn(addon)
    assert bpy.context.scene.superpose_show_limits


def test_the_pose_stays():
    ob = figures.turned_away(figures.ready())
    bpy.ops.superpose.solve()
    before = figures.rotations(ob)
    bpy.ops.superpose.remove_setup()
    assert (figures.rotations(ob) == before).all()


def test_the_armature_is_active_where_the_active_target_goes():
    ob = figures.ready()
    figures.make_active(figures.target_of(ob, "head"))
    bpy.ops.superpose.remove_setup()
    assert bpy.context.object == ob
    assert bpy.context.selected_objects == [ob]


def test_animated_influence_goes_and_other_curves_stay():
    ob = figures.ready()
    ob.pose.bones["head"].keyframe_insert("superpose_influence", frame=1)
    ob.pose.bones["head"].keyframe_insert("superpose_mask", frame=1)
    ob.pose.bones["head"].keyframe_insert("location", frame=1)
    ob.pose.bones["hips"].driver_add("superpose_influence")
    bpy.ops.superpose.remove_setup()
    assert {path for path, _ in figures.keys(ob.animation_data.action)} == {'pose.bones["head"].location'}
    assert not ob.animation_data.drivers


def test_actions_of_the_targets_go_unless_something_else_needs_them():
    ob = figures.ready()
    own = armatures.new_object("Mine")
    targets = {name: figures.target_of(ob, name) for name in figures.EFFECTORS}
    for target in targets.values():
        target.keyframe_insert("location", frame=1)
    names = {name: target.animation_data.action.name for name, target in targets.items()}
    own.animation_data_create().action = bpy.data.actions[names["head"]]
    bpy.data.actions[names["hand.L"]].use_fake_user = True
    animation = targets["hand.R"].animation_data
    animation.nla_tracks.new().strips.new("Strip", 1, animation.action)
    animation.action = None
    bpy.ops.superpose.remove_setup()
    assert set(bpy.data.actions.keys()) == {names["head"], names["hand.L"]}


def test_the_users_own_targets_stay():
    ob = figures.ready()
    own = armatures.new_object("Mine")
    ob.pose.bones["head"].superpose.target = own
    bpy.ops.superpose.remove_setup()
    assert [other.name for other in bpy.data.objects] == ["Figure", "Mine"]


def test_targets_that_something_else_uses_stay(capfd):
    ob = figures.ready()
    armatures.new_object("Lamp").constraints.new('COPY_LOCATION').target = figures.target_of(ob, "head")
    bpy.ops.superpose.remove_setup()
    assert {other.name for other in bpy.data.objects} == {"Figure", "Figure head target", "Lamp"}
    assert not bpy.data.objects["Figure head target"].is_property_set("superpose")
    assert "Figure head target" in "".join(capfd.readouterr())


def test_the_parent_of_a_target_that_stays_stays_too():
    ob = figures.ready()
    figures.target_of(ob, "head").parent = figures.target_of(ob, "hips")
    armatures.new_object("Lamp").constraints.new('COPY_LOCATION').target = figures.target_of(ob, "head")
    bpy.ops.superpose.remove_setup()
    names = {"Figure", "Figure head target", "Figure hips target", "Lamp"}
    assert {other.name for other in bpy.data.objects} == names


def test_a_collection_with_something_of_the_users_stays():
    figures.ready()
    bpy.data.collections["Figure Targets"].objects.link(armatures.new_object("Mine"))
    bpy.ops.superpose.remove_setup()
    assert [ob.name for ob in bpy.data.collections["Figure Targets"].objects] == ["Mine"]


def test_targets_that_are_parented_to_each_other_go_together():
    ob = figures.ready()
    figures.target_of(ob, "hand.L").parent = figures.target_of(ob, "head")
    bpy.ops.superpose.remove_setup()
    assert [other.name for other in bpy.data.objects] == ["Figure"]


def test_the_set_up_of_a_duplicate_stays():
    ob = figures.ready()
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    figures.make_active(ob)
    bpy.ops.superpose.remove_setup()
    assert not figures.effectors(ob)
    assert figures.effectors(copy) == list(figures.EFFECTORS)
    assert all(figures.target_of(copy, bone) for bone in figures.EFFECTORS)


def test_undo_brings_it_all_back():
    figures.ready()
    bpy.ops.ed.undo_push(message="before")
    before = figures.state()
    bpy.ops.superpose.remove_setup()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert figures.state() == before


def test_while_a_target_is_the_active_object():
    ob = figures.ready()
    figures.make_active(figures.target_of(ob, "head"))
    assert bpy.ops.superpose.remove_setup() == {'FINISHED'}
    assert [other.name for other in bpy.data.objects] == ["Figure"]
