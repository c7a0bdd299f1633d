# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a clip whose frames were solved each on its own jumps from one way of meeting its targets to another.

How far a bone turns says nothing by itself: motion may be fast. What tells is a solve that goes on from the
pose of the frame before. If it comes as near to the targets by far less of a turn, they asked for no more.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import NDArray

from .effectors import Effector, Targets
from .rotation import Array, normalised
from .settings import Settings
from .skeleton import Pose, Skeleton, carried_on
from .solve import Solution, solve_in_parts

# A jump turns a bone by so much more, in radians, and so many times as far, as going on from before does.
# Of clips read ten times a second swings of 30 degrees may differ by as much, but not by both.
EXCESS, TIMES = radians(30), 2.0
# Two poses are as near to targets that both miss if their distances differ by less than this part.
_AS_NEAR = 1e-3


@dataclass(frozen=True, eq=False)
class Jumps:
    """``rows`` (jumps,) whose pose jumps away from that of the row before, ascending; the ``bones`` (jumps,)
    that jump farthest there, as indices, and the ``angles`` (jumps,) by which they turn, radians.
    """

    rows: NDArray[np.int64]
    bones: NDArray[np.int64]
    angles: Array


def find_jumps(
    skeleton: Skeleton,
    pose: Pose,
    effectors: Sequence[Effector],
    targets: Targets,
    settings: Settings,
    solution: Solution,
) -> Generator[int, None, Jumps]:
    """Return where the ``solution`` that ``solve`` found from the start ``pose`` jumps.

    Rows are the frames of a clip. Turns that the start poses make themselves are none. Like
    ``solve_in_parts`` it gives the rows done so far: only those that turn far are solved again.
    """
    found = solution.pose.rotations
    turns = _turns(found[:-1], found[1:])
    far = turns - _turns(pose.rotations[:-1], pose.rotations[1:]) > EXCESS
    rows = np.flatnonzero(far.any(axis=1)) + 1
    before = carried_on(skeleton, solution.pose.rows(rows - 1), pose.rows(rows))
    onward = yield from solve_in_parts(skeleton.rows(rows), before, effectors, targets.rows(rows), settings)
    turns, far = turns[rows - 1], far[rows - 1]
    needed = _turns(before.rotations, onward.pose.rotations)
    far &= (turns - needed > EXCESS) & (turns > TIMES * needed) & _as_near(onward, solution, rows)[:, None]
    jumping = far.any(axis=1)
    bones = np.argmax(np.where(far, turns - needed, -1.0), axis=1)
    angles = np.take_along_axis(turns, bones[:, None], axis=1)[:, 0]
    return Jumps(rows[jumping], bones[jumping], angles[jumping])


def _turns(a: Array, b: Array) -> Array:
    """Return the angles (rows, bones) between quaternions (rows, bones, 4)."""
    cosines = np.einsum("rbi,rbi->rb", normalised(a), normalised(b))
    return 2 * np.arccos(np.minimum(np.abs(cosines), 1.0))


def _as_near(onward: Solution, solution: Solution, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of the rows (rows,) going on leaves no farther from their targets."""
    no_farther = onward.rmsd <= (1 + _AS_NEAR) * solution.rmsd[rows]
    return onward.converged | (no_farther & ~solution.converged[rows])
