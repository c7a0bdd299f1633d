# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that a pinned part of the body carries, as claws a paw and toes a foot: they are moved as it is."""

from math import degrees, radians

import armatures
import bpy
import numpy as np
import pytest
import rigify_rigs
from handheld import head_of, pose_mode

MET = 1e-3


def drag(bone, way):
    assert bpy.ops.superpose.pose(bone=bone, translation=way) == {'FINISHED'}


@pytest.mark.parametrize(
    ("bone", "paw"),
    [
        ("f_palm.03.L", "front_toe"),
        ("f_index.02.L", "front_toe"),
        ("r_palm.01.L", "toe"),
        ("r_ring.02.L", "toe"),
    ],
)
def test_a_claw_takes_its_paw_off_the_ground(rigify, bone, paw):
    """Also one of a hind paw, which is a toe itself."""
    ob = pose_mode(rigify_rigs.metarig("wolf"))
    before, other = head_of(ob, bone), head_of(ob, f"{paw}.R")
    drag(bone, (0, -0.1, 0.15))
    np.testing.assert_allclose(head_of(ob, bone) - before, (0, -0.1, 0.15), atol=MET)
    np.testing.assert_allclose(head_of(ob, f"{paw}.R"), other, atol=MET)
    assert ob.pose.bones[f"{paw}.L"].superpose.hold == 'PINNED'
    assert ob.pose.bones[ob.superpose.active_bone_index].name == f"{paw}.L"


def test_a_heel_takes_its_foot_along_and_its_mirror_image_the_other(metarig):
    metarig.pose.use_mirror_x = True
    before = {side: head_of(metarig, f"foot.{side}") for side in "LR"}
    drag("heel.02.L", (0.05, -0.1, 0.1))
    for side, across in (("L", 0.05), ("R", -0.05)):
        moved = head_of(metarig, f"foot.{side}") - before[side]
        np.testing.assert_allclose(moved, (across, -0.1, 0.1), atol=MET)


@pytest.mark.parametrize("bone", ["toe.L", "tip"])
@pytest.mark.parametrize("way", [(0, 0, 0.03), (0, -0.1, 0.1), (0.1, 0, 0)])
def test_toes_take_their_foot_along_as_its_pin_holds_them(metarig, way, bone):
    with armatures.edited(metarig) as bones:  # as imports end toes with
        tip = bones.new("tip")
        tip.parent = bones["toe.L"]
        tip.head, tip.tail = tip.parent.tail, 2 * tip.parent.tail - tip.parent.head
    before, other = head_of(metarig, bone), head_of(metarig, "toe.R")
    drag(bone, way)
    np.testing.assert_allclose(head_of(metarig, bone) - before, way, atol=MET)
    np.testing.assert_allclose(head_of(metarig, "toe.R"), other, atol=MET)
    assert metarig.pose.bones["foot.L"].superpose.hold == 'PINNED'


def test_toes_of_a_foot_that_stands_can_be_turned(metarig):
    bpy.ops.superpose.set_up_body(use_live=False)
    foot, toe = (metarig.pose.bones[name] for name in ("foot.L", "toe.L"))
    before = foot.matrix.copy(), toe.matrix.copy()
    assert bpy.ops.superpose.pose(bone="toe.L", rotation=(radians(-30), 0, 0)) == {'FINISHED'}
    armatures.refresh()
    np.testing.assert_allclose(foot.matrix, before[0], atol=MET)
    turned = (before[1].inverted() @ toe.matrix).to_quaternion()
    assert degrees(turned.angle) == pytest.approx(30, abs=0.1)


@pytest.mark.parametrize("keeps_turn", [True, False])
def test_the_first_bone_of_a_finger_takes_a_pinned_hand_along_that_may_not_turn(metarig, keeps_turn):
    bpy.ops.superpose.set_up_body(use_live=False)
    hand, way = metarig.pose.bones["hand.L"], np.array([0.0, -0.02, 0.01])
    hand.superpose.hold = 'PINNED'
    hand.superpose_rotation_weight = float(keeps_turn)
    wrist, joint = head_of(metarig, "hand.L"), head_of(metarig, "palm.02.L")
    drag("palm.02.L", way)
    moved = head_of(metarig, "palm.02.L") - joint
    np.testing.assert_allclose(head_of(metarig, "hand.L") - wrist, way * keeps_turn, atol=MET)
    assert np.linalg.norm(moved - way) < (MET if keeps_turn else 0.02)
