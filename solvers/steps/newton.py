# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step where a residual stays: Newton over the bones' absolute rotations.

Least squares crawls towards a target out of reach because it leaves out the curvature that the residual
multiplies. Written in absolute rotations (each bone about its own head, in armature space) an effector
point is a plain sum of the bones on its path, so that curvature has no terms between bones: the Hessian
is a 3x3 block ``H_b`` per bone plus three rows of J per effector, and
``(H + J^T J)^-1`` costs O(bones) by the Woodbury identity. Blocks with negative curvature have it
reversed (saddle-free Newton, Dauphin et al. 2014, arXiv:1406.2572), so that every step descends.
"""

import numpy as np

from ..geometry import Array, matvec, rotation_vector_to_matrix, solve_definite, vecmat
from ..problem import Problem, Residual, State, forward_kinematics, turn_products
from .normal_matrix import normal_matrix

_IDENTITY = np.eye(3)


def derivatives(problem: Problem, state: State, residual: Residual) -> tuple[Array, Array, Array]:
    """Return gradient and blocks of half the objective, and the position rows.

    Gradient (batch, m + k, 3) and Hessian blocks (batch, m, 3, 3) over the rotation vectors of the ``m``
    rigid groups of bones (a locked bone goes with its parent); rows (batch, 3 E, 3 (m + k)) also over
    the translations of the ``k`` roots, in characteristic lengths.
    """
    forces = problem.position_roots * residual.position
    return loaded_derivatives(problem, state, forces, turn_products(problem, state))


def loaded_derivatives(
    problem: Problem, state: State, forces: Array, products: Array
) -> tuple[Array, Array, Array]:
    """Return the derivatives of what ``forces`` (batch, E, 3), one for each row of positions, pull on.

    ``products`` (batch, E, 3, 3): what turns the effectors, as of turn_products; half the cross matrix of a
    moment is what a constant one comes to. Gradient, blocks and rows are those of ``derivatives``.
    """
    tree = problem.tree
    batch, effectors = len(state.heads), len(tree.effectors)
    places = np.concatenate([state.points, state.heads], axis=1)
    segments = (places.take(tree.next_joint, axis=1) - state.heads[:, None]) * tree.moves[:, :, None]
    segments = problem.sums(segments)
    pull = problem.position_roots[:, :, None] * np.swapaxes(problem.axes, -1, -2)
    pull = matvec(pull, forces)
    turning = np.einsum("me,beij->bmij", problem.sums(tree.sits_on), products)
    products = np.einsum("bemi,bej->bmij", segments, pull) - turning
    symmetric = 0.5 * (products + np.swapaxes(products, -1, -2))
    blocks = symmetric - np.einsum("bmii->bm", products)[..., None, None] * _IDENTITY
    rows = segments[:, :, None] @ problem.lever_maps
    columns = problem.translation_columns
    columns = np.broadcast_to(columns, (batch, *columns.shape[1:]))
    rows = np.concatenate([rows, columns], axis=3).reshape(batch, 3 * effectors, -1)
    gradient = vecmat(forces.reshape(batch, -1), rows).reshape(batch, -1, 3)
    count = products.shape[1]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        gradient[:, :count, i] = products[..., j, k] - products[..., k, j]
    return gradient, blocks, rows


def newton_step(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the pull of the targets."""
    tree = problem.tree
    gradient, blocks, rows = derivatives(problem, state, residual)
    batch, count = blocks.shape[:2]
    floor = damping * problem.length * np.sqrt(residual.energy)
    values, vectors = np.linalg.eigh(blocks)
    values = np.abs(values) + floor[:, None, None]
    inverse = (vectors / values[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    loose = np.broadcast_to(_IDENTITY, (batch, len(tree.roots), 3, 3)) / floor[:, None, None, None]
    inverse = np.concatenate([inverse, loose], axis=1)
    descent = matvec(inverse, gradient).reshape(batch, -1)
    spread = rows.reshape(batch, rows.shape[1], -1, 3).swapaxes(1, 2) @ inverse
    spread = spread.swapaxes(1, 2).reshape(rows.shape)
    bones = np.cumsum(problem.mobility > 0)[tree.effectors]
    small = normal_matrix(spread, np.swapaxes(rows, -1, -2), bones, len(tree.roots)) + np.eye(rows.shape[1])
    step = vecmat(solve_definite(small, matvec(rows, descent)), spread) - descent
    step = step.reshape(batch, -1, 3)
    turns = rotation_vector_to_matrix(problem.bundle.T @ step[:, :count])
    translations = state.translations.copy()
    shift = problem.length[:, None, None] * step[:, count:]
    translations[:, tree.roots] += matvec(problem.freedom[tree.roots], shift)
    return forward_kinematics(problem, turns @ state.rotations, translations)
