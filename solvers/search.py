# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods: which steps are taken in which order, and where to begin again.

"SUPERPOSE": a body that is free to move is first superposed on its targets as a whole (one QCP step of
its root); sweeps, if asked for; Levenberg-Marquardt while it gets on; Newton for what stays open; other
starts for targets that are within reach but were missed.
"""

from math import pi

import numpy as np

from .descent import Found, Rule, descend, met
from .levenberg_marquardt import levenberg_marquardt_step
from .newton import newton_step
from .problem import Problem
from .reach import out_of_reach
from .restarts import seeds
from .rotation import Array
from .settings import Settings
from .state import Miss, State, copied, local_rotations, measure, place, snapped
from .sweep import sweep

# Another start is taken where it meets the targets or leaves at most this share of the objective: a
# small gain is not worth a different pose.
_WORTH = 0.25


def search(problem: Problem, start: State, settings: Settings) -> tuple[Found, Array]:
    """Return what the method finds from ``start`` and how far targets are out of reach (batch, E)."""
    excess = out_of_reach(problem)
    if problem.locks:
        start = place(problem, snapped(problem, start.rotations), start.translations)
    if settings.method == "SWEEP":
        return descend(problem, start, _sweeps(problem, settings, settings.iterations, monotone=False)), excess
    found = _superpose(problem, start, settings)
    stuck = ~is_met(problem, found.miss, settings) & (excess <= settings.tolerance * problem.size).all(axis=-1)
    if settings.restarts and stuck.any():
        _restart(problem, start, settings, found, np.flatnonzero(stuck))
    return found, excess


def is_met(problem: Problem, miss: Miss, settings: Settings) -> Array:
    """Return whether every effector of a row has met its target, (batch,)."""
    return met(problem, miss, settings.tolerance * problem.size, settings.angle_tolerance)


def _rule(problem: Problem, settings: Settings, **choices: object) -> Rule:
    return Rule(gap=settings.tolerance * problem.size, turn=settings.angle_tolerance, **choices)


def _sweeps(problem: Problem, settings: Settings, steps: int, monotone: bool) -> Rule:
    largest = settings.dampening * problem.mobility

    def step(problem: Problem, state: State, _miss: Miss, _damping: Array) -> State:
        return sweep(problem, state, largest, settings.stabilisation)

    return _rule(problem, settings, step=step, steps=steps, progress=1 - 1e-9, patience=2, monotone=monotone)


def _superpose(problem: Problem, start: State, settings: Settings) -> Found:
    aligned, miss = _aligned(problem, start)
    found = Found(aligned, miss, np.zeros(len(start.heads), int), np.zeros(len(start.heads), bool))
    rules = [
        _rule(problem, settings, step=levenberg_marquardt_step, steps=settings.iterations, progress=0.7, patience=2),
    ]
    if settings.sweeps:
        rules.insert(0, _sweeps(problem, settings, settings.sweeps, monotone=True))
    if not problem.locks and (problem.falloffs == 1).all():
        rules.append(_rule(problem, settings, step=newton_step, steps=settings.iterations, progress=1 - 1e-7, patience=2, damping=0.01))
    for rule in rules:
        open_rows = np.flatnonzero(~is_met(problem, found.miss, settings))
        if len(open_rows):
            found.put(open_rows, descend(problem.rows(open_rows), found.state.rows(open_rows), rule))
    return found


def _aligned(problem: Problem, start: State) -> tuple[State, Miss]:
    """Return the start with every free body superposed on its targets as a whole, where that helps."""
    miss = measure(problem, start)
    roots = problem.freedom.any(axis=(-2, -1)) & (problem.mobility > 0)
    if not roots.any():
        return start, miss
    moved = sweep(problem, start, pi * roots)
    if problem.locks:
        moved = place(problem, snapped(problem, moved.rotations), moved.translations)
    moved_miss = measure(problem, moved)
    better = moved_miss.energy < miss.energy
    state = copied(start)
    state.put(better, moved.rows(better))
    miss.put(better, moved_miss.rows(better))
    return state, miss


def _restart(problem: Problem, start: State, settings: Settings, found: Found, rows: Array) -> None:
    """Try other starts for ``rows`` as rows of one batch and put what is worth it into ``found``.

    Of the starts that meet the targets the one that ends nearest to ``start`` is taken, of others the
    one with the least objective.
    """
    problem, begin = problem.rows(rows), start.rows(rows)
    starts = seeds(problem, begin, settings.restarts)
    tries = [_superpose(problem, state, settings) for state in starts]
    home = local_rotations(problem, begin.rotations)
    distances = [np.sum((local_rotations(problem, t.state.rotations) - home) ** 2, axis=(1, 2, 3)) for t in tries]
    reached = np.stack([is_met(problem, t.miss, settings) for t in tries])
    energies = np.stack([t.miss.energy for t in tries])
    cost = np.where(reached, np.stack(distances), 1e3 * reached.shape[0] * begin.heads.shape[1] + energies / problem.length**2)
    best = np.argmin(cost, axis=0)
    for number, attempt in enumerate(tries):
        worth = reached[number] | (energies[number] < _WORTH * found.miss.energy[rows])
        chosen = np.flatnonzero((best == number) & worth)
        part = Found(attempt.state.rows(chosen), attempt.miss.rows(chosen), attempt.steps[chosen], attempt.unfinished[chosen])
        found.put(rows[chosen], part)
