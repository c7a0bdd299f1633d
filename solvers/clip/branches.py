# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One way of meeting the targets for a whole clip, where frames on their own have chosen several.

Between jumps a clip runs on one way. The shortest run goes over to the way of a neighbour: its frames are
solved anew, each from the one before, beginning at the neighbour's end. Where that leaves a target that was
met, the run stays as it is.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry import Indices, Rows
from ..goals import Effector, Goal, Targets
from ..jumps import Jumps
from ..model import Pose, Skeleton, carried_on
from ..pauses import Pausing, quiet
from ..settings import Settings
from ..solve import Solution, solve_in_parts


@dataclass(frozen=True, eq=False)
class Asked:
    """What a solve is asked for; rows are the frames of a clip."""

    skeleton: Skeleton
    pose: Pose
    effectors: tuple[Effector, ...]
    targets: Targets
    settings: Settings
    goals: tuple[Goal, ...] = ()

    def rows(self, keep: Rows) -> "Asked":
        """Return what is asked of the frames ``keep``."""
        kept = {name: getattr(self, name).rows(keep) for name in ("skeleton", "pose", "targets")}
        return replace(self, goals=tuple(goal.rows(keep) for goal in self.goals), **kept)


def joined_up(asked: Asked, solution: Solution, jumps: Jumps, held: int = 0) -> Pausing[Pose]:
    """Return the pose of a solution whose runs between ``jumps`` have gone over to each other's way.

    The first ``held`` frames stay, and so does their run.
    """
    rotations, translations = solution.pose.rotations.copy(), solution.pose.translations.copy()
    ends, closed = [0, *jumps.rows.tolist(), len(rotations)], {0} if held else set()
    while runs := [run for run in range(len(ends) - 1) if ends[run] not in closed and len(ends) > 2]:
        lengths = np.diff(ends)
        run = min(runs, key=lambda run: lengths[run])
        for backwards in _sides(lengths, run):
            frames = np.arange(ends[run] - 1, ends[run + 1])
            frames = frames[::-1] + 1 if backwards else frames
            begin = Pose(rotations[frames[:1]], translations[frames[:1]])
            found = yield from _followed(asked.rows(frames), begin)
            if (found.converged | ~solution.converged[frames])[1:].all():
                rotations[frames], translations[frames] = found.pose.rotations, found.pose.translations
                del ends[run + 1 if backwards else run]
                break
        else:
            closed.add(ends[run])
    return Pose(rotations, translations)


def _sides(lengths: Indices, run: int) -> list[bool]:
    """Return from which ends a run can be followed, backwards or not, that of the longer neighbour first."""
    before = lengths[run - 1] if run else 0
    after = lengths[run + 1] if run + 1 < len(lengths) else 0
    sides = [side for side, length in ((False, before), (True, after)) if length]
    return sides[::-1] if after > before else sides


def _followed(asked: Asked, begin: Pose) -> Pausing[Solution]:
    """Return the frames solved each from the one before, the first from ``begin``, without comfort."""
    start = carried_on(asked.skeleton.rows(slice(1)), begin, asked.pose.rows(slice(1)))
    rotations, translations = asked.pose.rotations.copy(), asked.pose.translations.copy()
    rotations[:1], translations[:1] = start.rotations, start.translations
    plain, once = replace(asked.skeleton, comforts=()), replace(asked.settings, restarts=0)
    given = plain, Pose(rotations, translations), asked.effectors, asked.targets, once
    return (yield from quiet(solve_in_parts(*given, True, asked.goals)))
