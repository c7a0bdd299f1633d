# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of one kind as arrays over ``m`` bones, so that a hundred joints cost what one does."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Self

from ..geometry import Array, Indices, Rows


@dataclass(frozen=True, eq=False, slots=True)
class Group(ABC):
    """Limits of one kind on ``bones`` (m,), with soft rims of ``cushions`` (m,) radians.

    Every kind answers the same. Local rotations are (batch, m, 3, 3).
    """

    bones: Indices
    cushions: Array

    @abstractmethod
    def nearest(self, local: Array, previous: Array | None = None) -> Array:
        """Return the nearest allowed rotations.

        Where two ends are nearly as near, the one nearer to ``previous``, the rotations before.
        """

    @abstractmethod
    def room(self, local: Array) -> tuple[Array, Array]:
        """Return a linear model of what is allowed, for turns in the bones' own frames.

        Normals (batch, m, c, 3), and the room left along each (batch, m, c), negative outside.
        """

    @abstractmethod
    def comfortable(self, local: Array, share: Array) -> Array:
        """Return rotations moved off the ends of their ranges, all the way at ``share`` (batch, 1) of one."""

    @abstractmethod
    def sampled(self, points: Array) -> Array:
        """Return allowed rotations (..., m, 3, 3) of points (..., m, 3) in the unit cube.

        Of points (batch, m, 3) where rows have limits of their own.
        """

    def only_axes(self) -> Array | None:
        """Return the axes (m, 3), in the bones' own frames, of joints that turn about one alone."""
        return None

    def locked(self) -> int | Indices:
        """Return how many turns, three for each joint, are left no range at all: one number or (batch,)."""
        return 0

    def per_row(self) -> bool:
        """Return whether the rows of a batch have limits of their own."""
        return False

    def members(self, keep: Indices) -> Self:
        """Return the group of the members ``keep``."""
        return type(self)(*(getattr(self, field.name)[keep] for field in fields(self)))

    def rows(self, keep: Rows) -> Self:
        """Return the group of the rows ``keep`` of a batch; only Euler limits differ from row to row."""
        return self
