# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip as one problem: what is asked of each frame, how closely, and how much its motion weighs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np

from ..geometry import Array, Indices, Rows
from ..model import Pose
from ..problem import (
    LENGTH_EXPONENT,
    Problem,
    is_first,
    measure,
    of_ranks,
    rows_of_ranks,
    state_from_pose,
    without_ranks,
)
from .gradual import ROOM, STEADINESS, Giving, gives_way, slack_of
from .nearness import NOTHING
from .windows import Part

# How far a bone of mean length strays from the pose it was given, radians. Longer ones stray farther.
STRAY = 0.4
# By how much its turn changes from a frame to the next, radians, and the shift of a root, characteristic
# lengths: where targets are met exactly; and how much less where motion is to be as smooth as can be.
_CHANGE, _STEADIEST = 0.1, 0.015
# Of smooth motion, how many times as much change is quick motion rather than noise.
_QUICK = 1.0
# How far targets may give way then, characteristic lengths; where they are to be met, by next to nothing.
_GIVE = 0.02
# The natural logarithm of a million, and a long bone, of mean lengths.
_MILLIONTH, _LONGEST_BONE = 14.0, 3.0


@dataclass(frozen=True, eq=False, slots=True)
class Clip:
    """A ``problem`` whose rows are the frames of a clip, in order.

    - ``given`` (batch, bones, 4): local rotations of the skeleton, to which ``bones`` (m,) of the problem are
      drawn
    - ``kept``: the goals that stay as they were found; None if there are none
    - ``reached`` (batch or 1, r): what the residual counts from
    - ``trust`` (b, r): what each row of the residual weighs, per square length
    - ``heaviness`` (b, n + k): what the acceleration of bones weighs, per square radian, and that of roots,
      per square length
    - ``most``: standard deviations; acceleration beyond that counts in proportion, and not by its square
    - ``room`` (b,): how much farther off frames may be than they were found, a length
    """

    problem: Problem
    bones: Indices
    given: Array
    kept: Problem | None
    reached: Array
    trust: Array
    heaviness: Array
    most: float
    room: Array

    @property
    def gives_way(self) -> bool:
        """Whether targets give way to smooth motion, all of them or some around frames that miss them."""
        return bool(np.isfinite(self.most) or self.room.any())

    def rows(self, keep: Rows) -> "Clip":
        """Return the clip of the rows ``keep``."""
        problem = self.problem.rows(keep)
        kept = problem if self.kept is self.problem else self.kept and self.kept.rows(keep)
        batched = {name: value[keep] for name in _BATCHED if len(value := getattr(self, name)) > 1}
        return replace(self, problem=problem, given=self.given[keep], kept=kept, **batched)


_BATCHED = ("reached", "trust", "heaviness", "room")


def fade(smoothness: float, stride: int = 1) -> int:
    """Return after how many rows, ``stride`` frames apart, nothing of a row, a millionth, is felt any more.

    Where a joint is drawn with weight p and acceleration weighs t, ``exp(-x (p / 4 t)^(1/4))`` is left after
    x frames.
    """
    change = _CHANGE * _STEADIEST**smoothness
    return ceil(_MILLIONTH * sqrt(2 * _LONGEST_BONE * STRAY / change) / stride)


def make_clip(
    problem: Problem,
    given: Pose,
    found: Pose,
    smoothness: float,
    stride: int,
    parts: Sequence[Part],
    giving: Giving = Giving(),  # noqa: B008 (frozen)
) -> Clip:
    """Return the clip of a problem whose bones are drawn to those ``given`` and whose targets were ``found``.

    - ``smoothness``: from 0, where what was found of all targets is kept, to 1. The first rank is kept at
      any. Targets that are missed count from where they were found. Else those that gave way would come back
      for them, and the cost that can never be saved would hide that little can be saved.
    - ``stride``: how many frames the rows are apart. Second differences grow with its square; what they cost
      does not change.
    - ``parts``: of the rows, which are measured one after the other
    - ``giving``: how goals give way gradually
    """
    loose = (problem.mobility == 0) | problem.freedom.any(axis=(-2, -1))  # or locked: no joints
    bones = np.setdiff1d(np.flatnonzero(~loose), problem.comforts.bones)
    length, one = problem.length.mean(), problem.rows(slice(1))
    start = state_from_pose(one, found.rows(slice(1)))
    is_kept = rows_of_ranks(one, start, is_first) | (smoothness == 0)
    gives, shares = gives_way(giving.ranks), giving.shares[:, None]
    is_asked, is_given = (rows_of_ranks(one, start, of) for of in (gives_way(giving.asked), gives))
    slack = np.where(is_asked, slack_of(problem, giving.asked), slack_of(problem, giving.ranks))
    slacks = slack * shares * is_given
    give = length * np.maximum(np.where(is_kept, NOTHING, _GIVE * smoothness), slacks)
    kept = of_ranks(problem, is_first) if smoothness else problem
    if shares.any():
        kept = without_ranks(kept, gives, shares[:, 0] > 0)
    left = np.concatenate([_left(problem.rows(part.own), found.rows(part.own)) for part in parts])
    steadiness = np.maximum(smoothness, STEADINESS * giving.steady[:, None])
    change = _CHANGE * _STEADIEST**steadiness * stride**2
    sizes = np.append(_sizes(problem), np.full(len(problem.tree.roots), 1 / length))
    return Clip(
        problem=problem,
        bones=bones,
        given=given.rotations,
        kept=kept if is_kept.any() else None,
        reached=np.where(is_asked & (slacks > 0), 0.0, left),
        trust=give**-2,
        heaviness=(sizes / change) ** 2,
        most=_QUICK if smoothness else np.inf,
        room=length * ROOM * (shares[:, 0] > 0),
    )


def _left(problem: Problem, found: Pose) -> Array:
    """Return the residual (batch, r) of what was found, nothing where that meets the problem."""
    residual = measure(problem, state_from_pose(problem, found))
    return np.where(residual.met[:, None], 0.0, residual.vector)


def _sizes(problem: Problem) -> Array:
    """Return the lengths of bones (n,) as shares of their mean, as far as these tell on how they turn."""
    mobility = np.where(problem.mobility > 0, problem.mobility, 1.0)
    readiness = problem.compliance[:, : len(mobility)].mean(axis=0) ** 2 / mobility
    sizes: Array = readiness ** (1 / LENGTH_EXPONENT)
    return sizes
