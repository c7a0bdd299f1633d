# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch of problems as arrays: what the objective needs, computed once before the first step.

The objective is the sum of the squares of all goals' rows: those of frame goals (goals/frame_goals.py), and
of goals of other kinds. The arm, at which an angle counts as a length, is a share of the rig's characteristic
length, so that a weight means the same on an ant and on a ship.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from ..geometry import Array, Indices, Rows, altered, are_all
from ..goals import (
    FrameGoals,
    GoalGroup,
)
from ..limits import Group
from ..model import Tree
from ..posture import Comforts, Pace, one_ways


@dataclass(frozen=True, eq=False)
class Problem:
    """Arrays over ``n`` bones, ``k`` of them roots, and ``F`` carried frames, the first ``E`` effectors.

    Rows of the batch are independent. Whatever depends on lengths has a row per problem, or one for all:
    ``b`` is batch or 1. A goal within ``tolerance`` (b,), a length, and ``angle_tolerance``, radians, is met.
    ``arm`` (b,) is a; ``length`` (b,) is about a limb segment.
    - ``offsets`` (b, n, 3), ``rests`` (b, n, 3, 3), ``points`` (b, F, 3) as in Skeleton and Effector.
    - ``mobility`` (n,): 1 - stiffness; 0 where no goal that weighs anything is felt. ``freedom``
      (n, 3, 3); ``centred`` (n,): wholly free roots.
    - ``turning`` (m,): the bones that may turn; ``moving`` (m + k,): these and the roots, as rows of a step;
      ``units`` (b, m + k, 1): what a unit of compliance is in radians and characteristic lengths;
      ``below`` (m, m): 1 where the first carries the second along, or is the same.
    - ``compliance`` (b, n + k): square root of the metric of a step, radians for bones and lengths for root
      translations; ``moves``, ``turns`` (b, F, n): the tree's, times compliance and falloff.
    - ``shifts`` (F, k, 3, 3): how moves of the roots move the points.
    - ``anchored``: whether some root may not be moved at all.
    - ``bundle`` (m, n): 1 where bone b belongs to rigid group m (one bone each unless some are locked);
      ``bundled``: the bones of all groups, one group after the other, and where in that each group starts.
    - ``limits``: what bones may not do, grouped by sort; ``cushions`` (n,):
      the width of soft rims, radians. ``comforts``: how bones would rather be; ``price`` (b,): what a squared
      standard deviation from there may cost, beside the root of the objective; ``pace``: how far comfort may
      turn bones, if not all the way.
    - ``frames``: the goals of the effectors; ``goals``: those of other kinds, grouped, and ``order`` (G,):
      where in the groups, one after the other, each is; ``held``: what is kept while the objective, which is
      then that of one rank, is lowered.
    """

    tree: Tree
    tolerance: Array
    angle_tolerance: float
    length: Array
    arm: Array
    offsets: Array
    rests: Array
    points: Array
    mobility: Array
    freedom: Array
    centred: Array
    turning: Indices
    moving: Indices
    units: Array
    below: Array
    compliance: Array
    moves: Array
    turns: Array
    shifts: Array
    anchored: bool
    bundle: Array
    bundled: tuple[Indices, Indices]
    limits: tuple[Group, ...]
    cushions: Array
    comforts: Comforts
    price: Array
    frames: FrameGoals
    goals: tuple[GoalGroup, ...] = ()
    order: Indices = field(default_factory=lambda: np.empty(0, np.int64))
    pace: Pace | None = None
    held: "Held | None" = None

    @property
    def has_comfort(self) -> bool:
        """Whether there is anything to choose by among poses that meet the targets."""
        return bool(len(self.comforts.bones) > 0 or self.cushions.any())

    @property
    def holding(self) -> "Held":
        """What is held, of a problem of which that is asked."""
        if self.held is None:
            raise ValueError("The problem holds nothing")
        return self.held

    def sums(self, values: Array) -> Array:
        """Return the sums (..., m, c) over rigid groups of what bones have, (..., n, c)."""
        if len(self.bundle) == len(self.mobility):
            return values
        bones, starts = self.bundled
        return np.add.reduceat(values.take(bones, axis=-2), starts, axis=-2)

    def rows(self, keep: Rows) -> "Problem":
        """Return the problem of the rows ``keep``; what all rows share is left alone, and all if all are."""
        if are_all(keep, len(self.frames.target_points)):
            return self
        batched = {name: value[keep] for name in _BATCHED if len(value := getattr(self, name)) > 1}
        return altered(
            self,
            limits=tuple(group.rows(keep) for group in self.limits),
            comforts=self.comforts.rows(keep),
            pace=self.pace and self.pace.rows(keep),
            frames=self.frames.rows(keep),
            goals=tuple(group.rows(keep) for group in self.goals),
            held=self.held and self.held.rows(keep),
            **batched,
        )

    def compliance_of(self, keep: Rows) -> Array:
        """Return the compliance (rows or 1, n + k) of the rows ``keep``."""
        return self.compliance if len(self.compliance) == 1 else self.compliance[keep]

    def without_comfort(self) -> "Problem":
        """Return the problem with nothing to choose by among poses that meet the goals."""
        nothing = replace(
            self.comforts,
            bones=self.comforts.bones[:0],
            rotations=self.comforts.rotations[:1, :0],
            precisions=self.comforts.precisions[:1, :0],
            one_ways=one_ways(()),
            ties=None,
        )
        return altered(self, comforts=nothing, cushions=np.zeros_like(self.cushions))


@dataclass(frozen=True, eq=False, slots=True)
class Held:
    """Goals of higher ranks: ``asked``, as they are, and ``reached``, where missed ones got to."""

    asked: Problem
    reached: Problem

    def rows(self, keep: Rows) -> "Held":
        """Return those of the rows ``keep`` of a batch."""
        return Held(self.asked.rows(keep), self.reached.rows(keep))


_BATCHED = (
    *("tolerance", "length", "arm", "offsets", "rests", "points"),
    *("units", "compliance", "moves", "turns", "price"),
)
