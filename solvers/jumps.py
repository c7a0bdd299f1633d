# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a solved clip jumps from one way of meeting its targets to another.

How far a bone turns says nothing by itself: motion may be fast. What tells is going on from the pose of the
frame before, in steps to targets between, as they would be in a clip of more frames. If that comes as near to
the targets by far less of a turn, they asked for no more; what comfort asks for does not count.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from math import radians

import numpy as np

from .geometry import Array, Indices, Mask, normalised, slerp
from .goals import Effector, Goal, Targets
from .model import Pose, Skeleton, carried_on
from .settings import Settings
from .solve import Solution, solve

# A jump turns a bone by so much more, in radians, and so many times as far, as going on from before does.
# Of clips read ten times a second swings of 30 degrees may differ by as much, but not by both.
EXCESS, TIMES = radians(30), 2.0
# Two poses are as near to targets that both miss if their distances differ by less than this part.
_AS_NEAR = 1e-3
# Steps from frame to frame: a single long one may end on another way of meeting the targets by itself.
_STEPS = 4


@dataclass(frozen=True, eq=False)
class Jumps:
    """``rows`` (jumps,) whose pose jumps away from that of the row before, ascending; the ``bones`` (jumps,)
    that jump farthest there, as indices, and the ``angles`` (jumps,) by which they turn, radians.
    """

    rows: Indices
    bones: Indices
    angles: Array


def find_jumps(
    skeleton: Skeleton,
    pose: Pose,
    effectors: Sequence[Effector],
    targets: Targets,
    settings: Settings,
    solution: Solution,
    goals: Sequence[Goal] = (),
) -> Generator[int, None, Jumps]:
    """Return where the ``solution`` that ``solve`` found from the start ``pose``, in sequence or not, jumps.

    Rows are the frames of a clip. Turns that the start poses make themselves are none. Like
    ``solve_in_parts`` it gives the rows done so far: only those that turn far are solved again, step by step.
    ``goals``: what was asked for besides the effectors.
    """
    found = solution.pose.rotations
    turns = _turns(found[:-1], found[1:])
    far = turns - _turns(pose.rotations[:-1], pose.rotations[1:]) > EXCESS
    rows = np.flatnonzero(far.any(axis=1)) + 1
    turns, far, ends = turns[rows - 1], far[rows - 1], []
    for count, row in enumerate(rows, start=1):
        before, own = slice(row - 1, row), slice(row, row + 1)
        pair = skeleton.rows(own), solution.pose.rows(before), pose.rows(own)
        halves = row - 1 + np.round(np.arange(_STEPS + 1) / _STEPS).astype(int)
        others = tuple(goal.rows(halves) for goal in goals)
        ends.append(_onward(*pair, effectors, targets.rows(slice(row - 1, row + 1)), settings, others))
        yield count
    needed = np.array([end.needed for end in ends]).reshape(turns.shape)
    far &= (turns - needed > EXCESS) & (turns > TIMES * needed) & _as_near(ends, solution, rows)[:, None]
    jumping = far.any(axis=1)
    bones = np.argmax(np.where(far, turns - needed, -1.0), axis=1)
    angles = np.take_along_axis(turns, bones[:, None], axis=1)[:, 0]
    return Jumps(rows[jumping], bones[jumping], angles[jumping])


@dataclass(frozen=True, eq=False)
class _End:
    """Where going on ended: what it ``needed`` (bones,) of turns, how near it came."""

    needed: Array
    rmsd: float
    converged: bool


def _onward(
    skeleton: Skeleton,
    before: Pose,
    own: Pose,
    effectors: Sequence[Effector],
    targets: Targets,
    settings: Settings,
    goals: tuple[Goal, ...],
) -> _End:
    """Return where going on from the pose ``before`` ends, along two rows of targets, for one row.

    ``goals``: of other kinds, one row for each step, or one for all.
    """
    start = carried_on(skeleton, before, own)
    shares = (np.arange(_STEPS + 1) / _STEPS)[:, None]
    between = Targets(
        (1 - shares[..., None]) * targets.positions[0] + shares[..., None] * targets.positions[1],
        slerp(targets.rotations[0], targets.rotations[1], shares),
        targets.axes[-1:],
    )
    plain, once = replace(skeleton, comforts=()), replace(settings, restarts=0)
    begin = start.rows(np.zeros(len(shares), np.int64))
    found = solve(plain, begin, effectors, between, once, in_sequence=True, goals=goals)
    needed = _turns(start.rotations, found.pose.rotations[-1:])[0]
    return _End(needed, float(found.rmsd[-1]), bool(found.converged[-1]))


def _turns(a: Array, b: Array) -> Array:
    """Return the angles (rows, bones) between quaternions (rows, bones, 4)."""
    cosines = np.einsum("rbi,rbi->rb", normalised(a), normalised(b))
    turns: Array = 2 * np.arccos(np.minimum(np.abs(cosines), 1.0))
    return turns


def _as_near(ends: list[_End], solution: Solution, rows: Indices) -> Mask:
    """Return which of the rows (rows,) going on leaves no farther from their targets."""
    converged = np.array([end.converged for end in ends], dtype=bool)
    no_farther = np.array([end.rmsd for end in ends]) <= (1 + _AS_NEAR) * solution.rmsd[rows]
    return converged | (no_farther & ~solution.converged[rows])
