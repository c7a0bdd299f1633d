# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of one kind as arrays, so that ten cost about what one does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..geometry import Array, Indices, Mask, Rows


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WeighedGoals:
    """``m`` goals with ``r`` rows of the residual each, which look at ``c`` points of bones each.

    ``frames`` (m, c): which of the problem's carried frames these points are. ``ranks`` (m,). ``roots``
    (b, m, ...): square roots of weights. ``arm`` (b, 1): what an angle is multiplied with to be a length.
    ``b`` is batch or 1. ``names`` (m,): what the goals are called in messages.

    Every kind answers the same. ``points`` (batch, m, c, 3) and ``rotations`` (batch, m, c, 3, 3), of the
    bones that they are on, are those of its own frames, in armature space.

    - ``residual(points, rotations)`` (batch, m, r): weighted rows, lengths; their squared length is the
      goals' share of the objective.
    - ``slopes(points, rotations)``: the derivatives of these rows by points and by turns of the bones
      (rotation vectors in armature space), (batch, m, r, c, 3) each; None for turns where a kind does not
      look at them. Where each row looks at a point of its own, (batch, m, c, 1, 3).
    - ``left(points, rotations)``: lengths and angles in radians, (batch, m), of what is left, as users read
      it. Zero where the weight is.
    - ``swings(points, shares)``: turns of bones that meet the goals, None where a kind knows none.
    - ``refuse(points)``: raises GoalError for what only the points of the start show.
    """

    frames: Indices
    ranks: Indices
    roots: Array
    arm: Array
    names: tuple[str, ...]

    # The names of the arrays that have a row per problem.
    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm")
    # How many equations each goal poses; an inequality poses none.
    CONDITIONS: ClassVar[int] = 0

    @classmethod
    def of(cls, goals: Sequence[Any], frames: Indices, arm: Array) -> Self:
        """Return the group of goals that look at these frames (m, c); ``arm`` (b,)."""
        return cls(
            frames=frames,
            ranks=np.array([goal.rank for goal in goals]),
            roots=np.sqrt(stacked([goal.weighed for goal in goals])),
            arm=arm[:, None],
            names=tuple(goal.title for goal in goals),
            **cls.arrays(goals),
        )

    @classmethod
    def arrays(cls, goals: Sequence[Any]) -> dict[str, Any]:
        """Return what the kind has beside the fields of all kinds."""
        return {}

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return the weighted rows (batch, m, r)."""
        raise NotImplementedError

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, Array | None]:
        """Return the derivatives of the rows by points and by turns."""
        raise NotImplementedError

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return what is left as lengths and angles (batch, m)."""
        raise NotImplementedError

    def refuse(self, points: Array) -> None:
        """Raise GoalError for what only the points of the start show."""

    def held(self, points: Array, length: Array, chosen: Mask) -> "WeighedGoals":
        """Return the group; a kind whose rows are hard to keep returns another form of it."""
        return self

    def swings(self, points: Array, shares: Array) -> Array | None:
        """Return None; a kind that has a direct way to its goals returns it."""
        return None

    def met(self, points: Array, rotations: Array, length: Array, angle: float) -> Mask:
        """Return which goals (batch, m) are met to a ``length`` (b,) and an ``angle``, radians."""
        lengths, angles = self.left(points, rotations)
        return (lengths <= length[:, None]) & (angles <= angle)

    def rows(self, keep: Rows) -> Self:
        """Return the group of the rows ``keep`` of a batch."""
        own = {name: value[keep] for name in self.BATCHED if len(value := getattr(self, name)) > 1}
        return replace(self, **own) if own else self

    def weighed(self, factors: Array) -> Self:
        """Return the group with its weights times ``factors`` (b, m)."""
        tail = [1] * (self.roots.ndim - 2)
        return replace(self, roots=self.roots * np.sqrt(factors).reshape(*factors.shape, *tail))

    @property
    def weights(self) -> Array:
        """What each goal weighs in all, (b, m)."""
        weights = self.roots**2
        return weights if weights.ndim == 2 else weights.sum(axis=-1)

    @property
    def conditions(self) -> int:
        """How many equations each goal poses; an inequality poses none."""
        return self.CONDITIONS

    @property
    def both_sides(self) -> Mask:
        """Which goals (m, 1) are equations and no inequalities; all, unless a kind says so."""
        return np.ones((1, 1), dtype=bool)

    @property
    def counted(self) -> Mask:
        """Which goals have weight, (b, m, ...)."""
        return self.roots > 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class OneSided(WeighedGoals):
    """Goals that hold as inequalities: rows count where they are above zero.

    ``excess(points)`` (batch, m, r): the weighted rows, below zero where there is slack;
    ``excess_slopes(points)`` (batch, m, r, c, 3): their derivatives by the points, wherever they are.
    """

    # What is kept by a hundredth of the tolerance looks kept.
    FINENESS: ClassVar[float] = 0.01

    def excess(self, points: Array) -> Array:
        """Return the weighted rows (batch, m, r), below zero where there is slack."""
        raise NotImplementedError

    def excess_slopes(self, points: Array) -> Array:
        """Return the derivatives (batch, m, r, c, 3) of the excess by the points."""
        raise NotImplementedError

    @property
    def both_sides(self) -> Mask:
        """Which goals (m, 1) are equations all the same; none, unless a kind says so."""
        return np.zeros((1, 1), dtype=bool)

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return what is above zero of the rows."""
        return _above(self.excess(points), self.both_sides)

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, None]:
        """Return the derivatives of the rows above zero; of the others they are zero."""
        return self.slopes_pressed(points, np.zeros((1, 1, 1), dtype=bool)), None

    def rows_pressed(self, points: Array, pressed: Mask) -> Array:
        """Return the rows, of those that are ``pressed`` (batch, m, r) what is below zero, too."""
        return _above(self.excess(points), self.both_sides | pressed)

    def slopes_pressed(self, points: Array, pressed: Mask) -> Array:
        """Return the derivatives (batch, m, r, c, 3) of these rows by the points."""
        above = self.both_sides | pressed | (self.excess(points) > 0)
        return above[..., None, None] * self.excess_slopes(points)

    def met(self, points: Array, rotations: Array, length: Array, angle: float) -> Mask:
        """Return which goals (batch, m) are met."""
        lengths, _ = self.left(points, rotations)
        return lengths <= self.FINENESS * length[:, None]


def _above(excess: Array, both_sides: Mask) -> Array:
    """Return what is above zero of rows, and of those that count on ``both_sides`` what is below."""
    return np.where(both_sides, excess, np.maximum(excess, 0.0))


def stacked(values: Sequence[Array]) -> Array:
    """Return values (rows, ...) of goals as one array (b, m, ...), where b is 1 if all have one row."""
    return np.stack(np.broadcast_arrays(*values), axis=1)
