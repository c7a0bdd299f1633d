# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The twist of limbs, divided among the bones that share it, in a pose that has been found.

Twist is that of the swing and twist about a segment's line. Where one bone hangs on another, turning both
against each other about the line between their heads moves nothing below them: so twist goes from bone to
bone of a segment, and effectors stay where they are, however bent it is.
"""

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    dot,
    matrix_to_quaternion,
    matvec,
    multiply,
    normalised,
    quaternion_to_matrix,
    rotation_vector_to_quaternion,
    twist_about,
    unit,
)
from ..limits import Group, group_limits, nearest_allowed
from ..model import LimbTwist, Pose, Skeleton, limb_twists
from ..posture import Twist
from .allowed import ALLOWED, farthest


def twists_shared(skeleton: Skeleton, pose: Pose) -> Pose:
    """Return the pose with the twist of limbs divided among the bones that share it.

    Where limits leave a bone less than its share it takes what they leave, and others of the segment keep
    the rest; a locked bone stops a segment from sharing. Where the pose is shared already it stays.
    """
    rotations = pose.rotations.copy()
    for run in limb_twists(skeleton):
        rotations[:, run.bones] = _divided(skeleton, rotations, run, run.shares)
    follow_twists(skeleton, rotations)
    return Pose(rotations, pose.translations)


def twists_gathered(skeleton: Skeleton, pose: Pose) -> Pose:
    """Return the pose with the twist of limbs at the joints that a solve turns, as far as limits let these.

    Where ``twists_shared`` begins; what hangs beside limbs stays.
    """
    runs = list(limb_twists(skeleton))
    if not runs:
        return pose
    rotations = pose.rotations.copy()
    for run in runs:
        rotations[:, run.bones] = _divided(skeleton, rotations, run, run.gathered)
    return Pose(rotations, pose.translations)


def twists_beside(skeleton: Skeleton, pose: Pose, but: Indices) -> Pose:
    """Return the pose with the twist bones beside limbs turned by their shares of the limbs' twist.

    ``but``: twist bones that stay. Nothing else moves, since such bones carry nothing that is solved. Raises
    SkeletonError if the pose is none of the skeleton's.
    """
    skeleton.check_pose(pose)
    rotations = pose.rotations.copy()
    follow_twists(skeleton, rotations, but)
    return Pose(rotations, pose.translations)


def follow_twists(skeleton: Skeleton, rotations: Array, but: Indices | tuple[()] = ()) -> None:
    """Turn the bones beside limbs, in place, by their shares of the twist in ``rotations`` (batch, bones, 4).

    ``but``: bones that stay.
    """
    for twist in skeleton.twists:
        if not twist.carries and skeleton.index(twist.bone) not in but:
            _follow(skeleton, rotations, twist)


def _divided(skeleton: Skeleton, rotations: Array, run: LimbTwist, shares: Array) -> Array:
    """Return the rotations (batch, m, 4) of the segment's bones with its twist divided by ``shares`` (m,).

    ``rotations`` (batch, bones, 4). Of a division that limits do not let be the largest part that they do.
    """
    rotations = normalised(rotations.take(run.bones, axis=1))
    outwards, inwards = run.axes(skeleton)
    twists = _half_turns(twist_about(rotations, _joined(outwards, inwards[:, -1:])))
    handed = np.cumsum(shares * twists.sum(axis=1)[:, None] - twists, axis=1)[:, :-1, None]
    groups = _limits_of(skeleton, run.bones)

    def turned(part: Array) -> Array:
        """Return the rotations with the ``part`` (batch,) of the whole handed on."""
        found, turn = rotations.copy(), part[:, None, None] * handed
        found[:, :-1] = multiply(found[:, :-1], rotation_vector_to_quaternion(turn * outwards))
        found[:, 1:] = multiply(rotation_vector_to_quaternion(-turn * inwards), found[:, 1:])
        return found

    whole = np.ones(len(rotations))
    refused = ~_is_allowed(groups, turned(whole))
    if not refused.any():
        return turned(whole)
    part = farthest(lambda part: _is_allowed(groups, turned(part)), np.where(refused, 0.0, whole), whole)
    return turned(part)


def _joined(*axes: Array) -> Array:
    """Return axes (b, ..., 3) of a batch one beside the other."""
    rows = max(map(len, axes))
    return np.concatenate([np.broadcast_to(some, (rows, *some.shape[1:])) for some in axes], axis=1)


def _follow(skeleton: Skeleton, rotations: Array, twist: Twist) -> None:
    """Turn a bone beside a segment by its share, within its limit; its swing stays as it is."""
    first, last, own = (skeleton.index(name) for name in (twist.first, twist.last, twist.bone))
    line, way = unit(skeleton.offsets[:, last]), skeleton.way(twist.first, twist.bone)[1:]
    shares = {skeleton.index(other.bone): other.share for other in skeleton.twists if not other.carries}
    carried = [shares[bone] for bone in way[:-1] if bone in shares]
    share = twist.share - (carried[-1] if carried else 0.0)
    if twist.at_end:
        angle = share * _twist(rotations[:, last], _at_rest(skeleton, line, [last]))
    else:
        angle = -share * _twist(rotations[:, first], line)
    axis = _at_rest(skeleton, line, way)
    turn = (angle - _twist(rotations[:, own], axis))[:, None] * axis
    turned = multiply(normalised(rotations[:, own]), rotation_vector_to_quaternion(turn))
    for group in _limits_of(skeleton, [own]):
        turned = _allowed(group, turned[:, None])[:, 0]
    rotations[:, own] = turned


def _at_rest(skeleton: Skeleton, line: Array, way: list[int]) -> Array:
    """Return a line (b, 3) of the frame that the first bone of a ``way`` hangs in, in the rest frame of the
    last."""
    for bone in way:
        rest = quaternion_to_matrix(skeleton.rests[:, bone])
        line = matvec(np.swapaxes(rest, -1, -2), line)
    return line


def _twist(rotations: Array, axis: Array) -> Array:
    """Return the twists (batch,) of rotations (batch, 4) about axes (b, 3), within half a turn."""
    return _half_turns(twist_about(rotations, axis))


def _half_turns(angles: Array) -> Array:
    return np.pi - np.mod(np.pi - angles, 2 * np.pi)


def _limits_of(skeleton: Skeleton, bones: list[int]) -> tuple[Group, ...]:
    place = {skeleton.names[bone]: number for number, bone in enumerate(bones)}
    return group_limits(skeleton.limits, place)


def _is_allowed(groups: tuple[Group, ...], rotations: Array) -> Mask:
    """Return in which rows (batch,) limits allow all rotations (batch, m, 4)."""
    allowed = np.ones(len(rotations), bool)
    for group in groups:
        allowed &= (nearest_allowed(group, rotations.take(group.bones, axis=1))[1] <= ALLOWED).all(axis=1)
    return allowed


def _allowed(group: Group, rotations: Array) -> Array:
    """Return the rotations (batch, m, 4) of all bones of a group, those outside at the nearest within."""
    nearest, angles = nearest_allowed(group, rotations)
    found = matrix_to_quaternion(nearest)
    found = np.where(dot(found, rotations)[..., None] < 0, -found, found)
    return np.where(angles[..., None] > ALLOWED, found, rotations)
