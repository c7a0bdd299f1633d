# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arcs on the unit sphere, and which pieces of them bound a region.

The rims of all limits but ellipses are made of arcs of circles. So they are traced exactly: of every circle
that could bound the region those pieces are kept that have the region on one side only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi

import numpy as np
from numpy.typing import NDArray

from ..solvers.rotation import Array

Inside = Callable[[Array], NDArray[np.bool_]]

_SAMPLES = 181
_BISECTIONS = 30
# How far beside an arc its sides are asked for, radians: more than rounding, less than can be seen. At the
# corners of a region that leaves pieces of about this length on the wrong side.
_ASIDE = 1e-7
_OFF, _HAIR, _ONE_SIDED = -1, 0, 1
_LEAST = 1e-5  # radians; shorter arcs are points


@dataclass(frozen=True, eq=False)
class Arcs:
    """``m`` arcs: unit ``starts`` (m, 3) turn about unit ``axes`` (m, 3) from ``lower`` to ``upper`` (m,)."""

    axes: Array
    starts: Array
    lower: Array
    upper: Array

    def at(self, angles: Array) -> Array:
        """Return the points (m, ..., 3) at angles (m, ...)."""
        shape = (len(self.axes), *[1] * (angles.ndim - 1), 3)
        return turned(self.axes.reshape(shape), self.starts.reshape(shape), angles)

    def sampled(self) -> Array:
        """Return angles (m, samples) evenly along each arc."""
        return self.lower[:, None] + np.linspace(0.0, 1.0, _SAMPLES) * (self.upper - self.lower)[:, None]


def arcs(rows: Sequence[tuple[Array, Array, float, float]]) -> Arcs:
    """Return arcs of (axis, start, lower, upper), each once and without those that are mere points."""
    table = np.array([[*axis, *start, lower, upper] for axis, start, lower, upper in rows]).reshape(-1, 8)
    sizes = np.linalg.norm(np.cross(table[:, :3], table[:, 3:6]), axis=-1) * (table[:, 7] - table[:, 6])
    table = table[sizes > _LEAST]
    _, first = np.unique(np.round(table, 9) + 0.0, axis=0, return_index=True)
    table = table[np.sort(first)]
    return Arcs(table[:, :3], table[:, 3:6], table[:, 6], table[:, 7])


def turned(axis: Array, point: Array, angles: Array) -> Array:
    """Return the point (..., 3) turned about the unit axis (..., 3) by angles (...) (Rodrigues' formula)."""
    along = axis * np.sum(axis * point, axis=-1, keepdims=True)
    cosine, sine = np.cos(angles)[..., None], np.sin(angles)[..., None]
    return along + cosine * (point - along) + sine * np.cross(axis, point)


def circle(centre: Array, radius: float) -> tuple[Array, Array, float, float]:
    """Return the row of a whole circle of directions at ``radius`` from the unit ``centre``."""
    across = np.cross(centre, np.eye(3)[np.argmin(np.abs(centre))])
    across /= np.linalg.norm(across)
    return centre, np.cos(radius) * centre + np.sin(radius) * across, -pi, pi


def traced(candidates: Arcs, inside: Inside) -> tuple[list[Array], list[Array]]:
    """Return polylines (n, 3): where the region is on one side of an arc, and where it is as narrow as it."""
    rims: dict[int, list[Array]] = {_ONE_SIDED: [], _HAIR: []}
    angles = candidates.sampled()
    sides = _sides(candidates, angles, inside)
    arc, place = np.nonzero(sides[:, 1:] != sides[:, :-1])
    cuts = _cuts(
        _rows(candidates, arc), angles[arc, place], angles[arc, place + 1], sides[arc, place], inside
    )
    for row in range(len(angles)):
        ends = [angles[row, 0], *cuts[arc == row], angles[row, -1]]
        kinds = sides[row, [0, *(place[arc == row] + 1)]]
        for (start, end), kind in zip(pairwise(ends), kinds, strict=True):
            if kind in rims and end - start > _LEAST:
                between = angles[row][(angles[row] > start) & (angles[row] < end)]
                points = _rows(candidates, [row]).at(np.array([[start, *between, end]]))[0]
                rims[kind].append(points)
    return rims[_ONE_SIDED], rims[_HAIR]


def _sides(rows: Arcs, angles: Array, inside: Inside) -> NDArray[np.int64]:
    """Return how many sides of the arcs (m, n) the region lies on; _OFF where the arc itself is outside."""
    points = rows.at(angles)
    beside = np.cross(points, np.cross(rows.axes[:, None], points))
    beside *= _ASIDE / np.linalg.norm(beside, axis=-1, keepdims=True)
    left, on, right = (
        inside((points + side * beside).reshape(-1, 3)).reshape(angles.shape) for side in (1, 0, -1)
    )
    return np.where(on, left.astype(int) + right, _OFF)


def _cuts(rows: Arcs, low: Array, high: Array, at_low: NDArray[np.int64], inside: Inside) -> Array:
    """Return the angles (m,) between ``low`` and ``high`` at which the sides change."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        same = _sides(rows, middle[:, None], inside)[:, 0] == at_low
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return 0.5 * (low + high)


def _rows(candidates: Arcs, rows: Sequence[int]) -> Arcs:
    return Arcs(*(getattr(candidates, name)[rows] for name in ("axes", "starts", "lower", "upper")))
