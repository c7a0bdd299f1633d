# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Iterate a published method: every step is taken, and the best pose met on the way is kept.

Such steps may raise the objective, once or for ever, as where a target is out of reach; the last pose would
then be a matter of luck. A row ends when its targets are met, when it no longer gets anywhere, or when
iterations run out.
"""

from dataclasses import replace

import numpy as np

from ..geometry import altered
from ..pauses import Pausing
from ..problem import Problem, State, copied, measure
from ..settings import UNSUPPORTED, Settings
from ..steps import SearchResult
from .published import STEPS, Step

# A row that has not lowered its least objective by this share in so many iterations is stuck. Methods that
# overshoot need some to come back.
_GAIN = 1e-9
_PATIENCE = 10


def search_by(problem: Problem, start: State, settings: Settings) -> Pausing[SearchResult]:
    """Return what the method finds; what it cannot express it does not feel, but is measured by."""
    ignored = UNSUPPORTED[settings.method]
    felt = without_rotations(problem) if "rotation" in ignored else problem
    felt = altered(felt, goals=()) if "goals" in ignored and felt.goals else felt
    found = yield from iterate(felt, start, STEPS[settings.method], settings)
    return found if felt is problem else replace(found, residual=measure(problem, found.state))


def without_rotations(problem: Problem) -> Problem:
    """Return the problem with no weight on rotations."""
    frames = problem.frames
    none = np.zeros_like(frames.rotation_weights)
    return altered(problem, frames=frames.weighing(frames.position_weights, none))


def iterate(problem: Problem, start: State, step: Step, settings: Settings) -> Pausing[SearchResult]:
    """Return the pose of least objective that each row came by, its start among them."""
    count = len(start.heads)
    residual = measure(problem, start)
    best = SearchResult(copied(start), copied(residual), np.zeros(count, int), np.zeros(count, bool))
    rows, idle, state = np.arange(count), np.zeros(count, int), start
    going = ~residual.met
    for _ in range(settings.iterations):
        if not going.any():
            break
        if not going.all():
            problem, state, residual = problem.rows(going), state.rows(going), residual.rows(going)
            rows, idle = rows[going], idle[going]
        state = step(problem, state, residual, settings)
        residual = measure(problem, state)
        best.steps[rows] += 1
        least = best.residual.energy[rows]
        idle = np.where(residual.energy < (1 - _GAIN) * least, 0, idle + 1)
        better = residual.met | (residual.energy < least)
        best.state.put(rows[better], state.rows(better))
        best.residual.put(rows[better], residual.rows(better))
        going = ~residual.met & (idle < _PATIENCE)
        yield
    best.unfinished[rows[going]] = True
    return best
