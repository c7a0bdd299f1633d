# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons and their poses together: rest, what no solve changes, and where a pose puts all bones."""

import numpy as np

from ..errors import SkeletonError, check_kinds
from ..geometry import Array, is_whole, matvec, normalised, quaternion_to_matrix
from .pose import Pose
from .skeleton import Skeleton

IDENTITY_QUATERNION = np.array([1.0, 0.0, 0.0, 0.0])


def rest_pose(skeleton: Skeleton, batch: int = 1) -> Pose:
    """Return the pose in which no bone is turned or moved. Raises SkeletonError for a batch that is none."""
    check_kinds([skeleton], Skeleton, "The skeleton", SkeletonError)
    if not (is_whole(batch) and batch >= 0):
        raise SkeletonError(f"The batch must be a whole number from 0 on, not {batch!r}")
    bones = len(skeleton.names)
    return Pose(np.broadcast_to(IDENTITY_QUATERNION, (batch, bones, 4)), np.zeros((batch, bones, 3)))


def carried_on(skeleton: Skeleton, pose: Pose, own: Pose) -> Pose:
    """Return the ``pose`` with what no solve changes as it is in the rows' ``own`` one.

    That is how locked bones are turned, and where roots are in directions in which they may not be moved.
    """
    rotations = np.where((skeleton.stiffness == 1)[:, None], own.rotations, pose.rotations)
    held = np.eye(3) - skeleton.freedom
    away = matvec(held, pose.translations - own.translations)
    return Pose(rotations, pose.translations - away)


def forward(skeleton: Skeleton, pose: Pose) -> tuple[Array, Array]:
    """Return the bones' rotations (batch, bones, 3, 3) and heads (batch, bones, 3), ``bone_to_armature``.

    Forward kinematics bone by bone, as the definition above reads; the solver keeps its own faster form.
    Raises SkeletonError where the pose is none of the skeleton's.
    """
    check_kinds([skeleton], Skeleton, "The skeleton", SkeletonError)
    skeleton.check_pose(pose)
    local = quaternion_to_matrix(skeleton.rests) @ quaternion_to_matrix(normalised(pose.rotations))
    translations = pose.translations  # made whole whenever a pose is asked for them
    rotations, heads = np.array(local), translations + skeleton.offsets
    for bone, parent in enumerate(skeleton.parents):
        if parent >= 0:
            if skeleton.inherits_rotation[bone]:
                rotations[:, bone] = rotations[:, parent] @ local[:, bone]
            carried = matvec(rotations[:, parent], skeleton.offsets[:, bone])
            heads[:, bone] = heads[:, parent] + carried + translations[:, bone]
    return rotations, heads
