# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets on the move, measured from the pose where that began.

So the pose depends on where the targets are and hardly on the way there: back where they were, the body is
as it was, and pins do not creep.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..armature import Batch, FrameSnapshot, Rig, figure_extents
from ..solvers import Pose, Prepared, Settings, Skeleton, Solution, Targets, forward, prepare, solve
from ..solvers.geometry import Array, matvec, norm
from .wanted import Wanted

# As a share of the armature's extent, about the length of an arm: from there on comfort counts in full.
_FAR = 1 / 3


@dataclass(eq=False)
class Drag:
    """``begin``: the pose where it began, ``wanted``: what that pose was found for, if it was; ``moved``: the
    effectors whose targets are moved; ``pose``: the one found last; ``points`` (effectors, 3): where they
    began. Bones are drawn to where they began, those with comfort the less the farther targets are moved.
    Where none has any the ``skeleton``, and what is ``prepared`` of it, is that of the ``batch`` as long as
    roots are free along the same axes: those of the scene turn in an armature object that is moved itself.
    """

    begin: FrameSnapshot
    wanted: Wanted | None
    moved: frozenset[int]
    pose: Pose | None = None
    batch: Batch | None = None
    points: Array | None = None
    skeleton: Skeleton | None = None
    prepared: Prepared | None = None

    def goes_on(self, before: Wanted, now: Wanted) -> bool:
        """Return whether a change is one more of the same targets."""
        return before.terms == now.terms and now.moved_since(before) == self.moved

    def solve(
        self, rig: Rig, frame: FrameSnapshot, settings: Settings
    ) -> tuple[FrameSnapshot, Skeleton, Solution]:
        """Return what is asked, the skeleton and the pose for the frame's targets.

        Raises RigError or SolverError.
        """
        asked = replace(
            self.begin,
            targets=frame.targets,
            influences=np.where(self._stays(frame), 0.0, frame.influences),
            goal_targets=frame.goal_targets,
            goal_influences=frame.goal_influences,
            armature_to_world=frame.armature_to_world,
        )
        batch = Batch(rig, [asked])
        if self.batch is None or not np.array_equal(batch.freedom, self.batch.freedom):
            self.batch, self.pose, self.skeleton = batch, None, None
        skeleton, begin = self.batch.skeleton, self.batch.pose
        targets = self.batch.targets_in([asked])
        if self.skeleton is None or rig.comforts:
            share = self._share(rig, skeleton, begin, targets)
            held = [effector.bone for row, effector in enumerate(rig.effectors) if row not in self.moved]
            self.skeleton = skeleton.drawn_to(begin, share, held)
        start = begin if self.pose is None else self.pose
        goals = self.batch.goals_in([asked], targets)
        self.prepared = prepare(self.skeleton, rig.effectors, settings, goals, self.prepared)
        given = self.skeleton, start, rig.effectors, targets, settings
        solution = solve(*given, goals=goals, prepared=self.prepared)
        self.pose = solution.pose
        return asked, self.skeleton, solution

    def _stays(self, frame: FrameSnapshot) -> NDArray[np.bool_]:
        """Return which effectors are held where they are: their targets count in part, and are not moved."""
        moved = np.isin(np.arange(len(frame.influences)), list(self.moved))
        return ~moved & (frame.influences < 1)

    def _share(self, rig: Rig, skeleton: Skeleton, begin: Pose, targets: Targets) -> float:
        """Return how much comfort counts: hardly where a target is moved a little, so that the rest stays."""
        if not (rig.comforts and self.moved):
            return 1.0
        if self.points is None:
            rotations, heads = forward(skeleton, begin)
            offsets = np.array([effector.offset for effector in rig.effectors])
            self.points = (heads[:, rig.places] + matvec(rotations[:, rig.places], offsets))[0]
        moved = sorted(effector for effector in self.moved if effector < len(rig.effectors))
        if not moved:
            return 1.0
        far = _FAR * figure_extents([self.begin])[0]
        away = norm(targets.positions[0, moved] - self.points[moved]).max() / far
        return float(min(away, 1.0) ** 3)
