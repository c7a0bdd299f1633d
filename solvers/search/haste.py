# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A search for one move of many, by rank: what comes first is met, the rest comes nearer by one step.

The step holds all that the start meets, but springs. It also asks for what the start misses first, which is
what has been moved: goals that give way already hardly stop doing so from one move to the next. Where that
cannot be, what is missed first is lowered first. Springs give way to comfort from the beginning. If they were
held as long as they can be, the pose would depend on whether they had been held before.
"""

from functools import partial

import numpy as np

from ..geometry import Array, Indices, Mask, altered
from ..pauses import Pausing, told_if_very_late
from ..problem import (
    Held,
    LeftByRank,
    Problem,
    Residual,
    State,
    among,
    copied,
    counting,
    held_goals,
    left_by_rank,
    measure,
    of_ranks,
    ranks_of,
    within_limits,
)
from ..settings import Haste, Settings
from ..steps import (
    DescentOptions,
    SearchResult,
    descend,
    levenberg_marquardt_step,
    stacked,
    stacked_step,
)
from .reach import out_of_reach
from .search import sought

# In characteristic lengths: what is missed by no more may be met by a step, and what is by more may not.
_NEARLY, _FAR = 5e-3, 0.5
# What is missed by less was held, and will be again.
_HARDLY = 2e-4


def search_in_haste(
    problem: Problem, start: State, settings: Settings, haste: Haste, follows: bool
) -> Pausing[tuple[SearchResult, Array]]:
    """Return what ``search_by_rank`` does, found by one step where goals give way by rank."""
    start = within_limits(problem, start)
    residual = measure(problem, start)
    left = left_by_rank(problem, start, residual)
    hard, distances = left.ranks != haste.springs, left.distances
    missed = left.missed & hard & (distances > _HARDLY)
    first, found = missed.argmax(axis=1), _at(start, residual)
    excess = out_of_reach(problem, start)
    hopeless = _hopeless(problem, start, first, excess) | (left.ranks[first] == haste.lost)
    far = ~hopeless & (distances[np.arange(len(first)), first] > _FAR)
    alone, hold = np.count_nonzero(missed, axis=1) <= 1, hard & (~missed | (distances <= _NEARLY))
    at_once = hold | (hard & (np.arange(len(hard)) == first[:, None]))
    chosen = ~far & ~hopeless & (problem.has_comfort | ~at_once.all(axis=1))
    brisk = (at_once != _up_to(first, hold)).any(axis=1)
    done, given_up = yield from _stepped(problem, start, found, left, at_once, chosen, brisk, haste)
    rows = (~done & ~hopeless & (alone | far)).nonzero()[0]
    if len(rows):
        start = copied(start)
        met = yield from told_if_very_late(_reached(problem, start, found, settings, hard, rows, follows))
        at_once[met] = hard
        chosen[met], far[met], hopeless[met] = False, False, False
    torn = (~done).nonzero()[0]
    if len(torn):
        part, begin = problem.rows(torn), start.rows(torn)
        lost = yield from told_if_very_late(_brought_near(part, begin, first[torn], far[torn], settings))
        again = found.rows(torn).begun()
        # What is given up briskly may be brought back after all, where nothing gave way at the start.
        tried = (~hopeless & (given_up & alone | ~chosen))[torn] & ~lost
        given = first[torn, None], at_once[torn], tried, hopeless[torn] | lost
        yield from _by_rank(part, begin, again, *given, haste)
        found.put(torn, again)
    return found, np.where(found.residual.met[:, None], 0.0, excess)


def _reached(
    problem: Problem,
    start: State,
    found: SearchResult,
    settings: Settings,
    hard: Mask,
    rows: Indices,
    follows: bool,
) -> Pausing[Indices]:
    """Put where ``hard`` ranks are met in the ``rows`` of the start; return in which they are.

    The steps that takes are added to those of what is ``found``.
    """
    part = of_ranks(problem.rows(rows), among(np.array(ranks_of(problem))[hard]))
    ended, _ = yield from sought(part, start.rows(rows), settings, follows)
    found.steps[rows] += ended.steps
    met = ended.residual.met
    start.put(rows[met], ended.state.rows(met))
    return rows[met]


def _up_to(first: Indices, hold: Mask) -> Mask:
    """Return the ranks (batch, ranks), as many as ``hold`` has, up to the ``first`` (batch,) missed."""
    up_to_first: Mask = np.arange(hold.shape[1]) <= first[:, None]
    return up_to_first


def _at(state: State, residual: Residual) -> SearchResult:
    """Return a search that has not begun, which may be written."""
    none = np.zeros(len(state.heads), int)
    return SearchResult(copied(state), copied(residual), none, none.astype(bool))


def _brought_near(
    problem: Problem, start: State, first: Indices, far: Mask, settings: Settings
) -> Pausing[Mask]:
    """Put the rows ``far`` (batch,) of the start where ranks up to ``first`` are met; return which are not.

    By steps towards these alone: they are too far off for one of all ranks.
    """
    lost = far.copy()
    rule = DescentOptions(levenberg_marquardt_step, settings.iterations, 0.9, patience=2, damping=0.1)
    for place in set(first[far].tolist()):
        rows, last = (far & (first == place)).nonzero()[0], ranks_of(problem)[place]
        part, begin = of_ranks(problem.rows(rows), partial(np.greater_equal, last)), start.rows(rows)
        ended = yield from descend(part, begin, measure(part, begin), rule)
        met = ended.residual.met
        start.put(rows[met], ended.state.rows(met))
        lost[rows] = ~met
    return lost


def _by_rank(
    problem: Problem,
    start: State,
    found: SearchResult,
    first: Indices,
    at_once: Mask,
    tried: Mask,
    hopeless: Mask,
    haste: Haste,
) -> Pausing[None]:
    """Put what a step makes of the start, which misses the rank ``first`` (batch, 1) before others.

    ``at_once``: ranks (batch, ranks) to hold, if that can be, in the rows where that is to be ``tried``.
    ``hopeless`` (batch,): the first rank missed cannot be met.
    """
    residual, up_to_first = measure(problem, start), _up_to(first[:, 0], at_once)
    left = left_by_rank(problem, start, residual)
    again = (at_once != up_to_first).any(axis=1) & ~hopeless
    still, brisk = np.ones(len(first), bool), np.zeros(len(first), bool)
    before = np.arange(at_once.shape[1]) < first
    for hold, chosen in ((at_once, tried), (up_to_first, again), (before, still)):
        done, _ = yield from _stepped(problem, start, found, left, hold, chosen & still, brisk, haste)
        still = still & ~done
    found.put(still.nonzero()[0], _at(start, residual).rows(still))


def _stepped(
    problem: Problem,
    start: State,
    found: SearchResult,
    left: LeftByRank,
    hold: Mask,
    chosen: Mask,
    brisk: Mask,
    haste: Haste,
) -> Pausing[tuple[Mask, Mask]]:
    """Put what one step makes of the ``chosen`` rows of the start, which leaves so much of each rank.

    Return where (batch,) it holds the ranks, and where it is given up. ``hold`` (batch, ranks): those that it
    is to hold, but springs; ``brisk`` as of ``stacked_step``.
    """
    hold = hold & (left.ranks != haste.springs)
    kept, given_up = np.zeros(len(chosen), bool), np.zeros(len(chosen), bool)
    for held, rows in _alike(hold, chosen):
        part, begin, own = _of_rows(problem, start, left, rows)
        ended, kept[rows], given_up[rows] = yield from _lowered(part, begin, own, held, brisk[rows], haste)
        if kept[rows].any():
            residual = measure(part, ended)
            search = SearchResult(ended, residual, np.ones(len(rows), int), ~residual.met)
            found.put(rows[kept[rows]], search.rows(kept[rows]))
    return kept, given_up


def _alike(hold: Mask, chosen: Mask) -> list[tuple[Mask, Indices]]:
    """Return the ranks (ranks,) that ``chosen`` rows of ``hold`` (batch, ranks) have, and which rows."""
    found: dict[bytes, list[int]] = {}
    for row in chosen.nonzero()[0].tolist():
        found.setdefault(hold[row].tobytes(), []).append(row)
    return [(hold[rows[0]], np.array(rows)) for rows in found.values()]


def _of_rows(
    problem: Problem, state: State, left: LeftByRank, rows: Indices
) -> tuple[Problem, State, LeftByRank]:
    """Return the problem, the state and what it leaves of the ``rows``, in order; themselves for all rows."""
    if len(rows) == len(state.heads):
        return problem, state, left
    return problem.rows(rows), state.rows(rows), left.rows(rows)


def _hopeless(problem: Problem, start: State, first: Indices, excess: Array) -> Mask:
    """Return the rows (batch,) in which no pose meets the goals up to the rank that is missed ``first``.

    ``excess`` (batch, effectors): how far targets are out of reach where all count.
    """
    hopeless = np.zeros(len(first), bool)
    torn = (excess > problem.tolerance[:, None]).any(axis=-1)
    for place in set(first[torn].tolist()):
        rows, last = (torn & (first == place)).nonzero()[0], ranks_of(problem)[place]
        part = of_ranks(problem.rows(rows), partial(np.greater_equal, last))
        beyond = out_of_reach(part, start.rows(rows)) > part.tolerance[:, None]
        hopeless[rows] = beyond.any(axis=-1)
    return hopeless


def _lowered(
    problem: Problem, start: State, left: LeftByRank, held: Mask, brisk: Mask, haste: Haste
) -> Pausing[tuple[State, Mask, Mask]]:
    """Return what ``stacked_step`` makes of the start with the ranks ``held`` (ranks,) to be met."""
    kept = problem if held.all() else counting(problem, among(left.ranks[held]))
    kept = altered(kept, goals=held_goals(kept, start, np.ones(len(start.heads), bool)))
    lowering, calm = stacked(problem, left, ~held, haste.springs, haste.slack)
    lowering = altered(lowering, held=Held(kept, kept))
    return (yield from stacked_step(lowering, start, calm, brisk, haste.pace))
