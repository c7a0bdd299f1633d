# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps towards comfort with effectors held where they are: sequential quadratic programming.

With posture cost's gradient ``g`` and its Gauss-Newton matrix ``W``, a 3x3 block per bone, the plain step is
the least of ``d^T W d / 2 + g^T d`` among those with ``J d = -residual``::

    d = d0 + W^-1 J^T (J W^-1 J^T)^-1 (-residual - J d0)        d0 = -W^-1 g

and costs what a least-squares step does. Where bones stray together the matrix is ``W - U^T U``, with a few
rows U. What they have in common, ``u = U d``, is one more unknown for each row, which enters as J's
multipliers ``l`` do and is eliminated first (Woodbury; Golub and Van Loan, Matrix Computations, 2.1.4)::

    d = d0 + W^-1 (J^T l + U^T u)        (1 - U W^-1 U^T) u = U d0 + U W^-1 J^T l

Bones without comfort enter with a small weight: they help out as if they did not mind. Limits are an active
set (problem/active_set.py).

That leaves out how the effectors' paths curve, and how posture cost does. Newton's step has both, dense over
the joints (keeping.py).

References: Liegeois 1977 (10.1109/TSMC.1977.4309644) for the null space; Nocedal and Wright, Numerical
Optimization, chapter 18 (10.1007/978-0-387-40065-5).
"""

from functools import partial

import numpy as np

from ..geometry import (
    Array,
    gram,
    inverse_root,
    inverse_root_of_blocks,
    matvec,
    product,
    solve_definite,
    vecmat,
)
from ..problem import Problem, Residual, State, jacobian, limit_faces, rows_felt, step_within
from .joint_newton import Lowered
from .keeping import newton_keeping
from .levenberg_marquardt import held_system, rows_of
from .normal_matrix import RowsOf, normal_matrix
from .posture_cost import INDIFFERENT, posture_cost_curved, posture_cost_model, without_ties

_IDENTITY = np.eye(3)
# Curvature below this share of the largest is none.
_LEVEL = 1e-6


def gauss_newton_comfort_step(problem: Problem, state: State, local: Array, residual: Residual) -> Array:
    """Return the step (batch, n + k, 3) in units of compliance, within limits as far as they are linear."""
    faces = limit_faces(problem, state, local) if problem.limits else None
    rows = jacobian(problem, state, residual)
    weights, gradient, tied = posture_cost_model(problem, state, local, faces)
    step, none = np.empty(gradient.shape), np.zeros(tied.shape[:2])
    for each, owners, own, vector in rows_felt(problem, rows, residual.vector, all_of_few=True):
        of, shared = rows_of(problem, owners), tied.shape[1]
        if shared:
            own, vector = np.append(own, tied[each], axis=1), np.append(vector, none[each], axis=1)
        given = own.transpose(0, 2, 3, 1), vector, weights[each], gradient[each]
        if faces is None:
            step[each] = _least(of, shared, *given)
            continue
        held, near = np.zeros(faces.room[each].shape, bool), faces.rows(each)
        compliance = problem.compliance_of(each)
        step[each] = step_within(near, held, compliance, partial(_held, of, shared), *given)
    return step


def newton_comfort_step(problem: Problem, state: State, local: Array, residual: Residual) -> Array:
    """Return the step of gauss_newton_comfort_step with all second derivatives."""
    turning, moving, unit = problem.turning, problem.moving, problem.units
    faces, each = limit_faces(problem, state, local), np.arange(len(moving))
    weights, gradient, tied, bends = posture_cost_curved(problem, state, local, faces)
    blocks = weights.take(moving, axis=1) / unit[..., None] ** 2
    blocks[:, : len(turning)] += bends.take(turning, axis=1)
    hessian = np.zeros((len(blocks), len(moving), 3, len(moving), 3))
    hessian[:, each, :, each] = np.swapaxes(blocks, 0, 1)
    without_ties(problem, tied, np.ones(len(blocks)), hessian)
    lowered = Lowered(gradient.take(moving, axis=1), hessian, np.zeros(len(blocks)), _LEVEL)
    return newton_keeping(problem, residual, state, faces, lowered).step


def _held(
    of: RowsOf,
    shared: int,
    free: Array,
    fixed: Array,
    transposed: Array,
    residual: Array,
    weights: Array,
    gradient: Array,
) -> Array:
    """Return the step of _least along ``free``, after the turns ``fixed``."""
    bones = free.shape[1]
    transposed, residual = held_system(free, fixed, transposed, residual)
    weigh = weights[:, :bones]
    slope = matvec(free, gradient[:, :bones] + matvec(weigh, fixed))
    weights, gradient = weights.copy(), gradient.copy()
    weights[:, :bones] = free @ weigh @ free + _IDENTITY - free
    gradient[:, :bones] = slope
    step = _least(of, shared, transposed, residual, weights, gradient)
    step[:, :bones] += fixed
    return step


def _least(
    of: RowsOf, shared: int, transposed: Array, residual: Array, weights: Array, gradient: Array
) -> Array:
    """Return the least of ``(d^T W d - |U d + c|^2) / 2 + g^T d`` with ``J d = -r``, (batch, n + k, 3).

    ``transposed`` (batch, n + k, 3, R): rows of the Jacobian J, then the ``shared`` ones U; ``residual``
    (batch, R): r, then c.
    """
    # Of a root and its own transpose, which rounding leaves positive; an inverse multiplied out it does not.
    root = inverse_root_of_blocks(weights, INDIFFERENT)
    slope = matvec(root, gradient)
    spread = (root @ transposed).reshape(len(residual), -1, residual.shape[1])
    across = np.ascontiguousarray(np.swapaxes(spread, -1, -2))
    right = vecmat(slope.reshape(len(slope), -1), spread) - residual
    normal = normal_matrix(across, spread, of)
    made_up = matvec(spread, _multipliers(normal, right, shared))
    return vecmat(made_up.reshape(slope.shape) - slope, root)


def _multipliers(normal: Array, right: Array, shared: int) -> Array:
    """Return the multipliers (batch, R) of the Jacobian's rows and what shared ones have in common."""
    if not shared:
        return solve_definite(normal, right)
    count = right.shape[1] - shared
    root = inverse_root(np.eye(shared) - normal[:, count:, count:])
    felt, own = product(normal[:, :count, count:], root), vecmat(right[:, count:], root)
    found = solve_definite(normal[:, :count, :count] + gram(felt), right[:, :count] + matvec(felt, own))
    return np.append(found, matvec(root, vecmat(found, felt) - own), axis=1)
