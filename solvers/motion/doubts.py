# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of recorded tracks is not to be believed: dropouts, flips and spikes.

A track goes on in pieces between surprises, steps that what is before and after does not lead to. Of the
pieces a chain is believed: the one in which the frames that are left out and the jumps that are left cost
least,

    cost = frames left out + sum of the jumps, each at most a second

so a spike goes, as does a dropout of up to two seconds that jumps away and back, while a cut to another place
stays. Robust weights of frames do not find dropouts: within one, neighbours agree.

What is lost by its rotation alone is where it is said to be: captured feet turn over while they move on. So a
place is not believed where the chain of places and rotations leaves it out, and that of places alone, too.

Where most tracks of a body are lost for a moment, the body was in another pose: then the others are not
believed either, however little they are off.

References: Viterbi 1967 (10.1109/TIT.1967.1054010) for the chain; Rousseeuw and Croux 1993
(10.1080/01621459.1993.10476408) for medians as measures of spread.
"""

from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..geometry import Array, Indices, Mask, conjugate, multiply, norm, quaternion_to_rotation_vector
from .noise import trembles
from .spans import Span, mask_of, spans_of

# Smaller surprises are none: figure sizes, and radians.
_LEAST_MOVE, _LEAST_TURN = 0.015, radians(25)
# Nor are those up to so many times as large as most are nearby, within so many seconds.
_TIMES, _NEARBY = 5.0, 0.5
# What a jump costs, in seconds for each time it is as large as the least; and at most.
_PRICE, _DEAREST = 0.1, 1.0
# From how many steps on a track that is at one place, or turned one way, to the bit stands still. So does one
# that was lost: such frames count for less. A track of which more than a share stands still is held by keys,
# and may cut.
_STILL, _STILL_COUNTS, _OFTEN = 3, 0.25, 0.5
# Steps on either side that a step is compared with, and pieces that may follow on one.
_REACH, _PIECES = 3, 40
# The share of tracks that are most of them, and a moment, seconds.
_MOST, _MOMENT = 0.5, 0.1


def find_doubts(positions: Array, rotations: Array, size: float, rate: float) -> Mask:
    """Return which frames of tracks are not to be believed, of places and of rotations, (frames, tracks, 2).

    Where a place is not believed its rotation is not, either. ``positions`` (frames, tracks, 3), lengths, and
    ``rotations`` (frames, tracks, 4), ``wxyz``; where one is not finite neither is believed. ``size`` of the
    figure, a length; ``rate``: frames a second.
    """
    known: Mask = np.isfinite(np.concatenate([positions, rotations], axis=-1)).all(axis=-1)
    doubts: Mask = np.repeat(~known[..., None], 2, axis=-1)
    for track in np.flatnonzero(~_is_calm(positions / size, rotations, known)):
        rows: Indices = np.flatnonzero(known[:, track])
        still = _stands_still(np.diff(positions[rows, track], axis=0))
        if len(still) < 2 or still.mean() > _OFTEN:
            continue
        if trembles(positions[rows, track]):  # and to the bit no trembling hand stands still
            rows = rows[~np.append(False, still)]
        tracks = _measured(rows, positions[rows, track] / size, rotations[rows, track], rate)
        believed = _believed(_Parts.of(rows, tracks, rate))
        doubts[:, track] = True
        doubts[rows[believed], track] = False
        if not believed.all():
            doubts[rows[_believed(_Parts.of(rows, tracks[:1], rate))], track, 0] = False
    return doubts | _in_another_pose(doubts[..., 1], rate)[:, None, None]


def _in_another_pose(doubts: Mask, rate: float) -> Mask:
    """Return in which frames (frames,) most tracks are lost for a moment that is not the whole clip."""
    lost = spans_of(doubts.sum(axis=1) > _MOST * doubts.shape[1])
    moments = [span for span in lost if len(span) <= max(_MOMENT * rate, 1) and len(span) < len(doubts)]
    return mask_of(moments, len(doubts))


def _is_calm(positions: Array, rotations: Array, known: Mask) -> Mask:
    """Return of which tracks (tracks,) a glance tells that they are of one piece, so that all is believed.

    Those never stand still, and no step is far from the mean of the steps beside it.
    """
    calm: Mask = np.logical_and(known.all(axis=0), len(positions) > _REACH + 1)
    for values, least in ((positions, _LEAST_MOVE), (rotations, _LEAST_TURN)):
        some = np.flatnonzero(calm)
        if not len(some):
            break
        values = values.take(some, axis=1)
        steps = _between(values[:-1], values[1:])
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
class _Track:
    """One kind of measure of a track in ``n`` rows: places or rotations, and steps between them.

    ``steps`` (n - 1, 3) to the next row, per frame; ``allowed`` (n - 1,): how large a surprise is none.
    """

    values: Array
    steps: Array
    allowed: Array

    @classmethod
    def of(cls, values: Array, gaps: Array, least: float, near: int) -> "_Track":
        """Return the track; ``gaps`` (n - 1,) in frames, ``near``: how many rows are nearby."""
        steps = _between(values[:-1], values[1:]) / gaps[:, None]
        usual = _running_median(_surprises(steps), near)
        return cls(values, steps, np.maximum(least, _TIMES * usual))

    @property
    def is_surprising(self) -> Mask:
        """Which steps (n - 1,) are surprises."""
        surprising: Mask = _surprises(self.steps) > self.allowed
        return surprising

    @property
    def is_stopped(self) -> Mask:
        """Which steps (n - 1,) lead nowhere, unless most do."""
        still = _stands_still(np.diff(self.values, axis=0))
        stopped: Mask = np.logical_and(still, still.sum() <= _OFTEN * len(still))
        return stopped

    def misses(self, pieces: list[Span], before: list[int], piece: int, gaps: Array) -> Array:
        """Return by how much going on from pieces ``before`` misses a piece, in allowed surprises."""
        ends, first = np.array([pieces[one].last for one in before]), pieces[piece].first
        velocity = np.stack([self._pace(pieces[one], pieces[piece]) for one in before])
        missed = norm(_between(self.values[ends], self.values[[first]]) - gaps[:, None] * velocity)
        allowed = np.maximum(self.allowed[np.minimum(ends, len(self.allowed) - 1)], self.allowed[first - 1])
        misses: Array = missed / (allowed * np.maximum(gaps / 2, 1.0) ** 1.5)
        return misses

    def _pace(self, before: Span, after: Span) -> Array:
        """Return the mean of the steps at the end of one piece and at the beginning of the other."""
        steps = [self.steps[before.last - 1]] if len(before) > 1 else []
        steps += [self.steps[after.first]] if len(after) > 1 else []
        return np.mean(steps, axis=0) if steps else np.zeros(3)


def _measured(frames: Indices, positions: Array, rotations: Array, rate: float) -> tuple[_Track, ...]:
    """Return tracks in ``frames`` (n,) of places (n, 3), in figure sizes, and of rotations (n, 4)."""
    gaps, near = np.diff(frames).astype(float), max(round(_NEARBY * rate), 2 * _REACH)
    return (
        _Track.of(positions, gaps, _LEAST_MOVE, near),
        _Track.of(rotations, gaps, _LEAST_TURN, near),
    )


@dataclass(frozen=True, eq=False)
class _Parts:
    """A track in pieces, by its places or by both of its measures.

    ``frames`` (n,): of its rows; ``worth`` (pieces,): what leaving them out costs; ``dearest`` and ``price``:
    of jumps, in frames.
    """

    frames: Indices
    pieces: list[Span]
    worth: Array
    tracks: tuple[_Track, ...]
    dearest: float
    price: float

    @classmethod
    def of(cls, frames: Indices, tracks: tuple[_Track, ...], rate: float) -> "_Parts":
        """Return the pieces of tracks, in ``frames`` (n,)."""
        gaps = np.diff(frames)
        still = np.any([track.is_stopped for track in tracks], axis=0)
        breaks = np.any([track.is_surprising for track in tracks], axis=0) | (gaps > 1)
        breaks |= np.diff(still, append=False) | np.diff(still, prepend=False)
        starts = np.concatenate([[0], np.flatnonzero(breaks) + 1])
        lasts = np.append(starts[1:] - 1, len(frames) - 1)
        pieces = [Span(int(first), int(last)) for first, last in zip(starts, lasts, strict=True)]
        counts = np.where(np.append(still, False), _STILL_COUNTS, 1.0)
        worth = np.add.reduceat(counts, starts)
        return cls(frames, pieces, worth, tracks, _DEAREST * rate, _PRICE * rate)

    def jumps(self, before: list[int], piece: int) -> Array:
        """Return what it costs to go on from pieces ``before`` to a piece."""
        ends = self.frames[[self.pieces[one].last for one in before]]
        gaps = (self.frames[self.pieces[piece].first] - ends).astype(float)
        misses = np.max([track.misses(self.pieces, before, piece, gaps) for track in self.tracks], axis=0)
        jumps: Array = np.minimum(self.price * np.maximum(misses - 1.0, 0.0), self.dearest)
        return jumps


def _believed(parts: _Parts) -> Mask:
    """Return which rows (n,) the best chain of pieces has."""
    done = np.cumsum(parts.worth)
    cost, came = done - parts.worth, np.full(len(done), -1)
    for piece in range(1, len(done)):
        before = list(range(max(0, piece - _PIECES), piece))
        left_out = done[piece - 1] - done[before]
        total = cost[before] + left_out + parts.jumps(before, piece)
        best = int(np.argmin(total))
        if total[best] <= cost[piece]:
            cost[piece], came[piece] = total[best], before[best]
    believed, piece = np.zeros(len(parts.frames), dtype=bool), int(np.argmin(cost + done[-1] - done))
    while piece >= 0:
        believed[parts.pieces[piece].rows] = True
        piece = int(came[piece])
    return believed


def _stands_still(steps: Array) -> Mask:
    """Return which of the steps (n, c) are some of many that lead nowhere."""
    spans = spans_of((steps == 0).all(axis=1))
    return mask_of([span for span in spans if len(span) >= _STILL], len(steps))


def _between(values: Array, others: Array) -> Array:
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
    filled = np.pad(values, near, mode="reflect" if len(values) > near else "edge")
    return np.median(sliding_window_view(filled, 2 * near + 1), axis=-1)
