# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One way of meeting the targets for a whole clip, where frames on their own have chosen several.

Between jumps a clip runs on one way. The shortest run goes over to the way of a neighbour. Its frames are
solved anew: all at once, with the bones that jump as the neighbour's end has them; where that does not do,
each from the one before, beginning at the neighbour's end. Where that leaves a target that was met, the run
stays as it is.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry import Indices, Mask, Rows, conjugate, multiply
from ..goals import Effector, Goal, Targets
from ..jumps import EXCESS, Jumps, turns
from ..model import Pose, Skeleton, carried_on
from ..pauses import Pausing, quiet
from ..settings import Settings
from ..solve import Solution, solve_in_parts

# How often bones that jump are carried over, each time from where they jump next.
_ROUNDS = 4


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
            now = Pose(rotations[frames], translations[frames])
            found = yield from _gone_over(asked.rows(frames), now, solution.converged[frames])
            if found is not None:
                rotations[frames], translations[frames] = found.rotations, found.translations
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


def _gone_over(asked: Asked, now: Pose, met: Mask) -> Pausing[Pose | None]:
    """Return the pose of a run on the way that the frame before it, the first, is on.

    ``now``: the pose of all of them; ``met`` (frames,): whose targets are to stay met. None if that cannot
    be.
    """
    before, pose, begin = _far(asked, now), now, 0
    for _ in range(_ROUNDS):
        part = asked.rows(slice(begin, None))
        found = yield from _carried_over(part, pose.rows(slice(begin, None)))
        if not _keeps(found, met[begin:]):
            break
        pose = _ended(pose, found.pose)
        far = _far(asked, pose)
        if not far[begin] and not (ends := np.flatnonzero(far > before)).size:
            return pose
        if far[begin] or ends[0] <= begin:
            break
        begin = int(ends[0])
    found = yield from _followed(asked, now)
    return found.pose if _keeps(found, met) else None


def _ended(pose: Pose, end: Pose) -> Pose:
    """Return the pose with its last frames those of ``end``."""
    first = len(pose) - len(end)
    parts = (
        (getattr(of, name) for of in (pose.rows(slice(first)), end)) for name in ("rotations", "translations")
    )
    return Pose(*(np.concatenate([*part]) for part in parts))


def _keeps(found: Solution, met: Mask) -> bool:
    """Return whether all that was ``met`` (frames,) is, but for the first, which stays."""
    return bool((found.converged | ~met)[1:].all())


def _far(asked: Asked, pose: Pose) -> Mask:
    """Return from which frames to the next some bone turns far, (frames - 1,)."""
    turned, given = (of.rotations for of in (pose, asked.pose))
    apart = turns(turned[:-1], turned[1:]) - turns(given[:-1], given[1:])
    far: Mask = np.any(apart > EXCESS, axis=1)
    return far


def _carried_over(asked: Asked, now: Pose) -> Pausing[Solution]:
    """Return the frames solved all at once, bones that jump being turned as in the first one."""
    given, jump = asked.pose.rotations, slice(1, 2)
    jumping = turns(now.rotations[:1], now.rotations[jump])[0] > EXCESS / 2
    turned = multiply(conjugate(given[:1]), now.rotations[:1])
    rotations = np.where(jumping[:, None], multiply(given, turned), now.rotations)
    return (yield from _plainly(asked, Pose(rotations, now.translations), in_sequence=False))


def _followed(asked: Asked, now: Pose) -> Pausing[Solution]:
    """Return the frames solved each from the one before."""
    start = carried_on(asked.skeleton.rows(slice(1)), now.rows(slice(1)), asked.pose.rows(slice(1)))
    rotations, translations = asked.pose.rotations.copy(), asked.pose.translations.copy()
    rotations[:1], translations[:1] = start.rotations, start.translations
    return (yield from _plainly(asked, Pose(rotations, translations), in_sequence=True))


def _plainly(asked: Asked, start: Pose, in_sequence: bool) -> Pausing[Solution]:
    """Return the frames solved from ``start`` without comfort, staying on its way."""
    plain, once = replace(asked.skeleton, comforts=()), replace(asked.settings, restarts=0)
    given = plain, start, asked.effectors, asked.targets, once, in_sequence, asked.goals
    return (yield from quiet(solve_in_parts(*given, follows=not in_sequence)))
