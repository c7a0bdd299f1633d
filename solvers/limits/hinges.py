# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that turn about one axis."""

from dataclasses import dataclass

import numpy as np

from ..rotation import Array, arctan2, cross_matrix
from .angle_ranges import clamped, eased, room_within
from .group import Group

_IDENTITY = np.eye(3)


@dataclass(frozen=True, eq=False, slots=True)
class Hinges(Group):
    """``axes`` (m, 3), ``across`` (m, 2, 3) the directions they do not turn about, bounds (m,)."""

    axes: Array
    across: Array
    lower: Array
    upper: Array

    def locked(self) -> int:
        """Return two for each hinge."""
        return 2 * len(self.bones)

    def nearest(self, local: Array, previous: Array | None = None) -> Array:
        """Return the allowed turns that leave least of ``local``."""
        before = None if previous is None else self._angles(previous)
        return self._turned(clamped(self._angles(local), self.lower, self.upper, before))

    def room(self, local: Array) -> tuple[Array, Array, Array]:
        """Return the faces: up, down, and the two directions across, which hold both ways."""
        up, down = room_within(self._angles(local), self.lower, self.upper)
        normals = np.concatenate([self.axes[:, None], -self.axes[:, None], self.across], axis=1)
        none = np.zeros_like(up)
        room = np.stack([up, down, none, none], axis=-1)
        return np.broadcast_to(normals, (*room.shape, 3)), room, np.array([False, False, True, True])

    def comfortable(self, local: Array, share: Array) -> Array:
        """Return turns off the ends of the ranges."""
        return self._turned(eased(self._angles(local), self.lower, self.upper, share))

    def sampled(self, points: Array) -> Array:
        """Return turns that the first coordinates spread over the ranges."""
        return self._turned(self.lower + points[..., 0] * (self.upper - self.lower))

    def _angles(self, local: Array) -> Array:
        """Return the angles of the twists about the axes."""
        turning, along = self._parts()
        return arctan2(_dot(local, turning), np.einsum("...ii->...", local) - _dot(local, along))

    def _turned(self, angles: Array) -> Array:
        turning, along = self._parts()
        sine, cosine = np.sin(angles)[..., None, None], np.cos(angles)[..., None, None]
        return along + cosine * (_IDENTITY - along) + sine * turning

    def _parts(self) -> tuple[Array, Array]:
        """Return what a quarter turn adds to the projectors on the axes, and these, (m, 3, 3)."""
        return cross_matrix(self.axes), self.axes[:, :, None] * self.axes[:, None, :]


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("...ij,...ij->...", a, b)
