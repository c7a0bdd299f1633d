# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Angles: three of them, each in a range, as in a Limit Rotation constraint."""

from dataclasses import replace
from itertools import permutations
from math import inf, pi
from typing import Any

import numpy as np
from bpy.types import PropertyGroup

from ...solvers import EulerLimit
from ...solvers.geometry import Array
from ..entries import Entry
from ..euler_angles import blenders_angles, other_angles
from .angles import ROOM, ROUND, WIDTH, in_degrees, in_sight, like, soft_rim
from .images import signs
from .kind import LimitKind

_ORDERS = tuple(map("".join, permutations("XYZ")))


class EulerKind(LimitKind):
    """Three ranges, and the order in which the angles turn the bone."""

    NAME, LABEL, LIMIT = 'EULER', "Angles", EulerLimit
    ADDS = "Three angles, each in a range, as in a Limit Rotation constraint"

    @classmethod
    def read(cls, bone: str, stored: PropertyGroup) -> EulerLimit:
        bounds = np.array(stored.euler_min), np.array(stored.euler_max)
        return EulerLimit(bone, stored.order, *bounds, stored.cushion)

    @classmethod
    def store(cls, stored: PropertyGroup, limit: EulerLimit) -> None:
        (lower,), (upper,) = limit.lower, limit.upper
        stored.order = limit.order
        ranges = [in_sight(*pair) for pair in zip(lower.tolist(), upper.tolist(), strict=True)]
        stored.euler_min, stored.euler_max = zip(*ranges, strict=True)

    @classmethod
    def around(cls, bone: str, turn: Array, order: str) -> EulerLimit:
        angles = blenders_angles(turn, order)
        ends = np.minimum(-WIDTH, angles - ROOM), np.maximum(WIDTH, angles + ROOM)
        return EulerLimit(bone, order, *ends)

    @classmethod
    def with_end(cls, limit: EulerLimit, end: str, turn: Array, axis: int) -> EulerLimit:
        bounds = getattr(limit, end).copy()
        bounds[0, axis] = like(_nearer_angles(limit, turn)[axis], bounds[0, axis])
        return replace(limit, **{end: bounds})

    @classmethod
    def mirrored(cls, limit: EulerLimit, other: str, image: Array) -> EulerLimit:
        axes = signs(-image, limit.bone, other)
        order = "".join("XYZ"[int(np.argmax(np.abs(axes[:, "XYZ".index(axis)])))] for axis in limit.order)
        ends = axes @ limit.lower[0], axes @ limit.upper[0]
        return EulerLimit(other, order, np.minimum(*ends), np.maximum(*ends), limit.cushion)

    @classmethod
    def as_json(cls, limit: EulerLimit) -> dict[str, Any]:
        pairs = zip(limit.lower[0].tolist(), limit.upper[0].tolist(), strict=True)
        return {"order": limit.order, "ranges": [[in_degrees(low), in_degrees(high)] for low, high in pairs]}

    @classmethod
    def from_json(cls, bone: str, entry: Entry) -> EulerLimit:
        order = entry.choice("order", _ORDERS)
        lower, upper = np.radians(np.transpose(entry.ranges("ranges", 3, *ROUND)))
        return EulerLimit(bone, order, lower, upper, soft_rim(entry))


def _nearer_angles(limit: EulerLimit, turn: Array) -> Array:
    """Return the angles of the turn; of the two sets that make it, the one nearer to the range."""
    first = blenders_angles(turn, limit.order)
    best, least = first, inf
    for angles in (first, other_angles(first, limit.order)):
        angles = angles - 2 * pi * np.round((angles - 0.5 * (limit.lower[0] + limit.upper[0])) / (2 * pi))
        beyond = np.maximum(limit.lower[0] - angles, angles - limit.upper[0]).clip(0).sum()
        if beyond < least - 1e-6:
            best, least = angles, beyond
    return best
