# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits to begin with, and ends of ranges, taken from a pose.

A *turn* (4,) is a bone's rotation relative to rest, a quaternion in its parent's frame. Angles are radians.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, pi, radians

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers import Cones, Ellipse, EulerLimit, Hinge
from ...solvers.geometry import (
    Array,
    norm,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
    twist_about,
)
from ...solvers.limits import ALONG, Limit, to_chart
from ..errors import RigError
from ..joints.joint import Joint, as_blender_sees
from ..joints.limit_rotation import blenders_angles, limit_rotations
from ..joints.locks import FOUR_DIMENSIONAL
from ..joints.turns import channel_turns

_WIDTH = radians(45.0)
_ROOM = radians(5.0)  # beyond a pose that is farther out
_FLEXION = radians(140.0)


def shown_turn(ob: Object, bone: PoseBone) -> Array:
    """Return how the bone is turned (4,), as Blender shows it under its Limit Rotation constraints."""
    return shown_turns(ob, [bone])[0]


def shown_turns(ob: Object, bones: Sequence[PoseBone]) -> Array:
    """Return how the bones are turned (bones, 4), likewise."""
    # Their own limits are not read: one that allows nothing may be about to be replaced.
    clamps = limit_rotations(ob)
    joints = tuple(Joint(clamps=clamps.get(bone.name, ())) for bone in bones)
    return as_blender_sees(joints, channel_turns(bones)[None])[0]


def euler_order(bone: PoseBone) -> str:
    """Return the Euler order that the user knows the bone by."""
    return 'XYZ' if bone.rotation_mode in FOUR_DIMENSIONAL else bone.rotation_mode


def limit_around(kind: str, bone: str, turn: Array, order: str = 'XYZ') -> Limit:
    """Return a limit of the kind as joints have it, wide enough to allow the turn."""
    if kind == 'HINGE':
        return _hinge_around(bone, turn)
    if kind == 'EULER':
        angles = blenders_angles(turn, order)
        return EulerLimit(
            bone, order, np.minimum(-_WIDTH, angles - _ROOM), np.maximum(_WIDTH, angles + _ROOM)
        )
    lean = float(norm(to_chart(np.array(direction(turn)))))
    half = min(max(_WIDTH, abs(_angle_about(ALONG, turn)) + _ROOM), pi)
    if kind == 'ELLIPSE':
        return Ellipse(bone, (_wide(lean),) * 4, -half, half)
    # Straight back a twist has no meaning, so a cone does not grow to there.
    cone = (ALONG, _wide(lean)) if lean < 0.5 * pi else (direction(turn), _WIDTH)
    return Cones(bone, (cone,), -half, half)


def direction(turn: Array, limb: Sequence[float] = ALONG) -> tuple[float, float, float]:
    """Return where the turn points the bone, or its limb, in its rest frame."""
    return tuple((quaternion_to_matrix(turn) @ np.array(limb, dtype=np.float64)).tolist())


def with_end(limit: Limit | None, turn: Array, end: str, axis: int = 0) -> Limit:
    """Return the limit with one end of its range where the turn is; ``end``: 'MIN' or 'MAX'.

    The range of a hinge, of the twist about the bone, or of the Euler angle about ``axis``. Raises RigError
    where there is no range, LimitError where it would be reversed.
    """
    name = {'MIN': "lower", 'MAX': "upper"}[end]
    if limit is None:
        raise RigError("There is no range without a limit")
    if isinstance(limit, EulerLimit):
        bounds = getattr(limit, name).copy()
        bounds[0, axis] = _like(_nearer_angles(limit, turn)[axis], bounds[0, axis])
        return replace(limit, **{name: bounds})
    about = limit.axis if isinstance(limit, Hinge) else limit.limb if isinstance(limit, Cones) else ALONG
    return replace(limit, **{name: _like(_angle_about(about, turn), getattr(limit, name))})


def _angle_about(axis: tuple[float, float, float], turn: Array) -> float:
    """Return the angle about an axis that comes nearest to the turn, within half a turn."""
    angle = float(twist_about(turn, np.array(axis) / np.linalg.norm(axis)))
    return angle - 2 * pi * round(angle / (2 * pi))


def _hinge_around(bone: str, turn: Array) -> Hinge:
    vector = quaternion_to_rotation_vector(turn)
    size = float(np.linalg.norm(vector))
    axis = vector / size if size > 1e-4 else np.array([1.0, 0.0, 0.0])
    along = int(np.argmax(np.abs(axis)))
    if abs(axis[along]) > 1 - 1e-9:  # the bone's own axis, so keep to its sense
        axis = np.eye(3)[along]
    angle = float(vector @ axis)
    return Hinge(bone, tuple(axis.tolist()), min(-_ROOM, angle - _ROOM), max(_FLEXION, angle + _ROOM))


def _nearer_angles(limit: EulerLimit, turn: Array) -> Array:
    """Return the angles of the turn; of the two sets that make it, the one nearer to the range."""
    first = blenders_angles(turn, limit.order)
    second = first + pi
    middle = "XYZ".index(limit.order[1])
    second[middle] = pi - first[middle]
    best, least = first, inf
    for angles in (first, second):
        angles = angles - 2 * pi * np.round((angles - 0.5 * (limit.lower[0] + limit.upper[0])) / (2 * pi))
        beyond = np.maximum(limit.lower[0] - angles, angles - limit.upper[0]).clip(0).sum()
        if beyond < least - 1e-6:
            best, least = angles, beyond
    return best


def _like(angle: float, other: float) -> float:
    """Return the angle within half a turn of the other."""
    return float(angle - 2 * pi * np.round((angle - other) / (2 * pi)))


def _wide(lean: float) -> float:
    return min(max(_WIDTH, lean + _ROOM), pi)
