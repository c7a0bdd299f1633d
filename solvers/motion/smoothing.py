# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks without their noise, and without gaps: the motion with the least jerk that the frames speak for.

    sum of believed |x - z|^2 + a sum |third differences of x|

Jerk counts by its length, not by its square, so that motion may begin and end suddenly where the track says
so and is calm elsewhere. The weight ``a`` is that by which a track comes nearest to the motion, which can be
told without knowing it: by the squares of what is taken away, and by how much of noise a weight leaves, the
mean over frequencies. Of tracks without noise the believed frames stay, and gaps are bridged.

References: Whittaker 1922 (10.1017/S0013091500077853) for the sum; Kim, Koh, Boyd and Gorinevsky 2009
(10.1137/070690274) for lengths instead of squares; Stein 1981 (10.1214/aos/1176345632) for the choice of the
weight.
"""

import numpy as np

from ..geometry import Array, Mask, norm
from .elimination import solve_banded
from .noise import noise_of

# The weight is looked for by so many factors at first, to either side, and then by their roots.
_ROUNDS, _PACE = 12, 10.0
# Jerk is counted as no less and no more than these shares of what is usual.
_CALM, _WILD = 0.1, 100.0
# What is no jerk at all, as a share of the track's numbers.
_SMALLEST = 1e-9
# The weight of jerk at first, at least and at most; frames' own weight where none is believed.
_FIRST, _LEAST, _MOST, _NOTHING = 1.0, 1e-3, 1e6, 1e-12
_ORDER = 3
# How much of noise stays in a frame for each of so many weights of jerk: by the mean over frequencies.
_STAYS_AT = np.linspace(-10.0, 10.0, 201)
_WAVES = (2 - 2 * np.cos(np.pi * (np.arange(64) + 0.5) / 64)) ** _ORDER
_STAYS = (1 / (1 + 10.0 ** _STAYS_AT[:, None] * _WAVES)).mean(axis=1)
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
    known, tracks = np.where(believed[..., None], values, 0.0), np.arange(len(noise))
    if len(values) <= _ORDER:
        return _ended(_straight(known, believed), believed, rate)
    weights = np.where(believed, 1.0, _NOTHING)
    stiffness, pace = np.where(noise > 0, _FIRST, _LEAST), np.where(noise > 0, _PACE, 1.0)
    looseness = np.ones((len(values) - _ORDER, len(noise)))
    least = _SMALLEST * np.abs(known).max(axis=(0, 2), initial=_SMALLEST)
    for _ in range(_ROUNDS):
        tries = np.clip(stiffness * np.stack([1 / pace, np.ones_like(pace), pace]), _LEAST, _MOST)
        stiff = tries[:, None] * looseness
        every = np.stack([solve_banded(weights, each, known * weights[..., None]) for each in stiff])
        best = np.argmin(_risks(every - known, stiff, believed, noise), axis=0)
        found, stiffness = np.moveaxis(every[best, :, tracks], 0, 1), tries[best, tracks]
        pace = np.where(best == 1, np.sqrt(pace), pace)
        jerk = norm(np.diff(found, _ORDER, axis=0))
        usual = np.maximum(np.median(jerk, axis=0), least)
        looseness = 1 / np.clip(jerk / usual, _CALM, _WILD)
    found = np.where((believed & (noise == 0))[..., None], values, found)
    return _ended(found, believed, rate)


def _risks(off: Array, stiff: Array, believed: Mask, noise: Array) -> Array:
    """Return how far tries may be from the motion, squares less what is the same for all, (tries, tracks).

    ``off`` (tries, frames, tracks, c): what they take away; ``stiff`` (tries, frames - 3, tracks): what jerk
    weighs.
    """
    stays = np.interp(np.log10(stiff), _STAYS_AT, _STAYS) * believed[1:-2]
    squares = np.where(believed[..., None], off, 0.0) ** 2
    # Each track is summed by itself, so that those beside it make no difference.
    sums = (np.ascontiguousarray(x.swapaxes(1, 2)).reshape(len(x), len(noise), -1) for x in (squares, stays))
    taken, left = (x.sum(axis=-1) for x in sums)
    risks: Array = taken + 2 * off.shape[-1] * noise**2 * left
    return risks


def _straight(values: Array, believed: Mask) -> Array:
    """Return tracks that go straight on between frames that are believed."""
    found, frames = values.copy(), np.arange(len(values))
    for track, known in enumerate(map(np.flatnonzero, believed.T)):
        for part in range(values.shape[-1]):
            found[:, track, part] = np.interp(frames, known, values[known, track, part])
    return found


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
