# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's step within limits: over the turns of the joints, which is what limits speak of.

A joint's turn is carried along by those above it. To second order the turn of a bone in armature space is
the sum of the joint turns ``w`` above it and ``w_i x w_j / 2`` for each pair of them, i above j (Baker,
Campbell, Hausdorff). So the Hessian follows from the one over absolute rotations (newton.py): for
joints i above j it is ``B_j - [G_j]x / 2``, blocks B and gradient G summed over the bones below j, on the
diagonal ``B_j``, and elsewhere nothing but ``J^T J``. It is dense; negative curvature is reversed.

Limits that are touched are the active set of limits/faces.py; those that the step would cross push it back
(limits/pushes.py).
"""

import numpy as np

from ..limits.faces import LimitFaces, limit_faces, pressed_curvature
from ..limits.pushes import pushed_back
from ..problem import Problem
from ..rotation import Array, cross_matrix
from ..state import Miss, State, local_rotations
from .levenberg_marquardt import stepped
from .newton import derivatives

# Curvature below this share of the largest is none.
_LEVEL = 1e-5
_IDENTITY = np.eye(3)


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
    floor = damping * problem.length * np.sqrt(miss.energy)
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    step = newton_within(problem, state, faces, gradient, hessian, floor, _LEVEL)
    return stepped(problem, state, step, local)


def newton_within(
    problem: Problem,
    state: State,
    faces: LimitFaces,
    gradient: Array,
    hessian: Array,
    floor: Array,
    level: float,
) -> Array:
    """Return Newton's step (batch, n + k, 3), in units of compliance, within the faces of limits.

    ``gradient`` and ``hessian`` as of joint_derivatives; they are overwritten. To all curvature is added the
    larger of ``floor`` (batch,) and the share ``level`` of the largest.
    """
    batch, bones, roots = len(hessian), len(problem.tree.bones), len(problem.tree.roots)
    turning = np.flatnonzero(problem.mobility > 0)
    count, moving = len(turning), np.append(turning, bones + np.arange(roots))
    downhill = np.zeros((batch, bones, 3))
    downhill[:, turning] = -gradient[:, :count]
    held = faces.touched(downhill)
    bent = pressed_curvature(problem, state, faces.forces(held, downhill))[:, turning]
    hessian[:, np.arange(count), :, np.arange(count)] += np.swapaxes(bent, 0, 1)
    scale = np.ones((batch, count + roots, 1))
    scale[:, :count, 0] = problem.compliance[:, turning]
    gradient *= scale
    hessian *= scale[..., None, None] * scale[:, None, None]
    free = faces.hold(held)[0][:, turning]
    least, root = _least(free, gradient, hessian, floor, level)
    step = np.zeros((batch, bones + roots, 3))
    step[:, moving] = pushed_back(faces.scaled(turning, scale[:, :count]), held[:, turning], least, root)
    return step


def _least(free: Array, gradient: Array, hessian: Array, floor: Array, level: float) -> tuple[Array, Array]:
    """Return Newton's step (batch, d, 3) along ``free`` (batch, m, 3, 3), and a root of the inverse.

    The root X (batch, d, 3, r): ``X X^T`` is the inverse of the Hessian, made positive, along what is free.
    """
    batch, bones, size = len(free), free.shape[1], gradient.shape[1] * 3
    projector = np.zeros((batch, *gradient.shape[1:], *gradient.shape[1:]))
    each = np.arange(gradient.shape[1])
    projector[:, each, :, each] = _IDENTITY
    projector[:, each[:bones], :, each[:bones]] = np.swapaxes(free, 0, 1)
    projector, hessian = projector.reshape(batch, size, size), hessian.reshape(batch, size, size)
    values, vectors = np.linalg.eigh(projector @ hessian @ projector)
    values = np.abs(values)
    # Level ways have no slope but rounding, which a floor much lower would make steps of.
    values += np.maximum(floor, level * values.max(axis=-1))[:, None]
    root = projector @ (vectors / np.sqrt(values)[:, None])
    step = -(root @ (np.swapaxes(root, -1, -2) @ gradient.reshape(batch, size, 1)))
    return step.reshape(batch, -1, 3), root.reshape(batch, -1, 3, size)
