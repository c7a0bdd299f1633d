# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the pose in which the effectors meet their targets."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import EffectorError, GoalError, SettingsError, SkeletonError, in_tuple
from .finish import lagged, twists_gathered, twists_shared
from .geometry import Array, Indices, Mask, Rows, is_number
from .goals import Effector, Goal, Targets
from .model import Pose, Skeleton, carried_on, frozen, joined_poses
from .pauses import Pausing, finished, telling
from .problem import (
    Prepared,
    Problem,
    Residual,
    State,
    goal_residuals,
    make_problem,
    measure,
    pose_from_state,
    ranks_of,
    refuse_start,
    residuals,
    rmsd,
    state_from_pose,
    with_prepared,
)
from .request import Request
from .search import opposition, search_by_rank, suits_newton
from .settings import Settings
from .steps import Opposed, opposed

# Rows solved at a time: as many as keep the Jacobians in the cache, of large rigs more, which hide the cost
# of a numpy call, but no more than keeps the memory bounded.
CACHED_ENTRIES, MOST_ENTRIES = 2**18, 2**22
LEAST_ROWS = 128

# What holds against less than this share of an effector's pull is not told after a search in haste: that ends
# near the least and not there.
_TOLD = 0.2

# In place of the bone that jumps where nobody has looked for one.
UNSEEN = -2
# What a solution tells of why targets are missed.
KEPT_OFF_BY = ("out_of_reach", "held_by", "limited_by")

_KEPT_BLOCK = 31 * 2**17  # numbers; the system's allocator keeps blocks of up to 32 MB


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solve found, one row for each problem.

    - ``pose``
    - ``position_residuals`` (batch, effectors): lengths, in the axes that count
    - ``rotation_residuals`` (batch, effectors): radians
    - ``rmsd`` (batch,): the root of the objective over the sum of weights, a length
    - ``iterations`` (batch,): steps and sweeps
    - ``converged`` (batch,): whether all that is asked is met
    - ``stopped`` (batch,): why the search ended. "CONVERGED"; "BUDGET": out of iterations; "OUT_OF_REACH": no
      pose could; "STALLED": a local minimum, or targets that contradict each other; "LAGGED": bones turn no
      faster; "SMOOTHED": gave way to smooth motion; "UNSOUGHT": no pose was sought
    - ``out_of_reach`` (batch, effectors): how far the target certainly lies beyond reach
    - ``held_by`` (batch, effectors): the goal that pulls most against an effector that misses its target.
      Effectors are counted first, then goals of other kinds; -1 where there is none. Of *Superpose* alone, as
      is the next
    - ``limited_by`` (batch, effectors): the bone whose limit pushes most against it, or -1
    - ``lagged_by`` (batch, effectors): of the bones that carry the effector the one that lags most, or -1
    - ``goal_residuals`` (batch, goals, 2): the length and the angle, radians, that goals of other kinds leave
    - ``goals_met`` (batch, goals), in the order given
    - ``jumped_by`` (batch,): the bone that jumps farthest from the row before, as ``find_jumps`` tells; -1
      where none jumps, ``UNSEEN`` where nobody has looked
    """

    pose: Pose
    position_residuals: Array
    rotation_residuals: Array
    rmsd: Array
    iterations: Indices
    converged: Mask
    stopped: NDArray[np.str_]
    out_of_reach: Array
    held_by: Indices
    limited_by: Indices
    lagged_by: Indices
    goal_residuals: Array
    goals_met: Mask
    jumped_by: Indices

    def rows(self, keep: Rows) -> "Solution":
        """Return the solution of the rows ``keep``."""
        rest = {name: getattr(self, name)[keep] for name in self.__dataclass_fields__ if name != "pose"}
        has_other_before = np.diff(np.arange(len(self.rmsd))[keep], prepend=0) != 1
        rest["jumped_by"] = np.where(has_other_before, UNSEEN, rest["jumped_by"])
        return Solution(self.pose.rows(keep), **rest)


def solve(
    skeleton: Skeleton,
    pose: Pose,
    effectors: Sequence[Effector],
    targets: Targets,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    in_sequence: bool = False,
    goals: Sequence[Goal] = (),
    prepared: Prepared | None = None,
    follows: bool = False,
) -> Solution:
    """Return the pose nearest the targets, found from ``pose``, for each row of the batch on its own.

    Rows of pose and targets belong together; a skeleton with one row serves all. The same input gives the
    same output.

    ``in_sequence``: rows follow each other, as ``solve_in_parts`` has it. ``goals``: what is asked besides
    the effectors; with goals there may be no effectors. A goal's value with one row serves all. ``prepared``:
    what ``prepare`` made of the same skeleton; it saves this work where solves follow each other.
    ``follows``: each row goes on from its ``pose``, as rows in sequence go on from the row before.

    Raises SkeletonError, GoalError (of which EffectorError is one) and SettingsError for malformed input,
    never for a missed target.
    """
    asked, more = in_tuple(effectors, "The effectors", EffectorError), in_tuple(goals, "The goals", GoalError)
    request = Request(skeleton, pose, asked, targets, settings, more, prepared)
    return finished(solve_in_parts(request, in_sequence, follows))


def solve_in_parts(
    request: Request, in_sequence: bool = False, follows: bool = False, shares: bool = True
) -> Generator[int, int | None, Solution]:
    """Solve as ``solve`` does, giving the rows done so far after every step and every part of a long batch.

    So long work can show how far it is, and can be stopped: ``solution = yield from solve_in_parts(...)``.

    ``in_sequence``: every row but the first begins where the row before ended, and not at its own pose. So a
    clip stays on one way of meeting its targets, and each row depends on those before it. Such rows have no
    other starts, and comfort turns their joints little by little. What is locked stays as the rows' own poses
    have it. ``shares``: whether the twist of limbs is gathered before and divided after; else what begins
    with twists gathered is for ``with_shared_twists`` to divide.
    """
    _keep_freed_memory()
    request.check()
    batch = len(request)
    if not batch:
        return _unsolved(request)
    chunk = 1 if in_sequence else _rows_at_a_time(request)
    if batch <= chunk:
        solution = yield from telling(_solve_rows(_begun(request, shares), follows), 0)
        return with_shared_twists(request, solution) if shares else solution
    parts: list[Solution] = []
    prepared = request.prepared
    for first in range(0, batch, chunk):
        part = request.rows(slice(first, first + chunk))
        if in_sequence and parts:
            part = replace(part, pose=carried_on(request.skeleton, parts[-1].pose, part.pose))
        part = with_prepared(replace(part, prepared=prepared))
        prepared = part.prepared
        work = _solve_rows(_begun(part, shares), follows or (in_sequence and first > 0))
        solution = yield from telling(work, first)
        parts.append(with_shared_twists(part, solution) if shares else solution)
        yield min(first + chunk, batch)
    return joined(parts)


def _begun(request: Request, gathers: bool) -> Request:
    return with_gathered_twists(request) if gathers else request


def with_gathered_twists(request: Request) -> Request:
    """Return the request with the twist of limbs at the joints that a solve turns."""
    pose = twists_gathered(request.skeleton, request.pose)
    return request if pose is request.pose else replace(request, pose=pose)


def _keep_freed_memory() -> None:
    """Have the allocator keep the blocks that a solve frees, for its next step.

    glibc gives large blocks back to the system whenever they are freed, and faulting their pages in anew
    takes as long as the work on them. Freeing one block of nearly 32 MB, never touched, makes it keep those
    up to that size (mallopt(3), M_MMAP_THRESHOLD). Other allocators take no notice.
    """
    np.empty(_KEPT_BLOCK)


def chunks_of(request: Request) -> list[slice]:
    """Return the rows of a request in chunks that are worked on at a time, one at least."""
    chunk = _rows_at_a_time(request)
    return [slice(first, first + chunk) for first in range(0, max(1, len(request)), chunk)]


def _rows_at_a_time(request: Request) -> int:
    frames = len(request.effectors) + sum(len(goal.frames()) for goal in request.goals)
    entries = 18 * frames * len(request.skeleton.names)
    return max(1, min(max(LEAST_ROWS, CACHED_ENTRIES // entries), MOST_ENTRIES // entries))


def _solve_rows(request: Request, follows: bool) -> Pausing[Solution]:
    problem = make_problem(request)
    settings, start = request.settings, state_from_pose(problem, request.pose)
    if not follows:
        refuse_start(problem, start)
    found, excess = yield from search_by_rank(problem, start, settings, follows)
    opposing, limited = opposition(problem, found, settings)
    reached, beyond = found.residual.met, (excess > problem.tolerance[:, None]).any(axis=-1)
    missed = np.where(found.unfinished, "BUDGET", np.where(beyond, "OUT_OF_REACH", "STALLED"))
    return Solution(
        pose=pose_from_state(problem, found.state, request.pose),
        iterations=found.steps,
        stopped=np.where(reached, "CONVERGED", missed),
        out_of_reach=excess,
        held_by=_as_given(problem, opposing),
        limited_by=np.where(limited < 0, limited, problem.tree.bones[limited]),
        lagged_by=np.full_like(limited, -1),
        jumped_by=np.full(len(limited), UNSEEN),
        **what_is_left(problem, found.state, found.residual),
    )


def _as_given(problem: Problem, opposing: Indices) -> Indices:
    """Return goals that are counted group by group as they were given; effectors come first either way."""
    effectors, given = problem.frames.count, np.argsort(problem.order)
    numbers = np.concatenate([np.arange(effectors), effectors + given, [-1]])
    found: Indices = numbers[opposing]
    return found


def what_is_left(problem: Problem, state: State, residual: Residual) -> dict[str, NDArray[Any]]:
    """Return the fields of a solution that say what a state with its ``residual`` leaves of all goals."""
    lengths, angles = residuals(problem, residual)
    left, met = (of.take(problem.order, axis=1) for of in goal_residuals(problem, state))
    return {
        "position_residuals": lengths,
        "rotation_residuals": angles,
        "rmsd": rmsd(problem, residual),
        "converged": residual.met,
        "goal_residuals": left,
        "goals_met": met,
    }


def with_shared_twists(request: Request, solution: Solution) -> Solution:
    """Return the solution with the twist of limbs divided, in the rows where that costs no goal anything."""
    request.check_rows(solution.pose)
    if not request.skeleton.twists:
        return solution
    problem, twisted = make_problem(request), twists_shared(request.skeleton, solution.pose)
    before, after = (measure(problem, state_from_pose(problem, pose)) for pose in (solution.pose, twisted))
    shared = (after.met | ~before.met) & (after.energy <= before.energy + problem.tolerance**2)
    rotations = np.where(shared[:, None, None], twisted.rotations, solution.pose.rotations)
    return _posed(problem, solution, Pose(rotations, solution.pose.translations))


def with_lag(
    request: Request, solution: Solution, speeds: Array, seconds: float, before: Pose | None = None
) -> Solution:
    """Return the solution with bones that turn no faster than their ``speeds`` (bones,), radians a second.

    A speed of 0 is no bound. Rows are in the order of time, ``seconds`` apart; ``before``, of one row, is the
    pose one such time before the first. A bone lags no more than its speed and its limit make it. A row that
    misses a target because bones lag has stopped as "LAGGED". Raises SkeletonError for wrong speeds,
    SettingsError for wrong ``seconds``.
    """
    skeleton, speeds = request.skeleton, frozen(speeds, "The speeds of bones")
    request.check_rows(solution.pose)
    if np.shape(speeds) != (len(skeleton.names),):
        raise SkeletonError(f"There are {len(skeleton.names)} bones, but speeds of shape {np.shape(speeds)}")
    if not (is_number(seconds) and isfinite(seconds) and seconds > 0):
        raise SettingsError(f"The time from row to row must be above zero, not {seconds}")
    if before is not None:
        request.rows(slice(1)).check_rows(before)
    skeleton.refuse(~(np.isfinite(speeds) & (speeds >= 0)), "has a speed that is no number from 0 on")
    pose, behind = lagged(skeleton, solution.pose, speeds, seconds, before)
    if not behind.any():
        return solution
    found, by = in_pose(request, solution, pose), _slowest(request, behind)
    late = ~found.converged & (by >= 0).any(axis=1)
    return replace(found, stopped=np.where(late, "LAGGED", found.stopped), lagged_by=by)


def _slowest(request: Request, behind: Array) -> Indices:
    """Return which of the bones that carry each effector is farthest ``behind`` (batch, bones), or -1."""
    found = np.full((len(behind), len(request.effectors)), -1)
    for column, effector in enumerate(request.effectors):
        bones = np.array(request.skeleton.way_to(effector.bone))
        late = behind.take(bones, axis=1)
        found[:, column] = np.where(late.any(axis=1), bones[np.argmax(late, axis=1)], -1)
    return found


def has_springs(request: Request) -> bool:
    """Return whether goals of the request give way in haste as springs do (see Haste).

    Only the method *Superpose* knows springs, and only for bodies with few enough joints.
    """
    problem, haste = make_problem(request), request.settings.haste
    if haste is None or request.settings.method != "SUPERPOSE":
        return False
    return haste.springs in ranks_of(problem) and suits_newton(problem)


def with_opposition_told(request: Request, solution: Solution, moved: Sequence[int] = ()) -> Solution:
    """Return the solution of a search in haste, or of a clip, with what keeps effectors off their targets.

    Two things are told. First, goals of higher ranks; of these the effectors that are ``moved`` come first,
    since all else was met before they moved. Second, limits of bones, where nothing else pulls against the
    effector. Only a search to the end could tell goals of the same rank. Raises what ``solve`` does.
    """
    request.check_rows(solution.pose)
    (missed,) = np.nonzero(~solution.converged & (solution.stopped != "SMOOTHED"))
    if not len(missed):
        return solution
    asked, left = request.rows(missed), solution.rows(missed)
    told = joined([_told(asked.rows(rows), left.rows(rows), moved) for rows in chunks_of(asked)])
    whole = {name: getattr(solution, name).copy() for name in ("held_by", "limited_by")}
    for name, values in whole.items():
        values[missed] = getattr(told, name)
    return replace(solution, **whole)


def _told(request: Request, solution: Solution, moved: Sequence[int]) -> Solution:
    """Return what ``with_opposition_told`` does of so many rows that they fit into memory."""
    problem = make_problem(request)
    shares = opposed(problem, state_from_pose(problem, solution.pose))
    opposing, limited = shares.strongest()
    is_told = (opposing < 0) & (limited >= 0) & (solution.limited_by < 0)
    held_by = np.arange(shares.holding.shape[-1])
    is_moved = np.isin(held_by, list(moved)) & (held_by != np.arange(problem.frames.count)[:, None])
    by_moved, by_any = (
        _as_given(problem, _holding(shares, which)) for which in (is_moved, shares.holding > _TOLD)
    )
    known = np.where(solution.held_by < 0, by_any, solution.held_by)
    return replace(
        solution,
        held_by=np.where(by_moved >= 0, by_moved, known),
        limited_by=np.where(is_told, problem.tree.bones[limited], solution.limited_by),
    )


def _holding(shares: Opposed, which: Mask) -> Indices:
    """Return the goal of a higher rank that keeps each effector off most, of those ``which``, or -1."""
    holding = np.where(which, shares.holding, 0.0)
    return replace(shares, holding=holding, pulling=np.zeros_like(holding)).strongest()[0]


def unsought(request: Request) -> Solution:
    """Return the poses of the request as they are, with what they leave of what is asked.

    Raises what ``solve`` does.
    """
    return in_pose(request, _unsolved(request), request.pose)


def in_pose(request: Request, solution: Solution, pose: Pose) -> Solution:
    """Return the solution with another pose, and what that leaves of what is asked.

    Raises what ``solve`` does.
    """
    request.check_rows(pose)
    request.check_rows(solution.pose)
    parts = []
    for rows in chunks_of(request):
        part = request.rows(rows)
        parts.append(_posed(make_problem(part), solution.rows(rows), pose.rows(rows)))
    return joined(parts)


def _posed(problem: Problem, solution: Solution, pose: Pose) -> Solution:
    """Return the solution with another pose, and what that leaves."""
    state = state_from_pose(problem, pose)
    left = what_is_left(problem, state, measure(problem, state))
    return replace(solution, pose=pose, jumped_by=np.full(len(pose), UNSEEN), **left)


def _unsolved(request: Request) -> Solution:
    """Return the solution of poses of which nothing has been sought or measured."""
    rows, effectors = len(request), len(request.effectors)
    per_row, per_effector = np.zeros(rows), np.zeros((rows, effectors))
    per_goal = np.zeros((rows, len(request.goals), 2))
    steps, converged, stopped = per_row.astype(np.int64), per_row.astype(bool), np.full(rows, "UNSOUGHT")
    found = request.pose, per_effector, per_effector, per_row, steps, converged, stopped, per_effector
    nobody = np.full((rows, effectors), -1)
    return Solution(*found, nobody, nobody, nobody, per_goal, per_goal[..., 0].astype(bool), steps)


def joined(parts: list[Solution]) -> Solution:
    """Return one solution of consecutive chunks."""
    rest = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in Solution.__dataclass_fields__
        if name != "pose"
    }
    return Solution(pose=joined_poses([part.pose for part in parts]), **rest)
