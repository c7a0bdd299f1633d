# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of effectors that go with the body, while others are moved or bones are posed by hand."""

from collections.abc import Collection

from bpy.types import Object

from ..armature import FrameSnapshot, Rig, carry_targets, places_in_pose
from ..dragging import Found
from ..solvers import Pose, Skeleton


def carry_along(ob: Object, rows: Collection[int], found: Found) -> bool:
    """Put the targets of these effectors where the pose that was found has their bones; return whether
    any was elsewhere.
    """
    return carry_to_pose(found.rig, ob, rows, found.frame, found.skeleton, found.solution.pose)


def carry_to_pose(
    rig: Rig, ob: Object, rows: Collection[int], frame: FrameSnapshot, skeleton: Skeleton, pose: Pose
) -> bool:
    """Put the targets of these effectors where a pose has their bones; return whether any was elsewhere."""
    return bool(rows) and carry_targets(rig, ob, rows, places_in_pose(rig, frame, skeleton, pose))
