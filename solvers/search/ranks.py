# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals by rank: first what must hold, then what should as far as that lets it, then comfort.

Where all goals can be met ranks mean nothing. Where some cannot, those of the first rank are sought alone,
and the others are lowered with the first held.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ..geometry import Array, Mask, altered
from ..pauses import Pausing
from ..posture import pace
from ..problem import (
    Problem,
    State,
    copied,
    count_of_ranks,
    counting,
    local_rotations,
    lowering,
    measure,
    of_ranks,
    ranks_of,
    rmsd,
    where_reached,
    within_limits,
)
from ..settings import Settings
from ..steps import SearchResult
from .descents import NEARBY, improved, suits_newton
from .haste import search_in_haste
from .reach import out_of_reach
from .search import comforted, lowered, search, settled, sought

# Characteristic lengths by which no frame is farther from where the frame before ended but after a cut: from
# there on a body is superposed on its targets as a whole.
_CUT = 2 * NEARBY


def search_by_rank(
    problem: Problem, start: State, settings: Settings, follows: bool
) -> Pausing[tuple[SearchResult, Array]]:
    """Return what ``search`` does, but with goals of the first rank before the others.

    Without other starts, as in a drag, they are sought by rank as soon as steps towards all end short.
    """
    if settings.method != "SUPERPOSE" or len(ranks_of(problem)) < 2:
        return (yield from search(problem, start, settings, follows))
    haste = settings.haste
    if haste is not None and suits_newton(problem):
        return (yield from search_in_haste(problem, start, settings, haste, follows))
    several = count_of_ranks(problem) > 1
    if settings.restarts:
        found, excess = yield from search(problem, start, settings, follows)
        torn = several & ~found.residual.met
    else:
        start = within_limits(problem, start)
        found, excess = yield from _sought(problem, start, settings, follows, several)
        torn = several & ~found.residual.met
        found = yield from _gone_on(settled, problem, start, settings, found, follows, ~torn)
    return (yield from _gone_on(_by_rank, problem, start, settings, found, follows, torn)), excess


def _sought(
    problem: Problem, start: State, settings: Settings, follows: bool, several: Mask
) -> Pausing[tuple[SearchResult, Array]]:
    """Return what ``sought`` does; where no pose meets all goals, near those of the first rank, the start.

    ``several`` (b,): where there is more than one rank.
    """
    first = of_ranks(problem, partial(np.equal, ranks_of(problem)[0]))
    excess = out_of_reach(problem, start)
    hopeless = several & (excess > problem.tolerance[:, None]).any(axis=-1)
    hopeless &= rmsd(first, measure(first, start)) <= NEARBY * problem.length
    rows = (~hopeless).nonzero()[0]
    if len(rows) == len(hopeless):
        return (yield from sought(problem, start, settings, follows))
    none = np.zeros(len(hopeless), int)
    found = SearchResult(copied(start), measure(problem, start), none, none.astype(bool))
    if len(rows):
        part, excess[rows] = yield from sought(problem.rows(rows), start.rows(rows), settings, follows)
        found.put(rows, part)
    return found, excess


def _gone_on(
    finish: Callable[..., Pausing[SearchResult]],
    problem: Problem,
    start: State,
    settings: Settings,
    found: SearchResult,
    follows: bool,
    chosen: Mask,
) -> Pausing[SearchResult]:
    """Return what was found, with what ``finish`` makes of the rows ``chosen`` (batch,)."""
    rows = chosen.nonzero()[0]
    if not len(rows):
        return found
    part = found.rows(rows).begun()
    ended = yield from finish(problem.rows(rows), start.rows(rows), settings, part, follows)
    found = found.copy()
    found.put(rows, ended)
    return found


def _by_rank(
    problem: Problem, start: State, settings: Settings, found: SearchResult, follows: bool
) -> Pausing[SearchResult]:
    """Return what is found rank by rank; ``found``: what all goals in one rank come to."""
    first, *others = ranks_of(problem)
    alone = of_ranks(problem, partial(np.equal, first)).without_comfort()
    most = _CUT if follows else NEARBY
    near = _is_near(alone, start, found.state, most) & (follows or not settings.restarts)
    begin = copied(found.state)
    begin.put(near.nonzero()[0], start.rows(near))
    begin = within_limits(alone, begin)
    ended, excess = yield from sought(alone, begin, settings, follows)
    if problem.has_comfort:  # such bodies go without turns across what is forbidden
        ended = yield from lowered(alone, ended, settings)
    else:
        ended = yield from settled(alone, begin, settings, ended, follows)
    trapped = ~near & ~ended.residual.met & (excess <= problem.tolerance[:, None]).all(axis=-1)
    ended = yield from improved(alone, ended, trapped, partial(_met_from, start.rows(trapped), settings))
    # Comfort lowers distance as well, where that is near its least. For its pace it needs the targets alone.
    at_once = near & (not follows) & problem.has_comfort
    reached, above, met = problem, first, ended.residual.met
    for rank in others:
        reached = where_reached(reached, above, ended.state, met)
        kept = lowering(problem, reached, rank, counting)
        ended = replace(ended, residual=measure(kept, ended.state))
        rows = ~at_once if rank == others[-1] else np.ones_like(at_once)
        ended = yield from improved(kept.without_comfort(), ended, rows, partial(lowered, settings=settings))
        met, above = ended.residual.met, rank
    if problem.has_comfort:
        ended = yield from _comforted(problem, kept, start, settings, ended, follows)
    return replace(ended, residual=measure(problem, ended.state))


def _met_from(start: State, settings: Settings, alone: Problem, found: SearchResult) -> Pausing[SearchResult]:
    """Return what was found, or what the start leads to where that meets the first rank, which is ``alone``.

    What all goals in one rank come to may be a trap, out of which no step leads.
    """
    few = replace(settings, restarts=0)
    again, _ = yield from sought(alone, within_limits(alone, start), few, follows=False)
    met, found = again.residual.met, found.copy()
    found.put(met, again.rows(met))
    return found


def _comforted(
    problem: Problem, kept: Problem, start: State, settings: Settings, found: SearchResult, follows: bool
) -> Pausing[SearchResult]:
    """Return what was found at its most comfortable; ``kept``: the last rank's problem, the others held."""
    if follows:
        turned = pace(*(local_rotations(problem, at.rotations) for at in (start, found.state)))
        problem, kept = altered(problem, pace=turned), altered(kept, pace=turned)
    ended = yield from lowered(kept, found, settings)
    whole = replace(ended, residual=measure(problem, ended.state))
    return (yield from comforted(problem, start, settings, whole, ended.residual.met))


def _is_near(first: Problem, start: State, found: State, most: float) -> Mask:
    """Return the rows (batch,) whose way goes on from the start, hardly farther from the first rank.

    By ``most`` characteristic lengths. The frame before in a drag, for one: what all goals in one rank come
    to is far from there, and the way back may end on another way of meeting them.
    """
    farther, far = (rmsd(first, measure(first, state)) for state in (start, found))
    return farther - far <= most * first.length
