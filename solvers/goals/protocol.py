# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goals of any kind answer, so that the solver need not know which kinds there are.

A kind has a value, ``Goal``, which is what callers give, and a ``GoalGroup``, which is all goals of the kind
in one problem as arrays. Goals look at *carried frames*: bones with a point on each. What they say of those
is enough: rows of the Jacobian, forces and moments all follow from slopes (problem/jacobian.py).

Arrays have the batch axis first; ``b`` is batch or 1. Lengths are in the caller's unit, armature space.
"""

from collections.abc import Sequence
from typing import Protocol, Self

from ..geometry import Array, Indices, Mask, Rows
from ..model import Skeleton

Frame = tuple[str, tuple[float, float, float]]


class Goal(Protocol):
    """What is asked of the body, one row for each problem of the batch or one for all.

    ``rank``: 1 must hold, 2 should. Values that make no sense raise GoalError, naming the bone, when the goal
    is made.
    """

    @property
    def rank(self) -> int:
        """1 must hold, 2 should."""

    def frames(self) -> tuple[Frame, ...]:
        """Return the carried frames it looks at: a bone's name, and a point in that bone's frame."""

    def check(self, skeleton: Skeleton, batch: int) -> None:
        """Raise SkeletonError for a bone that is not there, GoalError for what does not fit it.

        A value has to have ``batch`` rows or one.
        """

    def rows(self, keep: Rows) -> Self:
        """Return the goal of the rows ``keep`` of a batch; what all rows share is left alone."""

    def but_in(self, rows: Mask) -> Self:
        """Return the goal, which weighs nothing in the ``rows`` (batch,) of a mask."""

    @classmethod
    def check_together(cls, goals: Sequence[Self]) -> None:
        """Raise GoalError for goals of this kind that cannot be used beside each other."""

    @classmethod
    def grouped(cls, goals: Sequence[Self], frames: Indices, arm: Array) -> "GoalGroup":
        """Return ``m`` goals, which have the same number ``c`` of frames each, as a group.

        ``frames`` (m, c): indices of their frames. ``arm`` (b,), a length: an angle counts as what it does
        at the end of it.
        """


class GoalGroup(Protocol):
    """Goals of one kind, ``m`` of them, with ``c`` frames and ``r`` rows of the residual each.

    ``points`` (batch, m, c, 3) and ``rotations`` (batch, m, c, 3, 3), bone to armature, are those of their
    frames. An inequality is a row that is zero, with zero slopes, where it holds.
    """

    @property
    def frames(self) -> Indices:
        """Indices (m, c) of the frames they look at."""

    @property
    def ranks(self) -> Indices:
        """Ranks (m,)."""

    @property
    def weights(self) -> Array:
        """What each goal weighs in all, (b, m); 0 where it does not count."""

    @property
    def conditions(self) -> int:
        """How many equations each poses whatever the pose; an inequality poses none."""

    @property
    def both_sides(self) -> Mask:
        """Which goals, (m, 1) or for each row, are equations and no inequalities."""

    def rows(self, keep: Rows) -> Self:
        """Return the group of the rows ``keep`` of a batch; what all rows share is left alone."""

    def weighed(self, factors: Array) -> Self:
        """Return the group with its weights times ``factors`` (b, m)."""

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return rows (batch, m, r), weighted lengths: the sum of their squares joins the objective."""

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, Array | None]:
        """Return derivatives (batch, m, r, c, 3) of the rows by points, and by turns of the frames.

        Turns are rotation vectors ``w`` in armature space, ``exp([w]x) R``, of each frame by itself; None
        where the kind does not look at them. Where each row looks at a frame of its own, (batch, m, c, 1, 3).
        """

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return lengths and angles (batch, m), radians, as users read them; 0 for what has no weight."""

    def met(self, points: Array, rotations: Array, length: Array, angle: float) -> Mask:
        """Return which goals (batch, m) are met to a ``length`` (b,) and an ``angle``, radians."""

    def held(self, points: Array, length: Array, chosen: Mask) -> "GoalGroup":
        """Return the group as it is asked for while lower ranks are lowered; itself, as a rule.

        ``chosen`` (m,): the goals to be held from here on. A kind whose rows are hard to keep may have those
        that are met, to a ``length`` (b,), in rows of another form, as many as it likes.
        """

    def swings(self, points: Array, shares: Array) -> Array | None:
        """Return turns (batch, s, m, c - 1, 3, 3) that meet the goals at once, in s ways; None without any.

        Each is of what is between one of the goals' frames and the next, which lie one below the other, in
        armature space; the points of the first and the last frame stay where they are. ``shares`` (k,), 0 to
        1: how far the ways go, in what way the kind may choose.
        """

    def refuse(self, points: Array) -> None:
        """Raise GoalError for what only the points of the start show."""
