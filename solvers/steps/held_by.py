# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which held target it is that another one gives way to.

Where the objective is at its least, what its targets still pull is balanced by limits and by what holds the
effectors of higher ranks (the multipliers of keeping.py). Let one of these go a little, and the objective
falls at the rate of its multiplier squared; of that each target has its share.
"""

import numpy as np

from ..geometry import Indices, Mask, gram, inverse_root
from ..problem import Problem, Residual, State, jacobian, limit_faces, local_rotations, measure, residuals
from .joint_newton import movable
from .keeping import balanced

# What a target gains by must be this share of what it is missed by, squared; less is nobody's doing.
_LEAST = 1e-3


def held_by(problem: Problem, state: State) -> Indices:
    """Return for each effector (batch, E) which held one keeps it most from its target, or -1.

    Of the targets that weigh in ``problem``, at its least; ``problem.held``: those that are held.
    """
    turning, moving, unit = movable(problem)
    faces = limit_faces(problem, state, local_rotations(problem, state.rotations))
    residual, held_residual = measure(problem, state), measure(problem.holding.asked, state)
    held, lowered = (
        jacobian(part, state, left).take(moving, axis=2)
        for part, left in ((problem.holding.asked, held_residual), (problem, residual))
    )
    gradient = np.einsum("br,brmi->bmi", residual.vector, lowered)
    free, _, multipliers, _ = balanced(held, gradient, faces.scaled(turning, unit[:, : len(turning)]))
    each = residual.position.shape[:2]
    rows = 6 * each[1]
    pulls = (residual.vector[..., None] * lowered.reshape(*residual.vector.shape, -1))[:, :rows]
    own = np.einsum("berd->bed", pulls.reshape(*each, 6, -1))
    across = held.reshape(*multipliers.shape, -1) @ free
    root = inverse_root(gram(across))
    shares = -(own @ np.swapaxes(across, -1, -2)) @ root @ np.swapaxes(root, -1, -2)
    gains = (shares * multipliers[:, None])[..., :rows]
    gains = np.einsum("befr->bef", gains.reshape(*each, -1, 6))
    squares = np.einsum("ber->be", residual.vector[:, :rows].reshape(*each, 6) ** 2)
    most = gains.argmax(axis=-1)
    enough = np.take_along_axis(gains, most[..., None], axis=-1)[..., 0] > _LEAST * squares
    return np.where(enough & _missed(problem, residual), most, -1)


def _missed(problem: Problem, residual: Residual) -> Mask:
    """Return which effectors (batch, E) that weigh anything are not at their targets."""
    lengths, angles = residuals(problem, residual)
    return (lengths > problem.tolerance[:, None]) | (angles > problem.angle_tolerance)
