# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Straight limbs whose ends are dragged nearer: they bend, as small steps would never make them do.

To first order, bending a straight limb does not bring its end nearer. So steps would move the shoulder, and
then the trunk, instead. How far the limb has to bend follows from the law of cosines, and to which side from
its comfort.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ..solvers import OneWay, Pose, Skeleton, forward
from ..solvers.geometry import (
    Array,
    dot,
    matvec,
    multiply,
    norm,
    quaternion_to_matrix,
    rotation_vector_to_matrix,
    rotation_vector_to_quaternion,
    shortest_arc,
    vecmat,
)

# A bone, a point (3,) of it and where that is to be (3,), armature space.
End = tuple[str, Array, Array]

_STRAIGHT = 0.2  # the sine of how far a limb is bent at most to be straight
# How far both parts of a limb point the same way, seen along its axis, to be turned about that: a cosine.
_AHEAD = 0.25
# How often a body is brought within the reach of each limb: where several hold it, these have to agree.
_ROUNDS = 8


def bent(skeleton: Skeleton, pose: Pose, bone: str, point: Array, target: Array) -> Pose:
    """Return the pose with a straight limb bent so that its end is at the ``target`` (3,), armature space.

    The limb ends at the ``point`` (3,) of a bone. The pose stays as it is if the target is no nearer to where
    the limb begins than the end is. It also stays for limbs that may bend to either side, that are locked,
    that are bent sideways by 75 degrees or more, or of which a part has no length.
    """
    limb = _limb(skeleton, bone)
    if limb is None:
        return pose
    first, middle, way = limb
    side = vecmat(way.towards, quaternion_to_matrix(pose.rotations[0, middle]))
    if abs(side @ way.limb) > _STRAIGHT:
        return pose
    rotations, heads = (of[0] for of in forward(skeleton, pose))
    last = skeleton.index(bone)
    upper = heads[middle] - heads[first]
    lower = heads[last] + matvec(rotations[last], point) - heads[middle]
    to_target = target - heads[first]
    own = np.cross(way.limb, side)
    own /= norm(own)
    axis = matvec(rotations[middle], own)
    ahead = dot(upper, lower) - dot(upper, axis) * dot(lower, axis)
    if ahead <= _AHEAD * norm(upper) * norm(lower) or norm(to_target) >= norm(upper + lower):
        return pose
    angle = _angle(upper, lower, axis, norm(to_target))
    swing = shortest_arc(upper + matvec(rotation_vector_to_matrix(angle * axis), lower), to_target)
    swing[1:] = vecmat(swing[1:], rotations[first])  # about the bone's own axes
    turned = pose.rotations.copy()
    turned[0, middle] = multiply(turned[0, middle], rotation_vector_to_quaternion(angle * own))
    turned[0, first] = multiply(turned[0, first], swing)
    return Pose(turned, pose.translations)


def over_bent(skeleton: Skeleton, pose: Pose, end: End, held: Sequence[End]) -> Pose | None:
    """Return the pose with the body moved as a whole, as far as its root may, with the ``end`` at its target.

    Or as near as limbs reach whose ends are ``held``. Straight ones are bent so that these are at their
    targets. None where no limb bends.
    """
    bone, point, target = end
    rotations, heads = (of[0] for of in forward(skeleton, pose))
    last, (root, *_) = skeleton.index(bone), skeleton.way_to(bone)
    shift = target - heads[last] - matvec(rotations[last], point)
    for way, reach in [_reach(skeleton, rotations, heads, each) for each in held] * _ROUNDS:
        left = shift - way
        shift = way + left * min(1.0, reach / max(norm(left), 1e-300))
    translations = pose.translations.copy()
    translations[0, root] += matvec(skeleton.freedom[root], shift)
    moved = Pose(pose.rotations, translations)
    found = reduce(lambda before, each: bent(skeleton, before, *each), held, moved)
    return None if found is moved else found


def _reach(skeleton: Skeleton, rotations: Array, heads: Array, end: End) -> tuple[Array, float]:
    """Return the way (3,) from where a limb begins to where its end is to be, and how far it reaches.

    That has no end for what is no limb that bends one way.
    """
    bone, point, target = end
    limb, last = _limb(skeleton, bone), skeleton.index(bone)
    if limb is None:
        return np.zeros(3), np.inf
    first, middle, _ = limb
    joints = np.stack([heads[first], heads[middle], heads[last] + matvec(rotations[last], point)])
    return target - joints[0], float(norm(np.diff(joints, axis=0)).sum())


def ends_limb(skeleton: Skeleton, bone: str) -> bool:
    """Return whether the bone is where a limb ends that bends one way."""
    return _limb(skeleton, bone) is not None


def _limb(skeleton: Skeleton, bone: str) -> tuple[int, int, OneWay] | None:
    """Return where the limb that ends with the bone begins, where it bends, and how; None of no limb.

    And of one that bends at several joints, as an animal's front leg: bent at one of them it would leap to
    another way of folding, and come back by the first.
    """
    ways = {comfort.bone: comfort.one_way for comfort in skeleton.comforts}
    beside = {twist.bone for twist in skeleton.twists}
    line = [each for each in skeleton.way_to(bone) if skeleton.names[each] not in beside]
    bending = [place for place, each in enumerate(line[:-1]) if place and ways.get(skeleton.names[each])]
    place = bending[0] if len(bending) == 1 else 0
    if not place or (skeleton.stiffness[line[place - 1 : place + 1]] == 1).any():
        return None
    return line[place - 1], line[place], ways[skeleton.names[line[place]]]


def _angle(upper: Array, lower: Array, axis: Array, length: float) -> float:
    """Return by what angle, radians, the ``lower`` part of a limb turns until both are so long."""
    along = dot(upper, axis) * dot(lower, axis)
    flat = [part - dot(part, axis) * axis for part in (upper, lower)]
    begin = np.arctan2(np.cross(*flat) @ axis, dot(*flat))
    cosine = (0.5 * (length**2 - upper @ upper - lower @ lower) - along) / (norm(flat[0]) * norm(flat[1]))
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)) - begin)
