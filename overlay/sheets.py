# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which directions a range of Euler angles allows the bone's +Y.

The box of angles has three dimensions, the sphere of directions two. Whatever the box reaches its faces
reach: along the turns about +Y, which keep the direction, one comes to a face. On a face two angles vary.
Each of these sheets is a point turned about an inner and then about an outer axis, which can be undone in
closed form (Paden and Kahan's second subproblem: R. Murray, Z. Li, S. Sastry 1994, A Mathematical
Introduction to Robotic Manipulation, chapter 3).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from ..solvers.geometry import Array, Mask, arctan2, cross, norm, rotation_vector_to_matrix
from .arcs import Arcs, arcs, turned

_Y = np.array([0.0, 1.0, 0.0])
_TINY = 1e-9
# Where a sheet folds, half of the digits are lost.
_ROUNDING = 3e-8


@dataclass(frozen=True, eq=False)
class Sheet:
    """Directions ``frame @ turn(outer, b) @ turn(inner, a) @ point`` with both angles in their ranges."""

    frame: Array
    outer: Array
    inner: Array
    point: Array
    outer_range: tuple[float, float]
    inner_range: tuple[float, float]

    def holds(self, directions: Array) -> Mask:
        """Return which directions (n, 3) lie on the sheet."""
        goals = directions @ self.frame
        held = np.zeros(len(goals), bool)
        for inner, solvable in self._inner_angles(goals):
            outer, anywhere = self._outer_angles(goals, inner)
            held |= (
                solvable & _within(inner, self.inner_range) & (anywhere | _within(outer, self.outer_range))
            )
        return held

    def is_line(self) -> bool:
        """Return whether the inner turn leaves the point where it is; other sheets have that line too."""
        return np.linalg.norm(np.cross(self.inner, self.point)) < _TINY

    def arcs(self) -> Iterator[tuple[Array, Array, float, float]]:
        """Yield the sheet's edges, and where it folds."""
        for angle in (*self.inner_range, *self._folds()):
            start = _turn(self.inner, angle) @ self.point
            yield self.frame @ self.outer, self.frame @ start, *self.outer_range
        for angle in self.outer_range:
            turned = self.frame @ _turn(self.outer, angle)
            yield turned @ self.inner, turned @ self.point, *self.inner_range

    def _folds(self) -> list[float]:
        """Return the inner angles at which the direction moves along one line only."""
        normal = np.cross(self.outer, self.inner)
        fold = np.arctan2(-normal @ self.point, normal @ np.cross(self.inner, self.point))
        turns = np.array([fold, fold + pi])
        return [turn for turn in turns.tolist() if _within(np.array(turn), self.inner_range)]

    def _inner_angles(self, goals: Array) -> Iterator[tuple[Array, Mask]]:
        """Yield both inner angles after which an outer one can lead to the goals, and where there are any."""
        along = self.inner * (self.inner @ self.point)
        cosine, sine = self.outer @ (self.point - along), self.outer @ np.cross(self.inner, self.point)
        size = np.hypot(cosine, sine)
        wanted = goals @ self.outer - self.outer @ along
        if size < _TINY:
            yield self._spent(goals), np.abs(wanted) < _ROUNDING
            return
        share = wanted / size
        apart = arctan2(np.sqrt(np.maximum(1 - share**2, 0.0)), np.clip(share, -1, 1))
        middle = np.arctan2(sine, cosine)
        for angle in (middle - apart, middle + apart):
            yield angle, np.abs(share) < 1 + 1e-12

    def _spent(self, goals: Array) -> Array:
        """Return inner angles that leave the outer ones amid their range, where both are about one axis."""
        total, _ = self._outer_angles(goals, np.zeros(len(goals)))
        middle = 0.5 * sum(self.outer_range)
        off = (total - middle + pi) % (2 * pi) - pi
        return np.clip(np.copysign(1.0, self.outer @ self.inner) * off, *self.inner_range)

    def _outer_angles(self, goals: Array, inner: Array) -> tuple[Array, Mask]:
        """Return the outer angles that lead on to the goals, and where any angle does."""
        start = turned(self.inner, self.point, inner)
        across = cross(np.broadcast_to(self.outer, start.shape), start)
        flat = start - self.outer * (start @ self.outer)[:, None]
        angle = arctan2(np.sum(across * goals, axis=-1), np.sum(flat * goals, axis=-1))
        return angle, norm(across) < _ROUNDING


def sheets(order: str, lower: Array, upper: Array) -> tuple[Sheet, ...]:
    """Return what the six faces of the box of angles (3,), by axis, reach; free angles turn all the way."""
    free = upper - lower >= 2 * pi
    low, high = np.where(free, -pi, lower), np.where(free, pi, upper)
    i, j, k = ("XYZ".index(letter) for letter in order)
    axis, ends = np.eye(3), list(zip(low.tolist(), high.tolist(), strict=True))
    faces = {}  # by what is fixed: both are one for a locked angle, and for a twist before all else
    for side in (0, 1):
        first, middle, last = (_turn(axis[a], ends[a][side]) for a in (i, j, k))
        faces[k, ends[k][side]] = Sheet(last, axis[j], axis[i], _Y, ends[j], ends[i])
        faces[i, ends[i][side] if axis[i] @ _Y == 0 else 0.0] = Sheet(
            np.eye(3), axis[k], axis[j], first @ _Y, ends[k], ends[j]
        )
        faces[j, ends[j][side]] = Sheet(np.eye(3), axis[k], middle @ axis[i], middle @ _Y, ends[k], ends[i])
    return tuple(face for face in faces.values() if not face.is_line())


def sheet_arcs(all_sheets: Sequence[Sheet]) -> Arcs:
    """Return every arc that could bound what the sheets hold together."""
    return arcs([row for sheet in all_sheets for row in sheet.arcs()])


def on_sheets(all_sheets: Sequence[Sheet], directions: Array) -> Mask:
    """Return which directions (n, 3) lie on any sheet."""
    return np.any([sheet.holds(directions) for sheet in all_sheets], axis=0)


def _turn(axis: Array, angle: float) -> Array:
    return rotation_vector_to_matrix(angle * axis)


def _within(angles: Array, ends: tuple[float, float]) -> Mask:
    middle, half = 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0])
    return np.abs((angles - middle + pi) % (2 * pi) - pi) <= half + _ROUNDING
