# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set on a library override is there when the file is opened again, and again after that."""

from importlib import import_module

import armatures
import bpy
import figures
import pytest

pytestmark = pytest.mark.usefixtures("blend")


def override(tmp_path, stored):
    """An override of a linked figure; ``stored``: whether the library has settings of ours already."""
    ob = figures.figure()
    if stored:
        ob.superpose.iterations = 9
        ob.pose.bones["head"].superpose.limit.kind = 'FREE'
        ob.superpose.goals.add().name = "Plane"
    return override_of(ob, tmp_path)


def override_of(ob, tmp_path):
    """An override of the object, linked from a file of its own into an empty one."""
    path, name = str(tmp_path / "library.blend"), ob.name
    bpy.ops.wm.save_as_mainfile(filepath=path)
    armatures.empty_file()
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = [name]
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    return linked.override_create(remap_local_usages=True)


def set_up(ob):
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    bone = ob.pose.bones["head"]
    settings = bone.superpose
    settings.is_effector, settings.target = True, target
    bone.superpose_position_weight = 0.5
    settings.limit.kind, settings.limit.hinge_max = 'HINGE', 0.5
    settings.comfort.is_set, settings.comfort.spread = True, (0.25, 0.5, 0.75)
    bone.superpose_influence = 0.25
    ob.superpose.iterations, ob.superpose_live = 77, False
    for weight in (0.25, 0.75):
        goal = ob.superpose.goals.add()
        goal.name, goal.kind, goal.weight, goal.target, goal.bone = "Look", 'AIM', weight, target, "chest"


def settings(ob):
    """All that is set, as values."""
    bone = ob.pose.bones["head"]
    stored = bone.superpose
    return {
        "effector": (stored.is_effector, stored.target.name, bone.superpose_position_weight),
        "limit": (stored.limit.kind, stored.limit.hinge_max),
        "comfort": (stored.comfort.is_set, tuple(stored.comfort.spread)),
        "influence": bone.superpose_influence,
        "solver": ob.superpose.iterations,
        "goals": [(goal.name, goal.kind, goal.weight, goal.bone) for goal in ob.superpose.goals],
    }


def test_an_override_is_dragged_and_undone(tmp_path):
    ob = override(tmp_path, False)
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    name, before = ob.name, [figures.transforms(bone) for bone in ob.pose.bones]
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.superpose.pose(bone="hand.L", translation=(-0.1, 0, 0.2)) == {'FINISHED'}
    assert [figures.transforms(bone) for bone in ob.pose.bones] != before
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert [figures.transforms(bone) for bone in bpy.data.objects[name].pose.bones] == before


def linked_with_targets(tmp_path):
    """An override of a figure and its targets, by their collection; the library has missed a target."""
    ob = figures.ready()
    figures.target_of(ob, "hand.L").location.x += 5
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert ob.pose.bones["hand.L"].superpose.reasons
    group = bpy.data.collections.new("All")
    group.objects.link(ob)
    group.children.link(ob.superpose.collection)
    bpy.context.scene.collection.children.link(group)
    bpy.context.scene.collection.objects.unlink(ob)
    bpy.context.scene.collection.children.unlink(ob.superpose.collection)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    armatures.empty_file()
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["All"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    wanted.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    things = [thing for thing in bpy.data.objects if thing.override_library]
    for thing in things:
        thing.override_library.is_system_override = False
    (ob,) = (thing for thing in things if thing.type == 'ARMATURE')
    figures.make_active(ob)
    return ob


def test_an_override_is_told_of_what_it_misses(tmp_path):
    ob = linked_with_targets(tmp_path)
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    hand = ob.pose.bones["hand.L"].superpose
    assert hand.is_missed
    assert hand.reasons[0].kind == 'SHORT'
    figures.target_of(ob, "hand.L").location.x -= 5
    armatures.refresh()
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    assert not hand.is_missed
    assert not hand.reasons


def test_the_panel_says_what_to_do_with_a_target_that_blender_does_not_move(tmp_path, addon):
    told_of = import_module(f"{addon.name}.panels.report").told_of
    ob = linked_with_targets(tmp_path)
    target, says = figures.target_of(ob, "hand.L"), []
    for active, is_kept in ((target, False), (target, True), (ob, True)):
        target.override_library.is_system_override = is_kept
        figures.make_active(active)
        says.append("Object > Library Override > Make" in told_of(bpy.context, ob).texts[0])
    assert says == [False, True, False]


def test_an_override_that_may_not_be_edited_is_not_said_to_need_another(tmp_path):
    ob = linked_with_targets(tmp_path)
    ob.override_library.is_system_override = True
    figures.refused(bpy.ops.superpose.solve, "may not be edited: choose Object > Library Override > Make")


def test_a_bake_leaves_the_linked_action_as_it_is(tmp_path):
    """Undo brings back nothing that is linked."""
    ob = figures.figure()
    for frame in (1, 3):
        ob.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=frame)
    linked = override_of(ob, tmp_path)
    figures.make_active(linked)
    armatures.add_effector(linked, "head", armatures.new_object("Target"))
    action = linked.animation_data.action
    assert bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=3) == {'FINISHED'}
    assert linked.animation_data.action.library is None
    assert not action.use_fake_user


def test_an_override_gets_more_targets(tmp_path):
    ob = linked_with_targets(tmp_path)
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, "chest")
    figures.active(ob, "chest")
    assert bpy.ops.superpose.add_goal(kind='AIM') == {'FINISHED'}
    assert bpy.ops.superpose.add_effectors(only_ends=False) == {'FINISHED'}
    assert bpy.ops.superpose.create_targets() == {'FINISHED'}
    made = ob.superpose.goals[-1].target, figures.target_of(ob, "chest")
    assert all(target.users_scene and not target.override_library for target in made)
    assert figures.target_of(ob, "head").override_library


def test_solvers_are_compared_on_an_override(tmp_path):
    ob = linked_with_targets(tmp_path)
    few = {"iterations": 2, "use_blender": False, "show": False}
    assert bpy.ops.superpose.compare_solvers(directory=str(tmp_path), **few) == {'FINISHED'}
    assert "Superpose" in [who.name for who in ob.superpose.contestants]


@pytest.mark.parametrize("stored", [False, True], ids=["bare library", "library with settings"])
def test_settings_of_an_override_are_there_after_every_reload(tmp_path, stored):
    ob = override(tmp_path, stored)
    set_up(ob)
    before, path = settings(ob), str(tmp_path / "shot.blend")
    assert [name for name, _, weight, _ in before["goals"] if weight < 1] == ["Look", "Look 2"]
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for _ in range(3):
        bpy.ops.wm.open_mainfile(filepath=path)
        ob = next(ob for ob in bpy.data.objects if ob.override_library)
        assert settings(ob) == before
        bpy.ops.wm.save_mainfile()


def opened_again(ob, path):
    """The armature once the file was saved and opened."""
    name = ob.name
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return next(ob for ob in bpy.data.objects if ob.override_library and ob.name == name)


def test_a_set_up_that_was_removed_from_an_override_stays_removed(tmp_path):
    ob = linked_with_targets(tmp_path)
    library = bpy.data.objects["Figure", ob.override_library.reference.library.filepath]
    library.pose.bones["chest"].superpose.limit.kind = 'HINGE'
    assert bpy.ops.superpose.remove_setup() == {'FINISHED'}
    for _ in range(2):
        ob = opened_again(ob, tmp_path / "shot.blend")
        assert not figures.effectors(ob)
        assert {bone.superpose.limit.kind for bone in ob.pose.bones} == {'NONE'}
        assert not any(bone.superpose.target for bone in ob.pose.bones)


@pytest.mark.parametrize("name", ["solve", "bake"])
def test_an_override_that_is_opened_shows_no_results_of_its_library(tmp_path, capfd, name):
    ob = linked_with_targets(tmp_path)
    figures.target_of(ob, "hand.L").location.x -= 5
    armatures.refresh()
    getattr(bpy.ops.superpose, name)()
    assert ob.superpose.message
    ob = opened_again(ob, tmp_path / "shot.blend")
    assert (ob.superpose.is_solved, ob.superpose.message, ob.superpose.clip_report) == (False, "", "")
    assert not any(ob.pose.bones[bone].superpose.is_solved for bone in figures.effectors(ob))
    assert "Traceback" not in capfd.readouterr().err


def test_a_target_that_is_cleared_on_an_override_stays_cleared(tmp_path):
    ob = figures.ready()
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    armatures.empty_file()
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Figure"]
    ob = wanted.objects[0].override_create(remap_local_usages=True)
    bpy.context.scene.collection.objects.link(ob)
    ob.pose.bones["head"].superpose.target = None
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    head = next(ob for ob in bpy.data.objects if ob.override_library).pose.bones["head"].superpose
    assert (head.is_effector, head.target, head.expects_target) == (True, None, False)
