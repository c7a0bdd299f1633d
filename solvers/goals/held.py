# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of any kind that are to stay as near as they have come."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..geometry import Array, Indices, Rows, norm
from .protocol import GoalGroup


@dataclass(frozen=True, eq=False, slots=True)
class HeldGoals:
    """The ``goals`` of a group, asked to leave of their rows what was ``reached`` (batch, m, r).

    What is left of them is the length of the rows' change, and no angle.
    """

    goals: GoalGroup
    reached: Array

    @property
    def frames(self) -> Indices:
        """Those of the goals."""
        return self.goals.frames

    @property
    def ranks(self) -> Indices:
        """Those of the goals."""
        return self.goals.ranks

    @property
    def weights(self) -> Array:
        """Those of the goals."""
        return self.goals.weights

    @property
    def conditions(self) -> int:
        """Those of the goals."""
        return self.goals.conditions

    def rows(self, keep: Rows) -> "HeldGoals":
        """Return the group of the rows ``keep`` of a batch."""
        return HeldGoals(self.goals.rows(keep), self.reached[keep])

    def weighed(self, factors: Array) -> "HeldGoals":
        """Return the group with its weights times ``factors`` (b, m)."""
        reached = self.reached * np.sqrt(factors)[..., None]
        return replace(self, goals=self.goals.weighed(factors), reached=reached)

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return the rows' change (batch, m, r)."""
        return self.goals.residual(points, rotations) - self.reached

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, Array | None]:
        """Return those of the goals."""
        return self.goals.slopes(points, rotations)

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return how far rows have changed, (batch, m), and no angles."""
        lengths = norm(self.residual(points, rotations))
        return lengths, np.zeros(lengths.shape)

    def met(self, points: Array, rotations: Array, length: Array, angle: float) -> NDArray[np.bool_]:
        """Return whose rows (batch, m) have changed by no more than ``length`` (b,)."""
        return self.left(points, rotations)[0] <= length[:, None]

    def refuse(self, points: Array) -> None:
        """Raise nothing: the goals have been begun with."""
