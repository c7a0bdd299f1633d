# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps to the most comfortable of the poses that miss their targets by as little as can be.

Where targets cannot be met, the effectors' places say little of the pose: a stretched arm cannot move without
moving its hand, and nothing is gained where one foot gives way to the other. So effectors are not held here
(as they are in comfort_at_targets.py). Posture cost ``D`` joins the objective instead, with a weight too
small to be seen::

    sqrt(E) + s D

At its least, the distance decides the ways in which it is curved, and comfort decides those in which the
distance is level. The cost is added to the root and not to ``E``: so the same posture cost is worth the same
length at any distance, and nothing at all where the targets can be met after all (an exact penalty; Nocedal
and Wright, Numerical Optimization, chapter 17, 10.1007/978-0-387-40065-5). Newton's steps over the joints'
turns find it, with ``2 sqrt(E) s`` as the weight of ``D`` beside ``E``.
"""

from dataclasses import replace

import numpy as np

from ..geometry import Array, Mask, altered
from ..pauses import Pausing
from ..problem import (
    LimitFaces,
    Problem,
    Residual,
    State,
    goal_residuals,
    limit_faces,
    local_rotations,
    measure,
    residuals,
)
from .descent import DescentOptions, SearchResult, descend
from .held import brought_back, newton_held
from .joint_newton import Lowered, downhill, joint_derivatives, newton_within
from .levenberg_marquardt import stepped
from .posture_cost import joint_turns, posture_cost, posture_cost_curved, without_ties
from .springs import springs_of

# What a squared standard deviation may cost, in characteristic lengths, and how many are paid for at most, so
# that a body far from its comfort is not far from its targets for that.
_PRICE, _MOST = 5e-5, 400.0
# Curvature below this share of the largest is none; comfort's, which is to count, is well above.
_LEVEL = 1e-13
# Curvature that is added to begin with, and at least, and with how much at most a step is as long as comfort,
# which curves about as much, asks for; in characteristic lengths times the distance that is missed. Where
# something is held a way that is hardly curved leads farther than curvature is true for.
_ADDED, _ADDED_NEAR, _ADDED_HELD = (1e-2, 1e-8, 1e-4), (1e-4, 1e-8, 1e-4), (3e-2, 3e-5, np.inf)


def eased(
    problem: Problem,
    found: SearchResult,
    most: int,
    worth: float = 0.0,
    near: bool = False,
) -> Pausing[SearchResult]:
    """Return what ``most`` steps make of what was found; rows that meet their targets end there.

    ``worth``: what a step has to bring, as a share of the tolerance. What is held is begun with where it is
    held: a start that lives off the tolerance is lower than any step from there can end. ``near``: whether
    that is begun near where it ends.
    """
    alone = _ADDED_NEAR if near else _ADDED
    first, least, free = alone if problem.held is None else _ADDED_HELD
    rule = DescentOptions(
        _easing_step,
        most,
        progress=1 - 1e-9,
        patience=1,
        damping=first,
        least_damping=least,
        worth=worth,
        free=free,
        measured=_measured,
        twice=not worth,
    )
    begin = _where_held(problem, found.state)
    dear = priced(problem, begin, measure(problem, begin))
    ended = yield from descend(dear, begin, _measured(dear, begin), rule)
    return replace(ended, residual=measure(problem, ended.state))


def nearly_met(problem: Problem, found: SearchResult) -> Mask:
    """Return the rows (batch,) that miss by no more than comfort may cost, which may be why they miss."""
    worth = priced(problem, found.state, found.residual).price * posture_cost(problem, found.state)
    return ~found.residual.met & (np.sqrt(found.residual.energy) <= worth)


def priced(problem: Problem, state: State, residual: Residual) -> Problem:
    """Return the problem, with what posture cost weighs beside the objective's root where a search ended.

    So much that it is the same length whatever the missed effectors weigh; of those that are met no weight
    counts.
    """
    lengths, angles = residuals(problem, residual)
    left, _ = goal_residuals(problem, state)
    lengths, angles = np.append(lengths, left[..., 0], axis=1), np.append(angles, left[..., 1], axis=1)
    plain = np.einsum("be->b", lengths**2 + (2 * problem.arm[:, None] * np.sin(0.5 * angles)) ** 2)
    weight = np.sqrt(residual.energy / np.where(plain > 0, plain, 1.0))
    paid = np.minimum(1.0, _MOST / np.maximum(posture_cost(problem, state), _MOST))
    return altered(problem, price=_PRICE * problem.length * weight * paid)


def add_posture_cost(
    problem: Problem,
    state: State,
    local: Array,
    faces: LimitFaces,
    share: Array,
    gradient: Array,
    hessian: Array,
) -> None:
    """Add ``share`` (batch,) of the derivatives of half the posture cost to those of joint_derivatives."""
    weights, slopes, tied, lacking = posture_cost_curved(problem, state, local, faces)
    # From units of compliance to those of the derivatives.
    turning, moving, units = problem.turning, problem.moving, problem.units
    gradient += share[:, None, None] / units * slopes.take(moving, axis=1)
    each = np.arange(len(moving))
    bends = weights.take(moving, axis=1) / units[..., None] ** 2
    bends[:, : len(turning)] += lacking.take(turning, axis=1)
    hessian[:, each, :, each] += (share[:, None, None, None] * bends).swapaxes(0, 1)
    without_ties(problem, tied, share, hessian)


def _where_held(problem: Problem, state: State) -> State:
    """Return the state with what is held where it is held, in the rows where that can be."""
    if problem.held is None:
        return state
    back = brought_back(problem.held.reached, state)
    lost = ~measure(problem.held.reached, back).met
    back.put(lost, state.rows(lost))
    return back


def _measured(problem: Problem, state: State) -> Residual:
    """Return the residual with the square of what is to be least here as its energy."""
    residual = measure(problem, state)
    length = np.sqrt(residual.energy) + problem.price * posture_cost(problem, state)
    return replace(residual, energy=length**2)


def _easing_step(problem: Problem, state: State, residual: Residual, damping: Array) -> State:
    """Return the state after one step, ``damping`` (batch,) added to curvature.

    A step that was shortened instead would leave what it is to come back from, and end short of the limits
    that it runs into, which the next would not know for touched.
    """
    gradient, hessian = joint_derivatives(problem, state, residual)
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    distance = np.sqrt(np.einsum("bi,bi->b", residual.vector, residual.vector))
    share = 2 * problem.price * distance
    add_posture_cost(problem, state, local, faces, share, gradient, hessian)
    floor = damping * problem.length * distance
    if problem.held is not None:
        step = _paced(problem, local, newton_held(problem, state, faces, gradient, hessian, floor))
        return brought_back(problem.held.reached, stepped(problem, state, step, local))
    held = faces.touched(downhill(problem, gradient))
    newton = newton_within(problem, state, faces, held, Lowered(gradient, hessian, floor, _LEVEL))
    newton = replace(newton, step=_paced(problem, local, newton.step))
    trial = stepped(problem, state, newton.step, local)
    # Where what is missed hardly tells of the pose there is a narrow way, which is curved. Straight steps
    # along it would have to be short, and many (second-order correction; Nocedal and Wright, section 18.3).
    none = np.zeros((len(distance), len(newton.moving), 3))
    corrected = newton.pulled(springs_of(problem, state, residual, newton).pulls(trial, none))
    return stepped(problem, state, _paced(problem, local, corrected), local)


def _paced(problem: Problem, local: Array, step: Array) -> Array:
    """Return the step (batch, n + k, 3) from ``local`` rotations, as far as the problem's pace allows."""
    if problem.pace is None:
        return step
    paced: Array = step * problem.pace.share(local, joint_turns(problem, step))[:, None, None]
    return paced
