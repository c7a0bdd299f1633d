# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes in the middle of a drag with the mouse: it ends with a word, or goes on, and nothing is lost."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from handheld import Hand, everything, head_of, heads, moved

MET = 1e-4


def interrupted(hand):
    """Have the next event come: the drag ends with a word about why."""
    hand.send('MOUSEMOVE', 'NOTHING')
    assert hand.state == {'CANCELLED'}
    assert "was stopped" in hand.reports[-1]
    assert hand.has_cleared_the_window


def test_leaving_pose_mode_in_the_middle_gives_the_pose_back(ob):
    before = everything(ob)
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    bpy.ops.object.mode_set(mode='OBJECT')
    interrupted(hand)
    bpy.ops.object.mode_set(mode='POSE')
    assert everything(ob)[1] == before[1]


def test_another_frame_in_the_middle_gives_the_pose_back(ob):
    before = everything(ob)
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    bpy.context.scene.frame_set(7)
    interrupted(hand)
    assert everything(ob)[1] == before[1]


@pytest.mark.parametrize("is_live", [False, True])
def test_another_frame_in_the_middle_stays_as_it_is_keyed(ob, is_live):
    """Bones and targets with keys are as in that frame, those without as before the drag; *Live* meets it."""
    bpy.ops.superpose.create_targets()
    ob.superpose_live = is_live
    bone, target = ob.pose.bones["forearm.L"], figures.target_of(ob, "hand.L")
    for frame, turn in ((1, 0.9), (7, 0.7)):
        bone.rotation_quaternion.w = turn
        bone.keyframe_insert("rotation_quaternion", index=0, frame=frame)
        target.location.z += 0.01 * frame
        target.keyframe_insert("location", index=2, frame=frame)
    bpy.context.scene.frame_set(7)
    before, placed = heads(ob), target.matrix_world.copy()
    bpy.context.scene.frame_set(1)
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    bpy.context.scene.frame_set(7)
    interrupted(hand)
    assert target.matrix_world == placed
    for name in ["hand.L"] if is_live else before:
        np.testing.assert_allclose(head_of(ob, name), before[name], atol=MET)


def test_undo_in_the_middle(ob):
    bpy.ops.ed.undo_push(message="before")
    name, before = ob.name, everything(ob)
    bpy.ops.ed.undo_push(message="once more")
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    bpy.ops.ed.undo()
    interrupted(hand)
    assert everything(bpy.data.objects[name])[1] == before[1]


def test_what_others_pose_in_the_middle_stays(ob):
    before = figures.transforms(ob.pose.bones["hand.R"])
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    ob.pose.bones["head"].rotation_quaternion = (0.6, 0.8, 0.0, 0.0)
    interrupted(hand)
    assert tuple(ob.pose.bones["head"].rotation_quaternion) == tuple(np.float32((0.6, 0.8, 0.0, 0.0)))
    assert figures.transforms(ob.pose.bones["hand.R"]) == before


def test_a_deleted_armature_ends_the_drag(ob):
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    bpy.data.objects.remove(ob)
    interrupted(hand)


@pytest.mark.parametrize("hold", ['FOLLOWS', 'PINNED'])
def test_a_deleted_bone_ends_the_drag(ob, hold):
    ob.pose.bones["head"].superpose.hold = hold
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    with armatures.edited(ob) as bones:
        bones.remove(bones["head"])
    bpy.ops.object.mode_set(mode='POSE')
    interrupted(hand)


def test_a_bone_that_is_renamed_ends_the_drag_and_goes_back_too(ob):
    before = heads(ob)
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    ob.pose.bones["forearm.L"].name = "elbow"
    interrupted(hand)
    after = heads(ob)
    np.testing.assert_array_equal(after.pop("elbow"), before.pop("forearm.L"))
    for name, place in before.items():
        np.testing.assert_array_equal(after[name], place)


def test_an_armature_that_is_renamed_is_dragged_on(ob):
    before = heads(ob)
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    ob.name, ob.data.name = "Somebody", "Something"
    assert hand.move((-20, 20)).release().state == {'FINISHED'}
    assert np.linalg.norm(moved(ob, before, "hand.L")) > 0.1


def test_a_constraint_that_comes_ends_the_drag(ob):
    before = everything(ob)[1]
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    ob.pose.bones["hand.L"].constraints.new('COPY_LOCATION').mute = True
    interrupted(hand)
    assert everything(ob)[1] == before


def test_another_scene_ends_the_drag(ob):
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    window = bpy.context.window
    window.scene = bpy.data.scenes.new("Other")
    interrupted(hand)


def test_the_end_by_another_file_gives_everything_back(ob):
    before = everything(ob)
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    hand.tool.cancel(hand.viewport)
    armatures.refresh()
    assert everything(ob) == before
