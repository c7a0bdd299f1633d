# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Angles of limits: brought near to zero or to one another, of a pose, and as files have them."""

from collections.abc import Iterable
from math import degrees, pi, radians

import numpy as np

from ...solvers.geometry import Array, quaternion_to_matrix
from ...solvers.limits import ALONG
from ..entries import Entry, shortest

TURN = 2 * pi
FREE = (-pi, pi)
ROUND = -360, 360  # in files; ranges may go round the back
WIDTH, ROOM = radians(45.0), radians(5.0)  # of a range as joints have it; beyond a pose that is farther out


def in_sight(lower: float, upper: float) -> tuple[float, float]:
    """Return the range, its middle moved by whole turns to near zero; from -pi to pi where it is free."""
    if upper - lower >= TURN:
        return FREE
    turns = TURN * round((lower + upper) / (2 * TURN))
    return lower - turns, upper - turns


def within_half_turn(angle: float) -> float:
    """Return the angle, turned by whole turns to be within half a turn of zero."""
    return angle - TURN * round(angle / TURN)


def like(angle: float, other: float) -> float:
    """Return the angle, turned by whole turns to be within half a turn of the other."""
    return float(angle - TURN * np.round((angle - other) / TURN))


def direction(turn: Array, limb: Iterable[float] = ALONG) -> tuple[float, float, float]:
    """Return where the turn (4,) points the bone, or its limb, in its rest frame."""
    return tuple((quaternion_to_matrix(turn) @ np.array(tuple(limb), dtype=np.float64)).tolist())


def in_degrees(angle: float) -> float:
    """Return the shortest number of degrees that is the same angle in single precision."""
    candidates = (round(degrees(angle), digits) for digits in range(12))
    same = (number for number in candidates if np.float32(radians(number)) == np.float32(angle))
    return next(same, degrees(angle))


def in_radians(angles: Iterable[float]) -> tuple[float, ...]:
    """Return degrees as radians."""
    return tuple(map(radians, angles))


def short(vector: Iterable[float]) -> list[float]:
    """Return each number as short as it is the same in single precision."""
    return [shortest(number) for number in vector]


def soft_rim(entry: Entry) -> float:
    """Return the soft rim of a file's limit."""
    return radians(entry.number("soft_rim", 0, 180, default=0.0))
