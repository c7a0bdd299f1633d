# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of some ranks that give way gradually: some frames before they have to, as springs do.

Where two arms get straight what is between them has to leave its place, faster the straighter they are.
Goals that are held to the last would pop there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..geometry import Array, Indices, Mask, Rows
from ..goals import Effector, weights_of
from ..model import Pose
from ..problem import Problem, among, heaviest, measure, of_ranks, ranks_of, rmsd, state_from_pose
from ..request import Request
from ..solve import Solution, in_pose
from .nearness import NOTHING, next_to_nothing
from .windows import Part

# So many frames before they have to, and after.
FRAMES_AROUND = 12
# How far the heaviest of them give way then, characteristic lengths; others do by more.
_SLACK = 0.01
# How smooth motion is there, as a share of what it can be; and how much farther off a frame may be there than
# it was found, characteristic lengths, which is less than can be seen.
STEADINESS, ROOM = 0.5, 1e-3
# By what share frames give way at least that miss what is held, where no other is to be missed for that, and
# by how many times the slack those miss that give way in full: nobody sees it there.
_HARDLY, _FAR_OFF = 0.3, 10.0


@dataclass(frozen=True, eq=False, slots=True)
class Giving:
    """How goals give way gradually in the frames of a clip; by default none does.

    - ``ranks``: those whose goals do
    - ``asked``: those of these ranks that count from where they are asked for, each as much as among
      themselves; others count from where they were found
    - ``shares`` (frames,): by how much they give way in each frame, or one zero for all
    - ``steady`` (frames,): by how much frames are to move steadily for that, or one zero for all
    """

    ranks: Sequence[int] = ()
    asked: Sequence[int] = ()
    shares: Array = field(default_factory=lambda: np.zeros(1))
    steady: Array = field(default_factory=lambda: np.zeros(1))

    def rows(self, keep: Rows) -> "Giving":
        """Return how goals give way in the rows ``keep``."""
        shares, steady = (of[keep] if len(of) > 1 else of for of in (self.shares, self.steady))
        return replace(self, shares=shares, steady=steady)


def gives_way(gradual: Sequence[int]) -> Callable[[Indices], Mask]:
    """Return what tells which ranks are among those that give way gradually."""
    return among(np.array(gradual, dtype=np.int64))


def some_keep_all(request: Request, found: Solution) -> bool:
    """Return whether what may give way gradually does not, in some of the frames found.

    Where something gives way in all of them there is no frame in which that would begin with a pop.
    """
    return bool((_left(request, found).max(axis=1, initial=0.0) <= 1).any())


def _left(request: Request, found: Solution) -> Array:
    """Return by how many times next to nothing what gives way gradually is off, (frames, k)."""
    gives = gives_way(request.settings.gradual)
    units = next_to_nothing(request), NOTHING
    ranks = np.array([one.ranks for one in request.effectors], dtype=np.int64).reshape(-1, 2)
    counted = gives(ranks) & (weights_of(request.effectors, request.targets.weights) > 0)
    own = np.where(counted, np.stack([found.position_residuals, found.rotation_residuals], axis=-1), 0.0)
    given = gives(np.array([goal.rank for goal in request.goals], dtype=np.int64))
    others = np.where(given[:, None], found.goal_residuals, 0.0)
    left: Array = (np.concatenate([own, others], axis=1) / units).reshape(len(own), -1)
    return left


def shares_given(
    problem: Problem,
    found: Pose,
    gradual: Sequence[int],
    stride: int,
    parts: Sequence[Part],
    firmly: Mask | None = None,
) -> Array:
    """Return by what share, 0 to 1, goals of the ranks ``gradual`` may give way in each frame, (frames,).

    The share grows with how much is missed in frames nearby, which are ``stride`` apart and ``found`` to miss
    these goals, and falls with how far away these frames are. With ``firmly`` (frames,) they give way hardly,
    and only in frames that miss them and are not among these. One zero for all, (1,), where none gives way.
    """
    missed = np.zeros(len(found))
    if any(rank in gradual for rank in ranks_of(problem)):
        giving = of_ranks(problem, gives_way(gradual))
        for part in parts:
            missed[part.own] = _missed(giving.rows(part.own), found.rows(part.own))
    if not missed.any():
        return np.zeros(1)
    times = missed / slack_of(problem, gradual)
    if firmly is not None:
        return np.where((missed > 0) & ~firmly, np.clip(times / _FAR_OFF, _HARDLY, 1.0), 0.0)
    return around(np.minimum(_at_most(times), 1.0), stride)


def _missed(problem: Problem, found: Pose) -> Array:
    """Return by how much rows (rows,) of a pose miss what is asked, characteristic lengths of weighted rows.

    Nothing where that is next to nothing.
    """
    residual = measure(problem, state_from_pose(problem, found))
    is_missed = rmsd(problem, residual) > NOTHING * problem.length
    missed: Array = np.where(is_missed, np.sqrt(residual.energy) / problem.length, 0.0)
    return missed


def _at_most(missed: Array) -> Array:
    """Return by how much frames (frames,) miss at most that miss in a row with each."""
    misses = missed > 0
    begins = np.flatnonzero(np.diff(misses, prepend=~misses[:1]))
    lengths = np.diff(np.append(begins, len(missed)))
    greatest: Array = np.repeat(np.maximum.reduceat(missed, begins), lengths)
    return greatest


def around(missed: Array, stride: int) -> Array:
    """Return the greatest of the shares (frames,) that frames nearby have ``missed``, less far from these."""
    reach = (FRAMES_AROUND - 1) // stride
    falls = 0.5 + 0.5 * np.cos(np.pi * stride * np.arange(-reach, reach + 1) / FRAMES_AROUND)
    beside = sliding_window_view(np.pad(missed, reach), 2 * reach + 1)
    shares: Array = (falls * beside).max(axis=1)
    return shares


def away_from(marked: Mask) -> Indices:
    """Return how far each row (rows,) is from the next one that is marked, of which there are some."""
    rows, at = np.arange(len(marked)), np.flatnonzero(marked)
    after = np.searchsorted(at, rows)
    before = at[np.maximum(after - 1, 0)]
    away: Indices = np.minimum(np.abs(rows - before), np.abs(at[np.minimum(after, len(at) - 1)] - rows))
    return away


def slack_of(problem: Problem, gradual: Sequence[int]) -> float:
    """Return how far goals of the ranks ``gradual`` give way, by weighted rows, characteristic lengths."""
    return _SLACK * float(np.sqrt(heaviest(of_ranks(problem, gives_way(gradual))).max()))


def as_firm(request: Request, found: Solution) -> tuple[Request, Solution]:
    """Return the request without what gives way gradually, and what was found as measured so."""
    firm = without_gradual(request)
    return firm, found if firm is request else in_pose(firm, found, found.pose)


def without_gradual(request: Request) -> Request:
    """Return the request without the goals that give way gradually; itself if it has no such goals."""
    gives = gives_way(request.settings.gradual)
    effectors = tuple(_without(one, gives(np.array(one.ranks))) for one in request.effectors)
    goals = tuple(goal for goal in request.goals if not gives(np.array(goal.rank)))
    if effectors == request.effectors and len(goals) == len(request.goals):
        return request
    return replace(request, effectors=effectors, goals=goals)


def _without(effector: Effector, gone: Mask) -> Effector:
    """Return the effector without what is ``gone`` of it, its position and its rotation."""
    position, rotation = np.where(gone, 0.0, (effector.position_weight, effector.rotation_weight)).tolist()
    return replace(effector, position_weight=position, rotation_weight=rotation)
