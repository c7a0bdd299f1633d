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
