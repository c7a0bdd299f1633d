# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints of a pose are at their limits: what to say of a target that was missed."""

import numpy as np

from ..geometry import Array, Mask, normalised, quaternion_to_matrix
from .pose import Pose
from .skeleton import Skeleton

_OPPOSITE = -1 + 1e-6


def joints_at_limits(skeleton: Skeleton, pose: Pose, tolerance: float = 1e-3) -> Mask:
    """Return which bones (batch, bones) are within ``tolerance`` radians of an end of what they may do.

    A joint that is locked in some direction is not at its limit for that alone.
    Raises SkeletonError where the pose is none of the skeleton's.
    """
    skeleton.check_pose(pose)
    local = quaternion_to_matrix(normalised(pose.rotations))
    touched = np.zeros(local.shape[:2], bool)
    for group in skeleton.grouped_limits:
        normals, room = group.room(local.take(group.bones, axis=1))
        size = np.maximum(np.linalg.norm(normals, axis=-1), 1e-12)
        near = room / size <= tolerance
        touched[:, group.bones] = (near & ~_locked(normals / size[..., None], near)).any(axis=-1)
    return touched


def _locked(normals: Array, near: Mask) -> Mask:
    """Return which near faces (batch, m, c) have one opposite that is near too: nothing lies between."""
    opposite = normals @ normals.swapaxes(-1, -2) < _OPPOSITE
    locked: Mask = np.any(opposite & near[..., None, :], axis=-1)
    return locked
