# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's step within limits: over the turns of the joints, which is what limits speak of.

A joint's turn is carried along by those above it. To second order the turn of a bone in armature space is
the sum of the joint turns ``w`` above it and ``w_i x w_j / 2`` for each pair of them, i above j (Baker,
Campbell, Hausdorff). So the Hessian follows from the one over absolute rotations (newton.py): for
joints i above j it is ``B_j - [G_j]x / 2``, blocks B and gradient G summed over the bones below j, on the
diagonal ``B_j``, and elsewhere nothing but ``J^T J``. It is dense; negative curvature is reversed.

Limits that are touched are the active set of problem/active_set.py; those that the step would cross push it
back (problem/quadratic_program.py).
"""

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    alike,
    cross_matrix,
    gram,
    inverse_root,
    inverse_root_of_sizes,
    matvec,
    vecmat,
)
from ..problem import (
    LimitFaces,
    Problem,
    Residual,
    State,
    limit_faces,
    local_rotations,
    pressed_curvature,
    step_within_faces,
)
from .levenberg_marquardt import stepped
from .newton import derivatives, loaded_derivatives

# Curvature below this share of the largest is none.
_LEVEL = 1e-5
_IDENTITY = np.eye(3)


def joint_derivatives(problem: Problem, state: State, residual: Residual) -> tuple[Array, Array]:
    """Return gradient (batch, d, 3) and Hessian (batch, d, 3, d, 3) of half the objective.

    Over the world-frame rotation vectors of the joints that are not locked, then the translations of the
    roots in characteristic lengths; joint turns are carried along by the joints above.
    """
    gradient, blocks, rows = derivatives(problem, state, residual)
    batch, count = blocks.shape[:2]
    below = _below(problem)
    rows = rows.reshape(batch, rows.shape[1], -1, 3)
    rows[:, :, :count] = below @ rows[:, :, :count]
    flat = rows.reshape(batch, rows.shape[1], -1)
    hessian = (np.swapaxes(flat, -1, -2) @ flat.copy()).reshape(batch, *rows.shape[2:], *rows.shape[2:])
    gradient[:, :count] = below @ gradient[:, :count]
    hessian[:, :count, :, :count] += _carried(below, gradient[:, :count], blocks)
    return gradient, hessian


def joint_curvature(problem: Problem, state: State, forces: Array, moments: Array) -> Array:
    """Return the second derivatives (batch, m, 3, m, 3) of what constant forces and moments pull on.

    Over the rotation vectors of the m joints that are not locked. ``forces`` and ``moments`` (batch, F, 3),
    in armature space, on the points of carried frames and on the frames.
    """
    gradient, blocks, _ = loaded_derivatives(problem, state, forces, 0.5 * cross_matrix(moments))
    below = _below(problem)
    return _carried(below, below @ gradient, blocks)


def _below(problem: Problem) -> Array:
    """Return which of the joints that are not locked carry which, (m, m)."""
    free = np.flatnonzero(problem.mobility > 0)
    return problem.tree.carries[np.ix_(free, free)].astype(float)


def _carried(below: Array, gradient: Array, blocks: Array) -> Array:
    """Return second derivatives (batch, m, 3, m, 3) over joints.

    Of the ``gradient`` (batch, m, 3) over joints and the ``blocks`` (batch, m, 3, 3) over absolute rotations.
    """
    count = blocks.shape[1]
    blocks = np.einsum("ij,bjkl->bikl", below, blocks)
    bends = np.swapaxes(blocks - 0.5 * cross_matrix(gradient), 1, 2)
    paired = (below - np.eye(count))[:, None, :, None] * bends[:, None]
    hessian = paired + np.transpose(paired, (0, 3, 4, 1, 2))
    each = np.arange(count)
    hessian[:, each, :, each] += np.swapaxes(blocks, 0, 1)
    return hessian


def joint_newton_step(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the pull of the targets."""
    gradient, hessian = joint_derivatives(problem, state, residual)
    floor = damping * problem.length * np.sqrt(residual.energy)
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    held = faces.touched(downhill(problem, gradient))
    step = newton_within(problem, state, faces, held, gradient, hessian, floor, _LEVEL)
    return stepped(problem, state, step, local)


def movable(problem: Problem) -> tuple[Indices, Indices, Array]:
    """Return which joints may turn (m,), these and the roots as rows of a step (m + k,), and their units.

    ``units`` (b, m + k, 1): what a unit of compliance is in radians and characteristic lengths.
    """
    turning, roots = np.flatnonzero(problem.mobility > 0), np.arange(len(problem.tree.roots))
    units = np.ones((len(problem.compliance), len(turning) + len(roots), 1))
    units[:, : len(turning), 0] = problem.compliance.take(turning, axis=1)
    return turning, np.append(turning, len(problem.tree.bones) + roots), units


def downhill(problem: Problem, gradient: Array) -> Array:
    """Return the turns of all bones (batch, n, 3) against a gradient over what may move (batch, m + k, 3)."""
    turning = np.flatnonzero(problem.mobility > 0)
    turns = np.zeros((len(gradient), len(problem.tree.bones), 3))
    turns[:, turning] = -gradient[:, : len(turning)]
    return turns


def newton_within(
    problem: Problem,
    state: State,
    faces: LimitFaces,
    held: Mask,
    gradient: Array,
    hessian: Array,
    floor: Array,
    level: float | Array,
    kept: tuple[Array, Array] | None = None,
) -> Array:
    """Return Newton's step (batch, n + k, 3), in units of compliance, within the faces of limits.

    ``held`` (batch, n, c): the faces to hold. ``gradient`` and ``hessian`` as of joint_derivatives; they are
    overwritten. To all curvature is added the larger of ``floor`` (batch,) and the share ``level``, one or
    (batch,), of the largest. ``kept``: a Jacobian (batch, r, n + k, 3) per unit of compliance and a residual
    (batch, r), which the step is to take off whatever that costs.
    """
    turning, moving, scale = movable(problem)
    count, shape = len(turning), (len(hessian), len(problem.tree.bones) + len(problem.tree.roots), 3)
    forces = faces.forces(held, downhill(problem, gradient))
    bent = pressed_curvature(problem, state, forces).take(turning, axis=1)
    hessian[:, np.arange(count), :, np.arange(count)] += np.swapaxes(bent, 0, 1)
    gradient *= scale
    hessian *= scale[..., None, None] * scale[:, None, None]
    free = projector(faces.hold(held)[0].take(turning, axis=1), len(moving))
    begin = np.zeros(gradient.shape)
    if kept is not None:
        begin, free = kept_to(free, kept[0].take(moving, axis=2), kept[1])
    least, root = _least(free, begin, gradient, hessian, floor, level)
    step = np.zeros(shape)
    step[:, moving] = step_within_faces(
        faces.scaled(turning, scale[:, :count]), held.take(turning, axis=1), least, root
    )
    return step


def projector(free: Array, count: int) -> Array | None:
    """Return the projector (batch, d, d) on turns along ``free`` (batch, m, 3, 3) and on all that follows.

    Of ``count`` vectors in all. None where that is everything, which spares products with the identity.
    """
    if (free == _IDENTITY).all():
        return None
    ways = np.zeros((len(free), count, 3, count, 3))
    each, joints = np.arange(count), np.arange(free.shape[1])
    ways[:, each, :, each] = _IDENTITY
    ways[:, joints, :, joints] = np.swapaxes(free, 0, 1)
    return ways.reshape(len(free), 3 * count, -1)


def kept_to(free: Array | None, rows: Array, residual: Array) -> tuple[Array, Array]:
    """Return the shortest step (batch, m, 3) to take off the residual, and a projector on what it leaves.

    Along the projector ``free`` (batch, d, d). ``rows`` (batch, r, m, 3), residual (batch, r).
    """
    shape, flat = rows.shape[2:], rows.reshape(*residual.shape, -1)
    size = flat.shape[-1]
    step, left = np.empty((len(flat), size)), np.empty((len(flat), size, size))
    for each, felt in alike_felt(flat):
        own = flat[each[:, None], felt]
        begun = np.eye(size) if free is None else free[each]
        own = own if free is None else own @ begun
        root = inverse_root(gram(own))
        level = np.swapaxes(root, -1, -2) @ own
        across = np.ascontiguousarray(np.swapaxes(level, -1, -2))
        step[each] = -matvec(across, vecmat(residual[each[:, None], felt], root))
        left[each] = begun - across @ level
    return step.reshape(-1, *shape), left


def alike_felt(rows: Array) -> list[tuple[Indices, Indices]]:
    """Return the rows of a batch that have equally many of ``rows`` (batch, r, d) but zeros, and which.

    One at least.
    """
    felt: Mask = np.any(rows, axis=-1)
    felt[:, 0] |= ~felt.any(axis=-1)
    return alike(felt)


def _least(
    projector: Array | None, begin: Array, gradient: Array, hessian: Array, floor: Array, level: float | Array
) -> tuple[Array, Array]:
    """Return Newton's step (batch, m, 3) from ``begin`` along the ``projector`` (batch, d, d), and a root.

    The root X (batch, m, 3, d): ``X X^T`` is the inverse of the Hessian, made positive, along what is free.
    """
    shape = begin.shape
    begin, gradient = begin.reshape(len(begin), -1), gradient.reshape(len(begin), -1)
    hessian = hessian.reshape(len(begin), *gradient.shape[1:], -1)
    curved = hessian if projector is None else projector @ hessian @ projector
    sizes = np.abs(curved).sum(axis=-1).max(axis=-1)
    if projector is not None:  # what is held must not look level
        curved = curved + sizes[:, None, None] * (np.eye(curved.shape[-1]) - projector)
    # Level ways have no slope but rounding, which a floor much lower would make steps of.
    root = inverse_root_of_sizes(curved, np.maximum(floor, level * sizes), sizes)
    root = root if projector is None else projector @ root
    step = begin - matvec(root, vecmat(gradient + matvec(hessian, begin), root))
    return step.reshape(shape), root.reshape(*shape, -1)
