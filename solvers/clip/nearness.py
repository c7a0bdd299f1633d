# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How near to its targets one solution is beside another: what misses by next to nothing is as good as met.

Bodies of other proportions than a motion was recorded of miss most of its frames by a few hundredths of a
millimetre. Nothing is gained there by looking farther.
"""

import numpy as np

from ..geometry import Array, Mask
from ..goals import weights_of
from ..model import Pose
from ..problem import among, is_first, make_problem, measure, of_ranks, state_from_pose
from ..request import Request
from ..solve import Solution

# Characteristic lengths that are next to nothing, and those that can be seen whatever they are measured by.
NOTHING, _SEEN = 3e-4, 1e-2


def next_to_nothing(request: Request) -> float:
    """Return the distance that is next to nothing where this is asked."""
    return NOTHING * float(make_problem(request.rows(slice(1))).length.mean())


def misses(request: Request, found: Solution) -> Array:
    """Return by how much rows of what was found miss their targets, (rows,), a length.

    As goals weigh; where that is next to nothing, as if all weighed the same that do not give way gradually:
    little weight hides no miss.
    """
    arm = float(make_problem(request.rows(slice(1))).arm.mean())
    gives = among(np.array(request.settings.gradual, dtype=np.int64))
    ranks = np.array([one.ranks for one in request.effectors], dtype=np.int64).reshape(-1, 2)
    own = (weights_of(request.effectors, request.targets.weights) > 0) & ~gives(ranks)
    others = ~gives(np.array([goal.rank for goal in request.goals], dtype=np.int64))
    counted = np.concatenate([own, np.broadcast_to(others[:, None], (len(own), len(others), 2))], axis=1)
    left = np.stack([found.position_residuals, arm * found.rotation_residuals], axis=-1)
    left = np.concatenate([left, found.goal_residuals * np.array([1.0, arm])], axis=1)
    squares, count = (counted * left**2).sum(axis=(1, 2)), counted.sum(axis=(1, 2))
    alike = np.sqrt(squares / np.maximum(count, 1))
    is_seen = found.rmsd > next_to_nothing(request)
    missed: Array = np.where(is_seen, found.rmsd, np.maximum(found.rmsd, alike))
    return missed


def is_surely_seen(request: Request, found: Solution) -> bool:
    """Return whether some row of what was found misses its targets by so much that anybody would see it."""
    length = float(make_problem(request.rows(slice(1))).length.mean())
    return bool((found.rmsd > _SEEN * length).any())


def nearly_met(request: Request, found: Solution) -> Mask:
    """Return which rows (rows,) of what was found meet their targets, or miss them by next to nothing.

    And nothing of what must hold.
    """
    met, near = found.converged.copy(), misses(request, found) <= next_to_nothing(request)
    rows = np.flatnonzero(near & ~met)
    if len(rows):
        met[rows] = holds(request.rows(rows), found.pose.rows(rows))
    return met


def holds(request: Request, pose: Pose) -> Mask:
    """Return in which rows (rows,) of a pose all that must hold does."""
    problem = make_problem(request)
    held: Mask = measure(of_ranks(problem, is_first), state_from_pose(problem, pose)).met
    return held


def as_near(request: Request, found: Solution, other: Solution, farther: float) -> Mask:
    """Return which rows (rows,) of what was found meet their targets, or miss them as the ``other`` does.

    By no more than the part ``farther`` more, or by next to nothing.
    """
    most = np.maximum((1 + farther) * other.rmsd, next_to_nothing(request))
    near: Mask = found.converged | (~other.converged & (found.rmsd <= most))
    return near
