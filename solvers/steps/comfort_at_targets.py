# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The most comfortable of the poses that do what has been reached.

Posture cost (posture_cost.py) is second to the targets, however little weight they have. So where targets are
met, it is lowered with effectors held, by the steps of comfort_steps.py (comfort_penalty.py is for targets
that are missed). The plain steps are cheap and come far, but crawl where joints are far from comfort. Near
the end two or three of Newton's steps will do.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..geometry import Array, Indices, norm
from ..pauses import Pausing
from ..problem import Problem, Residual, State, copied, held_where_missed, local_rotations, measure, rmsd
from .comfort_steps import gauss_newton_comfort_step, newton_comfort_step
from .descent import DescentOptions, SearchResult, descend
from .levenberg_marquardt import levenberg_marquardt_step, stepped
from .posture_cost import joint_turns, posture_cost

Step = Callable[[Problem, State, Array, Residual], Array]
Phases = tuple[tuple[Step, int | None], ...]
# Steps to take until rows are still, and how many more before rows go over to the next. Where Newton's
# step would not know who feels what, or cost too much:
PLAIN: Phases = ((gauss_newton_comfort_step, None),)
# Within limits, where Newton's step costs twice as much: rows that began near their targets, and others.
NEAR: Phases = ((newton_comfort_step, None), *PLAIN)
FAR: Phases = ((gauss_newton_comfort_step, 8), *NEAR)
# Without limits, where it costs four times as much:
FREE: Phases = ((gauss_newton_comfort_step, 16), *NEAR)
_LONGEST = 0.7  # radians: the most that a bone turns in a step
# Where limits hold in turns whole steps lead back and forth; their means do not (Krasnoselskii's iteration).
_SLOW, _LEAST = 0.95, 1 / 8
_STILL = 1e-4  # radians: rows are still where no bone has more left to turn
_CLOSE = 0.2  # radians: from here on rows go over to the next phase


def relaxed(problem: Problem, found: SearchResult, most: int, phases: Phases) -> Pausing[SearchResult]:
    """Return what was found, effectors left where they are, as comfortable as phases of steps make it.

    A phase takes at most ``most`` steps. Rows in which that cannot be had, or brings nothing, are left alone;
    so are those that miss and would do so by more, as where only some axes of a rotation count.
    """
    met = found.residual.met
    kept = held_where_missed(problem, found.state, met)
    state, steps = yield from _relax(kept, found.state, most, phases)
    finish = DescentOptions(levenberg_marquardt_step, most, progress=0.7, patience=2, damping=1e-3)
    ended = yield from descend(kept, state, measure(kept, state), finish)
    eased = posture_cost(problem, ended.state) < posture_cost(problem, found.state)
    residual = measure(problem, ended.state)
    as_near = residual.met | (rmsd(problem, residual) <= rmsd(problem, found.residual) + problem.tolerance)
    rows = np.flatnonzero(ended.residual.met & eased & as_near)
    result = replace(found, state=copied(found.state), residual=copied(found.residual), steps=steps)
    result.state.put(rows, ended.state.rows(rows))
    result.residual.put(rows, residual.rows(rows))
    return result


def _relax(problem: Problem, state: State, most: int, phases: Phases) -> Pausing[tuple[State, Indices]]:
    """Return the state after phases of steps until nothing turns, and how many each row took.

    Rows that a phase leaves far from rest begin the next where they began this.
    """
    state, steps = copied(state), np.zeros(len(state.heads), int)
    rows = np.arange(len(steps))
    for number, (step, many) in enumerate(phases, start=1):
        part = problem.rows(rows), state.rows(rows)
        ended, taken, left = yield from _settled(*part, step, most, many)
        steps[rows] += taken
        good = (left < _CLOSE) | (number == len(phases))
        state.put(rows[good], ended.rows(good))
        rows = rows[left > _STILL]
        if not len(rows):
            break
    return state, steps


def _settled(
    problem: Problem, state: State, step: Step, most: int, many: int | None
) -> Pausing[tuple[State, Indices, Array]]:
    """Return the state after at most ``most`` steps, how many rows took, and what they have left to turn.

    The one that is late is the last. Rows that do not get nearer, and those near that will take more than
    ``many`` further steps, stop.
    """
    state, live = copied(state), np.arange(len(state.heads))
    steps, left = np.zeros(len(live), int), np.full(len(live), np.inf)
    share, last = np.ones(len(live)), np.full(len(live), np.inf)
    for count in range(most):
        trial, turned = _relaxing_step(problem.rows(live), state.rows(live), share[live], step)
        state.put(live, trial)
        steps[live] += 1
        ratio = turned / last[live]
        share[live] = np.clip(share[live] * np.where(ratio > _SLOW, 0.5, 1.25), _LEAST, 1.0)
        last[live] = turned
        # If steps go on getting shorter as they do, a geometric series; of one step nothing is known.
        rate = np.minimum(ratio, _SLOW) if count else _SLOW
        left[live] = np.minimum(turned, turned * rate / (1 - rate))
        going = left[live] > _STILL
        if many is not None and count:
            going &= np.where(turned < _CLOSE, left[live] * rate**many <= _STILL, ratio <= 1)
        live = live[going]
        if not len(live) or (yield):
            break
    return state, steps, left


def _relaxing_step(problem: Problem, state: State, share: Array, step: Step) -> tuple[State, Array]:
    """Return the state after ``share`` (batch,) of a step, and the largest turn of the whole, (batch,).

    Rows that have no more to turn at their pace turn by nothing.
    """
    bones, local = len(problem.tree.bones), local_rotations(problem, state.rotations)
    way = step(problem, state, local, measure(problem, state))
    turned = (norm(way[:, :bones]) * problem.compliance[:, :bones]).max(axis=-1)
    share = np.minimum(share, _LONGEST / np.maximum(turned, 1e-12))
    if problem.pace is not None:
        paced = problem.pace.share(local, joint_turns(problem, way))
        share, turned = np.minimum(share, paced), np.where(paced > 0, turned, 0.0)
    way *= share[:, None, None]
    return stepped(problem, state, way, local), turned
