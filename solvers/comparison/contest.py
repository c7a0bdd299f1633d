# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every solver on every problem, one problem at a time as a drag would ask for it, measured by one ruler.

What a solver says of itself does not count: residuals, limits and distances are measured of the pose it
gives, by the objective of the whole problem, also where the solver cannot express all of it.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ..geometry import Array, Mask, angle_between, normalised, quaternion_to_matrix
from ..goals import weights_of
from ..model import Pose, carried_on
from ..pauses import finished
from ..problem import goal_residuals, make_problem, measure, residuals, rmsd, state_from_pose, with_prepared
from ..settings import UNSUPPORTED, Settings
from ..solve import solve_in_parts
from .problems import Problems, within_limits

# A problem alone is timed this often, or until so many seconds have gone; of many problems each once, as the
# median is over them.
RUNS, ENOUGH = 9, 0.1
# The first run under a time limit.
FIRST = 10


@dataclass(frozen=True, eq=False)
class Attempt:
    """What a solver made of one problem: the pose, seconds, and iterations where it tells.

    ``unfinished``: whether it stopped for want of iterations, as far as it tells.
    """

    pose: Pose
    seconds: float
    iterations: int | None = None
    unfinished: bool = True


Runs = Mapping[int, Attempt]


class Measures(NamedTuple):
    """What is measured of a pose.

    ``lengths``, in the armature's unit, and ``angles`` that are left, (effectors + other goals,); the
    ``rmsd``; ``violation``: the worst angle beyond a limit; ``distance``: the root mean square turn of joints
    from the start; ``rotations`` (bones, 3, 3) relative to rest. Angles are radians.
    """

    lengths: Array
    angles: Array
    rmsd: float
    violation: float
    distance: float
    rotations: Array


class _Row(NamedTuple):
    """What was measured of an ``attempt``, whether it ran ``out_of_time``, and the ``runs`` up to it."""

    attempt: Attempt
    out_of_time: bool
    measures: Measures
    runs: Runs


@dataclass(frozen=True)
class Contestant:
    """A solver under its ``label``; ``solve`` takes one problem and the most iterations.

    ``cannot``: what of the problem it cannot express, in words; empty where nothing.
    """

    label: str
    solve: Callable[[Problems, int], Attempt]
    cannot: str = ""


@dataclass(frozen=True, eq=False)
class Result:
    """How one contestant did, a row for each problem.

    - ``lengths`` in scene units and ``angles`` in radians, (rows, effectors + other goals); ``rmsd`` (rows,)
      in scene units
    - ``violations`` (rows,): the worst angle beyond a limit, radians
    - ``distances`` (rows,): root mean square turn of the joints from the start pose, radians
    - ``seconds`` (rows,); ``iterations`` (rows,), nan where the solver does not tell
    - ``out_of_time`` (rows,): whether the time limit kept it from more iterations
    - ``rotations`` (rows, bones, 3, 3) relative to rest
    - ``runs``: of each row all that was run of it from its start, by iterations; nothing of rows that start
      where the row before ended
    """

    contestant: Contestant
    lengths: Array
    angles: Array
    rmsd: Array
    violations: Array
    distances: Array
    seconds: Array
    iterations: Array
    out_of_time: Mask
    rotations: Array
    runs: Sequence[Runs]


def contestant(label: str, settings: Settings, cannot: str = "") -> Contestant:
    """Return one of our own methods as a contestant."""

    def run(problem: Problems, iterations: int) -> Attempt:
        """Solve one problem with at most ``iterations``."""
        asked = replace(problem, settings=replace(settings, iterations=iterations))
        limited = with_prepared(asked)  # as a drag has it
        begin = perf_counter()
        solution = finished(solve_in_parts(limited))
        seconds = perf_counter() - begin
        unfinished = bool(solution.stopped[0] == "BUDGET")
        return Attempt(solution.pose, seconds, int(solution.iterations[0]), unfinished)

    return Contestant(label, run, cannot)


def ignored(method: str, problems: Problems) -> str:
    """Return what of the problems the method cannot express, in words."""
    stiffness = problems.skeleton.stiffness
    weights = weights_of(problems.effectors, problems.targets.weights)[..., 1].max(axis=0)
    turned = any(much and any(e.rotation_axes) for e, much in zip(problems.effectors, weights, strict=True))
    ranks = {rank for effector in problems.effectors for rank in effector.ranks}
    ranks |= {goal.rank for goal in problems.goals}
    asked = {
        "ranks": len(ranks) > 1,
        "rotation": turned,
        "rotation above": turned,
        "stiffness": ((stiffness > 0) & (stiffness < 1)).any(),
        "comfort": problems.skeleton.comforts or any(limit.cushion for limit in problems.skeleton.limits),
        "goals": problems.goals,
    }
    return "; ".join(words for feature, words in UNSUPPORTED.get(method, {}).items() if asked[feature])


def compete(
    contestants: Sequence[Contestant], problems: Problems, iterations: int, limit: float = inf
) -> Generator[int, None, list[Result]]:
    """Run every contestant on every problem, giving the problems done so far after each run.

    ``limit``: seconds that a contestant may take for a problem; its iterations are those that fit in.
    """
    rows = [*problems.alone()]
    times = -(-RUNS // len(rows))
    results: list[Result] = []
    for who in contestants:
        measured: list[_Row] = []
        for number, row in enumerate(rows):
            if problems.in_sequence and number:
                last = measured[-1].attempt.pose
                row = replace(row, pose=carried_on(row.skeleton, last, row.pose))
            done = len(results) * len(rows) + number
            run = yield from growing(who, row, iterations, limit, done)
            allowed = max(run)
            attempt = yield from timed(who, row, allowed, run[allowed], times, done)
            out_of_time = attempt.unfinished and allowed < iterations
            own = {} if problems.in_sequence else run
            measured.append(_Row(attempt, out_of_time, ruler(row, attempt.pose), own))
        results.append(_result(who, problems.scale, measured))
    return results


def growing(
    who: Contestant, problem: Problems, iterations: int, limit: float, done: int
) -> Generator[int, None, Runs]:
    """Return runs by iterations, up to the most that fit into ``limit`` seconds.

    No run can be stopped on its way, so each has twice the iterations of the one before, until one is
    finished or the next might take too long. Gives ``done`` after each.
    """
    runs = {}
    for budget in [iterations] if limit == inf else doubled(FIRST, iterations):
        runs[budget] = who.solve(problem, budget)
        yield done
        if not runs[budget].unfinished or 2 * runs[budget].seconds > limit:
            break
    return runs


def doubled(first: int, most: int) -> Iterator[int]:
    """Yield ``first``, twice that and so on, and ``most`` at the end."""
    while first < most:
        yield first
        first *= 2
    yield most


def timed(
    who: Contestant, problem: Problems, iterations: int, first: Attempt, runs: int, done: int
) -> Generator[int, None, Attempt]:
    """Return the ``first`` attempt with the median time of it and further ones, giving ``done`` after each.

    What takes long is not run again: its time is certain enough.
    """
    seconds = [first.seconds]
    while len(seconds) < runs and sum(seconds) < ENOUGH:
        seconds.append(who.solve(problem, iterations).seconds)
        yield done
    return replace(first, seconds=median(seconds))


def met_at_start(problems: Problems, near: tuple[float, float]) -> bool:
    """Return whether every goal of every problem is within a distance and an angle of its target."""
    measured = (ruler(row, row.pose) for row in problems.alone())
    return all(
        (problems.scale * left.lengths <= near[0]).all() and (left.angles <= near[1]).all()
        for left in measured
    )


def ruler(problem: Problems, pose: Pose) -> Measures:
    """Return what is measured of a pose, by the objective of the whole problem."""
    whole = make_problem(replace(problem, settings=Settings()))
    state = state_from_pose(whole, pose)
    residual = measure(whole, state)
    others, _ = goal_residuals(whole, state)
    lengths, angles = np.concatenate([np.stack(residuals(whole, residual), axis=-1), others], axis=1)[0].T
    local = quaternion_to_matrix(normalised(pose.rotations))
    before = quaternion_to_matrix(normalised(problem.pose.rotations))
    beyond = angle_between(local, within_limits(problem.skeleton, local)).max()
    turned = np.sqrt((angle_between(local, before) ** 2).mean())
    return Measures(lengths, angles, float(rmsd(whole, residual)[0]), float(beyond), float(turned), local[0])


def _result(who: Contestant, scale: float, measured: Sequence[_Row]) -> Result:
    attempts, out_of_time, measures, runs = zip(*measured, strict=True)
    lengths, angles, left, violations, distances, rotations = zip(*measures, strict=True)
    told = [np.nan if attempt.iterations is None else attempt.iterations for attempt in attempts]
    return Result(
        contestant=who,
        lengths=scale * np.array(lengths),
        angles=np.array(angles),
        rmsd=scale * np.array(left),
        violations=np.array(violations),
        distances=np.array(distances),
        seconds=np.array([attempt.seconds for attempt in attempts]),
        iterations=np.array(told, float),
        out_of_time=np.array(out_of_time),
        rotations=np.array(rotations),
        runs=runs,
    )
