# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that go along with a drag are where their bones are, however seldom Blender evaluates them."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest
from handheld import Hand, pose_mode
from mathutils import Matrix


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("is_parented", [False, True])
def test_targets_that_are_moved_twice_before_they_are_evaluated_are_where_they_were_put_last(
    addon, is_parented
):
    ob = figures.ready()
    target = figures.target_of(ob, "hand.L")
    if is_parented:
        target.parent = armatures.new_object("Parent")
        target.parent.location, target.parent.rotation_euler = (1, 2, 3), (0.3, 0.2, 0.1)
    armatures.refresh()
    rig = import_module(f"{addon.name}.armature").read_rig(ob)
    along = import_module(f"{addon.name}.operators.posing.targets_along").targets_along(rig, ob, ["hand.L"])
    for x in (0.3, 0.5, 0.2):
        place = Matrix.Translation((x, 0.1, 1.2)) @ Matrix.Rotation(x, 4, 'Y')
        along.move({"hand.L": np.array(place)})
    armatures.refresh()
    np.testing.assert_allclose(bpy.data.objects[target.name].matrix_world, place, atol=1e-6)


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("is_evaluated", [False, True])
def test_a_target_that_hangs_on_another_that_goes_along_is_where_it_was_put(addon, is_evaluated):
    ob = figures.ready()
    above, below = (figures.target_of(ob, bone) for bone in ("hand.L", "hand.R"))
    below.parent = above
    armatures.refresh()
    rig = import_module(f"{addon.name}.armature").read_rig(ob)
    bones = ["hand.L", "hand.R"]
    along = import_module(f"{addon.name}.operators.posing.targets_along").targets_along(rig, ob, bones)
    for x in (0.3, 0.5, 0.2):
        places = [Matrix.Translation((side * x, 0.1, 1.2)) @ Matrix.Rotation(x, 4, 'Y') for side in (1, -1)]
        along.move(dict(zip(bones, map(np.array, places), strict=True)))
        if is_evaluated:
            armatures.refresh()
    armatures.refresh()
    for target, place in zip((above, below), places, strict=True):
        np.testing.assert_allclose(target.matrix_world, place, atol=1e-6)


@pytest.mark.usefixtures("blend")
def test_an_object_of_the_users_own_gets_no_settings_for_being_a_target():
    ob, target = figures.ready(), armatures.new_object("Own")
    ob.pose.bones["head"].superpose.target = target
    armatures.refresh()
    assert bpy.ops.superpose.pose(bone="hand.L", translation=(0, -0.1, 0.1)) == {'FINISHED'}
    assert not target.is_property_set("superpose")


def left_behind(hold):
    """A figure whose head's target is elsewhere than the head, and the target."""
    ob = figures.ready()
    ob.pose.bones["head"].superpose.hold = hold
    target = figures.target_of(ob, "head")
    target.location.x += 0.3
    armatures.refresh()
    bpy.ops.ed.undo_push(message="Ready")
    return ob, target


@pytest.mark.parametrize(("hold", "goes"), [('FREE', True), ('FOLLOWS', False), ('PINNED', False)])
def test_the_target_of_what_goes_with_the_body_goes_there_wherever_it_was(hold, goes):
    ob, target = left_behind(hold)
    name, before = target.name, target.location.copy()
    bpy.ops.superpose.pose(bone="hand.L", translation=(-0.2, -0.3, 0.2))
    armatures.refresh()
    if goes:
        place = ob.matrix_world @ ob.pose.bones["head"].matrix
        np.testing.assert_allclose(target.matrix_world, place, atol=1e-5)
    else:
        assert target.location == before
    bpy.ops.ed.undo_push(message="Pose")
    bpy.ops.ed.undo()
    assert bpy.data.objects[name].location == before


@pytest.mark.parametrize("is_live", [False, True])
def test_pins_that_were_released_stay_where_they_have_gone(is_live):
    ob = figures.ready()
    ob.pose.bones["head"].superpose.hold = 'PINNED'
    ob.superpose_live = is_live
    armatures.refresh()
    bpy.ops.superpose.pose(bone="hips", translation=(0.3, -0.2, 0.1), release_pins=True)
    armatures.refresh()
    gone = (ob.matrix_world @ ob.pose.bones["head"].matrix).copy()
    np.testing.assert_allclose(figures.target_of(ob, "head").matrix_world, gone, atol=1e-5)
    bpy.ops.superpose.pose(bone="hand.L", translation=(0, -0.1, 0.1))
    armatures.refresh()
    np.testing.assert_allclose(ob.matrix_world @ ob.pose.bones["head"].matrix, gone, atol=1e-4)


def test_the_target_of_what_goes_with_the_body_stays_where_keys_place_it():
    _, target = left_behind('FREE')
    target.keyframe_insert("location")
    before = target.location.copy()
    bpy.ops.superpose.pose(bone="hand.L", translation=(-0.2, -0.3, 0.2))
    assert target.location == before


def free_lines(addon, ob):
    """The free bones that lines lead from to their targets."""
    found = import_module(f"{addon.name}.overlay.effectors").handles_of(ob, 1.0)
    return [one.bone.name for one in found if one.distance > 0 and one.bone.superpose.hold == 'FREE']


def test_no_lines_lead_from_free_bones_to_targets_that_go_along_once_the_drag_ends(addon, metarig):
    bpy.ops.superpose.set_up_body(use_live=False)
    hand = Hand(pose_mode(metarig), "spine.006").press()
    hand.move((0, -200))
    assert hand.state == {'RUNNING_MODAL'}
    assert figures.distance(metarig, "spine") > 0.01
    assert free_lines(addon, metarig) == []
    hand.release()
    assert figures.distance(metarig, "spine") < 1e-4


@pytest.mark.parametrize("is_keyed", [False, True])
def test_in_a_drag_lines_lead_to_targets_of_free_bones_that_keys_place(addon, metarig, is_keyed):
    bpy.ops.superpose.set_up_body(use_live=False)
    target = figures.target_of(metarig, "spine")
    target.location.x += 0.3
    if is_keyed:
        target.keyframe_insert("location", frame=1)
    armatures.refresh()
    kept = import_module(f"{addon.name}.armature").KeptPose(metarig)
    lines = free_lines(addon, metarig)
    kept.let_go()
    assert lines == (["spine"] if is_keyed else [])
