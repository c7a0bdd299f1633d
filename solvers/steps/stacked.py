# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One step for goals of several ranks at once: what must hold is held, and all the others come nearer.

What is held is met by the end of the step, also where its targets have just moved. The others are lowered
together, each rank with a share of the weight of the one before it, and posture cost with the last one that
is missed (comfort_penalty.py). So the step costs what one of a single rank does. A joint whose turn hardly
changes the objective turns by little: the poses of a drag draw near to the best one from move to move
instead of leaping at it.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from ..geometry import Array, Indices, Mask, norm
from ..problem import (
    Problem,
    State,
    limit_faces,
    local_rotations,
    measure,
    of_ranks,
    pressed,
    weighed_by_rank,
)
from .comfort_penalty import add_posture_cost, priced
from .held import NEAR_BOUND, brought_back
from .joint_newton import joint_derivatives, movable
from .keeping import newton_keeping
from .levenberg_marquardt import stepped
from .posture_cost import joint_turns, posture_cost

# What a rank weighs beside the one before it.
_SHARE = 1e-2
# What a turn of one radian weighs, in characteristic lengths times the distance that is missed, and of that
# the least that counts, in characteristic lengths.
_CALM, _LEAST = 0.1, 0.05
# What posture cost weighs beside what it does in a search, for each characteristic length that the last rank
# misses, and at most. Poses that miss as little lie side by side there, and one step a move lags behind the
# best of them: with so much the best is a single one, and near. It is little again where little is missed,
# or what can be met would stay missed.
_PULL, _MOST_PULL = 3e3, 100.0
# Radians: the most that a joint turns.
_LONGEST = 0.3
# Where a step leads uphill this share of it is tried.
_SHORTER = 0.25
# Curvature below this share of the largest is none; posture cost's, which is to count, is well above.
_LEVEL = 1e-13


def stacked(problem: Problem, state: State, ranks: Indices) -> tuple[Problem, Array]:
    """Return the problem of the ``ranks`` that are lowered, and what a turn weighs in it, (batch,).

    The price of its posture cost is beside the objective, not beside its root.
    """
    last = of_ranks(problem, partial(np.isin, test_elements=ranks[-1:]))
    residual = measure(last, state)
    distance, share = np.sqrt(residual.energy), _SHARE ** max(len(ranks) - 1, 0)
    pull = np.clip(_PULL * distance / problem.length, 1.0, _MOST_PULL)
    price = 2 * share * distance * pull * priced(last, state, residual).price
    calm = share * np.maximum(distance, _LEAST * problem.length)
    lowered = weighed_by_rank(problem, partial(_weights, lowered=ranks))
    return replace(lowered, price=price), calm


def _weights(ranks: Indices, lowered: Indices) -> Array:
    """Return what goals of ``ranks`` weigh where those of the ranks ``lowered``, in order, do."""
    weights = np.where(ranks[..., None] == lowered, _SHARE ** np.arange(len(lowered)), 0.0)
    summed: Array = weights.sum(axis=-1)
    return summed


def stacked_step(problem: Problem, state: State, calm: Array) -> tuple[State, Mask]:
    """Return the state after one step, and in which rows (batch,) it keeps what the problem holds.

    Rows that it would leave with a higher objective stay where they are. ``calm`` as of ``stacked``.
    """
    begin, local = _objective(problem, state), local_rotations(problem, state.rotations)
    step = _step(problem, state, local, calm)
    trial = brought_back(problem.holding.reached, stepped(problem, state, step, local), in_haste=True)
    end = _objective(problem, trial)
    uphill = np.flatnonzero((end >= begin) & np.isfinite(begin))
    if len(uphill):
        part = problem.rows(uphill)
        shorter = stepped(part, state.rows(uphill), _SHORTER * step[uphill], local[uphill])
        trial.put(uphill, brought_back(part.holding.reached, shorter, in_haste=True))
        end[uphill] = _objective(part, trial.rows(uphill))
    refused = ~(end < begin)
    trial.put(refused, state.rows(refused))
    return trial, np.isfinite(np.minimum(begin, end))


def _objective(problem: Problem, state: State) -> Array:
    """Return what is to be least (batch,), infinite where what is held is not met."""
    energy: Array = measure(problem, state).energy + problem.price * posture_cost(problem, state)
    return energy


def _step(problem: Problem, state: State, local: Array, calm: Array) -> Array:
    """Return the step (batch, n + k, 3), in units of compliance."""
    residual = measure(problem, state)
    gradient, hessian = joint_derivatives(problem, state, residual)
    faces, units = limit_faces(problem, state, local), movable(problem)[2]
    if problem.has_comfort:
        add_posture_cost(problem, state, local, faces, problem.price, gradient, hessian)
    held = problem.holding.reached
    if held.goals:
        held = pressed(held, state, NEAR_BOUND * problem.length)
    given = state, faces, gradient * units, hessian, _CALM * problem.length * calm, _LEVEL
    step = newton_keeping(held, measure(held, state), *given)
    turns = norm(joint_turns(problem, step)).max(axis=-1)
    step *= np.minimum(1.0, _LONGEST / np.maximum(turns, 1e-12))[:, None, None]
    return step
