# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose stays that is as near as can be to what is asked: comfort counts only where something moves."""

from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .geometry import Array, Mask, altered
from .model import chosen_poses
from .pauses import passed_on
from .problem import (
    Problem,
    State,
    make_problem,
    measure,
    of_ranks,
    pose_from_state,
    ranks_of,
    refuse_start,
    rmsd,
    state_from_pose,
    within_limits,
)
from .request import Request
from .solve import Solution, chunks_of, in_pose, joined, solve_in_parts, with_shared_twists

# What as good as meets a target, in tolerances: steps that are over leave as much of what gave way to them.
_NEAR = 10.0


def solve_kept(request: Request) -> Generator[int, int | None, Solution]:
    """Solve poses that somebody left as they are, each on its own, as ``solve_in_parts`` does.

    A pose stays, put within its limits, if the solve leads no nearer to what is asked. So a second solve
    leaves what the first one found; comfort would creep along the poses that miss a target out of reach by as
    little. What one row misses makes no difference to the others. Raises what ``kept_if_met`` does.
    """
    is_there = is_met(request) if _is_led(request) else np.zeros(len(request), dtype=bool)
    away, there = np.flatnonzero(~is_there), np.flatnonzero(is_there)
    if not len(there):
        found = yield from solve_in_parts(request)
    elif not len(away):
        found = yield from solve_in_parts(_left_alone(request))
    else:
        moved = yield from solve_in_parts(request.rows(away))
        work = solve_in_parts(_left_alone(request).rows(there))
        stayed = yield from passed_on(work, lambda done: len(away) + done)
        found = joined([moved, stayed]).rows(np.argsort(np.concatenate([away, there])))
    return joined([_kept(request.rows(rows), found.rows(rows)) for rows in chunks_of(request)])


def _kept(request: Request, solution: Solution) -> Solution:
    """Return the solution with the poses of the request that are as near."""
    problem = make_problem(request)
    start = within_limits(problem, state_from_pose(problem, request.pose))
    stays = _is_as_near(problem, start, solution)
    if not stays.any():
        return solution
    pose = chosen_poses(stays, pose_from_state(problem, start, request.pose), solution.pose)
    return with_shared_twists(request, in_pose(request, solution, pose))


def _is_as_near(problem: Problem, start: State, solution: Solution) -> Mask:
    """Return which starts (batch,), of poses that miss, are as near as what was found, in each rank."""
    found = state_from_pose(problem, solution.pose)
    as_near: Mask = ~solution.converged
    for rank in ranks_of(problem):
        part = of_ranks(problem, partial(np.equal, rank))
        before, after = (rmsd(part, measure(part, state)) for state in (start, found))
        as_near = as_near & (before <= after + _NEAR * problem.tolerance)
    return as_near


def kept_if_met(request: Request) -> Request:
    """Return the request without comfort and soft rims, if all its poses as good as meet what is asked.

    Otherwise the request comes back as it is. Poses are put within their limits first. This is for one pose
    that somebody left. In a clip, a frame that meets its targets and its neighbour that does not would differ
    by all that comfort does. Raises SkeletonError or GoalError for what cannot be asked.
    """
    return _left_alone(request) if _is_led(request) and is_met(request).all() else request


def _is_led(request: Request) -> bool:
    """Return whether comfort or soft rims would lead poses that meet all that is asked elsewhere."""
    skeleton = request.skeleton
    return bool(skeleton.comforts) or any(limit.cushion for limit in skeleton.limits)


def _left_alone(request: Request) -> Request:
    """Return the request without comfort and soft rims."""
    limits: tuple[Any, ...] = request.skeleton.limits  # dataclasses of whatever kind
    hard = tuple(replace(limit, cushion=0.0) for limit in limits)
    return replace(request, skeleton=replace(request.skeleton, comforts=(), limits=hard))


def is_met(request: Request) -> Mask:
    """Return which poses (batch,), put within limits, as good as meet their targets and goals.

    Raises SkeletonError, or GoalError, for what cannot be asked.
    """
    return np.concatenate([measure(_nearly(problem), start).met for problem, start in _begun(request)])


def how_far_off(request: Request) -> Array:
    """Return how far (batch,) the poses, put within limits, are off what is asked, characteristic lengths.

    Raises as ``is_met`` does.
    """
    return np.concatenate(
        [rmsd(problem, measure(problem, start)) / problem.length for problem, start in _begun(request)]
    )


def _begun(request: Request) -> Iterator[tuple[Problem, State]]:
    """Yield problem and start of so many rows that they fit into memory. Raises as ``is_met`` does."""
    request.check()
    for rows in chunks_of(request):
        problem = make_problem(request.rows(rows))
        start = state_from_pose(problem, request.pose.rows(rows))
        refuse_start(problem, start)
        yield problem, within_limits(problem, start)


def _nearly(problem: Problem) -> Problem:
    """Return the problem in which what is as good as met counts as met."""
    return altered(
        problem, **{name: _NEAR * getattr(problem, name) for name in ("tolerance", "angle_tolerance")}
    )
