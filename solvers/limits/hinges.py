# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that turn about one axis."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..geometry import Array, arctan2
from .angle_ranges import clamped, eased, room_within
from .group import Group


@dataclass(frozen=True, eq=False, slots=True)
class Hinges(Group):
    """``axes`` (m, 3), and what they make of vectors, (m, 3, 3): the part ``along`` the axis, that ``across``
    it, and the latter after a ``quarter`` turn. Bounds (m,).
    """

    axes: Array
    along: Array
    across: Array
    quarter: Array
    lower: Array
    upper: Array

    def locked(self) -> int:
        """Return two for each hinge."""
        return 2 * len(self.bones)

    def nearest(self, local: Array, previous: Array | None = None) -> Array:
        """Return the allowed turns that leave least of ``local``."""
        before = None if previous is None else partial(self._angles, previous)
        return self._turned(clamped(self._angles(local), self.lower, self.upper, before))

    def only_axes(self) -> Array:
        """Return the axes."""
        return self.axes

    def room(self, local: Array) -> tuple[Array, Array]:
        """Return the faces: up and down."""
        room = np.stack(room_within(self._angles(local), self.lower, self.upper), axis=-1)
        return np.broadcast_to(np.stack([self.axes, -self.axes], axis=1), (*room.shape, 3)), room

    def comfortable(self, local: Array, share: Array) -> Array:
        """Return turns off the ends of the ranges."""
        return self._turned(eased(self._angles(local), self.lower, self.upper, share))

    def sampled(self, points: Array) -> Array:
        """Return turns that the first coordinates spread over the ranges."""
        return self._turned(self.lower + points[..., 0] * (self.upper - self.lower))

    def _angles(self, local: Array) -> Array:
        """Return the angles of the twists about the axes."""
        return arctan2(_dot(local, self.quarter), _dot(local, self.across))

    def _turned(self, angles: Array) -> Array:
        sine, cosine = np.sin(angles)[..., None, None], np.cos(angles)[..., None, None]
        return self.along + cosine * self.across + sine * self.quarter


def _dot(a: Array, b: Array) -> Array:
    products: Array = np.einsum("...ij,...ij->...", a, b)
    return products
