# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The floor that feet stand on: a plane, which recordings tilt by a few degrees.

Each time that a foot stands is one place. Many planes are tried: level ones through one place, and those
through two places that are level across. The plane on which feet stand for the longest time is taken, so a
stool, a step or a jump to a ledge does not tilt the floor. Then it is fitted to the places that are on it.
Where feet keep to a line, or to one spot, they tell nothing of some directions: the floor is level in these.

Reference: Fischler and Bolles 1981 (10.1145/358669.358692) for the choice by consensus.
"""

from dataclasses import dataclass
from math import atan, hypot, radians, tan

import numpy as np

from ..geometry import Array, Mask
from .spans import spans_of

# Figure sizes over and under a floor within which a foot stands on it.
_ON = 0.015
# What tilts farther is a slope that is meant.
_STEEPEST = tan(radians(6))
# How much slopes differ that recordings have, for the fit.
_USUAL = 0.05
# Of the time in which feet stand, the share on a floor from which on it is one.
_ENOUGH = 0.6
# Places, spread over the clip, that planes are laid through: all pairs of thousands would take minutes.
_PROPOSING = 200


@dataclass(frozen=True)
class Floor:
    """Heights ``height + slope @ (x, y)``."""

    height: float
    slope: tuple[float, float]

    @property
    def tilt(self) -> float:
        """The angle from level, radians."""
        return atan(hypot(*self.slope))

    @property
    def normal(self) -> Array:
        """The way up from the floor, a unit vector (3,)."""
        upright = np.array([-self.slope[0], -self.slope[1], 1.0])
        return upright / float(np.sqrt(upright @ upright))

    def over(self, points: Array) -> Array:
        """Return how high points (..., 3) are over the floor, along Z."""
        heights: Array = points[..., 2] - self.height - (points[..., :2] * np.array(self.slope)).sum(axis=-1)
        return heights


def find_floor(points: Array, contacts: Mask, size: float) -> Floor | None:
    """Return the floor that feet stand on, or None where there is no such plane.

    ``points`` (frames, feet, 3), Z up, as high as soles are; ``contacts`` (frames, feet): where they stand;
    ``size`` of the figure, a length.
    """
    spans = [(foot, span) for foot in range(points.shape[1]) for span in spans_of(contacts[:, foot])]
    if not spans:
        return None
    places = np.array([np.median(points[span.rows, foot], axis=0) for foot, span in spans])
    times = np.array([float(len(span)) for _, span in spans])
    on = _longest(places, times, _ON * size)
    if times[on].sum() < _ENOUGH * times.sum():
        return None
    return _fitted(places[on], times[on], size)


def _longest(places: Array, times: Array, near: float) -> Mask:
    """Return which places (n, 3) are on the plane on which feet stand for the longest of ``times`` (n,)."""
    some = places[np.linspace(0, len(places) - 1, min(len(places), _PROPOSING)).astype(int)]
    slopes = _slopes(some)
    usable = (slopes**2).sum(axis=-1) <= _STEEPEST**2
    best, most = np.zeros(len(places), dtype=bool), -np.inf
    for place, own, across in zip(some, slopes, usable, strict=True):
        away = places - place
        on = np.abs(away[:, 2] - own[across] @ away[:, :2].T) < near  # (planes, places)
        scores = on @ times - (own[across] ** 2).sum(axis=-1)  # of those that last as long the most level one
        first = int(np.argmax(scores))
        if scores[first] > most:
            best, most = on[first], float(scores[first])
    return best


def _slopes(places: Array) -> Array:
    """Return how planes through each two places (n, 3), level across, slope (n, n, 2)."""
    from_each = places[None] - places[:, None]
    along, up = from_each[..., :2], from_each[..., 2]
    squares = (along**2).sum(axis=-1)
    slopes: Array = along * np.divide(up, squares, out=np.zeros_like(up), where=squares > 0)[..., None]
    return slopes


def _fitted(places: Array, times: Array, size: float) -> Floor:
    """Return the plane with the least squares over places (n, 3) for their ``times`` (n,)."""
    shares = times / times.sum()
    middle = shares @ places
    away = places - middle
    spread = (away[:, :2] * shares[:, None]).T @ away[:, :2]
    doubt = (_ON * size / _USUAL) ** 2 / len(places) * np.eye(2)
    slope = np.linalg.solve(spread + doubt, (away[:, :2] * shares[:, None]).T @ away[:, 2])
    return Floor(float(middle[2] - middle[:2] @ slope), (float(slope[0]), float(slope[1])))
