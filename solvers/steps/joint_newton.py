# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's step within limits: over the turns of the joints, which is what limits speak of.

A joint's turn is carried along by those above it. To second order the turn of a bone in armature space is
the sum of the joint turns ``w`` above it and ``w_i x w_j / 2`` for each pair of them, i above j (Baker,
Campbell, Hausdorff). So the Hessian follows from the one over absolute rotations (newton.py): for
joints i above j it is ``B_j - [G_j]x / 2``, blocks B and gradient G summed over the bones below j, on the
diagonal ``B_j``, and elsewhere nothing but ``J^T J``. It is dense, and made definite by what is added.

Limits that are touched are the active set of problem/active_set.py; those that the step would cross push it
back (problem/quadratic_program.py).
"""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    alike,
    cross_matrix,
    einsum,
    gram,
    inverse_root,
    inverse_root_made_definite,
    matvec,
    product,
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


@dataclass(frozen=True, eq=False, slots=True)
class RowsTaken:
    """How a step takes rows of a residual off: the shortest way along what is free.

    ``parts``: rows of the batch, the rows of the residual that they feel, what these are weighed with, and
    the ways (g, d, r) that they are taken off along.
    """

    parts: list[tuple[Indices, Indices, Array, Array]]

    def off(self, residual: Array, shape: tuple[int, ...]) -> Array:
        """Return the step, of the ``shape`` (batch, m, 3), that takes the residual (batch, r) off."""
        step = np.empty((shape[0], shape[1] * shape[2]))
        for each, felt, root, across in self.parts:
            step[each] = -matvec(across, vecmat(residual[each[:, None], felt], root))
        return step.reshape(shape)


@dataclass(frozen=True, eq=False, slots=True)
class Lowered:
    """What a step is to lower, to second order, over what may move; arrays are overwritten by the step.

    ``gradient`` (batch, m + k, 3) and ``hessian`` (batch, m + k, 3, m + k, 3) as of joint_derivatives. To all
    curvature is added the larger of ``floor`` (batch,) and the share ``level`` of the largest. ``eager``
    (b, m + k): by how much more than in units of compliance each turns before what is added to make curvature
    positive slows it, 1 or more, and 1 of all that what is kept feels.
    """

    gradient: Array
    hessian: Array
    floor: Array
    level: float
    eager: Array | None = None


# How rows are taken off, and the projector (batch, d, d) on what that leaves.
Taken = tuple[RowsTaken, Array]


@dataclass(frozen=True, eq=False, slots=True)
class NewtonStep:
    """A ``step`` (batch, n + k, 3), in units of compliance, and what it was made of.

    ``moving`` (m + k,): what may move, as rows of the step; ``faces`` (batch, m, c): the limits where it
    began, those ``held`` at all; ``root`` (batch, m + k, 3, d) of the inverse Hessian along what is free;
    ``taken``: how what is kept was taken off, if anything was.
    """

    step: Array
    moving: Indices
    faces: LimitFaces
    held: Mask
    root: Array
    taken: RowsTaken | None

    def shortened(self, share: Array) -> "NewtonStep":
        """Return the step made ``share`` (batch,) as long."""
        return replace(self, step=share[:, None, None] * self.step)

    def further(self, residual: Array, made: Array, beside: Array | float = 0.0) -> Array:
        """Return the step that takes off what the steps ``made`` so far leave of what is kept, (batch, r).

        With the derivatives, and within the faces, of where these began: a chord step (Ortega and Rheinboldt,
        Iterative Solution of Nonlinear Equations, 7.1, 10.1137/1.9780898719468). ``made`` as ``step``;
        ``beside``: a step (batch, m + k, 3) along what is free, taken with it.
        """
        if self.taken is None:
            raise ValueError("The step keeps nothing")
        before, further = made.take(self.moving, axis=1), np.zeros(made.shape)
        whole = before + self.taken.off(residual, before.shape) + beside
        further[:, self.moving] = step_within_faces(self.faces, self.held, whole, self.root) - before
        return further

    def freely(self, pulls: Array) -> Array:
        """Return the step (batch, m + k, 3) against ``pulls``, alike, with the curvature of where it began.

        Along what is free, limits or not.
        """
        own = pulls.reshape(len(pulls), -1)
        root = self.root.reshape(*own.shape, -1)
        step: Array = -matvec(root, vecmat(own, root))
        return step.reshape(pulls.shape)

    def pulled(self, pulls: Array) -> Array:
        """Return the step as it is once ``pulls`` (batch, m + k, 3) add to the gradient.

        With the curvature, and within the faces, of where it began.
        """
        step = np.zeros(self.step.shape)
        whole = self.step.take(self.moving, axis=1) + self.freely(pulls)
        step[:, self.moving] = step_within_faces(self.faces, self.held, whole, self.root)
        return step


def joint_derivatives(problem: Problem, state: State, residual: Residual) -> tuple[Array, Array]:
    """Return gradient (batch, d, 3) and Hessian (batch, d, 3, d, 3) of half the objective.

    Over the world-frame rotation vectors of the joints that are not locked, then the translations of the
    roots in characteristic lengths; joint turns are carried along by the joints above.
    """
    gradient, blocks, rows = derivatives(problem, state, residual)
    batch, count = blocks.shape[:2]
    below = problem.below
    rows = rows.reshape(batch, rows.shape[1], -1, 3)
    rows[:, :, :count] = below @ rows[:, :, :count]
    flat = rows.reshape(batch, rows.shape[1], -1)
    square = product(flat.swapaxes(-1, -2), flat.copy())
    hessian = square.reshape(batch, *rows.shape[2:], *rows.shape[2:])
    gradient[:, :count] = below @ gradient[:, :count]
    hessian[:, :count, :, :count] += _carried(below, gradient[:, :count], blocks)
    return gradient, hessian


def joint_curvature(problem: Problem, state: State, forces: Array, moments: Array) -> Array:
    """Return the second derivatives (batch, m, 3, m, 3) of what constant forces and moments pull on.

    Over the rotation vectors of the m joints that are not locked. ``forces`` and ``moments`` (batch, F, 3),
    in armature space, on the points of carried frames and on the frames.
    """
    used = np.flatnonzero(forces.any(axis=(0, 2)) | moments.any(axis=(0, 2)))
    given = forces.take(used, axis=1), 0.5 * cross_matrix(moments.take(used, axis=1))
    gradient, blocks, _ = loaded_derivatives(problem, state, used, *given)
    return _carried(problem.below, problem.below @ gradient, blocks)


def _carried(below: Array, gradient: Array, blocks: Array) -> Array:
    """Return second derivatives (batch, m, 3, m, 3) over joints.

    Of the ``gradient`` (batch, m, 3) over joints and the ``blocks`` (batch, m, 3, 3) over absolute rotations.
    """
    count = blocks.shape[1]
    blocks = einsum("ij,bjkl->bikl", below, blocks)
    bends = (blocks - 0.5 * cross_matrix(gradient)).swapaxes(1, 2)
    paired = (below - np.eye(count))[:, None, :, None] * bends[:, None]
    hessian = paired + np.transpose(paired, (0, 3, 4, 1, 2))
    each = np.arange(count)
    hessian[:, each, :, each] += blocks.swapaxes(0, 1)
    return hessian


def joint_newton_step(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the pull of the targets."""
    gradient, hessian = joint_derivatives(problem, state, residual)
    floor = damping * problem.length * np.sqrt(residual.energy)
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    held = faces.touched(downhill(problem, gradient))
    newton = newton_within(problem, state, faces, held, Lowered(gradient, hessian, floor, _LEVEL))
    return stepped(problem, state, newton.step, local)


def downhill(problem: Problem, gradient: Array) -> Array:
    """Return the turns of all bones (batch, n, 3) against a gradient over what may move (batch, m + k, 3)."""
    turns = np.zeros((len(gradient), len(problem.tree.bones), 3))
    turns[:, problem.turning] = -gradient[:, : len(problem.turning)]
    return turns


def newton_within(
    problem: Problem,
    state: State,
    faces: LimitFaces,
    held: Mask,
    lowered: Lowered,
    kept: tuple[Array, Array] | None = None,
    released: bool = False,
    loose: Taken | None = None,
) -> NewtonStep:
    """Return Newton's step (batch, n + k, 3), in units of compliance, within the faces of limits.

    ``held`` (batch, n, c): the faces to hold. ``kept``: a Jacobian (batch, r, n + k, 3) per unit of
    compliance and a residual (batch, r), which the step is to take off whatever that costs. ``released``:
    whether the faces are let go that the step itself leads back from; they bend it all the same. ``loose``:
    how the rows are taken off with none held, as of ``kept_to``, if that is known.
    """
    gradient, hessian = lowered.gradient, lowered.hessian
    turning, moving, scale = problem.turning, problem.moving, problem.units
    count, shape = len(turning), (len(hessian), len(problem.tree.bones) + len(problem.tree.roots), 3)
    forces = faces.forces(held, downhill(problem, gradient))
    bent = pressed_curvature(problem, state, forces).take(turning, axis=1)
    hessian[:, np.arange(count), :, np.arange(count)] += bent.swapaxes(0, 1)
    gradient *= scale
    hessian *= scale[..., None, None] * scale[:, None, None]
    if released:
        held = np.zeros_like(held)
    free = projector(faces.hold(held)[0].take(turning, axis=1), len(moving))
    begin, taken = np.zeros(gradient.shape), None
    if kept is not None:
        taken, free = loose if released and loose else kept_to(free, kept[0].take(moving, axis=2))
        begin = taken.off(kept[1], gradient.shape)
    least, root = _least(free, begin, lowered)
    step = np.zeros(shape)
    faces, held = faces.scaled(turning, scale[:, :count]), held.take(turning, axis=1)
    step[:, moving] = step_within_faces(faces, held, least, root)
    return NewtonStep(step, moving, faces, held, root, taken)


def projector(free: Array, count: int) -> Array | None:
    """Return the projector (batch, d, d) on turns along ``free`` (batch, m, 3, 3) and on all that follows.

    Of ``count`` vectors in all. None where that is everything, which spares products with the identity.
    """
    if (free == _IDENTITY).all():
        return None
    ways = np.zeros((len(free), count, 3, count, 3))
    each, joints = np.arange(count), np.arange(free.shape[1])
    ways[:, each, :, each] = _IDENTITY
    ways[:, joints, :, joints] = free.swapaxes(0, 1)
    return ways.reshape(len(free), 3 * count, -1)


def kept_to(free: Array | None, rows: Array) -> Taken:
    """Return how rows of a residual are taken off the shortest way, and a projector on what that leaves.

    Along the projector ``free`` (batch, d, d). ``rows`` (batch, r, m, 3): the residual's Jacobian.
    """
    flat = rows.reshape(*rows.shape[:2], -1)
    size = flat.shape[-1]
    parts, left = [], np.empty((len(flat), size, size))
    for each, felt in alike_felt(flat):
        own = flat[each[:, None], felt]
        begun = np.eye(size) if free is None else free[each]
        own = own if free is None else product(own, begun)
        root = inverse_root(gram(own))
        level = product(root.swapaxes(-1, -2), own)
        across = np.ascontiguousarray(level.swapaxes(-1, -2))
        parts.append((each, felt, root, across))
        left[each] = begun - product(across, level)
    return RowsTaken(parts), left


def alike_felt(rows: Array) -> list[tuple[Indices, Indices]]:
    """Return the rows of a batch that have equally many of ``rows`` (batch, r, d) but zeros, and which.

    One at least.
    """
    felt: Mask = np.any(rows, axis=-1)
    felt[:, 0] |= ~felt.any(axis=-1)
    return alike(felt)


def _least(projector: Array | None, begin: Array, lowered: Lowered) -> tuple[Array, Array]:
    """Return Newton's step (batch, m, 3) from ``begin`` along the ``projector`` (batch, d, d), and a root.

    The root X (batch, m, 3, d): ``X X^T`` is the inverse of the Hessian, made positive, along what is free.
    """
    shape, eager = begin.shape, lowered.eager
    begin, gradient = begin.reshape(len(begin), -1), lowered.gradient.reshape(len(begin), -1)
    hessian = lowered.hessian.reshape(len(begin), *gradient.shape[1:], -1)
    curved = hessian if projector is None else product(product(projector, hessian), projector)
    if eager is not None:
        eager = np.repeat(eager, 3, axis=-1)[..., None]
        curved = eager * curved * eager.swapaxes(-1, -2)
    sizes = np.abs(curved).sum(axis=-1).max(axis=-1)
    if projector is not None:  # what is held must not look level
        curved = curved + sizes[:, None, None] * (np.eye(curved.shape[-1]) - projector)
    # Level ways have no slope but rounding, which a floor much lower would make steps of.
    root = inverse_root_made_definite(curved, np.maximum(lowered.floor, lowered.level * sizes), sizes)
    root = root if eager is None else eager * root
    root = root if projector is None else product(projector, root)
    step = begin - matvec(root, vecmat(gradient + matvec(hessian, begin), root))
    return step.reshape(shape), root.reshape(*shape, -1)
