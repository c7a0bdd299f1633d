# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step towards reachable targets: damped least squares over the turns of the joints, within limits.

Many joint turns leave no (linearised) residual. The step is the smallest of them in the metric ``D``, which
lets long and supple bones do more. With columns of J already scaled by the root of D, ``(J J^T + lambda I) y
= residual`` and the step is ``-J^T y``. There are six rows for each effector, however many bones. Damping in
proportion to the objective keeps convergence quadratic and singular poses calm.

Limits are an active set (problem/active_set.py). A joint keeps the directions that its touched limits leave
it. Where the step would still cross a limit, the joint goes up to it, and the rest of the body makes up for
that.

References: Marquardt 1963 (10.1137/0111030); Sugihara 2011 (10.1109/TRO.2011.2148230).
"""

from functools import partial

import numpy as np

from ..geometry import Array, Indices, Mask, einsum, matvec, solve_definite, vecmat
from ..problem import (
    TOUCH,
    LimitFaces,
    Problem,
    Residual,
    State,
    forward_kinematics,
    jacobian,
    limit_faces,
    local_rotations,
    rows_felt,
    step_within,
    turned,
)
from .normal_matrix import RowsOf, normal_matrix


def levenberg_marquardt_step(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the objective."""
    damping = damping * residual.energy
    if problem.limits:
        return _within_limits(problem, state, residual, damping, released=False)
    step = np.empty((len(damping), problem.compliance.shape[1], 3))
    for each, owners, rows, vector in rows_felt(problem, jacobian(problem, state, residual), residual.vector):
        of = rows_of(problem, owners)
        step[each] = _least_squares(rows.transpose(0, 2, 3, 1), vector, damping[each], of)
    return stepped(problem, state, step)


def step_along_edges(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after a step of a body with limits, which lets those go that it leads back from.

    The gradient may lead out of a limit from which the step leads back in. A joint that keeps to it all the
    same has to go far along its edge: where that is narrow and round, as the play of a hinge, no step lowers
    the objective any more. ``damping`` as of ``levenberg_marquardt_step``.
    """
    return _within_limits(problem, state, residual, damping * residual.energy, released=True)


def _within_limits(
    problem: Problem, state: State, residual: Residual, damping: Array, released: bool
) -> State:
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    step = step_along(problem, faces, state, residual, damping, touching=False, released=released)
    return stepped(problem, state, step, local)


def rows_of(problem: Problem, owners: Indices) -> RowsOf:
    """Return what rows of the Jacobian are of, those of effectors of the ``owners`` (F,)."""
    return RowsOf(owners, problem.tree.effectors.moves, len(problem.tree.roots))


def stepped(problem: Problem, state: State, step: Array, local: Array | None = None) -> State:
    """Return the state after ``step`` (batch, n + k, 3), in units of compliance, within limits.

    ``local``: the local rotations of ``state``, if they are known.
    """
    tree, bones = problem.tree, len(problem.tree.bones)
    step = step * problem.compliance[..., None]
    translations = state.translations.copy()
    translations[:, tree.roots] += matvec(problem.freedom[tree.roots], step[:, bones:])
    return forward_kinematics(problem, turned(problem, state.rotations, step[:, :bones], local), translations)


def _least_squares(transposed: Array, residual: Array, damping: Array, of: RowsOf) -> Array:
    """Return the step (batch, n + k, 3), in units of compliance, that takes the residual off.

    ``transposed`` (batch, n + k, 3, R): the Jacobian's; ``of``: what its rows are of.
    """
    transposed = transposed.reshape(len(residual), -1, residual.shape[1])
    step = -matvec(transposed, _multipliers(transposed, residual, damping, of))
    return step.reshape(len(step), -1, 3)


def _multipliers(transposed: Array, residual: Array, damping: Array, of: RowsOf) -> Array:
    """Return y (batch, R) of ``(J J^T + damping) y = residual``; ``transposed`` (batch, 3 (n + k), R)."""
    rows = transposed.swapaxes(-1, -2)
    normal = normal_matrix(rows, transposed, of)
    diagonal = einsum("bii->bi", normal)
    diagonal += damping[:, None]
    return solve_definite(normal, residual)


def _released(
    of: RowsOf, faces: LimitFaces, held: Mask, transposed: Array, residual: Array, damping: Array
) -> Mask:
    """Return the touched faces (batch, n, c) that the step leads out of, once it keeps to the ``held`` ones.

    That is ``-J^T y`` of the joints as they are free, with the ``y`` of the joints as they are held: what is
    left of the gradient of the damped squares after the step is that way, times the damping.
    """
    rows = np.flatnonzero(held.any(axis=(-2, -1)))
    if not len(rows):
        return held
    own, transposed, residual = faces.rows(rows), transposed[rows], residual[rows]
    left, missed = held_system(*own.hold(held[rows]), transposed, residual)
    y = _multipliers(left.reshape(len(rows), -1, left.shape[-1]), missed, damping[rows], of)
    held = held.copy()
    held[rows] = own.touched(-matvec(transposed[:, : held.shape[1]], y[:, None]))
    return held


def step_along(
    problem: Problem,
    faces: LimitFaces,
    state: State,
    residual: Residual,
    damping: Array,
    touching: bool,
    released: bool = False,
) -> Array:
    """Return the step of _least_squares, but one that keeps to the limits as far as they are linear.

    ``touching``: whether joints keep to all limits that they touch, and not only to those it leads out of.
    ``released``: whether of these they let those go that the step itself leads back from.
    """
    bones, step = len(problem.tree.bones), np.empty((len(damping), problem.compliance.shape[1], 3))
    for each, owners, rows, vector in rows_felt(problem, jacobian(problem, state, residual), residual.vector):
        # A layout that depended on the number of rows would have rounding depend on it.
        transposed, own = np.ascontiguousarray(rows.transpose(0, 2, 3, 1)), faces.rows(each)
        downhill = -matvec(transposed[:, :bones], vector[:, None])
        held = own.room <= TOUCH if touching else own.touched(downhill)
        compliance = problem.compliance_of(each)
        of, given = rows_of(problem, owners), (transposed, vector, damping[each])
        if released:
            held = _released(of, own, held, *given)
        step[each] = step_within(own, held, compliance, partial(least_squares_along, of), *given)
    return step


def least_squares_along(
    of: RowsOf, free: Array, fixed: Array, transposed: Array, residual: Array, damping: Array
) -> Array:
    """Return the step of _least_squares along ``free``, after the turns ``fixed``."""
    step = _least_squares(*held_system(free, fixed, transposed, residual), damping, of)
    step[:, : free.shape[1]] += fixed
    return step


def held_system(free: Array, fixed: Array, transposed: Array, residual: Array) -> tuple[Array, Array]:
    """Return Jacobian and residual as they are along ``free`` (batch, n, 3, 3) after the turns ``fixed``.

    ``transposed`` (batch, n + k, 3, R), ``residual`` (batch, R).
    """
    bones = free.shape[1]
    left = transposed.copy()
    left[:, :bones] = free @ transposed[:, :bones]
    flat = transposed.reshape(len(fixed), -1, left.shape[-1])
    return left, residual + vecmat(fixed.reshape(len(fixed), -1), flat[:, : 3 * bones])
