# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingers that are dragged bend, and the hand stays as it is as long as they reach."""

from math import degrees

import bpy
import numpy as np
import pytest
from handheld import head_of

MET = 1e-3
CURLED = (-0.055, 0.0, 0.0)


def drag(bone, way):
    assert bpy.ops.superpose.pose(bone=bone, translation=way) == {'FINISHED'}


def turned(ob, bone, before):
    """How far a bone is turned in the scene, degrees."""
    return degrees((before.inverted() @ ob.pose.bones[bone].matrix.to_3x3()).to_quaternion().angle)


@pytest.mark.parametrize("is_live", [False, True])
@pytest.mark.parametrize(
    ("bone", "way"), [("f_index.03.L", CURLED), ("f_ring.03.L", CURLED), ("thumb.03.L", (0.0, -0.02, 0.01))]
)
def test_a_finger_bends_and_its_hand_stays(metarig, bone, way, is_live):
    bpy.ops.superpose.set_up_body(use_live=is_live, use_targets=is_live)
    if is_live:  # which way the target of a hand is turned means nothing
        metarig.pose.bones["hand.L"].superpose.target.rotation_euler.x += 1.0
        bpy.context.view_layer.update()
    wrist, tip = head_of(metarig, "hand.L"), head_of(metarig, bone)
    hand = metarig.pose.bones["hand.L"].matrix.to_3x3()
    drag(bone, way)
    np.testing.assert_allclose(head_of(metarig, bone) - tip, way, atol=MET)
    assert np.linalg.norm(head_of(metarig, "hand.L") - wrist) < 0.25 * np.linalg.norm(way)
    assert turned(metarig, "hand.L", hand) < 6
    for palm in ("palm.01.L", "palm.03.L"):  # which hardly bends
        assert degrees(metarig.pose.bones[palm].matrix_basis.to_quaternion().angle) < 3


def test_both_sides_bend_where_blender_mirrors(metarig):
    metarig.pose.use_mirror_x = True
    hands = {side: metarig.pose.bones[f"hand.{side}"].matrix.to_3x3() for side in "LR"}
    drag("f_index.03.L", CURLED)
    for side, hand in hands.items():
        assert turned(metarig, f"hand.{side}", hand) < 6


def test_a_finger_that_reaches_no_farther_takes_its_hand_along(metarig):
    drag("f_index.03.L", (0.0, -0.3, 0.1))
    before, way = head_of(metarig, "hand.L"), np.array([0.0, -0.1, 0.1])
    drag("f_index.03.L", way)
    assert (head_of(metarig, "hand.L") - before) @ way > 0.5 * (way @ way)
