# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints of a limb are shoulder, elbow and wrist, or hip, knee and ankle: the best division."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .tree import Array, Indices, Mask

# How far joints between the ends of a segment are off its line, in lengths of it.
_OFF = 0.06
# How much it counts that the segments make up the limb.
_SHARE = 2.5
# And that joints lie on the right side; by this share of the line between their neighbours they clearly do.
_BENT, _CLEARLY_BENT = 1.2, 0.08
_ONE_PLACE = 0.02  # in lengths of the limb: joints this near are in one place
_NO_SUCH = -3.0  # how well a limb fits that is none
_ASIDE_VARIES = 0.5
_FARTHEST = 12  # joints of one limb that are looked at: twelve take 495 divisions in three


@dataclass(frozen=True)
class Pattern:
    """What a limb looks like.

    ``ratios``: of the length of each segment to the next, whose logarithms ``vary``; ``hubs``: how likely
    fingers begin so many joints behind the last one; ``bends``: which way the joints between segments lie, 1
    forward; ``aside``: how far from the middle it begins, in its own lengths, nothing where that varies;
    ``bearer``: how long what bears it may be, in lengths of the limb.
    """

    ratios: tuple[float, ...]
    vary: tuple[float, ...]
    hubs: tuple[float, ...]
    bends: tuple[float, ...] = ()
    aside: float = 0.0
    bearer: float = np.inf


HUMAN_ARM = Pattern((1.1,), (0.3,), (0.0, -0.75), aside=0.33)
HUMAN_LEG = Pattern((1.0,), (0.3,), (0.0, -0.1, -0.75), bearer=0.1)
FRONT_LEG = Pattern((1.0, 1.6), (0.45, 0.8), (0.0, 0.0, -0.25), (-1.0, 0.0))
HIND_LEG = Pattern((0.95, 1.5), (0.45, 0.8), (0.0, 0.0, -0.25), (1.0, -1.0))
WING = Pattern((1.0,), (0.45,), (0.0, -0.75), aside=0.15)
BIRD_LEG = Pattern((0.7, 1.2), (0.45, 0.8), (0.0, 0.0, -0.25), bearer=0.12)


@dataclass(frozen=True)
class Division:
    """The ``places`` of the joints at the ends of a limb's segments, and how ``clear`` that is.

    That is its share of all divisions, and of there being no such limb, 0 to 1.
    """

    places: tuple[int, ...]
    clear: float


def divided(
    sides: Array,
    aside: Array,
    off_lines: Array,
    hub: int | None,
    pattern: Pattern,
    forward: Array | None,
) -> Division | None:
    """Return the best division; None if there are too few joints.

    ``sides`` (s, n, 3): a limb's heads, and its counterpart's; ``aside`` (n,): how far they are from the
    middle; ``off_lines`` (s, m, m): of each; ``hub``: where fingers begin, or None; ``forward`` (3,): where
    the body faces, if known.
    """
    last = min(sides.shape[1] - 1 if hub is None else hub, _FARTHEST)
    places = np.array(list(combinations(range(last + 1), len(pattern.ratios) + 2)), dtype=int)
    if not len(places):
        return None
    both = zip(sides, off_lines, strict=True)
    fits = np.mean([_fits(points, off, places, pattern, forward) for points, off in both], axis=0)
    if hub is not None:
        fits = fits + np.array(pattern.hubs)[np.minimum(hub - places[:, -1], len(pattern.hubs) - 1)]
    if pattern.aside:
        fits = fits + _aside(sides[0], aside, places, pattern)
    best = int(np.argmax(np.round(fits, 9)))
    likely = np.exp(fits)
    clear = likely[_alike(sides[0], places, best)].sum() / (likely.sum() + np.exp(_NO_SUCH))
    return Division(tuple(places[best].tolist()), float(clear))


def _alike(points: Array, places: Indices, best: int) -> Mask:
    """Return which divisions (c, ends) of a limb (n, 3) have their ends where the best one has its own.

    A robot's joint is a link for each of its axes, all about in one place.
    """
    length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    away = np.linalg.norm(points[places] - points[places[best]], axis=2).max(axis=1)
    alike: Mask = away <= _ONE_PLACE * length
    return alike


def _aside(points: Array, aside: Array, places: Indices, pattern: Pattern) -> Array:
    """Return how usual it is that a limb (n, 3) begins so far from the middle (c,)."""
    length = np.linalg.norm(np.diff(points[places], axis=1), axis=2).sum(axis=1)
    ratio = np.maximum(aside[places[:, 0]], 1e-9) / np.maximum(length, 1e-9)
    fits: Array = -0.5 * (np.log(ratio / pattern.aside) / _ASIDE_VARIES) ** 2
    return fits


def _fits(points: Array, off_lines: Array, places: Indices, pattern: Pattern, forward: Array | None) -> Array:
    """Return how well each of the divisions (c, ends) of a limb (n, 3) fits (c,)."""
    edges = np.linalg.norm(np.diff(points, axis=0), axis=1)
    path = float(edges.sum()) + 1e-300
    before, behind = places[:, :-1], places[:, 1:]
    lengths = np.linalg.norm(points[behind] - points[before], axis=2)
    lengths = np.maximum(lengths, 1e-9 * path)
    ratios = np.log(lengths[:, :-1] / lengths[:, 1:] / pattern.ratios) / pattern.vary
    fits: Array = -0.5 * (ratios**2).sum(axis=1) + _SHARE * np.log(lengths.sum(axis=1) / path)
    fits -= 0.5 * (off_lines[before, behind] ** 2).sum(axis=1) / _OFF**2
    borne = np.concatenate([[0.0], np.cumsum(edges)])[places[:, 0]]
    fits -= 0.5 * (borne / path / pattern.bearer) ** 2
    return fits if forward is None else fits + _bent(points, places, pattern, forward)


def off_lines(points: Array) -> Array:
    """Return how far the joints between two are from their line, at most, in its lengths (m, m)."""
    last = min(len(points) - 1, _FARTHEST)
    off = np.zeros((last + 1, last + 1))
    for first in range(last - 1):
        for end in range(first + 2, last + 1):
            way, between = points[end] - points[first], points[first + 1 : end] - points[first]
            square = max(float(way @ way), 1e-200)  # whose inverse has a square
            aside = between - np.outer(np.clip(between @ way / square, 0.0, 1.0), way)
            off[first, end] = np.sqrt((aside**2).sum(axis=1).max() / square)
    return off


def _bent(points: Array, places: Indices, pattern: Pattern, forward: Array) -> Array:
    """Return what is gained by joints on the right side of the line between their neighbours (c,)."""
    gain = np.zeros(len(places))
    for at, bend in enumerate(pattern.bends, 1):
        first = points[places[:, at - 1]]
        way, out = points[places[:, at + 1]] - first, points[places[:, at]] - first
        square = np.maximum((way**2).sum(axis=1), 1e-300)
        out = out - way * ((out * way).sum(axis=1) / square)[:, None]
        gain += _BENT * bend * np.tanh(out @ forward / (_CLEARLY_BENT * np.sqrt(square)))
    return gain
