# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of few keys: cubics in time from key to key, with slopes on both sides of each key."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..geometry import Array, Indices, Mask
from .spans import SUBFRAMES, basis, slopes_of


@dataclass(frozen=True, eq=False)
class Curve:
    """``keys`` (keys,), ascending, counted in keys of the full clip; their ``values`` (keys,).

    ``slopes`` (2, keys): before and after each, by key of the full clip.
    """

    keys: Indices
    values: Array
    slopes: Array

    @property
    def smooth(self) -> Mask:
        """Keys whose slope before is the one after."""
        same: Mask = self.slopes[0] == self.slopes[1]
        return same

    def backwards(self, last: int) -> "Curve":
        """Return the curve played from its end; ``last``: which key of the full clip is its last one."""
        return Curve(last - self.keys[::-1], self.values[::-1], -self.slopes[::-1, ::-1])

    def sampled(self) -> Array:
        """Return the curve (samples,) from its first key to its last."""
        parts = []
        for place, length in enumerate(np.diff(self.keys)):
            ends = [*self.values[place : place + 2], self.slopes[1, place], self.slopes[0, place + 1]]
            parts.append(np.array(ends) @ basis(int(length)))
        return np.concatenate([self.values[:1], *(part[1:] for part in parts)])


def through(values: Array, keys: Indices) -> Curve:
    """Return the smooth curve with these keys that is nearest to the values (samples,), by least squares."""
    at = values[SUBFRAMES * keys]
    normal, rest = np.zeros((len(keys), len(keys))), np.zeros(len(keys))
    for place, length in enumerate(np.diff(keys)):
        both, cubics = slice(place, place + 2), basis(int(length))
        span = values[SUBFRAMES * keys[place] : SUBFRAMES * keys[place + 1] + 1]
        normal[both, both] += cubics[2:] @ cubics[2:].T
        rest[both] += cubics[2:] @ (span - at[both] @ cubics[:2])
    slopes = np.linalg.solve(normal, rest) if len(keys) > 1 else np.zeros(1)
    return Curve(keys, at, np.stack([slopes, slopes]))


def fitted(values: Array, tolerances: Array, keys: Indices) -> Curve:
    """Return a curve with these keys whose spans have slopes of their own or, where it does, the keys' mean.

    ``values`` and ``tolerances`` (samples,): what does is within them, on both sides of the key.
    """
    spans = [_Span(values, tolerances, *ends) for ends in pairwise(keys.tolist())]
    for before, after in pairwise(spans):
        mean = (before.slopes[1] + after.slopes[0]) / 2
        if before.fits(before.slopes[0], mean) and after.fits(mean, after.slopes[1]):
            before.slopes[1] = after.slopes[0] = mean
    slopes = np.zeros((2, len(keys)))
    slopes[1, :-1], slopes[0, 1:] = np.array([span.slopes for span in spans]).reshape(-1, 2).T
    slopes[0, 0], slopes[1, -1] = slopes[1, 0], slopes[0, -1]
    return Curve(keys, values[SUBFRAMES * keys], slopes)


class _Span:
    """The cubic from one key to the next: its ``slopes``, and whether others fit as well."""

    def __init__(self, values: Array, tolerances: Array, first: int, last: int) -> None:
        rows, length = slice(SUBFRAMES * first, SUBFRAMES * last + 1), last - first
        span, self.cubics = values[rows], basis(length)
        self.rest = span - span[0] * self.cubics[0] - span[-1] * self.cubics[1]
        self.slopes, self.tolerances = self.rest @ slopes_of(length), tolerances[rows]

    def fits(self, first: float, last: float) -> bool:
        """Return whether the span is near enough with these slopes at its ends."""
        apart = np.abs(self.rest - first * self.cubics[2] - last * self.cubics[3])
        return bool((apart <= self.tolerances).all())
