# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arcs on the unit sphere, and which pieces of them bound a region.

The rims of all limits but ellipses are made of arcs of circles. So they are traced exactly: all circles
that could bound the region are cut where they cross, and the pieces kept that have the region on one side.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import pi

import numpy as np
from numpy.typing import NDArray

from ..solvers.geometry import Array, Mask, arctan2, cross, norm

Inside = Callable[[Array], Mask]

_STEP = pi / 180  # between points that are drawn
_PARALLEL = 1e-9
# How far beside an arc its sides are asked for, radians: more than rounding, less than can be seen.
_ASIDE = 1e-7
_OFF, _HAIR, _ONE_SIDED = -1, 0, 1
LEAST = 1e-5  # radians; shorter arcs are points, which bound nothing


@dataclass(frozen=True, eq=False)
class Arcs:
    """``m`` arcs: unit ``starts`` (m, 3) turn about unit ``axes`` (m, 3) from ``lower`` to ``upper`` (m,)."""

    axes: Array
    starts: Array
    lower: Array
    upper: Array

    def at(self, angles: Array) -> Array:
        """Return a point (m, 3) of each arc, at angles (m,)."""
        return turned(self.axes, self.starts, angles)

    def lengths(self) -> Array:
        """Return the arcs' lengths (m,) in radians; of those that are mere points next to nothing."""
        return norm(cross(self.axes, self.starts)) * (self.upper - self.lower)

    def line(self, row: int, lower: float, upper: float) -> Array:
        """Return one arc between two angles as a polyline (n, 3)."""
        angles = np.linspace(lower, upper, 2 + int((upper - lower) / _STEP))
        return turned(self.axes[row], self.starts[row], angles)


def arcs(rows: Sequence[tuple[Array, Array, float, float]]) -> Arcs:
    """Return arcs of (axis, start, lower, upper), each once."""
    table = np.array([[*axis, *start, lower, upper] for axis, start, lower, upper in rows]).reshape(-1, 8)
    _, first = np.unique(np.round(table, 9) + 0.0, axis=0, return_index=True)
    table = table[np.sort(first)]
    return Arcs(table[:, :3], table[:, 3:6], table[:, 6], table[:, 7])


def turned(axis: Array, point: Array, angles: Array) -> Array:
    """Return the point (..., 3) turned about the unit axis (..., 3) by angles (...) (Rodrigues' formula)."""
    along = axis * np.sum(axis * point, axis=-1, keepdims=True)
    cosine, sine = np.cos(angles)[..., None], np.sin(angles)[..., None]
    return along + cosine * (point - along) + sine * cross(axis, point)


def nowhere(directions: Array) -> Mask:
    """Return that no direction (n, 3) is inside."""
    return np.zeros(len(directions), bool)


def circle(centre: Array, radius: float) -> tuple[Array, Array, float, float]:
    """Return the row of a whole circle of directions at ``radius`` from the unit ``centre``."""
    across = cross(centre, np.eye(3)[np.argmin(np.abs(centre))])
    across /= np.linalg.norm(across)
    return centre, np.cos(radius) * centre + np.sin(radius) * across, -pi, pi


def traced(candidates: Arcs, inside: Inside) -> tuple[list[Array], list[Array]]:
    """Return polylines (n, 3): where the region is on one side of an arc, and where it is as narrow as it.

    Every circle that bounds the region must be among the candidates.
    """
    rims: dict[int, list[Array]] = {_ONE_SIDED: [], _HAIR: []}
    rows, lower, upper = _pieces(candidates)
    sides = _sides(_rows(candidates, rows), 0.5 * (lower + upper), inside)
    keys = zip(rows.tolist(), sides.tolist(), strict=True)
    for (row, kind), run in groupby(range(len(rows)), key=list(keys).__getitem__):
        if kind in rims:
            pieces = list(run)
            rims[kind].append(candidates.line(row, lower[pieces[0]], upper[pieces[-1]]))
    return rims[_ONE_SIDED], rims[_HAIR]


def _pieces(candidates: Arcs) -> tuple[NDArray[np.int64], Array, Array]:
    """Return rows of arcs, cut wherever another circle crosses: no piece changes sides."""
    crossings = _crossings(candidates)
    pieces = []
    for row in np.flatnonzero(candidates.lengths() > LEAST).tolist():
        lower, upper = candidates.lower[row], candidates.upper[row]
        angles = lower + (crossings[row] - lower) % (2 * pi)
        cuts = np.sort(angles[(angles > lower + LEAST) & (angles < upper - LEAST)])
        ends = [lower, *cuts[np.diff(cuts, prepend=lower) > LEAST], upper]
        pieces += [(row, *pair) for pair in pairwise(ends)]
    table = np.array(pieces).reshape(-1, 3)
    return table[:, 0].astype(int), table[:, 1], table[:, 2]


def _crossings(candidates: Arcs) -> Array:
    """Return the angles (m, 2 m) at which each arc's circle meets the others; NaN where it does not."""
    axes, starts = candidates.axes, candidates.starts
    along = axes * np.sum(axes * starts, axis=-1, keepdims=True)
    cosine, sine = (starts - along) @ axes.T, cross(axes, starts) @ axes.T
    wanted = np.sum(axes * starts, axis=-1) - along @ axes.T
    size = np.hypot(cosine, sine)
    share = np.where(size > _PARALLEL, wanted / np.maximum(size, _PARALLEL), np.inf)
    # Circles that touch do so within rounding.
    apart = np.arccos(np.where(np.abs(share) < 1 + 1e-12, np.clip(share, -1, 1), np.nan))
    middle = arctan2(sine, cosine)
    return np.concatenate([middle - apart, middle + apart], axis=1)


def _sides(rows: Arcs, angles: Array, inside: Inside) -> NDArray[np.int64]:
    """Return on how many sides of the arcs (p,) the region is at angles (p,); _OFF outside of it."""
    points = rows.at(angles)
    beside = cross(points, cross(rows.axes, points))
    beside *= _ASIDE / norm(beside)[..., None]
    left, on, right = (inside(points + side * beside) for side in (1, 0, -1))
    return np.where(on, left.astype(int) + right, _OFF)


def _rows(candidates: Arcs, rows: Sequence[int]) -> Arcs:
    return Arcs(*(getattr(candidates, name)[rows] for name in ("axes", "starts", "lower", "upper")))
