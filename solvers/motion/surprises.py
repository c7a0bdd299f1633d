# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Surprises of recorded tracks: steps to which neither what is before nor what is after leads.

How large a surprise has to be depends on what is usual nearby, so that quick motion does not surprise.
"""

from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..geometry import Array, Indices, Mask, conjugate, multiply, norm, quaternion_to_rotation_vector
from .noise import noise_of
from .spans import Span, mask_of, spans_of

# Smaller surprises are none: figure sizes, and radians.
_LEAST_MOVE, _LEAST_TURN = 0.015, radians(25)
# At fewer frames a second than so many those of quick motion are larger: as the square of the time between,
# as what is accelerated goes.
_BRISK = 40.0
# Nor are those up to so many times as large as most are nearby, within so many seconds.
_TIMES, _NEARBY = 5.0, 0.5
# Those of noise are so many times its standard deviation, and hardly ever so many times as large as most:
# once in fifty thousand frames.
_USUAL_OF_NOISE, _TIMES_OF_NOISE = 2.35, 3.5
# From how many steps on a track that is at one place, or turned one way, to the bit stands still. A track of
# which more than a share stands still is held by keys, and may cut.
_STILL, OFTEN = 3, 0.5
# Steps on either side that a step is compared with.
_REACH = 3


def is_calm(positions: Array, rotations: Array, known: Mask) -> Mask:
    """Return of which tracks (tracks,) a glance tells that they are of one piece, so that all is believed.

    Those never stand still, and no step is far from the mean of the steps beside it.
    """
    calm: Mask = np.logical_and(known.all(axis=0), len(positions) > _REACH + 1)
    for values, least in ((positions, _LEAST_MOVE), (rotations, _LEAST_TURN)):
        some = np.flatnonzero(calm)
        if not len(some):
            break
        values = values.take(some, axis=1)
        steps = between(values[:-1], values[1:])
        led_to = 0.5 * (steps[:-2] + steps[2:])
        inner = norm(steps[1:-1] - led_to).max(axis=0)
        ends = (
            norm(steps[end] - np.median(beside, axis=0))
            for end, beside in ((0, steps[1 : 1 + _REACH]), (-1, steps[-1 - _REACH : -1]))
        )
        calm[some] = np.max([inner, *ends], axis=0) <= least
    some = np.flatnonzero(calm)
    moved = np.diff(positions.take(some, axis=1), axis=0).any(axis=-1)
    calm[some] = moved.all(axis=0)
    return calm


@dataclass(frozen=True, eq=False)
class Track:
    """One kind of measure of a track in ``n`` rows: places or rotations, and steps between them.

    ``steps`` (n - 1, 3) to the next row, per frame; ``surprises`` (n - 1,): how large each is, as a share of
    what is ``allowed`` (n - 1,), which is none.
    """

    values: Array
    steps: Array
    allowed: Array
    surprises: Array

    @classmethod
    def of(cls, values: Array, gaps: Array, least: float, near: int, noise: float = 0.0) -> "Track":
        """Return the track; ``gaps`` (n - 1,) in frames, ``near``: how many rows are nearby.

        ``noise``: the standard deviation of that of each number.
        """
        steps = between(values[:-1], values[1:]) / gaps[:, None]
        surprises = _surprises(steps)
        usual = _running_median(surprises, near)
        trembling = np.minimum(_USUAL_OF_NOISE * noise, usual)
        quick = _TIMES**2 * (usual**2 - trembling**2)
        allowed = np.maximum(least, np.sqrt(quick + (_TIMES_OF_NOISE * trembling) ** 2))
        return cls(values, steps, allowed, surprises / allowed)

    @property
    def is_surprising(self) -> Mask:
        """Which steps (n - 1,) are surprises."""
        surprising: Mask = self.surprises > 1
        return surprising

    @property
    def is_stopped(self) -> Mask:
        """Which steps (n - 1,) lead nowhere, unless most do."""
        still = stands_still(np.diff(self.values, axis=0))
        stopped: Mask = np.logical_and(still, still.sum() <= OFTEN * len(still))
        return stopped

    def misses(self, pieces: list[Span], before: list[int], piece: int, gaps: Array) -> Array:
        """Return by how much going on from pieces ``before`` misses a piece, in allowed surprises."""
        ends, first = np.array([pieces[one].last for one in before]), pieces[piece].first
        velocity = np.stack([self._pace(pieces[one], pieces[piece]) for one in before])
        missed = norm(between(self.values[ends], self.values[[first]]) - gaps[:, None] * velocity)
        allowed = np.maximum(self.allowed[np.minimum(ends, len(self.allowed) - 1)], self.allowed[first - 1])
        misses: Array = missed / (allowed * np.maximum(gaps / 2, 1.0) ** 1.5)
        # Of short pieces hardly a step is known, and none of one row: what is around tells more of the next.
        return np.where(gaps == 1, np.minimum(misses, self.surprises[first - 1]), misses)

    def _pace(self, before: Span, after: Span) -> Array:
        """Return the mean of the steps at the end of one piece and at the beginning of the other."""
        steps = [self.steps[before.last - 1]] if len(before) > 1 else []
        steps += [self.steps[after.first]] if len(after) > 1 else []
        return np.mean(steps, axis=0) if steps else np.zeros(3)


def measured(frames: Indices, positions: Array, rotations: Array, rate: float) -> tuple[Track, ...]:
    """Return tracks in ``frames`` (n,) of places (n, 3), in figure sizes, and of rotations (n, 4)."""
    gaps, near = np.diff(frames).astype(float), max(round(_NEARBY * rate), 2 * _REACH)
    noise = noise_of(positions, np.ones(len(positions), dtype=bool))
    least = _LEAST_MOVE * max(_BRISK / rate, 1.0) ** 2
    return (
        Track.of(positions, gaps, least, near, noise),
        Track.of(rotations, gaps, _LEAST_TURN, near),
    )


def stands_still(steps: Array) -> Mask:
    """Return which of the steps (n, c) are some of many that lead nowhere."""
    spans = spans_of((steps == 0).all(axis=1))
    return mask_of([span for span in spans if len(span) >= _STILL], len(steps))


def is_held_by_keys(places: Array) -> bool:
    """Return whether a track at these places (n, 3) stands still mostly, so that it may cut."""
    still = stands_still(np.diff(places, axis=0))
    return len(still) < 2 or bool(still.mean() > OFTEN)


def between(values: Array, others: Array) -> Array:
    """Return steps (n, 3) from places (n, 3), or from rotations (n, 4) in their own frames, to others."""
    if values.shape[-1] == 3:
        return others - values
    return quaternion_to_rotation_vector(multiply(conjugate(values), others))


def _surprises(steps: Array) -> Array:
    """Return how far steps (n, 3) are from what those before, those after or both lead to, (n,)."""
    if len(steps) < 2:
        return np.zeros(len(steps))
    filled = np.pad(steps, ((_REACH, _REACH), (0, 0)), constant_values=np.nan)
    beside = np.moveaxis(sliding_window_view(filled, 2 * _REACH + 1, axis=0), -1, 0)
    before, after = beside[:_REACH], beside[_REACH + 1 :]
    led_to = [_medians(before), _medians(after), 0.5 * (before[-1] + after[0])]
    if len(steps) > 2:  # no step beyond an end tells that a track quickens there
        ends = np.full_like(steps, np.nan)
        ends[0], ends[-1] = 2 * steps[1] - steps[2], 2 * steps[-2] - steps[-3]
        led_to.append(ends)
    surprises: Array = np.nanmin([norm(steps - other) for other in led_to], axis=0)
    return surprises


def _medians(beside: Array) -> Array:
    """Return medians of values (m, n, 3), those that are not numbers left out; none of none."""
    ordered, known = np.sort(beside, axis=0), np.isfinite(beside).sum(axis=0)
    low, high = np.maximum((known - 1) // 2, 0), np.maximum(known // 2, 0)
    picked = [np.take_along_axis(ordered, np.minimum(at, len(beside) - 1)[None], 0)[0] for at in (low, high)]
    medians: Array = 0.5 * (picked[0] + picked[1])
    return medians


def _running_median(values: Array, near: int) -> Array:
    """Return the median of values (n,) at most ``near`` rows away."""
    near = min(near, len(values))
    filled = np.pad(values, near, mode="reflect" if len(values) > near else "edge")
    return np.median(sliding_window_view(filled, 2 * near + 1), axis=-1)
