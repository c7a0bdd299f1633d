# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The centre of mass that stays over a target or over the polygon of the planted feet."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..geometry import Array, Mask, cross, is_number, matvec, norm, vecmat
from .animated import AnimatedGoal, Frame, Point, on_bones
from .hull import half_planes
from .weighed import OneSided, stacked


@dataclass(frozen=True, eq=False)
class Balance(AnimatedGoal):
    """The centre of ``masses`` should be over a point or over a polygon.

    ``masses``: a bone, a point in its frame, and the mass there, in any unit. ``at`` (batch or 1, 3): the
    point; ``polygon`` (batch or 1, corners, 3): points whose convex hull on the ground plan is the polygon;
    two of them are a line, one is a point. One of both, in armature space. ``level`` (batch or 1, 2, 3):
    the rows that take points to the ground plan; their lengths say how much a length counts there.

    Raises GoalError naming the bone whose mass cannot be used.
    """

    masses: tuple[tuple[str, Point, float], ...]
    at: Array | None = None
    polygon: Array | None = None
    level: Array = field(default_factory=lambda: np.eye(3)[None, :2])

    ANIMATED: ClassVar[dict[str, tuple[int | None, ...]]] = {
        "weights": (),
        "level": (2, 3),
        "at": (3,),
        "polygon": (None, 3),
    }
    CALLED: ClassVar[dict[str, str]] = AnimatedGoal.CALLED | {
        "level": "an up",
        "at": "a target",
        "polygon": "a corner",
    }

    def __post_init__(self) -> None:
        masses = on_bones(self.masses, 3, "Masses of a balance are a bone, an offset and a number")
        object.__setattr__(self, "masses", masses)
        super().__post_init__()
        self.refuse((self.at is None) == (self.polygon is None), "needs either a point or a polygon")
        self.check_directions("an up", cross(self.level[:, 0], self.level[:, 1]))
        for bone, _, mass in self.masses:
            self.refuse(not is_number(mass), f"has a mass of '{bone}' that is no number")
            self.check_numbers(f"a mass of '{bone}'", mass)
            self.refuse(mass < 0, f"has a mass of '{bone}' that is negative")
        self.refuse(not sum(mass for _, _, mass in self.masses) > 0, "has no mass: none of its bones has any")

    @property
    def title(self) -> str:
        """What the goal is called in messages."""
        return "balance"

    def frames(self) -> tuple[Frame, ...]:
        """Return where the masses are."""
        return tuple((bone, offset) for bone, offset, _ in self.masses)

    @property
    def group_type(self) -> "type[Balances]":
        """The group that takes up goals of this kind."""
        return Balances


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Balances(OneSided):
    """Centres of mass: one row for each edge of a polygon, how far beyond it they are.

    Over a point the rows are two, one for each direction that is level, and both sides of them count:
    ``is_point`` (m,). ``shares`` (m, c): of each point in the mass. ``normals`` (b, m, r, 3): out of the
    polygon, zero for rows to spare; ``heights`` (b, m, r): of the edges along them.
    """

    shares: Array
    normals: Array
    heights: Array
    is_point: Mask

    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm", "normals", "heights")

    @classmethod
    def arrays(cls, goals: Sequence[Balance]) -> dict[str, Any]:
        """Return shares, and the points and polygons as half planes."""
        edges = [_edges(goal) for goal in goals]
        rows = max(heights.shape[1] for _, heights in edges)
        return {
            "shares": np.array([_shares(goal) for goal in goals]),
            "normals": stacked([_padded(normals, rows) for normals, _ in edges]),
            "heights": stacked([_padded(heights, rows) for _, heights in edges]),
            "is_point": np.array([goal.at is not None for goal in goals]),
        }

    @property
    def both_sides(self) -> Mask:
        """Which goals (m, 1) are equations: those of points."""
        return self.is_point[:, None]

    @property
    def conditions(self) -> int:
        """How many equations each goal poses, at least."""
        return 2 if self.is_point.all() else 0

    def excess(self, points: Array) -> Array:
        """Return how far centres are beyond the edges, weighted."""
        return self.roots[..., None] * self._beyond(points)

    def excess_slopes(self, points: Array) -> Array:
        """Return the normals times the shares, whatever the points."""
        normals = (self.roots[..., None, None] * self.normals)[..., None, :]
        slopes = normals * self.shares[:, None, :, None]
        return np.broadcast_to(slopes, (len(points), *slopes.shape[1:]))

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return how far centres are from above the point or beyond the farthest edge, and no angles."""
        beyond = self._beyond(points)
        lengths: Array = np.where(self.is_point, norm(beyond), np.maximum(beyond.max(axis=-1), 0.0))
        lengths = self.counted * lengths
        return lengths, np.zeros(lengths.shape)

    def _beyond(self, points: Array) -> Array:
        beyond: Array = matvec(self.normals, vecmat(self.shares, points)) - self.heights
        return beyond


def _shares(goal: Balance) -> Array:
    """Return the share (c,) of each point in the mass."""
    masses = np.array([mass for _, _, mass in goal.masses])
    shares: Array = masses / masses.max()
    shares /= shares.sum()
    return shares


def _edges(goal: Balance) -> tuple[Array, Array]:
    """Return normals (rows, r, 3) and heights (rows, r): of a polygon's edges; of a point two, level."""
    if goal.polygon is None:
        assert goal.at is not None
        return goal.level, matvec(goal.level, goal.at)
    normals, heights = half_planes(matvec(goal.level[:, None], goal.polygon))
    return vecmat(normals, goal.level[:, None]), heights


def _padded(values: Array, rows: int) -> Array:
    """Return values (b, r, ...) with zeros after them, (b, rows, ...)."""
    missing = np.zeros((len(values), rows - values.shape[1], *values.shape[2:]))
    return np.concatenate([values, missing], axis=1)
