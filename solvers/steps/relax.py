# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps to the most comfortable of the poses that do what has been reached.

Discomfort (comfort.py) is second to the targets, however little weight they have. So where they are met it
is lowered with effectors held (for targets that are missed see ease.py): by sequential quadratic
programming, with discomfort's gradient ``g`` and its Gauss-Newton matrix ``W``, a 3x3 block per bone, the
step is the least of ``d^T W d / 2 + g^T d`` among those with ``J d = -residual``::

    d = d0 + W^-1 J^T (J W^-1 J^T)^-1 (-residual - J d0)        d0 = -W^-1 g

and costs what a least-squares step does. Bones without comfort enter with a small weight: they help out as if
they did not mind. Limits are an active set (limits/faces.py).

References: Liegeois 1977 (10.1109/TSMC.1977.4309644) for the null space; Nocedal and Wright, Numerical
Optimization, chapter 18 (10.1007/978-0-387-40065-5).
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..definite import solve_definite
from ..descent import Found, Rule, descend
from ..limits.faces import LimitFaces, adjugates, limit_faces, step_within
from ..problem import Problem
from ..rotation import Array, norm, rotation_vector_rates
from ..state import Miss, State, copied, local_rotations, measure
from .levenberg_marquardt import held_system, jacobian, levenberg_marquardt_step, stepped

_IDENTITY = np.eye(3)
# What a turn weighs where a bone has no comfort, per square radian; with the least spread it would be 400.
_INDIFFERENT = 1e-2
# A soft rim weighs this many standard deviations at the hard rim.
_RIM = 3.0
_LONGEST = 0.7  # radians: the most that a bone turns in a step
# Where limits hold in turns whole steps lead back and forth; their means do not (Krasnoselskii's iteration).
_SLOW, _LEAST = 0.95, 1 / 8
_STILL = 1e-4  # radians: a step that turns no bone by more is the last


def relaxed(problem: Problem, found: Found, most: int) -> Found:
    """Return what was found, effectors left where they are, as comfortable as ``most`` steps make it.

    Rows in which that cannot be had, or brings nothing, are left alone.
    """
    met = found.miss.met
    reached = found.state.points, found.state.rotations[:, problem.tree.effectors]
    goals = np.where(met[:, None, None], problem.goals, reached[0])
    rotations = np.where(met[:, None, None, None], problem.goal_rotations, reached[1])
    kept = replace(problem, goals=goals, goal_rotations=rotations)
    state, steps = _relax(kept, found.state, most)
    finish = Rule(levenberg_marquardt_step, most, progress=0.7, patience=2, damping=1e-3)
    ended = descend(kept, state, measure(kept, state), finish)
    eased = discomfort(problem, ended.state) < discomfort(problem, found.state)
    rows = np.flatnonzero(ended.miss.met & eased)
    result = replace(found, state=copied(found.state), miss=copied(found.miss), steps=steps)
    result.state.put(rows, ended.state.rows(rows))
    result.miss.put(rows, measure(problem, ended.state).rows(rows))
    return result


def discomfort(problem: Problem, state: State) -> Array:
    """Return how uncomfortable a state is, (batch,): squared standard deviations."""
    local = local_rotations(problem, state.rotations)
    total = problem.comforts.discomfort(local[:, problem.comforts.bones])
    if problem.cushions.any():
        depth, stiffness = _rims(problem, limit_faces(problem, state, local))
        total = total + np.einsum("bnc,bnc->b", stiffness, depth**2)
    return total


def _relax(problem: Problem, state: State, most: int) -> tuple[State, NDArray[np.int64]]:
    """Return the state after steps until nothing turns, and how many each row took."""
    state, live = copied(state), np.arange(len(state.heads))
    steps, share, last = np.zeros(len(live), int), np.ones(len(live)), np.full(len(live), np.inf)
    for _ in range(most):
        part = problem.rows(live)
        here = state.rows(live)
        trial, turned = relaxing_step(part, here, measure(part, here), share[live])
        state.put(live, trial)
        steps[live] += 1
        slow = turned > _SLOW * last[live]
        share[live] = np.clip(share[live] * np.where(slow, 0.5, 1.25), _LEAST, 1.0)
        last[live] = turned
        live = live[turned > _STILL]
        if not len(live):
            break
    return state, steps


def relaxing_step(problem: Problem, state: State, miss: Miss, share: Array) -> tuple[State, Array]:
    """Return the state after ``share`` (batch,) of a step, and the largest turn of the whole, (batch,)."""
    bones, local = len(problem.tree.bones), local_rotations(problem, state.rotations)
    step = _step(problem, state, local, miss)
    turned = (norm(step[:, :bones]) * problem.compliance[:, :bones]).max(axis=-1)
    step *= np.minimum(share, _LONGEST / np.maximum(turned, 1e-12))[:, None, None]
    return stepped(problem, state, step, local), turned


def _step(problem: Problem, state: State, local: Array, miss: Miss) -> Array:
    """Return the step (batch, n + k, 3) in units of compliance, within limits as far as they are linear."""
    faces = limit_faces(problem, state, local) if problem.limits else None
    transposed = jacobian(problem, state, miss).transpose(0, 2, 3, 1)
    weights, gradient = comfort_model(problem, state, local, faces)
    if faces is None:
        return _least(transposed, miss.residual, weights, gradient)
    held = np.zeros(faces.room.shape, bool)
    given = transposed, miss.residual, weights, gradient
    return step_within(faces, held, problem.compliance, _held, *given)


def _held(
    free: Array, fixed: Array, transposed: Array, residual: Array, weights: Array, gradient: Array
) -> Array:
    """Return the step of _least along ``free``, after the turns ``fixed``."""
    bones = free.shape[1]
    transposed, residual = held_system(free, fixed, transposed, residual)
    weigh = weights[:, :bones]
    slope = free @ (gradient[:, :bones, :, None] + weigh @ fixed[..., None])
    weights, gradient = weights.copy(), gradient.copy()
    weights[:, :bones] = free @ weigh @ free + _IDENTITY - free
    gradient[:, :bones] = slope[..., 0]
    step = _least(transposed, residual, weights, gradient)
    step[:, :bones] += fixed
    return step


def comfort_model(
    problem: Problem, state: State, local: Array, faces: LimitFaces | None
) -> tuple[Array, Array]:
    """Return W (batch, n + k, 3, 3) and g (batch, n + k, 3) of half the discomfort per unit of compliance."""
    comforts, scale = problem.comforts, problem.compliance[..., None]
    shape = len(state.heads), scale.shape[1], 3
    weights, gradient = np.zeros((*shape, 3)), np.zeros(shape)
    strays = comforts.strays(local[:, comforts.bones])
    rates = rotation_vector_rates(strays) @ np.swapaxes(state.rotations[:, comforts.bones], -1, -2)
    pulls = np.swapaxes(rates, -1, -2) @ comforts.precisions
    weights[:, comforts.bones] = pulls @ rates
    gradient[:, comforts.bones] = (pulls @ strays[..., None])[..., 0]
    if problem.cushions.any():
        depth, stiffness = _rims(problem, faces)
        bones = len(problem.tree.bones)
        weights[:, :bones] += np.einsum("bnc,bnci,bncj->bnij", stiffness, faces.normals, faces.normals)
        gradient[:, :bones] += np.einsum("bnc,bnci->bni", stiffness * depth, faces.normals)
    return scale[..., None] ** 2 * weights + _INDIFFERENT * _IDENTITY, scale * gradient


def _rims(problem: Problem, faces: LimitFaces) -> tuple[Array, Array]:
    """Return how deep in the soft rims joints are (batch, n, c), radians, and the weight of its square."""
    width = problem.cushions[:, None]
    depth = np.clip(width - faces.room, 0.0, width)
    return depth, (depth > 0) * (_RIM / np.where(width > 0, width, 1.0)) ** 2


def _least(transposed: Array, residual: Array, weights: Array, gradient: Array) -> Array:
    """Return the least of ``d^T W d / 2 + g^T d`` with ``J d = -residual``, (batch, n + k, 3).

    ``transposed`` (batch, n + k, 3, 6 E): the Jacobian's.
    """
    adjugate, determinant = adjugates(weights)
    inverse = adjugate / determinant[..., None, None]
    straight = -(inverse @ gradient[..., None])[..., 0]
    shape = len(residual), -1, residual.shape[1]
    flat, spread = transposed.reshape(shape), (inverse @ transposed).reshape(shape)
    right = -residual - (straight.reshape(len(residual), 1, -1) @ flat)[:, 0]
    made_up = spread @ solve_definite(np.swapaxes(spread, -1, -2) @ flat, right)[..., None]
    return straight + made_up.reshape(straight.shape)
