# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines, whose joints are hinges, go where their tip is dragged."""

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("blend")

ARM = {  # name: (parent, head, tail)
    "base": (None, (0, 0, 0), (0, 0, 0.2)),
    "turret": ("base", (0, 0, 0.2), (0, 0, 0.5)),
    "lower": ("turret", (0, 0, 0.5), (0, 0, 1.2)),
    "upper": ("lower", (0, 0, 1.2), (0, -0.7, 1.4)),
    "wrist": ("upper", (0, -0.7, 1.4), (0, -0.9, 1.3)),
    "tool": ("wrist", (0, -0.9, 1.3), (0, -1, 1.15)),
}
AXES = {"turret": "Y", "lower": "X", "upper": "X", "wrist": "X", "tool": "Y"}


@pytest.fixture
def arm():
    """An arm of five hinges on a base that stays, in Pose Mode."""
    ob = armatures.new_object("Robot", bpy.data.armatures.new("Robot"))
    with armatures.edited(ob) as bones:
        for bone, (parent, head, tail) in ARM.items():
            new = bones.new(bone)
            new.head, new.tail, new.parent = head, tail, bones.get(parent or "")
    for bone, axis in AXES.items():
        limit = ob.pose.bones[bone].superpose.limit
        limit.kind, limit.axis = 'HINGE', np.eye(3)["XYZ".index(axis)]
        limit.hinge_min, limit.hinge_max = -2.5, 2.5
    ob.pose.bones["base"].superpose.stiffness = 1
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    return ob


@pytest.mark.parametrize("way", [(0.3, 0, 0), (0.3, 0.3, 0), (0.5, 0.5, -0.3)])
def test_the_tool_of_a_robot_arm_goes_sideways(arm, way):
    """Five hinges cannot keep how the tool is turned meanwhile."""
    bpy.ops.superpose.set_up_body(kind='ARM', use_live=False)
    assert left_of(arm, way) < 1e-3


def test_a_tool_that_keeps_how_it_is_turned_says_that_this_comes_first(arm):
    figures.select_bones(arm, "tool")
    bpy.ops.superpose.add_effectors()
    tool, way = arm.pose.bones["tool"], (0.3, 0, 0)
    assert left_of(arm, way) > 0.2
    (reason,) = tool.superpose.reasons
    assert (reason.kind, reason.words) == ('OWN', "its rotation comes first, unless Rotation Weight is 0")
    tool.superpose_rotation_weight = 0
    assert left_of(arm, way) < 1e-3
    assert not tool.superpose.reasons


def left_of(ob, way):
    """By how far the tool is not where it was dragged."""
    before = np.array(ob.pose.bones["tool"].head)
    bpy.ops.superpose.pose(bone="tool", translation=way)
    armatures.refresh()
    return np.abs(np.array(ob.pose.bones["tool"].head) - before - way).max()
