# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of any kind that are to stay as near as they have come."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..geometry import Array, Indices, Mask, Rows, norm
from .protocol import GoalGroup
from .weighed import OneSided


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

    @property
    def both_sides(self) -> Mask:
        """Those of the goals, and what was missed (batch, m, r), which is to be missed by no less."""
        sides: Mask = self.goals.both_sides | (self.reached != 0)
        return sides

    def rows(self, keep: Rows) -> "HeldGoals":
        """Return the group of the rows ``keep`` of a batch."""
        return HeldGoals(self.goals.rows(keep), self.reached[keep])

    def weighed(self, factors: Array) -> Self:
        """Return the group with its weights times ``factors`` (b, m)."""
        reached = self.reached * np.sqrt(factors)[..., None]
        return replace(self, goals=self.goals.weighed(factors), reached=reached)

    def held(self, points: Array, length: Array, chosen: Mask) -> Self:
        """Return the group with the goals' own form."""
        return replace(self, goals=self.goals.held(points, length, chosen))

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

    def met(self, points: Array, rotations: Array, length: Array, angle: float) -> Mask:
        """Return whose rows (batch, m) have changed by at most ``length`` (b,), however little they weigh.

        Those that were met have to be met still: of an angle a row allows more than ``angle``.
        """
        near = length[:, None] * np.minimum(np.sqrt(self.weights), 1.0)
        missed = np.any(self.reached, axis=-1)
        kept: Mask = missed | self.goals.met(points, rotations, length, angle)
        return (self.left(points, rotations)[0] <= near) & kept

    def swings(self, points: Array, shares: Array) -> None:
        """Return none: the goals stay where they are."""

    def refuse(self, points: Array) -> None:
        """Raise nothing: the goals have been begun with."""


@dataclass(frozen=True, eq=False, slots=True)
class PressedGoals(HeldGoals):
    """Held inequalities of which the ``pressed`` rows (batch, m, r) are equations: none of them has slack."""

    goals: OneSided
    pressed: Mask

    def rows(self, keep: Rows) -> "PressedGoals":
        """Return the group of the rows ``keep`` of a batch."""
        return PressedGoals(self.goals.rows(keep), self.reached[keep], self.pressed[keep])

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return the rows' change, that of pressed ones on either side."""
        return self.goals.rows_pressed(points, self.pressed) - self.reached

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, Array | None]:
        """Return those of the goals, of pressed rows wherever they are."""
        return self.goals.slopes_pressed(points, self.pressed), None


def pressed_goals(held: GoalGroup, points: Array, within: Array) -> GoalGroup:
    """Return held inequalities, those with less slack than ``within`` (b,), a length, as equations."""
    if not (isinstance(held, HeldGoals) and isinstance(held.goals, OneSided)):
        return held
    slack = held.reached - held.goals.excess(points)
    return PressedGoals(held.goals, held.reached, slack < within[:, None, None])
