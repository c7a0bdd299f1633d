# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What kinds share by which a bone swings in an area, and twists in a range."""

from math import pi

import numpy as np
from bpy.types import PropertyGroup

from ...solvers.geometry import Array, norm, twist_about
from ...solvers.limits import ALONG, to_chart
from ..entries import Entry
from .angles import (
    FREE,
    ROOM,
    ROUND,
    TURN,
    WIDTH,
    direction,
    in_degrees,
    in_radians,
    in_sight,
    within_half_turn,
)


def read_twist(stored: PropertyGroup) -> tuple[float, float]:
    """Return the range of the twist that a bone stores."""
    return (stored.twist_min, stored.twist_max) if stored.use_twist else FREE


def store_twist(stored: PropertyGroup, lower: float, upper: float) -> None:
    """Store the range of the twist, or that there is none."""
    stored.use_twist = upper - lower < TURN
    if stored.use_twist:
        stored.twist_min, stored.twist_max = in_sight(lower, upper)


def half_turn(radius: float) -> float:
    """Return the radius, at most half a turn: in single precision that is stored as a little more."""
    return min(radius, pi)


def twist_as_json(lower: float, upper: float) -> dict[str, list[float] | None]:
    """Return what a file says of the range."""
    return {"twist": None if upper - lower >= TURN else [in_degrees(lower), in_degrees(upper)]}


def twist_from_json(entry: Entry) -> tuple[float, ...]:
    """Return the range that a file has."""
    if entry.values.get("twist", 0) is None:
        entry.take("twist")
        return FREE
    return in_radians(entry.numbers("twist", 2, *ROUND))


def lean_of(turn: Array) -> float:
    """Return how far the turn (4,) leans the bone from rest."""
    return float(norm(to_chart(np.array(direction(turn)))))


def wide(lean: float) -> float:
    """Return the radius of an area that allows the lean."""
    return min(max(WIDTH, lean + ROOM), pi)


def twist_around(turn: Array) -> tuple[float, float]:
    """Return a range of the twist that allows the turn (4,)."""
    half = wide(abs(within_half_turn(float(twist_about(turn, np.array(ALONG))))))
    return -half, half
