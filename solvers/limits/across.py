# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints whose bones lie across their limbs: their limits speak of the limb, in a frame of its own."""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, einsum, vecmat
from .group import Group
from .swings import Swings


def across(swings: Swings, frames: Array) -> "Across":
    """Return what ``swings`` allow as seen from the ``frames`` (m, 3, 3) of limbs, limb to bone."""
    seen, shown = (einsum(f"{way}->mklij", frames, frames) for way in ("mki,mlj", "mik,mjl"))
    flat = len(frames), 9, 9
    return Across(swings.bones, swings.cushions, swings, frames, seen.reshape(flat), shown.reshape(flat))


@dataclass(frozen=True, eq=False, slots=True)
class Across(Group):
    """What ``swings`` allow as seen from the frames of the limbs, ``frames`` (m, 3, 3), limb to bone.

    ``seen`` and ``shown`` (m, 9, 9) take flattened rotations there and back: one sum in place of products of
    small matrices, each of which takes as long.
    """

    swings: Swings
    frames: Array
    seen: Array
    shown: Array

    def nearest(self, local: Array, previous: Array | None = None) -> Array:
        """Return the nearest allowed rotations; allowed ones as they are."""
        own = self._seen(local)
        found = self.swings.nearest(own, None if previous is None else self._seen(previous))
        if found is own:
            return local
        moved = (found != own).any(axis=(-2, -1))
        return np.where(moved[..., None, None], self._shown(found), local)

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
        own = self.bones[keep], self.cushions[keep], self.swings.members(keep)
        return Across(*own, self.frames[keep], self.seen[keep], self.shown[keep])

    def _seen(self, local: Array) -> Array:
        return vecmat(local.reshape(*local.shape[:-2], 9), self.seen).reshape(local.shape)

    def _shown(self, own: Array) -> Array:
        return vecmat(own.reshape(*own.shape[:-2], 9), self.shown).reshape(own.shape)
