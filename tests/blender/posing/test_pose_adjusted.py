# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adjust Last Operation after a drag goes on from where that ended."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from armatures import Matrix
from handheld import Hand, head_of, heads

NEAR = 0.02  # metres


def test_a_drag_that_is_adjusted_goes_on_from_where_it_ended(metarig):
    """Blender undoes the drag first, and calls the same operator again with other values."""
    name = metarig.name
    bpy.ops.ed.undo_push()
    hand = Hand(metarig, "hand.L").press()
    for _ in range(8):
        hand.move((0, 100))
    tool, ended = hand.release().tool, heads(metarig)
    bpy.ops.ed.undo_push()
    for further in (0.0, 0.002):
        bpy.ops.ed.undo()
        ob = bpy.data.objects[name]
        assert np.linalg.norm(head_of(ob, "hand.L") - ended["hand.L"]) > 0.1
        tool.translation = [each + further for each in tool.translation]
        assert tool.execute(bpy.context) == {'FINISHED'}
        armatures.refresh()
        assert max(np.linalg.norm(place - ended[bone]) for bone, place in heads(ob).items()) < NEAR
        bpy.ops.ed.undo_push()


@pytest.mark.parametrize(
    ("bone", "way", "near"),
    [
        pytest.param("hand.L", (-100, 30), 0.05, id="hand"),
        pytest.param("spine", (0, -20), 0.1, id="hips"),
    ],
)
def test_a_turn_after_a_drag_begins_from_how_the_bone_has_come_there(metarig, bone, way, near):
    name = metarig.name
    figures.select_bones(metarig, bone)
    bpy.ops.ed.undo_push()
    hand = Hand(metarig, bone).key_pressed(bone)
    for _ in range(8):
        hand.move(way)
    tool, ended = hand.send('RET').tool, heads(metarig)
    turned = metarig.pose.bones[bone].matrix.to_3x3()
    bpy.ops.ed.undo_push()
    for angle in (0.02, 0.4):
        bpy.ops.ed.undo()
        tool.rotation = (0.0, angle, 0.0)
        assert tool.execute(bpy.context) == {'FINISHED'}
        armatures.refresh()
        ob, wanted = bpy.data.objects[name], Matrix.Rotation(angle, 3, 'Y') @ turned
        off = ob.pose.bones[bone].matrix.to_3x3().inverted() @ wanted
        assert off.to_quaternion().angle < 2e-3
        body = ("spine", "spine.006", "forearm.L", "hand.L", "forearm.R", "hand.R", "shin.L", "shin.R")
        assert max(np.linalg.norm(head_of(ob, bone) - ended[bone]) for bone in body) < near
        bpy.ops.ed.undo_push()
