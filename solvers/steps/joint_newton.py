# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's step within limits: over the turns of the joints, which is what limits speak of.

A joint's turn is carried along by those above it. To second order the turn of a bone in armature space is
the sum of the joint turns ``w`` above it and ``w_i x w_j / 2`` for each pair of them, i above j (Baker,
Campbell, Hausdorff). So the Hessian follows from the one over absolute rotations (newton.py): for
joints i above j it is ``B_j - [G_j]x / 2``, blocks B and gradient G summed over the bones below j, on the
diagonal ``B_j``, and elsewhere nothing but ``J^T J``. It is dense; negative curvature is reversed.

Limits are the active set of limits/faces.py.
"""

import numpy as np

from ..limits.faces import limit_faces, pressed_curvature, step_within
from ..problem import Problem
from ..rotation import Array, cross_matrix
from ..state import Miss, State
from .levenberg_marquardt import stepped
from .newton import derivatives

# Curvature below this share of the largest is none.
_LEVEL = 1e-5


def joint_derivatives(problem: Problem, state: State, miss: Miss) -> tuple[Array, Array]:
    """Return gradient (batch, d, 3) and Hessian (batch, d, 3, d, 3) of half the objective.

    Over the world-frame rotation vectors of the joints that are not locked, then the translations of the
    roots in characteristic lengths; joint turns are carried along by the joints above.
    """
    gradient, blocks, rows = derivatives(problem, state, miss)
    batch, count = blocks.shape[:2]
    free = np.flatnonzero(problem.mobility > 0)
    below = problem.tree.carries[np.ix_(free, free)].astype(float)
    blocks = np.einsum("ij,bjkl->bikl", below, blocks)
    gradient[:, :count] = below @ gradient[:, :count]
    rows = rows.reshape(batch, rows.shape[1], -1, 3)
    rows[:, :, :count] = below @ rows[:, :, :count]
    flat = rows.reshape(batch, rows.shape[1], -1)
    hessian = (np.swapaxes(flat, -1, -2) @ flat.copy()).reshape(batch, *rows.shape[2:], *rows.shape[2:])
    paired = (below - np.eye(count))[:, None, :, None] * np.swapaxes(
        blocks - 0.5 * cross_matrix(gradient[:, :count]), 1, 2
    )[:, None]
    hessian[:, :count, :, :count] += paired + np.transpose(paired, (0, 3, 4, 1, 2))
    each = np.arange(count)
    hessian[:, each, :, each] += np.swapaxes(blocks, 0, 1)
    return gradient, hessian


def joint_newton_step(problem: Problem, state: State, miss: Miss, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the pull of the targets."""
    gradient, hessian = joint_derivatives(problem, state, miss)
    batch, bones, roots = len(hessian), len(problem.tree.bones), len(problem.tree.roots)
    turning = np.flatnonzero(problem.mobility > 0)
    count, moving = len(turning), np.append(turning, bones + np.arange(roots))
    faces, downhill = limit_faces(problem, state), np.zeros((batch, bones, 3))
    downhill[:, turning] = -gradient[:, :count]
    held = faces.touched(downhill)
    bent = pressed_curvature(problem, state, faces.forces(held, downhill))[:, turning]
    hessian[:, np.arange(count), :, np.arange(count)] += np.swapaxes(bent, 0, 1)
    scale = np.ones((batch, count + roots, 1))
    scale[:, :count, 0] = problem.compliance[:, turning]
    hessian *= scale[..., None, None] * scale[:, None, None]
    floor = damping * problem.length * np.sqrt(miss.energy)

    def least(free: Array, fixed: Array, *given: Array) -> Array:
        step = np.zeros((len(free), bones + roots, 3))
        step[:, moving] = _least(free[:, turning], fixed[:, turning], *given)
        return step

    step = step_within(faces, held, problem.compliance, least, gradient * scale, hessian, floor)
    return stepped(problem, state, step)


def _least(free: Array, fixed: Array, gradient: Array, hessian: Array, floor: Array) -> Array:
    """Return the step (batch, d, 3) along ``free`` (batch, m, 3, 3) after the turns ``fixed``."""
    batch, bones, size = len(free), free.shape[1], gradient.shape[1] * 3
    projector = np.zeros((batch, *gradient.shape[1:], *gradient.shape[1:]))
    each = np.arange(gradient.shape[1])
    projector[:, each, :, each] = np.eye(3)
    projector[:, each[:bones], :, each[:bones]] = np.swapaxes(free, 0, 1)
    projector, hessian = projector.reshape(batch, size, size), hessian.reshape(batch, size, size)
    start = np.zeros((batch, size, 1))
    start[:, : 3 * bones, 0] = fixed.reshape(batch, -1)
    slope = projector @ (gradient.reshape(batch, size, 1) + hessian @ start)
    values, vectors = np.linalg.eigh(projector @ hessian @ projector)
    values = np.abs(values)
    # Level ways have no slope but rounding, which a floor much lower would make steps of.
    values += np.maximum(floor, _LEVEL * values.max(axis=-1))[:, None]
    step = start - projector @ (vectors @ ((np.swapaxes(vectors, -1, -2) @ slope) / values[..., None]))
    return step.reshape(batch, -1, 3)
