# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one door between the limit that a bone stores and the solver's."""

from collections.abc import Sequence
from itertools import count
from math import pi

import numpy as np
from bpy.types import PoseBone, PropertyGroup

from ...solvers import Cones, Ellipse, EulerLimit, Hinge
from ...solvers.limits import Limit
from .made import forget_made

_TURN = 2 * pi


def limit_kind(bone: PoseBone) -> str:
    """Return which kind of limit the bone has of its own, 'NONE' where it has none; stores nothing."""
    stored = _stored(bone)
    return stored.kind if stored else 'NONE'


def read_limit(bone: PoseBone) -> Limit | None:
    """Return the bone's own limit; None where it has none or is free.

    Raises LimitError naming the bone if the limit allows nothing.
    """
    kind = limit_kind(bone)
    return _READERS[kind](bone.name, bone.superpose.limit) if kind in _READERS else None


def store_limit(bone: PoseBone, limit: Limit | None) -> None:
    """Make the limit the bone's own, in place of what it had; None leaves it without."""
    if _stored(bone):
        bone.superpose.property_unset("limit")
        forget_made(bone, 'LIMIT')
    if limit is None:
        return
    kind, write = _WRITERS[type(limit)]
    group = bone.superpose.limit
    group.kind, group.cushion = kind, limit.cushion
    write(group, limit)


def free_limit(bone: PoseBone) -> None:
    """Let the bone turn freely, whatever its rig says."""
    store_limit(bone, None)
    bone.superpose.limit.kind = 'FREE'


def store_or_free(bone: PoseBone, limit: Limit | None) -> None:
    """Give the bone a limit of its own, or let it turn freely."""
    if limit is None:
        free_limit(bone)
    else:
        store_limit(bone, limit)


def add_cone(limit: PropertyGroup, direction: Sequence[float]) -> PropertyGroup:
    """Return a new cone, the last of a bone's limit; library overrides need a name of its own for it."""
    names = {cone.name for cone in limit.cones}
    numbers = (f"Cone {number}" for number in count(1))
    cone = limit.cones.add()
    cone.name = next(name for name in numbers if name not in names)
    cone.direction = direction
    return cone


def _stored(bone: PoseBone) -> PropertyGroup | None:
    # Merely reading a group would store it.
    set_up = bone.is_property_set("superpose") and bone.superpose.is_property_set("limit")
    return bone.superpose.limit if set_up else None


def _twist(group: PropertyGroup) -> tuple[float, float]:
    return (group.twist_min, group.twist_max) if group.use_twist else (-pi, pi)


def _read_hinge(bone: str, group: PropertyGroup) -> Hinge:
    return Hinge(bone, tuple(group.axis), group.hinge_min, group.hinge_max, group.cushion, group.hinge_play)


def _read_cones(bone: str, group: PropertyGroup) -> Cones:
    cones = tuple((tuple(cone.direction), _half_turn(cone.radius)) for cone in group.cones)
    return Cones(bone, cones, *_twist(group), group.cushion, tuple(group.limb))


def _read_ellipse(bone: str, group: PropertyGroup) -> Ellipse:
    return Ellipse(bone, tuple(map(_half_turn, group.radii)), *_twist(group), group.cushion)


def _read_euler(bone: str, group: PropertyGroup) -> EulerLimit:
    bounds = np.array(group.euler_min), np.array(group.euler_max)
    return EulerLimit(bone, group.order, *bounds, group.cushion)


def _half_turn(radius: float) -> float:
    """Return the radius, at most half a turn: in single precision that is stored as a little more."""
    return min(radius, pi)


def _write_hinge(group: PropertyGroup, limit: Hinge) -> None:
    group.axis, group.hinge_play = limit.axis, limit.play
    group.hinge_min, group.hinge_max = _in_sight(limit.lower, limit.upper)


def _write_cones(group: PropertyGroup, limit: Cones) -> None:
    group.limb = limit.limb
    for direction, radius in limit.cones:
        add_cone(group, direction).radius = radius
    _write_twist(group, limit.lower, limit.upper)


def _write_ellipse(group: PropertyGroup, limit: Ellipse) -> None:
    group.radii = limit.radii
    _write_twist(group, limit.lower, limit.upper)


def _write_twist(group: PropertyGroup, lower: float, upper: float) -> None:
    group.use_twist = upper - lower < _TURN
    if group.use_twist:
        group.twist_min, group.twist_max = _in_sight(lower, upper)


def _write_euler(group: PropertyGroup, limit: EulerLimit) -> None:
    (lower,), (upper,) = limit.lower, limit.upper
    group.order = limit.order
    ranges = [_in_sight(*pair) for pair in zip(lower.tolist(), upper.tolist(), strict=True)]
    group.euler_min, group.euler_max = zip(*ranges, strict=True)


def _in_sight(lower: float, upper: float) -> tuple[float, float]:
    """Return the same range with its middle within half a turn of zero; all of a turn where it is free."""
    if upper - lower >= _TURN:
        return -pi, pi
    turns = _TURN * round((lower + upper) / (2 * _TURN))
    return lower - turns, upper - turns


_READERS = {'HINGE': _read_hinge, 'CONES': _read_cones, 'ELLIPSE': _read_ellipse, 'EULER': _read_euler}
_WRITERS = {
    Hinge: ('HINGE', _write_hinge),
    Cones: ('CONES', _write_cones),
    Ellipse: ('ELLIPSE', _write_ellipse),
    EulerLimit: ('EULER', _write_euler),
}
