# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks without their noise, and without gaps: motion with little jerk that the frames speak for.

Noise: several motions are mixed, each the least of

    sum of believed |x - z|^2 + a sum |third differences of x|^2

for one weight ``a``, from hardly any to very much. How near each comes can be told without knowing the true
motion: by the squares of what it takes away, and by how much noise the weight leaves, the mean over
frequencies. The frames nearby tell what each motion counts in a frame. So within one track quick motion stays
as it is and calm motion loses its noise.

Gaps: in tracks without noise the believed frames stay, and jerk counts by its length, not by its square. So
motion may begin and end suddenly where the track says so, and is calm elsewhere.

References: Whittaker 1922 (10.1017/S0013091500077853) for the sum; Stein 1981 (10.1214/aos/1176345632) for
how near; Leung and Barron 2006 (10.1109/TIT.2006.878172) for what each counts; Kim, Koh, Boyd and Gorinevsky
2009 (10.1137/070690274) for lengths instead of squares.
"""

import numpy as np

from ..geometry import Array, Mask, dot, norm
from .elimination import solve_banded
from .noise import noise_of

# What jerk weighs in the motions that are mixed, and in gaps; frames' own weight where none is believed.
_STIFFNESSES, _LEAST, _NOTHING = np.array([0.0, *10.0 ** np.arange(-3, 7)]), 1e-3, 1e-12
# Seconds within which frames are nearby, the standard deviation of what they count.
_NEARBY = 0.15
# Lengths are squares with weights, so many times anew. Jerk is counted as no less and no more than these
# shares of what is usual.
_ROUNDS, _CALM, _WILD = 12, 0.1, 100.0
# What is no jerk at all, as a share of the track's numbers.
_SMALLEST = 1e-9
_ORDER = 3
# How much of noise stays in a frame for each weight of jerk: by the mean over frequencies.
_WAVES = (2 - 2 * np.cos(np.pi * (np.arange(64) + 0.5) / 64)) ** _ORDER
_STAYS = (1 / (1 + _STIFFNESSES[:, None] * _WAVES)).mean(axis=1)
# Seconds after which a track that ends in a gap has slowed down by e.
_SLOWING = 0.1


def smoothed(values: Array, believed: Mask, rate: float) -> Array:
    """Return tracks (frames, tracks, c) without noise, and bridged where they are not ``believed``.

    ``believed`` (frames, tracks): in some frames of every track; ``rate``: frames a second.
    """
    noise = np.array([noise_of(values[:, track], believed[:, track]) for track in range(values.shape[1])])
    calm = _mixed(values, believed, rate, noise) if noise.any() else values
    return bridged(np.where(noise[:, None] > 0, calm, values), believed, rate)


def bridged(values: Array, believed: Mask, rate: float) -> Array:
    """Return tracks that ``smoothed`` takes with their noise: only what is not believed is another."""
    known = np.where(believed[..., None], values, 0.0)
    if len(values) <= _ORDER:
        return _ended(_straight(known, believed), believed, rate)
    if believed.all():
        return known
    weights, stiffness = np.where(believed, 1.0, _NOTHING), np.full(believed[_ORDER:].shape, _LEAST)
    least = _SMALLEST * np.abs(known).max(axis=(0, 2), initial=_SMALLEST)
    for _ in range(_ROUNDS):
        found = solve_banded(weights, stiffness, known * weights[..., None])
        jerk = norm(np.diff(found, _ORDER, axis=0))
        usual = np.maximum(np.median(jerk, axis=0), least)
        stiffness = _LEAST / np.clip(jerk / usual, _CALM, _WILD)
    return _ended(np.where(believed[..., None], values, found), believed, rate)


def _mixed(values: Array, believed: Mask, rate: float, noise: Array) -> Array:
    """Return what motions of all weights come to, whose frames differ from ``values`` by ``noise`` (tracks,).

    A motion counts by the exponential of how far it may be from the true one nearby: by the squares of that,
    less what is the same for all, as shares of four times the noise's.
    """
    known, weights = np.where(believed[..., None], values, 0.0), np.where(believed, 1.0, _NOTHING)
    variance = np.where(noise > 0, noise, 1.0) ** 2
    least, counted, mixed = np.full(believed.shape, np.inf), np.zeros(believed.shape), np.zeros_like(known)
    for weight, stays in zip(_STIFFNESSES, _STAYS, strict=True):
        stiffness = np.full(believed[_ORDER:].shape, weight)
        found = solve_banded(weights, stiffness, known * weights[..., None])
        off = np.where(believed[..., None], found - known, 0.0)
        risks = dot(off, off) / variance + 2 * off.shape[-1] * stays * believed
        risks = 0.25 * _nearby(risks, rate)
        best = np.minimum(least, risks)
        before, here = np.exp(best - least), np.exp(best - risks)
        mixed = before[..., None] * mixed + here[..., None] * found
        least, counted = best, before * counted + here
    found = mixed / counted[..., None]
    return found


def _nearby(values: Array, rate: float) -> Array:
    """Return sums of values (frames, tracks) nearby, of which those in a frame itself count 1."""
    spread = _NEARBY * rate
    reach = min(int(3 * spread), len(values) - 1)
    filled, sums = np.pad(values, ((reach, reach), (0, 0))), np.zeros_like(values)
    for shift in range(-reach, reach + 1):
        here = slice(reach + shift, reach + shift + len(values))
        sums += np.exp(-0.5 * (shift / spread) ** 2) * filled[here]
    return sums


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
