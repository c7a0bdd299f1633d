# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The centre of mass that stays over a target or over the polygon of the planted feet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..geometry import Array, dot, matvec, norm, quaternion_to_matrix, shortest_arc, vecmat
from .goal import Goal, Offset
from .group import GoalGroup, OneSided, joined, stacked, worst_of_goals
from .hull import half_planes, plane_count

_Y = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Balance(Goal):
    """The centre of ``masses`` should be over a point or over a polygon.

    ``masses``: a bone, a point in its frame, and the mass there, in any unit. ``at`` (batch or 1, 3): the
    point; ``polygon`` (batch or 1, corners, 3): points whose convex hull, seen along ``up``, is the polygon;
    two of them are a line, one is a point. One of both, in armature space, as is ``up``.

    Raises GoalError naming the bone whose mass cannot be used.
    """

    masses: tuple[tuple[str, Offset, float], ...]
    at: Array | None = None
    polygon: Array | None = None
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    ANIMATED: ClassVar[dict[str, tuple[int | None, ...]]] = {
        "weights": (),
        "at": (3,),
        "polygon": (None, 3),
    }

    def __post_init__(self) -> None:
        masses = tuple((bone, tuple(offset), float(mass)) for bone, offset, mass in self.masses)
        object.__setattr__(self, "masses", masses)
        super().__post_init__()
        self.refuse((self.at is None) == (self.polygon is None), "needs either a point or a polygon")
        self.refuse(len(self.up) != 3, "has an up that is not 3 long")
        self.check_numbers("an up", self.up)
        self.check_directions("an up", self.up)
        for bone, _, mass in self.masses:
            self.check_numbers(f"a mass of '{bone}'", mass)
            self.refuse(mass < 0, f"has a mass of '{bone}' that is negative")
        self.refuse(not sum(mass for _, _, mass in self.masses) > 0, "has no mass: none of its bones has any")

    @property
    def title(self) -> str:
        return "balance"

    @property
    def carried(self) -> tuple[tuple[str, Offset], ...]:
        """Where the masses are."""
        return tuple((bone, offset) for bone, offset, _ in self.masses)

    @property
    def group_type(self) -> "type[BalancesAt] | type[BalancesOver]":
        return BalancesOver if self.at is None else BalancesAt


def _shares(goals: Sequence[Balance]) -> Array:
    """Return the share (g, c) of each point of all goals in each goal's mass."""
    shares = np.zeros((len(goals), sum(len(goal.masses) for goal in goals)))
    first = 0
    for row, goal in zip(shares, goals, strict=True):
        masses = np.array([mass for _, _, mass in goal.masses])
        row[first : first + len(masses)] = masses / masses.max() / (masses / masses.max()).sum()
        first += len(masses)
    return shares


def _levels(goals: Sequence[Balance]) -> Array:
    """Return two directions (g, 2, 3) that are square to each other and to the goals' up."""
    ups = np.array([goal.up for goal in goals], dtype=np.float64)
    frames = quaternion_to_matrix(shortest_arc(np.broadcast_to(_Y, ups.shape), ups))
    return np.swapaxes(frames, -1, -2)[:, ::2]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BalancesAt(GoalGroup):
    """Centres of mass over points: two rows each, level with the ground.

    ``shares`` (g, c): of each point in the mass. ``level`` (g, 2, 3): the rows' directions. ``goals``
    (b, g, 2): the points along these.
    """

    shares: Array
    level: Array
    goals: Array

    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm", "goals")
    ROWS: ClassVar[int] = 2

    @classmethod
    def arrays(cls, goals: Sequence[Balance]) -> dict[str, Any]:
        """Return shares, directions and points."""
        level = _levels(goals)
        points = stacked([goal.at for goal in goals if goal.at is not None])
        return {"shares": _shares(goals), "level": level, "goals": _seen(level, points)}

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return how far centres are from above their points, (batch, 2 g)."""
        return (self.roots[..., None] * self._away(points)).reshape(len(points), -1)

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, None]:
        """Return the directions times the shares, whatever the points."""
        slopes = self.roots[..., None, None, None] * self.level[:, :, None] * self.shares[:, None, :, None]
        shape = (len(points), *slopes.shape[1:])
        return np.broadcast_to(slopes, shape).reshape(len(points), -1, *slopes.shape[-2:]), None

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return how far centres are from above their points (batch, g), and no angles."""
        lengths = self.counted * norm(self._away(points))
        return lengths, np.zeros_like(lengths)

    def _away(self, points: Array) -> Array:
        return _seen(self.level, vecmat(self.shares, points[:, None])) - self.goals


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BalancesOver(OneSided):
    """Centres of mass over polygons: one row for each edge, how far they are beyond it.

    ``shares`` (g, c) as in BalancesAt. ``normals`` (b, r, 3): out of the polygon, zero for rows to spare;
    ``heights`` (b, r): of the edges along them.
    """

    shares: Array
    normals: Array
    heights: Array

    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm", "normals", "heights")

    @classmethod
    def arrays(cls, goals: Sequence[Balance]) -> dict[str, Any]:
        """Return shares, and the polygons as half planes."""
        edges = [
            _edges(goal.polygon, level)
            for goal, level in zip(goals, _levels(goals), strict=True)
            if goal.polygon is not None
        ]
        normals, heights = (joined(list(values)) for values in zip(*edges, strict=True))
        return {"shares": _shares(goals), "normals": normals, "heights": heights}

    @classmethod
    def row_counts(cls, goals: Sequence[Balance]) -> list[int]:
        """Return one row for each half plane."""
        return [plane_count(goal.polygon.shape[1]) for goal in goals if goal.polygon is not None]

    def excess(self, points: Array) -> Array:
        """Return how far centres are beyond the edges, weighted, (batch, r)."""
        return self.roots.take(self.goal_of_row, axis=1) * self._beyond(points)

    def excess_slopes(self, points: Array) -> Array:
        """Return the normals times the shares, whatever the points."""
        normals = self.roots.take(self.goal_of_row, axis=1)[..., None] * self.normals
        slopes = normals[:, :, None] * self.shares[self.goal_of_row][:, :, None]
        return np.broadcast_to(slopes, (len(points), *slopes.shape[1:]))

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return how far centres are beyond the farthest edge (batch, g), and no angles."""
        lengths = self.counted * worst_of_goals(self._beyond(points), self.goal_of_row, len(self.ranks))
        return lengths, np.zeros_like(lengths)

    def _beyond(self, points: Array) -> Array:
        centres = vecmat(self.shares, points[:, None]).take(self.goal_of_row, axis=1)
        return dot(self.normals, centres) - self.heights


def _edges(polygon: Array, level: Array) -> tuple[Array, Array]:
    """Return a polygon (rows, c, 3) as half planes: normals (rows, e, 3) and heights (rows, e)."""
    normals, heights = half_planes(_seen(level, polygon))
    return np.einsum("rek,ki->rei", normals, level), heights


def _seen(level: Array, points: Array) -> Array:
    """Return points (..., 3) along directions (..., 2, 3) square to up, (..., 2)."""
    return matvec(level, points)
