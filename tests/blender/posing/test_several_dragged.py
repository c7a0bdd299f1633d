# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several armatures are in Pose Mode, and one of them, or each, is dragged."""

import armatures
import bpy
import figures
import numpy as np
from handheld import Hand, heads, moved, pose_mode


def test_two_armatures_are_dragged_at_once(ob):
    """As a script may: each drag ends by itself, and gives back its own."""
    bpy.ops.object.mode_set(mode='OBJECT')
    other = figures.ready("Other")
    other.location.x = 3.0
    for one in (ob, other):
        one.select_set(True)
    pose_mode(ob)
    armatures.refresh()
    before = heads(ob), heads(other)
    hands = [Hand(one, "hand.L") for one in (ob, other)]
    for hand in hands:
        hand.press().move((-80, 60))
    hands[0].send('ESC')
    hands[1].move((-10, 0)).release()
    assert [hand.state for hand in hands] == [{'CANCELLED'}, {'FINISHED'}]
    for name, place in heads(ob).items():
        np.testing.assert_array_equal(place, before[0][name])
    assert np.linalg.norm(moved(other, before[1], "hand.L")) > 0.1


def test_of_several_armatures_in_pose_mode_the_one_under_the_mouse_is_dragged(ob):
    bpy.ops.object.mode_set(mode='OBJECT')
    other = armatures.chain(3, name="Other")
    other.location = (3, 0, 0)
    for one in (ob, other):
        one.select_set(True)
    pose_mode(ob)
    assert other.mode == 'POSE'
    for one in (ob, other):  # as those of armatures that were just added
        figures.select_bones(one, *one.pose.bones.keys())
    before = heads(ob)
    hand = Hand(other, "b1").press()
    assert bpy.context.object == other
    hand.move((60, 0)).release()
    assert hand.tool.bone == "b1"
    assert [figures.selected_bones(one) for one in (ob, other)] == [[], ["b1"]]
    for name, place in heads(ob).items():
        np.testing.assert_allclose(place, before[name], atol=1e-6)


def test_a_drag_that_is_adjusted_is_still_that_of_the_armature_that_was_dragged(ob):
    """What was active before the drag is active again as it is adjusted: Blender undoes the drag first."""
    bpy.ops.object.mode_set(mode='OBJECT')
    other = figures.ready("Other")
    other.location.x = 3.0
    for one in (ob, other):
        one.select_set(True)
    pose_mode(ob)
    figures.select_bones(ob, "hand.R")
    ob.data.bones.active = ob.data.bones["hand.R"]
    armatures.refresh()
    before = heads(ob), heads(other)
    tool = Hand(other, "hand.L").press().send('ESC').tool
    assert bpy.context.object == ob
    bpy.ops.superpose.pose(armature=tool.armature, bone=tool.bone, translation=(-0.1, 0, 0.1))
    np.testing.assert_allclose(moved(other, before[1], "hand.L"), (-0.1, 0, 0.1), atol=1e-4)
    for name, place in heads(ob).items():
        np.testing.assert_array_equal(place, before[0][name])
    assert bpy.context.object == other
    assert other.data.bones.active.name == "hand.L"
