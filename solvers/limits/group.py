# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of one kind as arrays over ``m`` bones, so that a hundred joints cost what one does."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..geometry import Array, Indices


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Limits of one kind on ``bones`` (m,), with soft rims of ``cushions`` (m,) radians.

    Every kind answers the same. Local rotations are (batch, m, 3, 3).

    - ``nearest(local, previous)``: the nearest allowed rotations; where two ends are nearly as near, the one
      nearer to ``previous``, the rotations before.
    - ``room(local)``: a linear model of what is allowed, for turns in the bones' own frames: normals
      (batch, m, c, 3), and the room left along each (batch, m, c).
    - ``only_axes()``: the axes that the joints turn about, if each has but one.
    - ``comfortable(local, share)``: rotations moved off the ends of their ranges, all the way at ``share``
      (batch, 1) of one.
    - ``per_row()``: whether the rows of a batch have limits of their own.
    - ``sampled(points)``: allowed rotations (..., m, 3, 3) of points (..., m, 3) in the unit cube; of points
      (batch, m, 3) where rows have limits of their own.
    - ``locked()``: how many turns are left no range at all, one number or (batch,).
    """

    bones: Indices
    cushions: Array

    def only_axes(self) -> Array | None:
        """Return the axes (m, 3), in the bones' own frames, of joints that turn about one alone."""
        return None

    def locked(self) -> int | NDArray[np.int64]:
        """Return how many of the three turns of each joint, summed over the joints, are locked."""
        return 0

    def per_row(self) -> bool:
        """Return whether the rows of a batch have limits of their own."""
        return False

    def members(self, keep: Indices) -> Self:
        """Return the group of the members ``keep``."""
        return type(self)(*(getattr(self, field.name)[keep] for field in fields(self)))

    def rows(self, keep: Array) -> Self:
        """Return the group of the rows ``keep`` of a batch; only Euler limits differ from row to row."""
        return self
