# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints whose Euler angles have ranges."""

from dataclasses import dataclass
from functools import partial
from math import pi

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Rows,
    cross,
    euler_to_matrix,
    matrix_to_euler,
    rotation_vector_to_matrix,
)
from .angle_ranges import between, clamped, eased, room_within
from .group import Group

# Euler angles' rates grow without bound towards gimbal lock; they are followed up to this factor.
_GIMBAL = 1e-3
# A middle angle whose cosine is below this leaves one turn to the first and the last.
_LOCKED = 2e-7


@dataclass(frozen=True, eq=False, slots=True)
class Eulers(Group):
    """Bounds (batch or 1, m, 3) of the angles in one ``order``."""

    order: str
    lower: Array
    upper: Array

    def members(self, keep: Indices) -> "Eulers":
        """Return the group of the members ``keep``."""
        bounds = self.lower.take(keep, axis=1), self.upper.take(keep, axis=1)
        return Eulers(self.bones[keep], self.cushions[keep], self.order, *bounds)

    def rows(self, keep: Rows) -> "Eulers":
        """Return the group with the bounds of the rows ``keep``."""
        bounds = (value if len(value) == 1 else value[keep] for value in (self.lower, self.upper))
        return Eulers(self.bones, self.cushions, self.order, *bounds)

    def locked(self) -> Indices:
        """Return how many angles have equal bounds."""
        counts: Indices = np.count_nonzero(self.lower == self.upper, axis=(-2, -1))
        return counts

    def per_row(self) -> bool:
        """Return whether there are bounds for each row."""
        return max(len(self.lower), len(self.upper)) > 1

    def nearest(self, local: Array, previous: Array | None = None) -> Array:
        """Return the rotations with every angle at its nearest allowed one."""
        before = None if previous is None else partial(self._angles, previous)
        return euler_to_matrix(clamped(self._angles(local), self.lower, self.upper, before), self.order)

    def room(self, local: Array) -> tuple[Array, Array]:
        """Return the faces: the three angles up, the three down."""
        angles = self._angles(local)
        up, down = room_within(angles, self.lower, self.upper)
        rates = self._rates(angles)
        return np.concatenate([rates, -rates], axis=-2), np.concatenate([up, down], axis=-1)

    def comfortable(self, local: Array, share: Array) -> Array:
        """Return rotations with the angles off the ends of their ranges."""
        angles = eased(self._angles(local), self.lower, self.upper, share[..., None])
        return euler_to_matrix(angles, self.order)

    def sampled(self, points: Array) -> Array:
        """Return rotations with each coordinate spread over the range of one angle."""
        lower, upper = (bounds if self.per_row() else bounds[0] for bounds in (self.lower, self.upper))
        return euler_to_matrix(between(points, lower, upper), self.order)

    def _angles(self, local: Array) -> Array:
        return angles_nearest(local, self.order, self.lower, self.upper)

    def _rates(self, angles: Array) -> Array:
        """Return rows (..., 3, 3) that give each angle's rate from a turn in the bone's frame."""
        before, columns = np.eye(3), dict[int, Array]()
        for axis in map("XYZ".index, self.order):
            columns[axis] = np.broadcast_to(np.swapaxes(before, -1, -2)[..., axis], angles.shape)
            before = rotation_vector_to_matrix(angles[..., axis, None] * np.eye(3)[axis]) @ before
        x, y, z = (columns[axis] for axis in range(3))
        volume = np.sum(x * cross(y, z), axis=-1)
        volume = np.where(np.abs(volume) < _GIMBAL, np.copysign(_GIMBAL, volume), volume)
        rows = np.stack([cross(y, z), cross(z, x), cross(x, y)], axis=-2)
        rates: Array = rows / volume[..., None, None]
        return rates


def angles_nearest(local: Array, order: str, lower: Array, upper: Array) -> Array:
    """Return Euler angles (..., 3) by axis: of the two triples that make a rotation the one nearer the box.

    ``local`` (..., 3, 3); ``lower``, ``upper``: bounds of the angles, which broadcast to (..., 3).
    """
    first = matrix_to_euler(local, order)
    second = first + pi
    middle = "XYZ".index(order[1])
    second[..., middle] = pi - first[..., middle]
    split = [_split(angles, order, lower, upper) for angles in (first, second)]
    beyond = [_beyond(angles, lower, upper) for angles in split]
    return np.where((beyond[0] <= beyond[1] + 1e-9)[..., None], *split)


def _split(angles: Array, order: str, lower: Array, upper: Array) -> Array:
    """Return the angles (..., 3) that make the same rotation and, in gimbal lock, are in range if any are.

    The first and the last angle share one turn there, which ``matrix_to_euler`` gives to the first: the last
    takes of it what brings it into its range, and then what the first has no room for.
    """
    i, j, k = ("XYZ".index(letter) for letter in order)
    locked = np.abs(np.cos(angles[..., j])) < _LOCKED
    if not locked.any():
        return angles
    split, parity = angles.copy(), 1.0 if (j - i) % 3 == 1 else -1.0
    way = parity * np.sign(np.sin(angles[..., j]))
    for one, other in ((k, i), (i, k)):
        inside = clamped(split[..., one], lower[..., one], upper[..., one])
        split[..., other] += way * (inside - split[..., one])
        split[..., one] = inside
    return np.where(locked[..., None], split, angles)


def _beyond(angles: Array, lower: Array, upper: Array) -> Array:
    up, down = room_within(angles, lower, upper)
    beyond: Array = np.maximum(-np.minimum(up, down), 0.0).sum(axis=-1)
    return beyond
