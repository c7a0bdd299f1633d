# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of bones that stay where they are put: a foot that stands, fingertips on a table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..geometry import Array, matvec, norm
from .animated import HEAD, AnimatedGoal, Frame, Point
from .weighed import WeighedGoals, stacked


@dataclass(frozen=True, eq=False)
class Place(AnimatedGoal):
    """The point ``offset`` of a bone, in its frame, is at ``positions`` (batch or 1, 3), armature space.

    However the bone is turned: so a foot rolls over its ball. ``axes`` (batch or 1, 3, 3) maps a miss onto
    the axes along which it counts; a row of zeros leaves that one free. Raises GoalError naming the bone.
    """

    bone: str
    positions: Array
    offset: Point = HEAD
    axes: Array = field(default_factory=lambda: np.eye(3)[None])
    rank: int = field(default=1, kw_only=True)

    ANIMATED: ClassVar[dict[str, tuple[int | None, ...]]] = {"weights": (), "positions": (3,), "axes": (3, 3)}
    CALLED: ClassVar[dict[str, str]] = AnimatedGoal.CALLED | {"positions": "a target", "axes": "an axis"}

    @property
    def title(self) -> str:
        """What the goal is called in messages."""
        return f"place of '{self.bone}'"

    def frames(self) -> tuple[Frame, ...]:
        """Return the point of the bone."""
        return ((self.bone, self.offset),)

    @property
    def group_type(self) -> "type[Places]":
        """The group that takes up goals of this kind."""
        return Places


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Places(WeighedGoals):
    """Places: three rows each, ``A (p - t)``. ``positions`` (b, m, 3), ``axes`` A (b, m, 3, 3)."""

    positions: Array
    axes: Array

    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm", "positions", "axes")
    CONDITIONS: ClassVar[int] = 3

    @classmethod
    def arrays(cls, goals: Sequence[Place]) -> dict[str, Any]:
        """Return where the points should be, and along which axes."""
        return {name: stacked([getattr(goal, name) for goal in goals]) for name in ("positions", "axes")}

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return ways from places to points (batch, m, 3), along the axes that count."""
        return self.roots[..., None] * matvec(self.axes, points[:, :, 0] - self.positions)

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, None]:
        """Return the derivatives by the points; turns of the bones make no difference."""
        slopes = np.empty((*points.shape[:2], 3, 1, 3))
        slopes[..., 0, :] = self.roots[..., None, None] * self.axes
        return slopes, None

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return distances (batch, m), and no angles."""
        lengths = self.counted * norm(matvec(self.axes, points[:, :, 0] - self.positions))
        return lengths, np.zeros(lengths.shape)
