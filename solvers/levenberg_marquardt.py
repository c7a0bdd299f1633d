# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step towards reachable targets: damped least squares over the turns of the joints.

Of all joint turns that close the (linearised) gap the step is the smallest in the metric ``D``, which
lets long and supple bones do more: with columns of J already scaled by the root of D,
``(J J^T + lambda I) y = residual``, step = ``-J^T y``. There are six rows per effector however many
bones. Damping in proportion to the objective keeps convergence quadratic and singular poses calm.

References: Marquardt 1963 (10.1137/0111030); Sugihara 2011 (10.1109/TRO.2011.2148230).
"""

import numpy as np

from .definite import solve_definite
from .problem import Problem
from .rotation import Array, cross_matrix, rotation_vector_to_matrix
from .state import Miss, State, along_chains, local_rotations, place, snapped

_IDENTITY = np.eye(3)


def jacobian(problem: Problem, state: State, miss: Miss) -> Array:
    """Return the scaled Jacobian (batch, 6 E, 3 (n + k)) of the residual.

    Columns: world-frame rotation vectors of the n bones, then translations of the k roots, each in
    units of ``problem.compliance``. Locked axes have no columns to speak of.
    """
    tree = problem.tree
    batch, bones, count = len(state.heads), len(tree.bones), len(tree.effectors)
    places = np.concatenate([state.points, state.heads], axis=1)
    arms = places[:, tree.carried] - state.heads[:, None]
    columns = np.zeros((batch, count, 6, bones + len(tree.roots), 3))
    moved = (arms @ problem.lever_maps).reshape(batch, count, bones, 3, 3).swapaxes(2, 3)
    columns[:, :, :3, :bones] = moved * problem.moves[:, :, None, :, None]
    columns[:, :, 3:, :bones] = _turn_rows(problem, miss)[:, :, :, None] * problem.turns[:, :, None, :, None]
    columns[:, :, :3, bones:] = problem.translation_columns
    _project(problem, state, columns)
    return columns.reshape(batch, 6 * count, -1)


def _turn_rows(problem: Problem, miss: Miss) -> Array:
    """Return d(2 L sqrt(r) q) / d(world rotation vector), (batch, E, 3, 3)."""
    w, v = miss.turns[..., :1, None], miss.turns[..., 1:]
    to_target = np.swapaxes(problem.goal_rotations, -1, -2)
    return problem.rotation_roots[..., None] * ((w * _IDENTITY - cross_matrix(v)) @ to_target)


def _project(problem: Problem, state: State, columns: Array) -> None:
    """Take out of the columns, in place, what locks do not allow."""
    local = local_rotations(problem, state.rotations) if problem.locks else None
    for bone, lock in problem.locks:
        rotation = state.rotations[:, bone]
        free = rotation @ lock.free_directions(local[:, bone]) @ np.swapaxes(rotation, -1, -2)
        columns[:, :, :, bone] = columns[:, :, :, bone] @ free[:, None]


def levenberg_marquardt_step(problem: Problem, state: State, miss: Miss, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the objective."""
    tree, bones = problem.tree, len(problem.tree.bones)
    columns = jacobian(problem, state, miss)
    rows = np.swapaxes(columns, -1, -2)
    normal = columns @ rows
    diagonal = np.einsum("bii->bi", normal)
    diagonal += (damping * miss.energy)[:, None]
    step = -(rows @ solve_definite(normal, miss.residual)[..., None])
    step = step.reshape(len(step), -1, 3) * problem.compliance[..., None]
    turns = along_chains(tree.turn_rounds, rotation_vector_to_matrix(step[:, :bones]))
    translations = state.translations.copy()
    translations[:, tree.roots] += (problem.freedom[tree.roots] @ step[:, bones:, :, None])[..., 0]
    return place(problem, snapped(problem, turns @ state.rotations), translations)
