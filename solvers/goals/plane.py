# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of bones that stay on their side of a plane: a floor, a wall, a table top."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..geometry import Array, dot, in_full, norm
from .animated import AnimatedGoal, Frame, Point, on_bones
from .weighed import OneSided, stacked


@dataclass(frozen=True, eq=False)
class Plane(AnimatedGoal):
    """``points`` of bones, each a bone and an offset in its frame, stay where ``n . x >= h``.

    ``normals`` n (batch or 1, 3), of any length; ``heights`` h (batch or 1,), in lengths of n. In armature
    space.

    Raises GoalError naming the bones.
    """

    points: tuple[tuple[str, Point], ...]
    normals: Array = field(default_factory=lambda: np.array([[0.0, 0.0, 1.0]]))
    heights: Array = field(default_factory=lambda: np.zeros(1))
    rank: int = field(default=1, kw_only=True)

    ANIMATED: ClassVar[dict[str, tuple[int | None, ...]]] = {"weights": (), "normals": (3,), "heights": ()}
    CALLED: ClassVar[dict[str, str]] = AnimatedGoal.CALLED | {"normals": "a normal", "heights": "a height"}

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "points", on_bones(self.points, 2, "Points of a plane are a bone and an offset")
        )
        super().__post_init__()
        self.refuse(not self.points, "has no points to keep on its side")
        self.check_directions("a normal", self.normals)

    @property
    def title(self) -> str:
        """What the goal is called in messages."""
        bones = list(dict.fromkeys(bone for bone, _ in self.points))
        return "plane of " + ", ".join(f"'{bone}'" for bone in bones) if bones else "plane"

    def frames(self) -> tuple[Frame, ...]:
        """Return the bones that it looks at, and the points on them."""
        return self.points

    @property
    def group_type(self) -> "type[Planes]":
        """The group that takes up goals of this kind."""
        return Planes


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Planes(OneSided):
    """Planes: one row for each point, ``max(0, h - n . x)`` for a normal of unit length.

    ``normals`` (b, m, 3), ``heights`` (b, m).
    """

    normals: Array
    heights: Array

    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm", "normals", "heights")

    @classmethod
    def arrays(cls, goals: Sequence[Plane]) -> dict[str, Any]:
        """Return normals of unit length, and heights along them."""
        lengths = [norm(goal.normals) for goal in goals]
        pairs = list(zip(goals, lengths, strict=True))
        return {
            "normals": stacked([goal.normals / length[:, None] for goal, length in pairs]),
            "heights": stacked([goal.heights / length for goal, length in pairs]),
        }

    def excess(self, points: Array) -> Array:
        """Return how far points are beyond their planes, weighted."""
        return self.roots[..., None] * self._beyond(points)

    def excess_slopes(self, points: Array) -> Array:
        """Return the normals, each at its own point, (batch, m, c, 1, 3)."""
        normals = -(self.roots[..., None] * self.normals)[:, :, None, None]
        return in_full(normals, (*points.shape[:3], 1, 3))

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return how far the farthest point is beyond each plane (batch, m), and no angles."""
        lengths = self.counted * np.maximum(self._beyond(points).max(axis=-1), 0.0)
        return lengths, np.zeros(lengths.shape)

    def _beyond(self, points: Array) -> Array:
        return self.heights[..., None] - dot(self.normals[:, :, None], points)
