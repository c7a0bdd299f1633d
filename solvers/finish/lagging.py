# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that turn no faster than they may, and so come after what was solved: lag and follow-through.

The bound is one of time and not of frames. With twice as many frames a second the motion is the same, to
within what a bone may turn in one of the longer frames. This holds as long as a bone lags by less than a
quarter turn; beyond that the shorter way may be another one.
"""

import numpy as np

from ..geometry import (
    Array,
    Mask,
    angle_between,
    conjugate,
    dot,
    matrix_to_quaternion,
    multiply,
    norm,
    normalised,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
    rotation_vector_to_quaternion,
)
from ..limits import Group, group_limits, nearest_allowed
from ..model import Pose, Skeleton
from .allowed import ALLOWED, farthest
from .twisting import follow_twists


def lagged(
    skeleton: Skeleton, pose: Pose, speeds: Array, seconds: float, before: Pose | None = None
) -> tuple[Pose, Array]:
    """Return the pose with bones turned from row to row no faster than their speed, and how far (batch,
    bones), radians, each is behind.

    Rows are in the order of time, ``seconds`` apart. ``speeds`` (bones,): radians a second, of local
    rotations; 0 for bones that turn as fast as they are asked to. ``before``: the pose, of one row, so long
    before the first; without one that is as it was solved. Limits are kept. Bones beside a limb that share
    its twist go with what comes of it.
    """
    slow = np.flatnonzero((speeds > 0) & (skeleton.stiffness < 1))
    behind = np.zeros(pose.rotations.shape[:2])
    if not len(slow) or not len(pose):
        return pose, behind
    place = {skeleton.names[bone]: number for number, bone in enumerate(slow.tolist())}
    groups = group_limits(skeleton.limits, place)
    wanted = normalised(pose.rotations.take(slow, axis=1))
    found, most = wanted.copy(), (speeds[slow] * seconds)[None]
    last = None if before is None else normalised(before.rotations.take(slow, axis=1))
    for row in range(len(wanted)):
        one = slice(row, row + 1)
        if last is not None:
            found[one] = _turned(last, wanted[one], most, tuple(group.rows(one) for group in groups))
        last = found[one]
    late = (found != wanted).any(axis=-1)
    angles = norm(quaternion_to_rotation_vector(multiply(conjugate(found), wanted)))
    behind[:, slow] = np.where(late, angles, 0.0)
    rotations = pose.rotations.copy()
    rotations[:, slow] = np.where(late[..., None], found, rotations.take(slow, axis=1))
    follow_twists(skeleton, rotations, but=slow)
    return Pose(rotations, pose.translations), behind


def _turned(last: Array, wanted: Array, most: Array, groups: tuple[Group, ...]) -> Array:
    """Return rotations (1, m, 4) that are turned from the ``last`` towards those ``wanted`` by the angles
    ``most`` at most, and as limits allow.
    """
    way = quaternion_to_rotation_vector(multiply(conjugate(last), wanted))
    angles = norm(way)
    late = angles > most
    share = np.where(late, most / np.where(late, angles, 1.0), 1.0)
    found = np.where(late[..., None], _on(last, way, share), wanted)
    for group in groups:
        parts = (values.take(group.bones, axis=1) for values in (found, last, way, share, most))
        found[:, group.bones] = _within(group, *parts)
    return found


def _on(last: Array, way: Array, share: Array) -> Array:
    """Return the rotations a ``share`` (1, m) of the ``way`` (1, m, 3) on from the last ones."""
    return multiply(last, rotation_vector_to_quaternion(share[..., None] * way))


def _within(group: Group, found: Array, last: Array, way: Array, share: Array, most: Array) -> Array:
    """Return what was ``found`` within limits: where the straight way leaves them, as far along its nearest
    allowed rotations as the bone may turn.
    """
    outside = nearest_allowed(group, found)[1] > ALLOWED
    if not outside.any():
        return found

    def fits(part: Array) -> Mask:
        """Return whether bones turn no farther than they may to what is allowed nearest to that part."""
        nearest, _ = nearest_allowed(group, _on(last, way, part))
        return angle_between(nearest, quaternion_to_matrix(last)) <= most

    least = farthest(fits, np.zeros(share.shape), share)
    allowed = matrix_to_quaternion(nearest_allowed(group, _on(last, way, least))[0])
    allowed = np.where(dot(allowed, last)[..., None] < 0, -allowed, allowed)
    return np.where(outside[..., None], allowed, found)
