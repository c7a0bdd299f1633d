# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames of recorded tracks are not to be believed: dropouts, flips and spikes.

A track is cut into pieces at its surprises: steps to which neither what is before nor what is after leads. A
chain of pieces is believed, the one that costs least:

    cost = frames left out + sum of the jumps that are left, each at most a second

So a spike goes, and so does a dropout of up to two seconds that jumps away and back. A cut to another place
stays. Robust weights of frames do not find dropouts: within one, neighbours agree.

What is lost by its rotation alone is where its place says: captured feet turn over while they move on. So a
place is doubted only if two chains leave it out: the chain of places and rotations, and the chain of places
alone.

Where most tracks of a body are lost for a moment, the body was in another pose. Then the others are not
believed either, however little they are off.

References: Viterbi 1967 (10.1109/TIT.1967.1054010) for the chain; Rousseeuw and Croux 1993
(10.1080/01621459.1993.10476408) for medians as measures of spread.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, Mask
from .noise import trembles
from .spans import Span, mask_of, spans_of
from .surprises import Track, is_calm, is_held_by_keys, measured, stands_still

# What a jump costs, in seconds for each time it is as large as the least; and at most.
_PRICE, _DEAREST = 0.1, 1.0
# What frames count in which a track stands still, as one does that was lost.
_STILL_COUNTS = 0.25
# Pieces that may follow on one.
_PIECES = 40
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
    for track in np.flatnonzero(~is_calm(positions / size, rotations, known)):
        rows: Indices = np.flatnonzero(known[:, track])
        if is_held_by_keys(positions[rows, track]):
            continue
        if trembles(positions[rows, track] / size):  # and to the bit no trembling hand stands still
            rows = rows[~np.append(False, stands_still(np.diff(positions[rows, track], axis=0)))]
        tracks = measured(rows, positions[rows, track] / size, rotations[rows, track], rate)
        believed = _believed(_Parts.of(rows, tracks, rate))
        doubts[:, track] = True
        doubts[rows[believed], track] = False
        if not believed.all():
            doubts[rows[_believed(_Parts.of(rows, tracks[:1], rate))], track, 0] = False
    doubts &= ~_cut_off(positions, doubts[..., 1], rate)[:, None, None] | ~known[..., None]
    return doubts | _in_another_pose(doubts[..., 1], rate)[:, None, None]


def _cut_off(positions: Array, doubts: Mask, rate: float) -> Mask:
    """Return in which frames (frames,) most tracks are elsewhere, from a cut to an end of the clip.

    To leave so few out costs less than the jump, but nothing comes back. Not a moment in which the body was
    in another pose, nor a pose in which it waits.
    """
    most = _MOST * doubts.shape[1]
    moves = np.append(False, (np.diff(positions, axis=0) != 0).any(axis=-1).sum(axis=1) > most)
    lost = spans_of(doubts.sum(axis=1) > most)
    ends = [span for span in lost if (span.first == 0) != (span.last == len(doubts) - 1)]
    cut = [span for span in ends if len(span) > _MOMENT * rate and moves[span.rows][1:].mean() > _MOST]
    return mask_of(cut, len(doubts))


def _in_another_pose(doubts: Mask, rate: float) -> Mask:
    """Return in which frames (frames,) most tracks are lost for a moment that is not the whole clip."""
    lost = spans_of(doubts.sum(axis=1) > _MOST * doubts.shape[1])
    moments = [span for span in lost if len(span) <= max(_MOMENT * rate, 1) and len(span) < len(doubts)]
    return mask_of(moments, len(doubts))


@dataclass(frozen=True, eq=False)
class _Parts:
    """A track in pieces, by its places or by both of its measures.

    ``frames`` (n,): of its rows; ``worth`` (pieces,): what leaving them out costs; ``dearest`` and ``price``:
    of jumps, in frames.
    """

    frames: Indices
    pieces: list[Span]
    worth: Array
    tracks: tuple[Track, ...]
    dearest: float
    price: float

    @classmethod
    def of(cls, frames: Indices, tracks: tuple[Track, ...], rate: float) -> "_Parts":
        """Return the pieces of tracks, in ``frames`` (n,)."""
        gaps = np.diff(frames)
        still = np.any([track.is_stopped for track in tracks], axis=0)
        breaks = np.any([track.is_surprising for track in tracks], axis=0) | (gaps > 1)
        # Where a track comes to stand it has got there by moving, but for where the clip begins and ends.
        breaks |= np.diff(still, append=still[-1:]) | np.diff(still, prepend=still[:1])
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
