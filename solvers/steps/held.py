# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that lower the objective while the targets of a higher rank are held where they are.

The step is Newton's over the joints (keeping.py). Where that costs too much, or does not know who feels what,
it is damped least squares in the null space of what is held. Either step is straight, but the poses that keep
what is held lie on a curved surface. So a few least-squares steps of the held targets alone bring its end
back there.

References: Liegeois 1977 (10.1109/TSMC.1977.4309644) for the null space; Siciliano and Slotine 1991
(10.1109/ICAR.1991.240390) for ranks.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..geometry import Array, Rows, gram, inverse_root, matvec, product, solve_definite, vecmat
from ..problem import (
    LimitFaces,
    Problem,
    Residual,
    State,
    copied,
    jacobian,
    limit_faces,
    local_rotations,
    measure,
    pressed,
    rmsd,
    rows_felt,
    step_within,
)
from .joint_newton import Lowered, joint_derivatives
from .keeping import newton_keeping
from .levenberg_marquardt import held_system, levenberg_marquardt_step, rows_of, step_along, stepped
from .normal_matrix import RowsOf, squared

# Curvature below this share of the largest is none. What bends with what is left of the objective alone is
# well above, however little that is: filled up, steps along it would be as short as damped ones for ever.
_LEVEL = 1e-13
# Steps back onto the surface, and their damping, relative to what they take off.
_BACK, _DAMPING = 3, 1e-3
# In haste: a step back that leaves more than this share is the last.
_NEARER = 0.8
# As a share of the distance at which targets count as met: or a step would live off that.
_EXACT = 1e-3
# Slack, in characteristic lengths, that a step is to use up whole: what leads away from there is let go.
NEAR_BOUND = 1e-2
# How much more than what is lowered targets weigh that were missed, where they could give way.
_STIFF = 1e3


def newton_step_held(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the pull of the targets."""
    gradient, hessian = joint_derivatives(problem, state, residual)
    floor = damping * problem.length * np.sqrt(residual.energy)
    local = local_rotations(problem, state.rotations)
    # No step leads farther than this, so that one that is damped enough leads nowhere.
    within = np.minimum(NEAR_BOUND, 1 / damping)
    faces = limit_faces(problem, state, local)
    step = newton_held(problem, state, faces, gradient, hessian, floor, within)
    return brought_back(problem.holding.reached, stepped(problem, state, step, local))


def newton_held(
    problem: Problem,
    state: State,
    faces: LimitFaces,
    gradient: Array,
    hessian: Array,
    floor: Array,
    within: float | Array = NEAR_BOUND,
) -> Array:
    """Return the step of newton_within with what the problem holds held.

    ``within``, one or (batch,), in characteristic lengths: slack that the step is to use up whole.
    Of targets that are held where they were missed, the rows say too little: to first order a stretched arm
    may bend without moving its hand. What pulls on them says the rest. It is nothing, to the bit, on those
    that are held where they were asked for: what a state leaves of these is rounding, and the way it points
    would tell which limits bear it.
    """
    held = problem.holding.reached
    left = measure(held, state)
    pull = _STIFF * (measure(problem.holding.asked, state).vector - left.vector)
    if held.goals:
        held = pressed(held, state, within * problem.length)
        left = measure(held, state, left)
    lowered = Lowered(gradient * problem.units, hessian, floor, _LEVEL)
    return newton_keeping(held, left, state, faces, lowered, pull).step


def least_squares_step_held(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after one step; ``damping`` (batch,) is relative to the objective."""
    held_residual = measure(problem.holding.reached, state)
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    parts = (problem.holding.reached, held_residual), (problem, residual)
    held, lowered = (jacobian(part, state, left) for part, left in parts)
    step, damping = np.empty((*held.shape[:1], *held.shape[2:])), damping * residual.energy
    for each, of, *given in _felt_of_both(parts, held, lowered):
        own = faces if isinstance(each, slice) else faces.rows(each)
        compliance = problem.compliance_of(each)
        none = np.zeros(own.room.shape, bool)
        step[each] = step_within(own, none, compliance, partial(_least, of), *given, damping[each])
    return brought_back(problem.holding.reached, stepped(problem, state, step, local))


def _felt_of_both(
    parts: tuple[tuple[Problem, Residual], ...], held: Array, lowered: Array
) -> Iterator[tuple[Rows, tuple[RowsOf, RowsOf], Array, Array, Array, Array]]:
    """Yield rows of a batch that feel alike of what is held and of what is lowered, the ``parts``.

    Which, what the rows of both are of, and Jacobians, transposed, with residuals of what they feel.
    """
    for some, above, first, kept in rows_felt(parts[0][0], held, parts[0][1].vector, all_of_few=True):
        part, left = parts[1][0], parts[1][1].vector[some]
        part = part if isinstance(some, slice) else part.rows(some)
        for each, below, second, missed in rows_felt(part, lowered[some], left, all_of_few=True):
            rows = each if isinstance(some, slice) else some[each]
            own, other = (np.ascontiguousarray(of.transpose(0, 2, 3, 1)) for of in (first[each], second))
            yield rows, (rows_of(part, above), rows_of(part, below)), own, kept[each], other, missed


def brought_back(held: Problem, state: State, left: Residual | None = None, in_haste: bool = False) -> State:
    """Return the state after a few steps towards the targets that are held; ``left``: of them, if known.

    First with joints kept to the limits that they touch, as the step that led here has them, or it would be
    another step's end; then, where that will not do, in any way. ``in_haste``: it is enough that targets are
    met, and rows that a step brings hardly nearer are given up.
    """
    state = copied(state)
    rows, residual = np.arange(len(state.heads)), left or measure(held, state)
    for step in (_step_along_limits, _step_along_limits, *[levenberg_marquardt_step] * _BACK):
        damping = np.full(len(rows), _DAMPING)
        trial = step(held.rows(rows), state.rows(rows), residual, damping)
        state.put(rows, trial)
        before, residual = residual, measure(held.rows(rows), trial)
        if in_haste:
            off = ~residual.met & (residual.energy < _NEARER**2 * before.energy)
        else:
            off = rmsd(held.rows(rows), residual) > _EXACT * held.rows(rows).tolerance
        rows, residual = rows[off], residual.rows(off)
        if not len(rows):
            break
    return state


def _step_along_limits(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after a least-squares step in which no joint leaves a limit that it touches."""
    local = local_rotations(problem, state.rotations)
    faces, damping = limit_faces(problem, state, local), damping * residual.energy
    step = step_along(problem, faces, state, residual, damping, touching=True)
    return stepped(problem, state, step, local)


def _least(
    of: tuple[RowsOf, RowsOf],
    free: Array,
    fixed: Array,
    held: Array,
    kept: Array,
    lowered: Array,
    residual: Array,
    damping: Array,
) -> Array:
    """Return the step (batch, n + k, 3) that takes off ``kept`` (batch, r), and of ``residual`` what it may.

    Along ``free``, after the turns ``fixed``. ``held``, ``lowered`` (batch, n + k, 3, r): their Jacobians,
    transposed; ``of``: what their rows are of.
    """
    held, kept = held_system(free, fixed, held, kept)
    lowered, residual = held_system(free, fixed, lowered, residual)
    first, second = (part.reshape(len(part), -1, part.shape[-1]).swapaxes(-1, -2) for part in (held, lowered))
    root = inverse_root(squared(first, of[0]))
    level = product(root.swapaxes(-1, -2), first)
    step = -vecmat(vecmat(kept, root), level)
    along = product(second, level.swapaxes(-1, -2))
    whole, second = second, second - product(along, level)
    left = residual + matvec(lowered.reshape(len(step), -1, lowered.shape[-1]).swapaxes(-1, -2), step)
    normal = _across(whole, along, level, of[1]) if of[1].are_many else gram(second)
    np.einsum("bii->bi", normal)[...] += damping[:, None]
    step -= vecmat(solve_definite(normal, left), second)
    step = step.reshape(*held.shape[:-1])
    step[:, : free.shape[1]] += fixed
    return step


def _across(rows: Array, along: Array, level: Array, of: RowsOf) -> Array:
    """Return ``(A - B L)(A - B L)^T`` of ``rows`` A (batch, r, d) that are ``along`` (batch, r, h), B, L.

    Of A A^T most is left out, being zero. L has orthonormal rows but for rounding, of which there is much
    where what is held hardly can be.
    """
    twice = 2 * np.eye(level.shape[1]) - gram(level)
    return squared(rows, of) - product(product(along, twice), along.swapaxes(-1, -2))
