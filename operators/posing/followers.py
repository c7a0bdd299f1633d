# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors that follow and give way to what is dragged: their targets go along, as places without one do."""

from collections.abc import Mapping, Set

import numpy as np
from bpy.types import Object

from ...armature import Batch, FrameSnapshot, Rig, own_targets, places_in_pose
from ...dragging import Found
from ...reports import visible_distance
from ...solvers import Pose, Skeleton
from ...solvers.geometry import Array


def followers_at_targets(rig: Rig, ob: Object, frame: FrameSnapshot, held: Set[int]) -> dict[str, int]:
    """Return the rows by bone of effectors that are not held nor pinned, and meet targets made for them."""
    batch = Batch(rig, [frame])
    away = _distances(rig, frame, batch.skeleton, batch.pose)
    rows = own_targets(rig, ob).keys() - held
    is_met = away <= visible_distance([frame])[0]
    return {rig.effectors[row].bone: row for row in rows if is_met[row] and rig.holds[row] != 'PINNED'}


def gave_way(followers: Mapping[str, int], found: Found) -> list[str]:
    """Return the bones of followers that are not at their targets in the pose that was found."""
    away = _distances(found.rig, found.frame, found.skeleton, found.solution.pose)
    return [bone for bone, row in followers.items() if away[row] > visible_distance([found.frame])[0]]


def _distances(rig: Rig, frame: FrameSnapshot, skeleton: Skeleton, pose: Pose) -> Array:
    """Return how far (effectors,) bones are from their targets, scene units, in a pose of one row."""
    places = places_in_pose(rig, frame, skeleton, pose)
    return np.linalg.norm(places[:, :3, 3] - frame.targets[:, :3, 3], axis=-1)
