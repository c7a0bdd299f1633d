# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limit Rotation constraints as Blender evaluates them: which can be taken as limits, and what they do."""

from dataclasses import dataclass
from math import pi

import numpy as np
from bpy.types import Constraint, Object, PoseBone

from ...solvers.geometry import (
    Array,
    euler_to_matrix,
    matrix_to_quaternion,
)
from ..euler_angles import blenders_angles
from ..fcurves.actions import paths_with_curves

_TURN = 2 * pi
# Of the two triples of Euler angles of a rotation Blender takes the one whose sizes add up to less: always to
# one and a half turns of pi or less. What is too near to that could become the other one by rounding.
_SMALLER = 1.5 * pi - 1e-3
# So near to gimbal lock, in radians, single precision tells the angles no better than to 0.01 degrees.
_GIMBAL = 2e-3


@dataclass(frozen=True)
class Clamp:
    """One constraint: Euler angles in an ``order`` between ``lower`` and ``upper`` (3,).

    Free angles have pi either way. ``cyclic``: an angle goes to the nearer end around the circle; without,
    as in Blender's legacy behaviour, to the nearer end between half a turn either way.
    """

    order: str
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    cyclic: bool

    def applied(self, local: Array) -> Array:
        """Return the quaternions (..., 4) as the constraint leaves them."""
        angles = blenders_angles(local, self.order)
        clamped = self._clamped(angles)
        result = matrix_to_quaternion(euler_to_matrix(clamped, self.order))
        return np.where((clamped == angles).all(axis=-1, keepdims=True), local, result)

    def _clamped(self, angles: Array) -> Array:
        lower, upper = np.array(self.lower), np.array(self.upper)
        if not self.cyclic:
            return np.clip(angles, lower, upper)
        down, up = (lower - angles + pi) % _TURN - pi, (upper - angles + pi) % _TURN - pi
        outside = (angles - lower) % _TURN > upper - lower
        return np.where(outside, angles + np.where(np.abs(up) < np.abs(down), up, down), angles)


def uses_limits(ob: Object) -> bool:
    """Return whether the armature keeps to joint limits, as it does without a set-up; stores nothing."""
    return not ob.is_property_set("superpose") or ob.superpose.use_limits


def limit_rotations(ob: Object) -> dict[str, tuple[Clamp, ...]]:
    """Return the Limit Rotation constraints of each bone whose constraints can all be taken as limits.

    They must be in local space, at full influence, not animated, and of one order with a common range.
    """
    if not uses_limits(ob):
        return {}
    animated = paths_with_curves(ob.animation_data)
    found = {}
    for bone in ob.pose.bones:
        active = [c for c in bone.constraints if c.type == 'LIMIT_ROTATION' and _acts(c, animated)]
        clamps = tuple(_clamp(bone, constraint, animated) for constraint in active)
        if clamps and None not in clamps and common_range(clamps) is not None:
            found[bone.name] = clamps
    return found


def common_range(clamps: tuple[Clamp, ...]) -> tuple[Array, Array] | None:
    """Return the range (3,), (3,) that all of them leave, or None.

    There is none for different orders, nor where Blender reads none of its angles as they are meant.
    """
    lower = np.max([clamp.lower for clamp in clamps], axis=0)
    upper = np.min([clamp.upper for clamp in clamps], axis=0)
    same = len({clamp.order for clamp in clamps}) == 1
    readable = _least(lower, upper).sum() < _SMALLER
    return (lower, upper) if same and readable and (lower <= upper).all() else None


def readable_range(lower: Array, upper: Array, angles: Array, order: str) -> tuple[Array, Array]:
    """Return bounds (rows, 3) within given ones in which Blender reads every angle as it is meant.

    Wide ranges are narrowed evenly, and those of the middle angle do not end in gimbal lock. None is narrowed
    further than to the present ``angles`` (rows, 3), except where Blender does not keep to the range itself.
    """
    kept = ((angles > lower - 1e-5) & (angles < upper + 1e-5)).all(axis=-1, keepdims=True)
    angles = np.where(kept, angles, 0.0)
    size = _readable_size(lower, upper, angles)
    lower, upper = np.maximum(lower, -size), np.minimum(upper, size)
    middle = "XYZ".index(order[1])
    wide = (upper - lower)[:, middle] > 4 * _GIMBAL
    lower[wide, middle] = -_out_of_gimbal_lock(-lower[wide, middle], -angles[wide, middle])
    upper[wide, middle] = _out_of_gimbal_lock(upper[wide, middle], angles[wide, middle])
    return lower, upper


def _out_of_gimbal_lock(upper: Array, angles: Array) -> Array:
    near = np.abs(upper - 0.5 * pi) < _GIMBAL
    return np.where(near, np.maximum(np.minimum(upper, 0.5 * pi - _GIMBAL), angles), upper)


def _readable_size(lower: Array, upper: Array, angles: Array) -> Array:
    """Return the size (rows, 3) up to which Blender reads every angle as it is meant."""
    reach = np.minimum(np.maximum(np.abs(lower), np.abs(upper)), pi)
    least = np.maximum(_least(lower, upper), np.abs(angles))
    around = (lower < -pi) | (upper > pi)  # across half a turn, where sizes say nothing
    floor = np.where(around, reach, least)
    low, high = np.zeros((len(angles), 1)), np.full((len(angles), 1), pi)
    for _ in range(40):
        cap = 0.5 * (low + high)
        fits = np.minimum(reach, np.maximum(cap, floor)).sum(axis=-1, keepdims=True) <= _SMALLER
        low, high = np.where(fits, cap, low), np.where(fits, high, cap)
    return np.where((high == pi) | around, np.inf, np.maximum(low, floor))


def _least(lower: Array, upper: Array) -> Array:
    """Return the least sizes that angles between the bounds have."""
    return np.minimum(np.maximum(np.maximum(lower, -upper), 0.0), pi)


def _acts(constraint: Constraint, animated: set[str]) -> bool:
    return not constraint.mute and (constraint.influence > 0 or _is_animated(constraint, animated))


def _is_animated(constraint: Constraint, animated: set[str]) -> bool:
    path = f"{constraint.path_from_id()}."
    return any(name.startswith(path) for name in animated)


def _clamp(bone: PoseBone, constraint: Constraint, animated: set[str]) -> Clamp | None:
    """Return what the constraint does, or None if that is no limit of the bone's own angles."""
    if constraint.owner_space != 'LOCAL' or constraint.influence < 1 or _is_animated(constraint, animated):
        return None
    cyclic = not getattr(constraint, "use_legacy_behavior", True)
    bounds = [_bounds(constraint, axis, cyclic) for axis in "xyz"]
    if any(low > high for low, high in bounds):
        return None
    lower, upper = zip(*bounds, strict=True)
    return Clamp(_order(bone, constraint), lower, upper, cyclic)


def _order(bone: PoseBone, constraint: Constraint) -> str:
    if constraint.euler_order != 'AUTO':
        return constraint.euler_order
    return 'XYZ' if bone.rotation_mode in {'QUATERNION', 'AXIS_ANGLE'} else bone.rotation_mode


def _bounds(constraint: Constraint, axis: str, cyclic: bool) -> tuple[float, float]:
    low, high = getattr(constraint, f"min_{axis}"), getattr(constraint, f"max_{axis}")
    if not getattr(constraint, f"use_limit_{axis}"):
        return -pi, pi
    if not cyclic:
        return max(low, -pi), min(high, pi)
    return (-pi, pi) if high - low >= _TURN else (low, high)
