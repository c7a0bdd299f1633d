# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goals have that look at a point or along a direction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..geometry import Array, Mask
from .animated import AnimatedGoal
from .weighed import WeighedGoals, stacked


@dataclass(frozen=True, eq=False, kw_only=True)
class Towards(AnimatedGoal):
    """A goal with a point ``at`` or a direction ``along``, (batch or 1, 3), in armature space."""

    at: Array | None = None
    along: Array | None = None

    ANIMATED: ClassVar[dict[str, tuple[int | None, ...]]] = {"weights": (), "at": (3,), "along": (3,)}
    CALLED: ClassVar[dict[str, str]] = AnimatedGoal.CALLED | {"at": "a target", "along": "a direction"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse((self.at is None) == (self.along is None), "needs either a point or a direction")
        if self.along is not None:
            self.check_directions("a direction", self.along)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TowardsGoals(WeighedGoals):
    """``goals`` (b, m, 3): points where ``is_point`` (m,), directions elsewhere."""

    goals: Array
    is_point: Mask

    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm", "goals")

    @classmethod
    def arrays(cls, goals: Sequence[Any]) -> dict[str, Any]:
        """Return the points and directions."""
        return {
            "goals": stacked([goal.along if goal.at is None else goal.at for goal in goals]),
            "is_point": np.array([goal.at is not None for goal in goals]),
        }

    def ways(self, seen_from: Array) -> Array:
        """Return the ways (batch, m, 3) to the points from others (batch, m, 3), and the directions."""
        return np.where(self.is_point[:, None], self.goals - seen_from, self.goals)
