# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones are moved and turned that goals besides effectors are about."""

import armatures
import bpy
import figure_goals
import figures
import numpy as np
import pytest
from handheld import head_of

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("blend")]

MET = 1e-4
TURNED = 1e-3  # radians


def looking(effectors):
    """A figure in Pose Mode whose head must point at an empty aside of it, and does not yet."""
    ob = figure_goals.ready(*effectors) if effectors else figures.figure()
    bpy.ops.object.mode_set(mode='POSE')
    goal = figure_goals.add(ob, 'AIM', "head")
    goal.rank, goal.target.location = 'MUST', (0.8, -3, 2)
    figures.make_active(ob)
    figures.select_bones(ob)
    armatures.refresh()
    return ob


def off_aim(ob):
    """The angle between the head's Y axis and the way to the target."""
    head, way = ob.pose.bones["head"], ob.superpose.goals[0].target.location - ob.pose.bones["head"].head
    return head.y_axis.angle(way)


@pytest.mark.parametrize("effectors", [("hips", "head", "hand.L", "hand.R"), ("head",), ()])
@pytest.mark.parametrize("turn", [(0, 0, 0), (0, 0, 0.4)], ids=["moved", "turned"])
def test_a_head_that_must_look_somewhere_goes_where_it_is_moved_and_looks_there(effectors, turn):
    ob = looking(effectors)
    way = (0, 0, 0) if any(turn) else (0.03, -0.02, 0.04)
    before = head_of(ob, "head")
    bpy.ops.superpose.pose(bone="head", translation=way, rotation=turn)
    armatures.refresh()
    np.testing.assert_allclose(head_of(ob, "head") - before, way, atol=MET)
    assert off_aim(ob) < TURNED


@pytest.mark.parametrize("effectors", [("hips", "head", "hand.L", "hand.R"), ("head",), ()])
def test_a_head_that_should_look_somewhere_looks_there_where_it_is_moved(effectors):
    ob = looking(effectors)
    ob.superpose.goals[0].rank = 'SHOULD'
    before, way = head_of(ob, "head"), (0.03, -0.02, 0.04)
    bpy.ops.superpose.pose(bone="head", translation=way)
    armatures.refresh()
    np.testing.assert_allclose(head_of(ob, "head") - before, way, atol=MET)
    assert off_aim(ob) < TURNED


def test_a_head_that_should_look_somewhere_turns_as_it_is_turned_by_hand():
    ob = looking(())
    ob.superpose.goals[0].rank = 'SHOULD'
    before = ob.pose.bones["head"].matrix.to_3x3()
    bpy.ops.superpose.pose(bone="head", rotation=(0, 0, 0.4))
    armatures.refresh()
    turned = ob.pose.bones["head"].matrix.to_3x3() @ before.inverted()
    assert abs(turned.to_quaternion().angle - 0.4) < TURNED
