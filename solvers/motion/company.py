# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long gaps of a track bridged by what the other tracks do meanwhile.

Arms swing with legs. A track is taken as a Gaussian process, the sum of two: one over how the others are, one
over time. It is learned from the frames nearby in which the track is known, and tells of the gap. The first
part says what the body does; the second lets the bridge meet the track at both ends.

What tells most differs from motion to motion. It may be how the others are, what they did shortly before and
do after, or nothing but time. And a track may keep to the world or to the place of another track, or it may
move and turn with that. So all these ways are tried on stretches in which the track is known. The stretches
are as long as the gap and left out one by one; those in which the others move as briskly as in the gap count
most. Each way counts by how near it comes, and by how much less it knows of the gap than of the stretches.

References: Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, eq. 2.23 and section 4.2,
and 5.12 for what is left out; Gløersen and Federolf 2016 (10.1371/journal.pone.0152616) on markers that tell
of each other; Tits, Tilmanne and Dutoit 2018 (10.1371/journal.pone.0199744) on averages of ways to recover
them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product as cases

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    inverse,
    matrix_to_quaternion,
    nearest_rotation,
    product,
    quaternion_to_matrix,
)
from .spans import Span, spans_of

# Gaps of less than so many seconds are bridged by the track itself; seconds on either side to learn from, of
# which so many frames a second are enough.
_SHORT, _LEARNED, _ENOUGH = 0.1, 5.0, 30.0
# What turns of the others count beside their places, and places beside a frame beside those in it.
_TURNS, _BESIDE = 1 / 3, 0.5
# The variance of noise, as shares of the track's, each of which is tried. What a way itself expects to be off
# in the gap counts by this power of its variance.
_NOISES, _EXPECTED = (1e-5, 3e-4, 1e-2), 0.25
# How many stretches that are left out begin within the time of one; by what logarithm of paces one is another
# motion, and what that counts still; how much more nearer ways count.
_STRETCHES, _BRISK, _OTHER, _NEARER = 4, 0.6, 0.02, 6
_LEAST = 1e-300


@dataclass(frozen=True, slots=True)
class _Kind:
    """What may tell of a track: how others are in a frame and ``around`` it, seconds; and time.

    ``turned``: their turns tell, too. They do something else when they are as far apart as ``alike``, in
    what is usual; 0: they tell nothing. ``time``: what it counts beside that, within a ``reach`` in seconds.
    """

    turned: bool
    around: tuple[float, ...]
    alike: float
    time: float
    reach: float


_AROUND = (0.1, 0.2, 0.3)
_KINDS = (
    _Kind(False, _AROUND, 2.5, 0.1, 0.5),
    _Kind(True, _AROUND, 1.5, 0.1, 0.7),
    _Kind(True, (), 2.5, 0.01, 1.0),
    _Kind(False, (), 0.0, 1.0, 0.5),
)


def helped(places: Array, turns: Array, masked: Mask, rate: float) -> tuple[Array, Array]:
    """Return tracks that are bridged by themselves, with help of each other in gaps.

    ``places`` (frames, tracks, 3) and ``turns`` (frames, tracks, 4), ``wxyz``; ``masked``
    (frames, tracks, 2): where they are bridged; ``rate``: frames a second.
    """
    places, turns = places.copy(), turns.copy()
    if places.shape[1] < 3:
        return places, turns
    poses = np.concatenate([quaternion_to_matrix(turns), places[..., None]], axis=-1)
    for track in range(places.shape[1]):
        lost = [{gap for gap in spans_of(each) if len(gap) > _SHORT * rate} for each in masked[:, track].T]
        for gap in sorted(set.union(*lost)):
            own = [gap in each for each in lost]
            known: Mask = np.logical_not((masked[:, track] & own).any(axis=1))
            learned = _learned(known, gap, rate)
            told = _told(poses, track, learned, gap, rate)
            if own[0]:
                poses[gap.rows, track, :, 3] = places[gap.rows, track] = told[..., 3]
            if own[1]:
                poses[gap.rows, track, :, :3] = told[..., :3]
                turns[gap.rows, track] = matrix_to_quaternion(told[..., :3])
    return places, turns


def _learned(known: Mask, gap: Span, rate: float) -> Indices:
    """Return the frames near a gap in which a track is ``known`` (frames,), with those beside the gap."""
    every, far = max(round(rate / _ENOUGH), 1), max(round(_LEARNED * rate), 1)
    before = np.arange(gap.first - 1, max(gap.first - 1 - far, -1), -every)[::-1]
    after = np.arange(gap.last + 1, min(gap.last + 1 + far, len(known)), every)
    rows = np.concatenate([before, after])
    learned: Indices = rows[known[rows]]
    return learned


def _told(poses: Array, track: int, learned: Indices, gap: Span, rate: float) -> Array:
    """Return turns and places of a track in a gap, (gap, 3, 4), by ``poses`` (frames, tracks, 3, 4).

    ``learned``: frames in which it is known.
    """
    rows = np.concatenate([learned, np.arange(gap.first, gap.last + 1)])
    others = np.delete(poses, track, axis=1)
    turns, origins = _carriers(others[rows])
    count = len(learned)
    seen = _carried(turns[:, :count], origins[:, :count], poses[learned, track])
    mean = seen.mean(axis=1, keepdims=True)
    away = (seen - mean).transpose(1, 0, 2, 3).reshape(count, -1)
    numbers, stretches = _numbers(others), _stretches(learned, gap)
    ways, missed = [], []
    for kernel, noise in cases(_kernels(numbers, rows, rate), _NOISES):
        guess, errors = _guess(kernel, noise, away, stretches)
        told = guess.reshape(len(gap), len(turns), 3, 4).transpose(1, 0, 2, 3) + mean
        told = turns[:, count:] @ told
        told[..., 3] += origins[:, count:]
        ways.append(told)
        missed.append(errors.reshape(len(stretches), len(turns), 3, 4))
    every, errors = np.concatenate(ways), np.concatenate(missed, axis=1)
    alike = _alike(numbers, learned, stretches, gap)
    place = np.einsum("w,wfi->fi", _shares(errors[..., 3:], alike), every[..., 3])
    turn = nearest_rotation(np.einsum("w,wfij->fij", _shares(errors[..., :3], alike), every[..., :3]))
    return np.concatenate([turn, place[..., None]], axis=-1)


def _carriers(others: Array) -> tuple[Array, Array]:
    """Return turns (n, frames, 3, 3) and origins (n, frames, 3) of what may carry a track.

    The world, ``others`` (frames, tracks, 3, 4) by their places, and these with their turns.
    """
    moved = np.moveaxis(others, 1, 0)
    level = np.broadcast_to(np.eye(3), moved[..., :3].shape)
    turns = np.concatenate([level[:1], level, moved[..., :3]])
    origins = np.concatenate([np.zeros_like(moved[:1, ..., 3]), moved[..., 3], moved[..., 3]])
    return turns, origins


def _carried(turns: Array, origins: Array, poses: Array) -> Array:
    """Return poses (frames, 3, 4) as seen from each carrier, (n, frames, 3, 4)."""
    away = np.broadcast_to(poses, (*origins.shape[:-1], 3, 4)).copy()
    away[..., 3] -= origins
    seen: Array = turns.swapaxes(-1, -2) @ away
    return seen


def _numbers(others: Array) -> Array:
    """Return poses of others (frames, tracks, 3, 4), turns as lengths that count beside places."""
    places = others[..., 3] - others[..., 3].mean(axis=1, keepdims=True)
    extent = float(np.sqrt((places**2).sum(axis=-1).mean()))
    return np.concatenate([others[..., :3] * _TURNS * extent, others[..., 3:]], axis=-1)


def _kernels(numbers: Array, rows: Indices, rate: float) -> Iterator[Array]:
    """Give how alike the frames ``rows`` are, (rows, rows), by each kind of telling."""
    told = numbers.copy()
    told[..., 3] -= told[..., 3].mean(axis=1, keepdims=True)
    pause = np.abs(rows[:, None] - rows) / rate
    for kind in _KINDS:
        since = np.sqrt(5) * pause / kind.reach
        kernel = kind.time * (1 + since + since**2 / 3) * np.exp(-since)
        if kind.alike:
            own = told if kind.turned else told[..., 3:]
            kernel += np.exp(-0.5 * _apart(_around(own, rows, kind.around, rate)) / kind.alike**2)
        yield kernel


def _around(told: Array, rows: Indices, around: tuple[float, ...], rate: float) -> Array:
    """Return numbers ``told`` (frames, ...) in ``rows``, and so many seconds before and after beside them."""
    told = told.reshape(len(told), -1)
    shifts = [sign * round(seconds * rate) for seconds in around for sign in (-1, 1)]
    beside = [_BESIDE * told[np.clip(rows + shift, 0, len(told) - 1)] for shift in shifts]
    return np.concatenate([told[rows], *beside], axis=1)


def _apart(told: Array) -> Array:
    """Return the squares of how far frames are apart by numbers ``told`` (frames, n), in what is usual."""
    told = told - told.mean(axis=0)
    told = told / max(float(np.sqrt((told**2).sum(axis=1).mean())), _LEAST)
    products = product(told, np.ascontiguousarray(told.T))
    squares = np.diag(products)
    return np.maximum(squares[:, None] + squares - 2 * products, 0.0)


def _stretches(learned: Indices, gap: Span) -> list[tuple[slice, slice]]:
    """Return stretches of the frames ``learned`` as long as a gap, and what is left out to try each.

    Or as long as half of these frames, if that is less; of most of each the track is known. Gaps at an end
    are tried without all on that side.
    """
    every = int(np.diff(learned).min(initial=len(gap)))
    frames = min(len(gap), max(len(learned) * every // 2, 1))
    begins = np.arange(learned[0] + 1, learned[-1] - frames + 1, max(frames // _STRETCHES, 1))
    firsts, ends = np.searchsorted(learned, begins), np.searchsorted(learned, begins + frames)
    known = 2 * (ends - firsts) * every >= frames
    stretches = [slice(*span) for span in zip(firsts[known], ends[known], strict=True)]
    if learned[0] > gap.last:
        return [(rows, slice(0, rows.stop)) for rows in stretches]
    if learned[-1] < gap.first:
        return [(rows, slice(rows.start, len(learned))) for rows in stretches]
    return [(rows, rows) for rows in stretches]


def _guess(
    kernel: Array, noise: float, away: Array, stretches: list[tuple[slice, slice]]
) -> tuple[Array, Array]:
    """Return what is told of a gap, (gap, n), of numbers ``away`` (learned, n) from their mean.

    And how far it may be off there, root mean squares (stretches, n): as far as it is off in ``stretches``
    with what is left out, and farther where the gap is less like what is learned than these are. ``kernel``:
    of learned frames and then of those of the gap.
    """
    count = len(away)
    beside = kernel[count:, :count]
    inverted = inverse((kernel[:count, :count] + noise * np.eye(count))[None])[0]
    weights = product(inverted, away)
    unknown = np.diag(kernel)[count:] + noise - (product(beside, inverted) * beside).sum(axis=1)
    expected = max(float(unknown.mean()), noise)
    errors = np.empty((len(stretches), away.shape[1]))
    for row, (rows, out) in enumerate(stretches):
        own = slice(rows.start - out.start, rows.stop - out.start)
        spread = inverse(inverted[None, out, out].copy())[0]
        off = product(spread, weights[out])[own]
        farther = (expected / np.diag(spread)[own].mean()) ** _EXPECTED
        errors[row] = farther * np.sqrt((off**2).mean(axis=0))
    return product(beside, weights), errors


def _alike(numbers: Array, learned: Indices, stretches: list[tuple[slice, slice]], gap: Span) -> Array:
    """Return what stretches count, (stretches,), by how briskly others move in them and in the gap."""
    steps = np.diff(numbers, axis=0, prepend=numbers[:1]).reshape(len(numbers), -1)
    paces = np.sqrt((steps**2).sum(axis=1))
    spans = [gap, *(Span(int(learned[rows.start]), int(learned[rows.stop - 1])) for rows, _ in stretches)]
    paces = np.log(np.array([paces[span.rows].mean() for span in spans]) + _LEAST)
    alike: Array = np.exp(-0.5 * ((paces[1:] - paces[0]) / _BRISK) ** 2)
    alike += max(_OTHER * float(alike.max(initial=0.0)), _LEAST)
    return alike


def _shares(errors: Array, alike: Array) -> Array:
    """Return what ways count, (ways,), by ``errors`` (stretches, ways, 3, n) that count ``alike``."""
    sizes = np.sqrt((errors**2).sum(axis=(2, 3)))
    if not len(sizes):
        return np.full(sizes.shape[1], 1 / sizes.shape[1])
    usual = np.log(sizes + _LEAST).T @ (alike / alike.sum())
    shares: Array = np.exp(-_NEARER * (usual - usual.min()))
    shares /= shares.sum()
    return shares
