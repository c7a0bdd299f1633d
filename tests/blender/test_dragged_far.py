# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trunks that are dragged to where they cannot be, in small moves: nothing turns over on the way."""

import sys
from dataclasses import replace

import armatures
import bpy
import numpy as np
import pytest
import rigify_rigs

pytestmark = [pytest.mark.usefixtures("rigify"), pytest.mark.once]

LEAP = 0.7  # radians
# What is dragged, and by how much in each move, as a share of the body's extent.
WAYS = [
    ("bird", "spine.004", (0.00376, -0.00177, 0.00053)),
    ("basic_quadruped", "spine.005", (-0.00107, -0.0072, 0.00151)),
]


class Far:
    """The moves of a drag by the mouse, from a body that is set up by one press."""

    def __init__(self, addon, kind, bone):
        rooms = lambda room: sys.modules[f"{addon.name}.{room}"]  # noqa: E731
        armature, self.ob = rooms("armature"), rigify_rigs.metarig(kind)
        bpy.ops.superpose.set_up_body(use_live=False)
        armatures.refresh()
        rig = armature.read_rig(self.ob).as_listed
        self.frame = armature.read_frame(rig, self.ob, bpy.context.evaluated_depsgraph_get())
        self.row = [effector.bone for effector in rig.effectors].index(bone)
        self.extent = armature.figure_extents([self.frame])[0]
        moved = frozenset({self.row})
        self.drag = rooms("dragging").Drag(rig, armature.settings_of(self.ob), self.frame, moved)

    def move(self, way):
        """What is found once the target is so far away, in extents."""
        targets = self.frame.targets.copy()
        targets[self.row, :3, 3] += self.extent * np.array(way)
        return self.drag.solve(replace(self.frame, targets=targets), in_haste=True)


@pytest.mark.parametrize(("kind", "bone", "way"), WAYS, ids=[kind for kind, *_ in WAYS])
def test_no_joint_leaps_where_what_is_dragged_comes_out_of_reach(addon, kind, bone, way):
    far, before, missed = Far(addon, kind, bone), None, []
    for count in range(1, 61):
        found = far.move(count * np.array(way))
        after, before = before, found.solution.pose.rotations
        if after is not None:
            cosines = np.abs((after * before).sum(axis=-1))
            assert 2 * np.arccos(cosines.min().clip(0, 1)) < LEAP
        missed.append(far.drag.miss(found) / far.extent)
    assert missed[0] < 1e-4 < 0.02 < missed[-1]


@pytest.mark.parametrize(
    ("bone", "way"), [("spine.003", (0.5, 0, 0)), ("spine.006", (0, -0.3, 0.4))], ids=["chest", "head"]
)
def test_what_comes_back_into_reach_is_followed_again(addon, bone, way):
    """Small moves lead no body back that hangs between its limits, and those were all that were tried."""
    posing = lambda name: sys.modules[f"{addon.name}.operators.posing.{name}"]  # noqa: E731
    ob, count = rigify_rigs.metarig("human"), 60
    bpy.ops.superpose.set_up_body(use_live=False)
    bpy.ops.object.mode_set(mode='POSE')
    puppet = posing("puppet").take_hold(bpy.context, ob, bone, False)
    extent = sys.modules[f"{addon.name}.armature"].figure_extents([puppet.drag.begin])[0]
    missed = []
    for share in (*range(1, count + 1), *range(count, 0, -1)):
        puppet.follow(ob, posing("motion").Motion(extent * share / count * np.array(way)), False)
        missed.append(puppet.drag.miss(puppet.found) / extent)
    puppet.take_back(ob)
    puppet.let_go(bpy.context)
    there, back = np.array(missed[:count]), np.array(missed[: count - 1 : -1])
    assert there[-1] > 0.1
    assert (back - there).max() < 0.06
