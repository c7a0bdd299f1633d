# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods: which steps are taken in which order, and where to begin again.

"SUPERPOSE": a body that is free to move is first superposed on its targets as a whole (one QCP step of
its root); sweeps, if asked for; Levenberg-Marquardt while it gets on; Newton for what stays open; other
starts for targets that are within reach but were missed; comfort where that leaves a choice. The others take
one kind of step throughout.
"""

from functools import partial

import numpy as np

from ..geometry import Array, Indices, Mask, altered
from ..methods import search_by
from ..pauses import Pausing
from ..posture import pace
from ..problem import (
    Problem,
    State,
    local_rotations,
    measure,
    rmsd,
    within_limits,
)
from ..settings import Settings
from ..steps import (
    FAR,
    FREE,
    NEAR,
    PLAIN,
    SearchResult,
    eased,
    nearly_met,
    relaxed,
    sweep,
)
from .descents import (
    NEARBY,
    Improve,
    by,
    descended,
    finish_within_limits,
    improved,
    suits_newton,
    superposed,
)
from .reach import out_of_reach
from .restarts import are_tight, cost, rounds, seeds

# Another start is taken where it meets the targets or leaves at most this share of the objective: a
# small gain is not worth a different pose.
_WORTH = 0.25
# In characteristic lengths: what a turn across what a limit forbids has to bring.
_WORTH_TURNING = 0.02
_MOST_RESTARTED = 2**16  # effectors times bones; with more, one descent takes seconds


def search(
    problem: Problem, start: State, settings: Settings, follows: bool = False
) -> Pausing[tuple[SearchResult, Array]]:
    """Return what the method finds from ``start`` and how far targets are out of reach (batch, E).

    ``follows``: the start is where the frame before ended, and all is done to stay on its way: no other
    starts, none that is more comfortable, and comfort keeps its pace (pace.py).
    """
    start = within_limits(problem, start)
    found, excess = yield from sought(problem, start, settings, follows)
    if settings.method == "SUPERPOSE":
        found = yield from settled(problem, start, settings, found, follows)
    return found, excess


def sought(
    problem: Problem, start: State, settings: Settings, follows: bool
) -> Pausing[tuple[SearchResult, Array]]:
    """Return what the method's steps find, from other starts too where need be, and what ``search`` does.

    ``start``, which is within limits, and ``follows`` are as there.
    """
    excess = (
        out_of_reach(problem, start) if problem.anchored else np.zeros(problem.frames.target_points.shape[:2])
    )
    if settings.method == "SUPERPOSE":
        found = yield from superposed(problem, start, excess, settings, eases=not follows)
    else:
        found = yield from search_by(problem, start, settings)
    missed = ~found.residual.met
    if missed.any() and not problem.anchored:
        excess = out_of_reach(problem, start)
    stuck = missed & (excess <= problem.tolerance[:, None]).all(axis=-1)
    if settings.method == "SUPERPOSE" and not follows:
        yield from _begun_elsewhere(problem, start, settings, found, np.flatnonzero(stuck))
    return found, np.where(missed[:, None], excess, 0.0)


def _begun_elsewhere(
    problem: Problem, start: State, settings: Settings, found: SearchResult, stuck: Indices
) -> Pausing[None]:
    """Put what other starts for the rows ``stuck`` find, where it is worth it, in what was ``found``."""
    if not (settings.restarts and len(stuck) and problem.tree.frames.moves.size <= _MOST_RESTARTED):
        return
    tight = are_tight(problem.rows(stuck))
    for alike in (False, True):
        # Within limits a body that more than frames are asked of seldom bends from one way into the next.
        counts = rounds(settings.restarts, alike, again=bool(problem.goals and problem.limits))
        yield from _restart(problem, start, settings, found, stuck[tight == alike], counts)


def settled(
    problem: Problem, start: State, settings: Settings, found: SearchResult, follows: bool
) -> Pausing[SearchResult]:
    """Return what Newton within limits and comfort make of what was ``sought``; ``start`` as there."""
    if follows and problem.has_comfort:
        turned = (local_rotations(problem, state.rotations) for state in (start, found.state))
        problem = altered(problem, pace=pace(*turned))
    found = yield from _finished(problem, start, settings, found)
    missed = np.flatnonzero(~found.residual.met)
    if len(missed) and problem.limits and not (problem.has_comfort or follows):
        rows, turned_rows = _turned_directly(problem, found, missed)
        if len(rows):
            part, begin = problem.rows(rows), start.rows(rows)
            found = found.copy()
            found.put(rows, (yield from _finished(part, begin, settings, turned_rows)))
    return found


def _finished(
    problem: Problem, start: State, settings: Settings, found: SearchResult
) -> Pausing[SearchResult]:
    """Return what Newton within limits and comfort make of what was found."""
    found = yield from lowered(problem, found, settings)
    return (yield from comforted(problem, start, settings, found, found.residual.met))


def lowered(problem: Problem, found: SearchResult, settings: Settings) -> Pausing[SearchResult]:
    """Return what Newton within limits makes of what was missed, with comfort where that leaves a choice."""
    if problem.has_comfort and suits_newton(problem):
        easing = partial(
            eased,
            most=settings.iterations,
            worth=settings.worth,
            near=not settings.restarts,
        )
        found = yield from _at_pace(problem, found, ~found.residual.met, easing)
        finish = partial(by, rule=finish_within_limits(problem, settings))
        return (yield from improved(problem, found, nearly_met(problem, found), finish))
    if problem.held is not None or (problem.limits and (problem.tree.passes == 1).all()):
        found = yield from descended(problem, found, finish_within_limits(problem, settings))
    return found


def comforted(
    problem: Problem, start: State, settings: Settings, found: SearchResult, met: Mask
) -> Pausing[SearchResult]:
    """Return what was found, the rows ``met`` (batch,) at their most comfortable with effectors held.

    What misses has its comfort from ``lowered``, but where Newton's step does not suit.
    """
    if not problem.has_comfort:
        return found
    near = rmsd(problem, measure(problem, start)) <= NEARBY * problem.length
    rows_and_phases = ((near & met, NEAR), (~near & met, FAR)) if problem.limits else ((met, FREE),)
    if not suits_newton(problem):
        rows_and_phases = ((np.ones_like(met), PLAIN),)
    for rows, phases in rows_and_phases:
        relax = partial(relaxed, most=settings.iterations, phases=phases)
        found = yield from _at_pace(problem, found, rows, relax)
    return found


def _turned_directly(problem: Problem, found: SearchResult, rows: Indices) -> tuple[Indices, SearchResult]:
    """Return which ``rows`` each bone's best turn, put within its limit, brings clearly nearer, and these.

    Between two cones a bone leans to the end of the one where it is, be the other ever so near: no small step
    leads across.
    """
    part, best = problem.rows(rows), found.rows(rows)
    state = sweep(part, best.state, np.pi * problem.mobility)
    residual = measure(part, state)
    gain = rmsd(part, best.residual) - rmsd(part, residual)
    nearer = gain > _WORTH_TURNING * part.length
    ended = SearchResult(state, residual, np.ones(len(rows), int), np.zeros(len(rows), bool))
    return rows[nearer], ended.rows(nearer)


def _at_pace(problem: Problem, found: SearchResult, rows: Mask, improve: Improve) -> Pausing[SearchResult]:
    """Return what was found with the ``rows`` made comfortable, as far as the problem's pace allows.

    Steps may lead farther than to where they end, so the pace counts only where that is too far. Nor does it
    keep comfort from limbs that the targets alone would bend past straight.
    """
    free = yield from improved(altered(problem, pace=None), found, rows, improve)
    if problem.pace is None:
        return free
    fast = np.flatnonzero(problem.pace.outrun(local_rotations(problem, free.state.rotations)) & rows)
    if len(fast):
        part = problem.rows(fast)
        paced = yield from improve(part, found.rows(fast).begun())
        ended = local_rotations(part, paced.state.rotations)
        kept = np.flatnonzero(~problem.comforts.one_ways.overrun(problem.pace.before[fast], ended))
        free = free.copy()
        free.put(fast[kept], paced.rows(kept))
    return free


def _restart(
    problem: Problem,
    start: State,
    settings: Settings,
    found: SearchResult,
    rows: Indices,
    counts: tuple[int, ...],
) -> Pausing[None]:
    """Try other starts for ``rows``, ``counts`` at a time as one batch; put what is worth it in ``found``.

    Of a round's starts that meet the targets the one that ends nearest to ``start`` is taken, of others the
    one with the least objective.
    """
    if not len(rows):
        return
    starts, first = seeds(problem.rows(rows), found.state.rows(rows)), 0
    order = starts.ranked()
    for count in counts:
        open_rows = np.flatnonzero(~found.residual.met[rows])
        if not len(open_rows):
            break
        each = np.repeat(open_rows, count)
        part, seed = starts.posed(each, order[open_rows, first : first + count].ravel())
        excess = np.zeros(part.frames.target_points.shape[:2])
        tries = yield from superposed(part, within_limits(part, seed), excess, settings)
        costs = cost(part, start.rows(rows[each]), tries).reshape(-1, count)
        best = tries.rows(count * np.arange(len(open_rows)) + np.argmin(costs, axis=1))
        worth = best.residual.met | (best.residual.energy < _WORTH * found.residual.energy[rows[open_rows]])
        found.put(rows[open_rows[worth]], best.rows(worth))
        first += count
