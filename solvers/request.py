# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of the solver: one noun for a body, where it starts, its goals and how to solve."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .errors import EffectorError, GoalError, SettingsError, SkeletonError, SolverError, check_kinds, in_tuple
from .geometry import Mask, Rows
from .goals import Effector, Goal, Targets, check_effectors, check_goals
from .model import Pose, Skeleton
from .settings import Settings

_KINDS: tuple[tuple[str, type, type[SolverError]], ...] = (
    ("skeleton", Skeleton, SkeletonError),
    ("pose", Pose, SkeletonError),
    ("targets", Targets, EffectorError),
    ("settings", Settings, SettingsError),
)
# Steps to targets from a pose near by; where they are missed, more bring little.
_FEW = 24
# What they have to bring where goals give way, as a share of the tolerance.
_LITTLE = 0.05


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of the solver, a row for each problem or each frame of a clip.

    Rows of the start ``pose`` and the ``targets`` belong together; a skeleton with one row serves all, and
    so does a goal. ``goals``: what is asked besides the effectors, of which there may be none then.
    ``prepared``: what ``prepare`` made of a like request, which is used where it serves.
    """

    skeleton: Skeleton
    pose: Pose
    effectors: tuple[Effector, ...]
    targets: Targets
    settings: Settings = Settings()  # noqa: RUF009 (frozen)
    goals: tuple[Goal, ...] = ()
    prepared: Any = None  # a Prepared, which problems are made of, as they are of requests

    def __post_init__(self) -> None:
        for name, refusal in (("effectors", EffectorError), ("goals", GoalError)):
            object.__setattr__(self, name, in_tuple(getattr(self, name), f"The {name}", refusal))
        for name, kind, error in _KINDS:
            check_kinds([getattr(self, name)], kind, f"The {name}", error)

    def __len__(self) -> int:
        return len(self.pose)

    def rows(self, keep: Rows) -> Self:
        """Return what is asked of the rows ``keep``."""
        kept = {name: getattr(self, name).rows(keep) for name in ("skeleton", "pose", "targets")}
        return replace(self, goals=tuple(goal.rows(keep) for goal in self.goals), **kept)

    def but_in(self, rows: Mask, ranks: Sequence[int] = ()) -> Self:
        """Return what is asked, in the ``rows`` (rows,) of a mask by these ``ranks`` alone."""
        if not rows.any():
            return self
        others = ~np.isin([one.ranks for one in self.effectors], ranks).reshape(-1, 2)
        goals = tuple(goal if goal.rank in ranks else goal.but_in(rows) for goal in self.goals)
        return replace(self, targets=self.targets.but_in(rows, others), goals=goals)

    def without_comfort(self) -> Self:
        """Return what is asked without comfort, and without other starts: what stays near its pose."""
        skeleton, settings = self.skeleton, replace(self.settings, restarts=0)
        skeleton = replace(skeleton, comforts=()) if skeleton.comforts else skeleton
        return replace(self, skeleton=skeleton, settings=settings)

    def with_worth(self, worth: float = _LITTLE) -> Self:
        """Return what is asked with steps that have to bring this ``worth`` where goals give way."""
        return replace(self, settings=replace(self.settings, worth=worth))

    def in_few_steps(self) -> Self:
        """Return what is asked in few steps, and without other starts: what goes on from a pose near by."""
        steps, worth = min(self.settings.iterations, _FEW), max(self.settings.worth, _LITTLE)
        return replace(self, settings=replace(self.settings, restarts=0, iterations=steps, worth=worth))

    def check(self) -> None:
        """Raise SkeletonError, or GoalError, of which EffectorError is one, for what cannot be asked."""
        check_effectors(self.skeleton, self.effectors, alone=not self.goals)
        self.targets.check(self.effectors)
        self._check_batch()
        if self.prepared is None or not self.prepared.has_checked(self):
            check_goals(self.skeleton, self.goals, len(self))

    def check_rows(self, pose: Pose) -> None:
        """Raise SkeletonError unless the pose has the rows and bones of what is asked."""
        check_kinds([pose], Pose, "The pose", SkeletonError)
        (rows, bones), (own, joints) = (of.rotations.shape[:2] for of in (pose, self.pose))
        if (rows, bones) != (own, joints):
            told = f"There are {rows} poses of {bones} bones"
            raise SkeletonError(f"{told}, where {own} of {joints} were asked for")

    def _check_batch(self) -> None:
        skeleton, rows = self.skeleton, len(self)
        skeleton.check_pose(self.pose)
        if len(self.targets.positions) != rows:
            raise SkeletonError(f"There are {rows} poses but {len(self.targets.positions)} rows of targets")
        for what, given in (("limit", skeleton.limits), ("comfort", skeleton.comforts)):
            for of in given:
                if of.batch not in (1, rows):
                    raise SkeletonError(f"The {what} of '{of.bone}' has {of.batch} rows for {rows} poses")
