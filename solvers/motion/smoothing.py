# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks without their noise, and without gaps: the motion with the least jerk that the frames speak for.

    sum of believed |x - z|^2 + a sum |third differences of x|

Jerk counts by its length, not by its square, so that motion may begin and end suddenly where the track says
so and is calm elsewhere. The weight ``a`` is as large as leaves of the track what it has of noise. Of tracks
without noise the believed frames stay, and gaps are bridged.

References: Whittaker 1922 (10.1017/S0013091500077853) for the sum; Kim, Koh, Boyd and Gorinevsky 2009
(10.1137/070690274) for lengths instead of squares; Morozov 1966 for the choice of the weight.
"""

import numpy as np

from ..geometry import Array, Mask, norm
from .elimination import solve_banded
from .noise import noise_of

_ROUNDS, _HASTE = 12, 3.0
# What is left of a track is so much of its noise: the rest of it looks like motion.
_SHARE = 0.8
# Jerk is counted as no less and no more than these shares of what is usual.
_CALM, _WILD = 0.1, 100.0
# What is no jerk at all, as a share of the track's numbers.
_SMALLEST = 1e-9
# The weight of jerk, by default and at most; frames' own weight where none is believed.
_FIRST, _LEAST, _MOST, _NOTHING = 1.0, 1e-3, 1e6, 1e-12
_ORDER = 3
# Seconds after which a track that ends in a gap has slowed down by e.
_SLOWING = 0.1


def smoothed(values: Array, believed: Mask, rate: float) -> Array:
    """Return tracks (frames, tracks, c) without noise, and bridged where they are not ``believed``.

    ``believed`` (frames, tracks): in some frames of every track; ``rate``: frames a second.
    """
    noise = [noise_of(values[:, track], believed[:, track]) for track in range(values.shape[1])]
    return _least_jerk(values, believed, rate, np.array(noise))


def bridged(values: Array, believed: Mask, rate: float) -> Array:
    """Return tracks that ``smoothed`` takes with their noise: only what is not believed is another."""
    return _least_jerk(values, believed, rate, np.zeros(values.shape[1]))


def _least_jerk(values: Array, believed: Mask, rate: float, noise: Array) -> Array:
    """Return tracks whose believed frames differ from ``values`` by what there is of ``noise`` (tracks,)."""
    known = np.where(believed[..., None], values, 0.0)
    if len(values) <= _ORDER:
        return _ended(known, believed, rate)
    weights = np.where(believed, 1.0, _NOTHING)
    stiffness = np.where(noise > 0, _FIRST, _LEAST)
    looseness = np.ones((len(values) - _ORDER, len(noise)))
    least = _SMALLEST * np.abs(known).max(axis=(0, 2), initial=_SMALLEST)
    counted = believed.sum(axis=0) * values.shape[2]
    found = known
    for _ in range(_ROUNDS):
        found = solve_banded(weights, stiffness * looseness, known * weights[..., None])
        jerk = norm(np.diff(found, _ORDER, axis=0))
        usual = np.maximum(np.median(jerk, axis=0), least)
        looseness = 1 / np.clip(jerk / usual, _CALM, _WILD)
        off = np.where(believed[..., None], (found - known) ** 2, 0.0)
        # Each track is summed by itself, so that those beside it make no difference.
        left = np.array([np.ascontiguousarray(off[:, track]).sum() for track in range(len(noise))]) / counted
        missing = (_SHARE * noise) ** 2 / np.where(left > 0, left, 1.0)
        stiffness = np.where(noise > 0, np.clip(stiffness * missing**_HASTE, _LEAST, _MOST), _LEAST)
    found = np.where((believed & (noise == 0))[..., None], values, found)
    return _ended(found, believed, rate)


def _ended(found: Array, believed: Mask, rate: float) -> Array:
    """Return tracks that slow down where they begin or end in a gap, rather than go on with their jerk."""
    found = found.copy()
    for track in range(found.shape[1]):
        known = np.flatnonzero(believed[:, track])
        for edge, inner, rows in (
            (known[0], known[min(1, len(known) - 1)], np.arange(known[0])[::-1]),
            (known[-1], known[max(len(known) - 2, 0)], np.arange(known[-1] + 1, len(found))),
        ):
            pace = (found[edge, track] - found[inner, track]) / max(abs(edge - inner), 1)
            away = np.abs(rows - edge) / (_SLOWING * rate)
            found[rows, track] = found[edge, track] + _SLOWING * rate * (1 - np.exp(-away))[:, None] * pace
    return found
