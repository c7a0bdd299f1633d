# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints whose bones lie across their limbs: their limits speak of the limb, in a frame of its own."""

from dataclasses import dataclass

from ..geometry import Array, Indices
from .group import Group
from .swings import Swings


@dataclass(frozen=True, eq=False, slots=True)
class Across(Group):
    """What ``swings`` allow as seen from the frames of the limbs, ``frames`` (m, 3, 3), limb to bone."""

    swings: Swings
    frames: Array

    def nearest(self, local: Array, previous: Array | None = None) -> Array:
        """Return the nearest allowed rotations."""
        before = None if previous is None else self._seen(previous)
        return self._shown(self.swings.nearest(self._seen(local), before))

    def room(self, local: Array) -> tuple[Array, Array]:
        """Return the faces, their normals in the bones' own frames."""
        normals, room = self.swings.room(self._seen(local))
        return normals @ self.frames.swapaxes(-1, -2), room

    def comfortable(self, local: Array, share: Array) -> Array:
        """Return the rotations off the ends of their ranges."""
        return self._shown(self.swings.comfortable(self._seen(local), share))

    def sampled(self, points: Array) -> Array:
        """Return allowed rotations."""
        return self._shown(self.swings.sampled(points))

    def members(self, keep: Indices) -> "Across":
        """Return the group of the members ``keep``."""
        return Across(self.bones[keep], self.cushions[keep], self.swings.members(keep), self.frames[keep])

    def _seen(self, local: Array) -> Array:
        return self.frames.swapaxes(-1, -2) @ local @ self.frames

    def _shown(self, local: Array) -> Array:
        return self.frames @ local @ self.frames.swapaxes(-1, -2)
