# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of angles on the circle; radians, any shapes that broadcast. A whole turn or more is free."""

from collections.abc import Callable
from math import inf, pi

import numpy as np

from ..geometry import Array, Mask
from .nearest_of import NEAR_TIE

# Comfortable joints keep this share of their range from either end.
_COMFORT = 0.3
# How far a free angle is sampled either way, radians.
_FREE_SAMPLE = 0.6


def clamped(angles: Array, lower: Array, upper: Array, previous: Callable[[], Array] | None = None) -> Array:
    """Return the angles modulo a turn, those out of range at the nearer end; free ones as they are.

    Where both ends are nearly as near, the end nearer to the angles ``previous()``, if there are any.
    """
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    off = (angles - middle + pi) % (2 * pi) - pi
    inner = np.clip(off, -half, half)
    if previous is not None:
        nearer = np.abs(off) - half
        tied = (nearer > 0) & (2 * (pi - half) - nearer <= (1 + NEAR_TIE) * nearer)
        if tied.any():
            before = (previous() - middle + pi) % (2 * pi) - pi
            inner = np.where(tied, np.copysign(half, before), inner)
    return np.where(half >= pi, angles, middle + inner)


def are_out(angles: Array, lower: Array, upper: Array) -> Mask:
    """Return which angles, modulo a turn, are out of range."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    out: Mask = (np.abs((angles - middle + pi) % (2 * pi) - pi) > half) & (half < pi)
    return out


def room_within(angles: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return the room up and down, negative outside, infinite where free."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    off = (angles - middle + pi) % (2 * pi) - pi
    return np.where(half >= pi, inf, half - off), np.where(half >= pi, inf, half + off)


def eased(angles: Array, lower: Array, upper: Array, share: Array) -> Array:
    """Return the angles off the ends of their ranges, ``share`` of the way to comfort."""
    margin = _COMFORT * np.asarray(share) * (upper - lower)
    inner = clamped(angles, lower + margin, upper - margin)
    return np.where(upper - lower >= 2 * pi, angles, inner)


def between(shares: Array, lower: Array, upper: Array) -> Array:
    """Return the angles that lie ``shares`` (0 to 1) of the way up their ranges; free ones near zero."""
    free = upper - lower >= 2 * pi
    bounded = lower + shares * (upper - lower)
    return np.where(free, _FREE_SAMPLE * (2 * shares - 1), bounded)
