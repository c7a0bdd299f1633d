# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded tracks that were taken for each other: left for right, for however long.

Two tracks are exchanged at a step where both jump, and each goes on where the other was: then the way is the
shortest that they can go together. That shows at both ends, or one is unseen: the tracks are near to each
other, one is lost, or the clip begins or ends. Of all stretches with the fewest such ends the shortest are
taken. Spikes are left out, since tracks may be exchanged at one. Those that are held by keys go to each
other's places because somebody wants them there.

Reference: Viterbi 1967 (10.1109/TIT.1967.1054010) for the choice of stretches.
"""

from itertools import combinations

import numpy as np

from ..geometry import Array, Indices, Mask, norm
from .doubts import find_doubts
from .spans import mask_of, spans_of
from .surprises import Track, between, is_calm, is_held_by_keys, measured

# How many surprises a jump has, and how many two tracks are apart that can be told from each other.
_CLEARLY = 2.0
# Spikes are not longer, seconds.
_SPIKE = 0.1


def find_exchanges(positions: Array, rotations: Array, size: float, rate: float) -> Indices:
    """Return which track each one really is, (frames, tracks), as ``positions[row, found[row]]`` are.

    ``positions`` (frames, tracks, 3), lengths, and ``rotations`` (frames, tracks, 4), ``wxyz``; ``size`` of
    the figure, a length; ``rate``: frames a second.
    """
    found: Indices = np.tile(np.arange(positions.shape[1]), (len(positions), 1))
    known = _finite(positions, rotations)
    restless = np.flatnonzero(~is_calm(positions / size, rotations, known)).tolist()
    restless = [one for one in restless if not is_held_by_keys(positions[known[:, one], one])]
    restless = [one for one in restless if _jumps(positions, rotations, known, one, size, rate).any()]
    if len(restless) < 2:
        return found
    doubts = find_doubts(positions, rotations, size, rate)[..., 1]
    usable = known & ~_spikes(doubts, rate)
    jumps = {track: _jumps(positions, rotations, usable, track, size, rate) for track in restless}
    for pair in map(list, combinations(restless, 2)):
        both = jumps[pair[0]] & jumps[pair[1]]
        if both.any():
            goes_on, told = _goes_on(positions, rotations, usable, pair, size, rate)
            seen, lost = both & goes_on & told, doubts[:, pair[0]] ^ doubts[:, pair[1]]
            other = _exchanged(seen, goes_on & ~seen | lost)
            rows = np.flatnonzero(other)[:, None]
            found[rows, pair] = found[rows, pair[::-1]]
    return found


def _finite(positions: Array, rotations: Array) -> Mask:
    """Return which frames of tracks, (frames, tracks), are finite."""
    finite: Mask = np.isfinite(np.concatenate([positions, rotations], axis=-1)).all(axis=-1)
    return finite


def _spikes(doubts: Mask, rate: float) -> Mask:
    """Return which of the ``doubts`` (frames, tracks) are spikes, (frames, tracks)."""
    found = np.zeros_like(doubts)
    for track, own in enumerate(doubts.T):
        spikes = [span for span in spans_of(own) if len(span) <= _SPIKE * rate]
        found[:, track] = mask_of(spikes, len(own))
    return found


def _exchanged(seen: Mask, unseen: Mask) -> Mask:
    """Return in which frames (frames,) two tracks are exchanged, if they are after frames that are ``seen``.

    ``unseen`` (frames,): after which they may be, too.
    """
    frames, own, other = len(seen), 0, len(seen)
    turned = np.zeros((frames, 2), dtype=bool)  # whether the frame before is the other way, for both ways
    for frame in range(1, frames):
        if seen[frame - 1]:
            turned[frame], own, other = True, other, own
        elif unseen[frame - 1]:
            turned[frame] = other + frames < own, own + frames < other
            own, other = min(own, other + frames), min(other, own + frames)
        other += 1
    found, way = np.zeros(frames, dtype=bool), other + frames < own
    for frame in range(frames - 1, -1, -1):
        found[frame] = way
        way ^= turned[frame, int(way)]
    return found


def _jumps(positions: Array, rotations: Array, usable: Mask, track: int, size: float, rate: float) -> Mask:
    """Return after which frames (frames,) the place of a track jumps."""
    rows = np.flatnonzero(usable[:, track])
    found = np.zeros(len(usable), dtype=bool)
    if len(rows) > 3:
        places, _ = measured(rows, positions[rows, track] / size, rotations[rows, track], rate)
        found[rows[1:-2]] = _missed(places, places, rows) > _CLEARLY
    return found


def _goes_on(
    positions: Array, rotations: Array, usable: Mask, pair: list[int], size: float, rate: float
) -> tuple[Mask, Mask]:
    """Return after which frames (frames,) each of a pair of tracks goes on where the other was.

    And in which frames they are so far apart that this tells anything.
    """
    rows = np.flatnonzero(usable[:, pair].all(axis=1))
    goes_on, told = np.zeros((2, len(usable)), dtype=bool)
    if len(rows) > 3:
        one, other = (measured(rows, positions[rows, t] / size, rotations[rows, t], rate) for t in pair)
        ways = [_missed(a, b, rows) for two in zip(one, other, strict=True) for a, b in (two, two[::-1])]
        apart = norm(between(one[0].values, other[0].values))[1:-2]
        goes_on[rows[1:-2]] = np.max(ways, axis=0) <= 1
        told[rows[1:-2]] = apart > _CLEARLY * np.maximum(one[0].allowed, other[0].allowed)[1:-1]
    return goes_on, told


def _missed(one: Track, other: Track, rows: Indices) -> Array:
    """Return by how much going on from one track misses the other a step later, in allowed surprises.

    Of all steps but the first and the last, (n - 3,); ``rows`` (n,): frames of both.
    """
    gaps = np.diff(rows)[1:-1].astype(float)
    pace = 0.5 * (one.steps[:-2] + other.steps[2:])
    missed = norm(between(one.values[1:-2], other.values[2:-1]) - gaps[:, None] * pace)
    allowed = np.maximum(one.allowed, other.allowed)[1:-1] * np.maximum(gaps / 2, 1.0) ** 1.5
    found: Array = missed / allowed
    return found
