# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A search for one move of many, by rank: what comes first is met, the rest comes nearer by one step.

Where the start leaves goals of one rank alone, which are those that have been moved, all are sought as ever.
Where goals give way already they hardly stop doing so from one move to the next: then all that the start
meets is held, and what is missed first is asked to be met too. Where that cannot be it is lowered first.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from ..geometry import Array, Indices, Mask
from ..pauses import Pausing
from ..problem import Held, Problem, State, copied, held_goals, measure, of_ranks, ranks_of, rmsd
from ..settings import Settings
from ..steps import (
    DescentOptions,
    SearchResult,
    descend,
    levenberg_marquardt_step,
    stacked,
    stacked_step,
)
from .reach import out_of_reach
from .search import settled, sought, within_limits

# In characteristic lengths: what is missed by no more may be met by a step, and what is by more may not.
_NEARLY, _FAR = 5e-3, 0.5


def search_in_haste(
    problem: Problem, start: State, settings: Settings, follows: bool
) -> Pausing[tuple[SearchResult, Array]]:
    """Return what ``search_by_rank`` does, found by one step where goals give way by rank."""
    start = within_limits(problem, start)
    missed, distances = _missed(problem, start)
    first, found = missed.argmax(axis=1), _at(problem, start)
    excess, hopeless = out_of_reach(problem, start), _hopeless(problem, start, first)
    far = ~hopeless & (distances[np.arange(len(first)), first] > _FAR)
    rows = np.flatnonzero((np.count_nonzero(missed, axis=1) <= 1) | far)
    if len(rows):
        part, begin = problem.rows(rows), start.rows(rows)
        ended, excess[rows] = yield from sought(part, begin, settings, follows)
        met = np.flatnonzero(ended.residual.met)
        if len(met):
            reached = replace(ended.rows(met), steps=np.zeros(len(met), int))
            chosen = part.rows(met), begin.rows(met), settings, reached, follows
            ended.put(met, (yield from settled(*chosen)))
        found.put(rows, ended)
    torn = np.flatnonzero(~found.residual.met)
    if len(torn):
        part, begin = problem.rows(torn), start.rows(torn)
        lost = yield from _brought_near(part, begin, first[torn], far[torn], settings)
        hold = ~missed[torn] | (distances[torn] <= _NEARLY)
        found.put(torn, _by_rank(part, begin, first[torn, None], hold, hopeless[torn] | lost))
    return found, np.where(found.residual.met[:, None], 0.0, excess)


def _missed(problem: Problem, state: State) -> tuple[Mask, Array]:
    """Return which ranks (batch, ranks) a state misses, and by how many characteristic lengths."""
    parts = [of_ranks(problem, partial(np.equal, rank)) for rank in ranks_of(problem)]
    left = [measure(part, state) for part in parts]
    distances = np.stack([rmsd(part, residual) for part, residual in zip(parts, left, strict=True)], axis=1)
    return ~np.stack([residual.met for residual in left], axis=1), distances / problem.length[:, None]


def _at(problem: Problem, state: State) -> SearchResult:
    """Return a search that has not begun."""
    none = np.zeros(len(state.heads), int)
    return SearchResult(copied(state), measure(problem, state), none, none.astype(bool))


def _brought_near(
    problem: Problem, start: State, first: Indices, far: Mask, settings: Settings
) -> Pausing[Mask]:
    """Put the rows ``far`` (batch,) of the start where ranks up to ``first`` are met; return which are not.

    By steps towards these alone: they are too far off for one of all ranks.
    """
    lost = far.copy()
    rule = DescentOptions(levenberg_marquardt_step, settings.iterations, 0.9, patience=2, damping=0.1)
    for place in np.unique(first[far]):
        rows, last = np.flatnonzero(far & (first == place)), ranks_of(problem)[place]
        part, begin = of_ranks(problem.rows(rows), partial(np.greater_equal, last)), start.rows(rows)
        ended = yield from descend(part, begin, measure(part, begin), rule)
        met = ended.residual.met
        start.put(rows[met], ended.state.rows(met))
        lost[rows] = ~met
    return lost


def _by_rank(problem: Problem, start: State, first: Indices, near: Mask, hopeless: Mask) -> SearchResult:
    """Return what a step makes of the start, which misses the rank ``first`` (batch, 1) before others.

    ``near``: ranks (batch, ranks) to hold with it, if that can be. ``hopeless`` (batch,): it cannot be met.
    """
    count, each = len(first), np.arange(near.shape[1])
    state, still, steps = copied(start), np.arange(count), np.zeros(count, int)
    at_once, up_to_first = near | (each == first), each <= first
    again = (at_once != up_to_first).any(axis=1) & ~hopeless
    tries = (at_once, ~hopeless), (up_to_first, again), (each < first, np.ones(count, bool))
    for hold, is_tried in tries:
        chosen = still[is_tried[still]]
        kept = np.zeros(count, bool)
        for held in np.unique(hold[chosen], axis=0):
            rows = chosen[(hold[chosen] == held).all(axis=1)]
            ended, kept[rows] = _lowered(problem.rows(rows), start.rows(rows), held)
            state.put(rows[kept[rows]], ended.rows(kept[rows]))
            steps[rows] += 1
        still = still[~kept[still]]
    residual = measure(problem, state)
    return SearchResult(state, residual, steps, ~residual.met)


def _hopeless(problem: Problem, start: State, first: Indices) -> Mask:
    """Return the rows (batch,) in which no pose meets the goals up to the rank that is missed ``first``."""
    hopeless = np.zeros(len(first), bool)
    for place in np.unique(first):
        rows, last = np.flatnonzero(first == place), ranks_of(problem)[place]
        part = of_ranks(problem.rows(rows), partial(np.greater_equal, last))
        beyond = out_of_reach(part, start.rows(rows)) > part.tolerance[:, None]
        hopeless[rows] = beyond.any(axis=-1)
    return hopeless


def _lowered(problem: Problem, start: State, held: Mask) -> tuple[State, Mask]:
    """Return the start after a step with the ranks ``held`` (ranks,) met, and where they are (batch,)."""
    ranks = np.array(ranks_of(problem))
    kept = of_ranks(problem, partial(np.isin, test_elements=ranks[held]))
    kept = replace(kept, goals=held_goals(kept, start, np.ones(len(start.heads), bool)))
    lowering, calm = stacked(problem, start, ranks[~held])
    return stacked_step(replace(lowering, held=Held(kept, kept)), start, calm)
