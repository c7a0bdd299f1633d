# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of one kind as arrays, so that ten cost about what one does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..geometry import Array, Indices


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GoalGroup:
    """``g`` goals with ``r`` rows of the residual, which look at ``c`` points of bones.

    ``frames`` (c,): which of the problem's carried frames these points are, those of one goal after those of
    the one before. ``ranks`` (g,). ``goal_of_row`` (r,): whose each row is, in order. ``roots`` (b, g, ...):
    square roots of weights. ``arm`` (b, 1): what an angle is multiplied with to be a length. ``b`` is batch
    or 1. ``names`` (g,): what the goals are called in messages.

    Every kind answers the same. ``points`` (batch, c, 3) and ``rotations`` (batch, c, 3, 3), of the bones
    that they are on, are those of its own frames, in armature space.

    - ``residual(points, rotations)`` (batch, r): weighted rows, lengths; their squared length is the goals'
      share of the objective.
    - ``slopes(points, rotations)``: the derivatives of these rows by points and by turns of the bones (world-
      frame rotation vectors), (batch, r, c, 3) each; None for turns where a kind does not look at them.
    - ``left(points, rotations)``: lengths and angles in radians, (batch, g), of what is left, as users read
      it. Zero where the weight is.
    - ``refuse(points)``: raises GoalError for what only the points of the start show.
    """

    frames: Indices
    ranks: NDArray[np.int64]
    goal_of_row: Indices
    roots: Array
    arm: Array
    names: tuple[str, ...]

    # The names of the arrays that have a row per problem.
    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm")
    ROWS: ClassVar[int] = 1

    @classmethod
    def of(cls, goals: Sequence[Any], frames: Indices, arm: Array, scale: float) -> Self:
        """Return the group of goals that look at these frames, weights times ``scale``; ``arm`` (b,)."""
        return cls(
            frames=frames,
            ranks=np.array([goal.rank for goal in goals]),
            goal_of_row=np.repeat(np.arange(len(goals)), cls.row_counts(goals)),
            roots=np.sqrt(scale * stacked([goal.weighed for goal in goals])),
            arm=arm[:, None],
            names=tuple(goal.title for goal in goals),
            **cls.arrays(goals),
        )

    @classmethod
    def arrays(cls, goals: Sequence[Any]) -> dict[str, Any]:
        """Return what the kind has beside the fields of all kinds."""
        return {}

    @classmethod
    def row_counts(cls, goals: Sequence[Any]) -> list[int]:
        """Return how many rows each of the goals has."""
        return [cls.ROWS] * len(goals)

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return the weighted rows (batch, r)."""
        raise NotImplementedError

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, Array | None]:
        """Return the derivatives of the rows by points and by turns."""
        raise NotImplementedError

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return what is left as lengths and angles (batch, g)."""
        raise NotImplementedError

    def refuse(self, points: Array) -> None:
        """Raise GoalError for what only the points of the start show."""

    def met(self, points: Array, rotations: Array, gap: Array, turn: float) -> NDArray[np.bool_]:
        """Return which goals (batch, g) are met to a length ``gap`` (b,) and an angle ``turn``, radians."""
        lengths, angles = self.left(points, rotations)
        return (lengths <= gap[:, None]) & (angles <= turn)

    def rows(self, keep: Array) -> Self:
        """Return the group of the rows ``keep`` of a batch."""
        own = {name: value[keep] for name in self.BATCHED if len(value := getattr(self, name)) > 1}
        return replace(self, **own) if own else self

    def of_ranks(self, chosen: NDArray[np.bool_]) -> Self:
        """Return the group in which only the ``chosen`` goals (g,) have weight."""
        return replace(self, roots=self.roots * chosen.reshape(-1, *[1] * (self.roots.ndim - 2)))

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which goals have weight, (b, g, ...)."""
        return self.roots > 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class OneSided(GoalGroup):
    """Goals that hold as inequalities: rows count where they are above zero.

    ``excess(points)`` (batch, r): the weighted rows, below zero where there is slack;
    ``excess_slopes(points)`` (batch, r, c, 3): their derivatives by the points, wherever they are.
    """

    # What is kept by a hundredth of the gap looks kept.
    FINENESS: ClassVar[float] = 0.01

    def excess(self, points: Array) -> Array:
        """Return the weighted rows (batch, r), below zero where there is slack."""
        raise NotImplementedError

    def excess_slopes(self, points: Array) -> Array:
        """Return the derivatives (batch, r, c, 3) of the excess by the points."""
        raise NotImplementedError

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return what is above zero of the rows."""
        return np.maximum(self.excess(points), 0.0)

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, None]:
        """Return the derivatives of the rows above zero; of the others they are zero."""
        above = self.excess(points) > 0
        return above[..., None, None] * self.excess_slopes(points), None

    def met(self, points: Array, rotations: Array, gap: Array, turn: float) -> NDArray[np.bool_]:
        """Return which goals (batch, g) are met."""
        lengths, _ = self.left(points, rotations)
        return lengths <= self.FINENESS * gap[:, None]


def stacked(values: Sequence[Array]) -> Array:
    """Return values (rows, ...) of goals as one array (b, g, ...), where b is 1 if all have one row."""
    return np.stack(np.broadcast_arrays(*values), axis=1)


def joined(values: Sequence[Array]) -> Array:
    """Return values (rows, n, ...) of goals one after the other, (b, sum of n, ...)."""
    rows = max(map(len, values))
    return np.concatenate([np.broadcast_to(value, (rows, *value.shape[1:])) for value in values], axis=1)


def of_own_points(blocks: Array) -> Array:
    """Return derivatives (batch, g r, g c, 3) of blocks (batch, g, r, c, 3), rows by their own points."""
    batch, goals, rows, points, _ = blocks.shape
    slopes = np.zeros((batch, goals, rows, goals, points, 3))
    each = np.arange(goals)
    slopes[:, each, :, each] = np.swapaxes(blocks, 0, 1)
    return slopes.reshape(batch, goals * rows, goals * points, 3)


def worst_of_goals(rows: Array, goal_of_row: Indices, goals: int) -> Array:
    """Return the largest (batch, g) of each goal's rows (batch, r), at least zero."""
    firsts = np.searchsorted(goal_of_row, np.arange(goals))
    return np.maximum(np.maximum.reduceat(rows, firsts, axis=1), 0.0)
