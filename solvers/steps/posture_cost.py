# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a pose is from comfort and inside soft rims of limits, and that cost's derivatives over turns."""

import numpy as np

from ..geometry import Array, gram, matvec, rotation_vector_rates, vecmat
from ..problem import LimitFaces, Problem, State, limit_faces, local_rotations, pressed_curvature

_IDENTITY = np.eye(3)
# What a turn weighs where a bone has no comfort, per square radian; with the least spread it would be 400.
INDIFFERENT = 1e-2
# A soft rim weighs this many standard deviations at the hard rim.
_RIM = 3.0


def posture_cost(problem: Problem, state: State) -> Array:
    """Return how uncomfortable a state is, (batch,): squared standard deviations, of turns far off fewer."""
    local = local_rotations(problem, state.rotations)
    total = problem.comforts.posture_cost(local.take(problem.comforts.bones, axis=1))
    past = problem.comforts.one_ways.past(local)
    if past.any():
        total = total + problem.comforts.one_ways.posture_cost(past)
    if problem.cushions.any():
        depth, stiffness = _rims(problem, limit_faces(problem, state, local))
        total = total + np.einsum("bnc,bnc->b", stiffness, depth**2)
    return total


def posture_cost_model(
    problem: Problem, state: State, local: Array, faces: LimitFaces | None
) -> tuple[Array, Array, Array]:
    """Return W (batch, n + k, 3, 3), g (batch, n + k, 3) and U (batch, r, n + k, 3) of half the posture cost.

    Per unit of compliance. ``W - U^T U`` is its Gauss-Newton matrix, U of bones that stray together, r = 0
    where none do. W alone is no less, and no less than ``INDIFFERENT``.
    """
    return _model(problem, state, local, faces, _strays(problem, local))[:3]


def posture_cost_curved(
    problem: Problem, state: State, local: Array, faces: LimitFaces
) -> tuple[Array, Array, Array, Array]:
    """Return what ``posture_cost_model`` does, and what W lacks of the second derivatives, (batch, n, 3, 3).

    That per square radian of the joints' turns, in armature space.
    """
    strays = _strays(problem, local)
    weights, gradient, tied, pulls = _model(problem, state, local, faces, strays)
    return weights, gradient, tied, _bends(problem, state, local, faces, strays, pulls)


def _strays(problem: Problem, local: Array) -> Array:
    """Return the turns (batch, m, 3) from comfort."""
    return problem.comforts.strays(local.take(problem.comforts.bones, axis=1))


def _model(
    problem: Problem, state: State, local: Array, faces: LimitFaces | None, strays: Array
) -> tuple[Array, Array, Array, Array]:
    """Return what ``posture_cost_model`` does, and half the gradient over the ``strays`` (batch, m, 3)."""
    comforts, scale = problem.comforts, problem.compliance[..., None]
    shape = len(state.heads), scale.shape[1], 3
    weights, gradient = np.zeros((*shape, 3)), np.zeros(shape)
    rates = rotation_vector_rates(strays) @ state.rotations.take(comforts.bones, axis=1).swapaxes(-1, -2)
    pulls, blocks, rows = comforts.model(strays)
    weights[:, comforts.bones] = rates.swapaxes(-1, -2) @ blocks @ rates
    gradient[:, comforts.bones] = vecmat(pulls, rates)
    tied = np.zeros((len(rows), rows.shape[1], *shape[1:]))
    if comforts.ties is not None:
        bones = comforts.ties.bones
        tied[:, :, comforts.bones.take(bones)] = vecmat(rows, rates.take(bones, axis=1)[:, None])
    past, bones = comforts.one_ways.past(local), comforts.one_ways.bones
    if past.any():
        slopes, own = comforts.one_ways.slopes(past, local.take(bones, axis=1))
        rotations = state.rotations.take(bones, axis=1)
        weights[:, bones] += rotations @ own @ rotations.swapaxes(-1, -2)
        gradient[:, bones] += matvec(rotations, slopes)
    if faces is not None and problem.cushions.any():
        depth, stiffness = _rims(problem, faces)
        count = len(problem.tree.bones)
        weights[:, :count] += np.einsum("bnc,bnci,bncj->bnij", stiffness, faces.normals, faces.normals)
        gradient[:, :count] += np.einsum("bnc,bnci->bni", stiffness * depth, faces.normals)
    whole = scale[..., None] ** 2 * weights + INDIFFERENT * _IDENTITY
    return whole, scale * gradient, scale[:, None] * tied, pulls


def without_ties(problem: Problem, tied: Array, share: Array, hessian: Array) -> None:
    """Take U's square off a Hessian (batch, m + k, 3, m + k, 3) over turns, ``share`` (batch,) times."""
    if not tied.shape[1]:
        return
    count = len(problem.turning)
    rows = tied.take(problem.turning, axis=2) / problem.units[:, None, :count]
    squares = gram(rows.reshape(*rows.shape[:2], -1).swapaxes(-1, -2))
    squares = squares.reshape(len(squares), count, 3, count, 3)
    hessian[:, :count, :, :count] -= share[:, None, None, None, None] * squares


def _bends(
    problem: Problem, state: State, local: Array, faces: LimitFaces, strays: Array, pulls: Array
) -> Array:
    """Return what ``posture_cost_curved`` does last; ``strays`` and ``pulls`` as of ``_model``."""
    comforts, bends = problem.comforts, np.zeros(local.shape)
    rotations = state.rotations.take(comforts.bones, axis=1)
    bends[:, comforts.bones] = rotations @ comforts.bends(strays, pulls) @ rotations.swapaxes(-1, -2)
    past, limbs = comforts.one_ways.past(local), comforts.one_ways.bones
    if past.any():
        rotations = state.rotations.take(limbs, axis=1)
        lacking = comforts.one_ways.bends(past, local.take(limbs, axis=1))
        bends[:, limbs] += rotations @ lacking @ rotations.swapaxes(-1, -2)
    if problem.cushions.any():
        depth, stiffness = _rims(problem, faces)
        bends += pressed_curvature(problem, state, stiffness * depth)
    return bends


def joint_turns(problem: Problem, step: Array) -> Array:
    """Return the turns (batch, n, 3), radians, of a step (batch, n + k, 3) in units of compliance."""
    bones = len(problem.tree.bones)
    return step[:, :bones] * problem.compliance[:, :bones, None]


def _rims(problem: Problem, faces: LimitFaces) -> tuple[Array, Array]:
    """Return how deep in the soft rims joints are (batch, n, c), radians, and the weight of its square."""
    width = problem.cushions[:, None]
    depth = np.clip(width - faces.room, 0.0, width)
    return depth, (depth > 0) * (_RIM / np.where(width > 0, width, 1.0)) ** 2
