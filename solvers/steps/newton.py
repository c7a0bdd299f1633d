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

from ..geometry import (
    Array,
    Indices,
    cross_matrix,
    einsum,
    matvec,
    product,
    rotation_vector_to_matrix,
    solve_definite,
    vecmat,
)
from ..problem import (
    Problem,
    Residual,
    State,
    forward_kinematics,
    frames_pulled,
    goal_pulls,
    goal_rows,
    loads_of,
)
from .normal_matrix import RowsOf, normal_matrix

_IDENTITY = np.eye(3)


def derivatives(problem: Problem, state: State, residual: Residual) -> tuple[Array, Array, Array]:
    """Return gradient and blocks of half the objective, and the rows whose squares are not in the blocks.

    Gradient (batch, m + k, 3) and Hessian blocks (batch, m, 3, 3) over the rotation vectors of the ``m``
    rigid groups of bones (a locked bone goes with its parent); rows (batch, r, 3 (m + k)) also over the
    translations of the ``k`` roots, in characteristic lengths: three for each effector's position, then those
    of goals of other kinds, of which only the kinematics' curvature is in the blocks.
    """
    frames, bones = problem.frames, problem.tree.effectors.bones
    batch, count = len(state.heads), frames.count
    pulls = frames.position_roots * residual.position
    others = residual.vector[:, 6 * count :]
    forces, products = frames.forces(pulls), frames.turn_products(state.rotations.take(bones, axis=1))
    pulling = goal_pulls(problem, state)
    used = frames_pulled(problem, pulling)
    if len(used) > count:
        given = loads_of(problem, pulling, others)
        loads, moments = (load.take(used[count:], axis=1) for load in given)
        forces = np.concatenate([forces, loads], axis=1)
        products = np.concatenate([products, 0.5 * cross_matrix(moments)], axis=1)
    gradient, blocks, segments = loaded_derivatives(problem, state, used, forces, products)
    columns = frames.translation_columns
    columns = np.broadcast_to(columns, (batch, *columns.shape[1:]))
    rows = np.concatenate([segments[:, :count, None] @ frames.lever_maps, columns], axis=3)
    rows = rows.reshape(batch, 3 * count, *rows.shape[3:])
    pulls = pulls.reshape(batch, -1)
    if problem.goals:
        turning = problem.sums(problem.tree.frames.sits_on.take(used, axis=1)).swapaxes(-1, -2)[None]
        rows = np.concatenate([rows, goal_rows(problem, pulling, used, segments, turning)], axis=1)
        pulls = np.concatenate([pulls, others], axis=1)
    rows = rows.reshape(batch, rows.shape[1], -1)
    moves = vecmat(pulls, rows).reshape(batch, -1, 3)[:, blocks.shape[1] :]
    return np.concatenate([gradient, moves], axis=1), blocks, rows


def loaded_derivatives(
    problem: Problem, state: State, used: Indices, forces: Array, products: Array
) -> tuple[Array, Array, Array]:
    """Return the derivatives of what ``forces`` (batch, f, 3) on the points of carried frames pull on.

    Of the frames ``used`` (f,): the others are pulled by nothing. ``products`` (batch, f, 3, 3): what turns
    the frames, as of FrameGoals.turn_products; half the cross matrix of a moment is what a constant one comes
    to. Gradient and blocks are those of ``derivatives``, over the rigid groups alone; segments
    (batch, f, m, 3) are what each puts between itself and the next.
    """
    frames = problem.tree.frames
    places = np.concatenate([state.points, state.heads], axis=1)
    segments = places.take(frames.next_joint[used], axis=1) - state.heads[:, None]
    segments *= frames.moves[used, :, None]
    segments = problem.sums(segments)
    turning = einsum("me,beij->bmij", problem.sums(frames.sits_on.take(used, axis=1)), products)
    products = einsum("bemi,bej->bmij", segments, forces) - turning
    symmetric = 0.5 * (products + products.swapaxes(-1, -2))
    blocks = symmetric - einsum("bmii->bm", products)[..., None, None] * _IDENTITY
    gradient = np.empty(products.shape[:-1])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        gradient[..., i] = products[..., j, k] - products[..., k, j]
    return gradient, blocks, segments


def newton_step(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the pull of the targets."""
    tree = problem.tree
    gradient, blocks, rows = derivatives(problem, state, residual)
    batch, count = blocks.shape[:2]
    floor = damping * problem.length * np.sqrt(residual.energy)
    values, vectors = np.linalg.eigh(blocks)
    values = np.abs(values) + floor[:, None, None]
    inverse = (vectors / values[..., None, :]) @ vectors.swapaxes(-1, -2)
    loose = np.broadcast_to(_IDENTITY, (batch, len(tree.roots), 3, 3)) / floor[:, None, None, None]
    inverse = np.concatenate([inverse, loose], axis=1)
    descent = matvec(inverse, gradient).reshape(batch, -1)
    spread = rows.reshape(batch, rows.shape[1], -1, 3).swapaxes(1, 2) @ inverse
    spread = spread.swapaxes(1, 2).reshape(rows.shape)
    moves = tree.effectors.moves[:, problem.mobility > 0]
    of = RowsOf(np.arange(len(moves)).repeat(3), moves, len(tree.roots))
    small = normal_matrix(spread, rows.swapaxes(-1, -2), of) + np.eye(rows.shape[1])
    step = vecmat(solve_definite(small, matvec(rows, descent)), spread) - descent
    step = step.reshape(batch, -1, 3)
    turns = rotation_vector_to_matrix(product(problem.bundle.T, step[:, :count]))
    translations = state.translations.copy()
    shift = problem.length[:, None, None] * step[:, count:]
    translations[:, tree.roots] += matvec(problem.freedom[tree.roots], shift)
    return forward_kinematics(problem, turns @ state.rotations, translations)
