# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One step for goals of several ranks at once: what must hold is held, and all the others come nearer.

What is held is met by the end of the step, even where its targets have just moved. The other goals are
lowered together, each rank with a share of the weight of the rank before it. Springs (springs.py) and posture
cost are the last; where all goals are held, posture cost alone is lowered. Without springs, a joint whose
turn hardly changes the objective turns by little, so the poses of a drag draw near to the best one from move
to move.

The poses that keep what is held lie on a curved surface. Steps with the derivatives that are there (see
NewtonStep) bring the end back onto it, and cost little beside a step with new ones.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    altered,
    angle_between,
    einsum,
    norm,
    rotation_vector_to_matrix,
    vecmat,
)
from ..pauses import Pausing
from ..problem import (
    TOUCH,
    LeftByRank,
    Problem,
    Residual,
    State,
    among,
    counting,
    limit_faces,
    local_rotations,
    measure,
    pressed,
    replaced,
    weighs_anything,
)
from .comfort_penalty import add_posture_cost
from .eagerness import eagerness
from .held import NEAR_BOUND, brought_back
from .joint_newton import Lowered, NewtonStep, joint_derivatives
from .keeping import newton_keeping
from .levenberg_marquardt import stepped
from .posture_cost import joint_turns, posture_cost
from .springs import Springs, springs_of

# The most steps that bring the end back, and what each has to take off: of less it is given up.
_BACK, _WORTH = 6, 0.3
# Those that bring springs back, too.
_EASED = 2
# As a share of the distance at which targets count as met: what is left of what is held.
_EXACT = 0.1
# What a rank weighs beside the one before it.
_SHARE = 1e-2
# What posture cost weighs where nothing gives way as springs do, in characteristic lengths times the distance
# that is missed: all from so many of them on, and at least so many times less. Poses that miss as little lie
# side by side there, and one step a move lags behind the best of them: with so much the best is a single one,
# and near. It is little again where little is missed, or what can be met would stay missed.
_PRICE, _FULL, _MOST = 6e-3, 0.02, 60.0
# What a turn of one radian weighs where nothing gives way as springs do, in characteristic lengths times the
# distance that is missed, and of that the least that counts, in characteristic lengths.
_CALM, _LEAST = 0.05, 0.05
# Radians: the most that a joint turns in one step.
_LONGEST = 0.3
# Radians: what a turn is that leads farther than derivatives are true for, and a limit that is not flat.
_MUCH, _ROUND = 0.12, 3e-3
# Radians: what joints still turn by in a further step if another is to follow; and the most of these.
_LITTLE, _AGAIN = 0.04, 2
# As many times its pace is a leap.
_LEAP = 2.0
# Where a step leads uphill this share of it is tried.
_SHORTER = 0.25
# Curvature below this share of the largest is none; posture cost's, which is to count, is well above.
_LEVEL = 1e-13


def stacked(
    problem: Problem, left: LeftByRank, lowered: Mask, springs: int, slack: float
) -> tuple[Problem, Array]:
    """Return the problem of the ranks that are ``lowered`` (ranks,), and what a turn weighs in it, (batch,).

    ``left``: by the state; ``springs`` and ``slack`` as in Haste. The price of posture cost is beside the
    objective, not beside its root. Where no rank is lowered that is all there is beside what is held.
    """
    none, ranks = np.zeros(len(left.missed)), left.ranks[lowered]
    if not len(ranks):
        return altered(counting(problem, among(ranks)), price=np.ones(1)), none
    own = ranks == springs
    ranks = np.append(ranks[~own], ranks[own])  # springs come last, whatever their rank
    shares: Array = _SHARE ** np.arange(len(ranks), dtype=float)
    last = left.ranks == ranks[-1]
    heaviest = left.heaviest[:, last][:, 0]
    lowering = counting(problem, partial(_weights, ranks=ranks, shares=shares))
    if own.any():
        price = heaviest * (slack * problem.length) ** 2
        return altered(lowering, price=shares[-1] * price), none
    distance = np.sqrt(left.energies[:, last][:, 0])
    calm = np.maximum(distance, _LEAST * problem.length)
    share = np.clip(distance / (_FULL * problem.length), 1 / _MOST, 1.0)
    price = _PRICE * np.sqrt(heaviest) * problem.length * share * distance
    return altered(lowering, price=shares[-1] * price), shares[-1] * calm


def _weights(of: Indices, ranks: Indices, shares: Array) -> Array:
    """Return what goals ``of`` some ranks weigh where the ``ranks`` that are lowered have ``shares``."""
    weights: Array = np.where(of[..., None] == ranks, shares, 0.0).sum(axis=-1)
    return weights


def stacked_step(
    problem: Problem, state: State, calm: Array, brisk: Mask, pace: float
) -> Pausing[tuple[State, Mask, Mask]]:
    """Return the state after one step, and in which rows (batch,) it keeps what is held, and is given up.

    Rows that it would leave with a higher objective stay where they are. ``calm`` as of ``stacked``. The
    poses of a drag are the best ones but for what steps leave of the way to them: rows of which the step says
    too little take others, as long as there is time, and one in any case where nothing is calm. ``brisk``
    (batch,): rows in which it leads away from what is held are given up soon, as there are others to try.
    ``pace``: radians, the most that all of these together turn a joint.
    """
    made = np.zeros((len(calm), 1, 1))
    trial, kept, is_far, given_up, made = _stepped(problem, state, calm, brisk, made, pace, _MUCH)
    for count in range(_AGAIN):
        if is_far.any() and (yield):
            is_far &= (calm == 0) & (count == 0)
        again = is_far.nonzero()[0]
        if not len(again):
            break
        part = problem.rows(again), trial.rows(again), calm[again], brisk[again]
        ended, still_kept, still_far, _, made[again] = _stepped(*part, made[again], pace, _LITTLE)
        trial.put(again[still_kept], ended.rows(still_kept))
        is_far[again] = still_far & still_kept
    return trial, kept, given_up


def _stepped(
    problem: Problem, state: State, calm: Array, brisk: Mask, made: Array, pace: float, much: float
) -> tuple[State, Mask, Mask, Mask, Array]:
    """Return what ``stacked_step`` does of one step, and third in which rows (batch,) another is to follow.

    Where joints turn by ``much``, or the way is not what the step takes it for. And last what is ``made`` as
    of ``_at_pace``.
    """
    local, held = local_rotations(problem, state.rotations), problem.holding.reached
    lowered, left = altered(problem, held=None), measure(held, state)
    missed = measure(lowered, state, left) if weighs_anything(problem) else None
    newton, made = _step(problem, state, local, left, missed, calm, made, pace)
    springs = springs_of(lowered, state, missed, newton) if missed and not calm.any() else None
    most = np.where(brisk & ~left.met, left.energy, np.inf)
    trial, kept, given_up = _kept(held, state, newton, springs, local, most, pace)
    is_far = kept & _is_far(problem, state, local, newton, much) if kept.any() else kept
    was_kept = left.met & kept  # else the objective is higher for what had to be kept
    if not was_kept.any():
        return trial, kept, is_far, given_up, made
    begin = _objective(lowered, state, missed)
    end = _objective(lowered, trial, missed and measure(lowered, trial))
    uphill = (was_kept & (end >= begin)).nonzero()[0]
    if len(uphill):
        newton = newton.shortened(np.full(len(most), _SHORTER))
        springs = replace(springs, newton=newton) if springs else None
        shorter, still_kept, _ = _kept(held, state, newton, springs, local, most, pace)
        end = _objective(lowered, shorter, missed and measure(lowered, shorter))
        is_lower = still_kept & (end < begin)
        for rows, best in ((uphill[is_lower[uphill]], shorter), (uphill[~is_lower[uphill]], state)):
            trial.put(rows, best.rows(rows))
        is_far[uphill] &= is_lower[uphill]  # the others would take the same step again
    return trial, kept, is_far, given_up, made


def _is_far(problem: Problem, state: State, local: Array, newton: NewtonStep, much: float) -> Mask:
    """Return in which rows (batch,) joints turn by ``much``, or limits are not as flat as they looked.

    A joint that comes to a limit slides along it, or is stopped short of it, as the flat face has it.
    """
    turns = joint_turns(problem, newton.step)
    is_far: Mask = norm(turns).max(axis=-1) > much
    if is_far.all() or not problem.limits:
        return is_far
    own = newton.step.take(newton.moving, axis=1)[:, : newton.held.shape[1]]
    made = einsum("bnci,bni->bnc", newton.faces.normals, own)
    at_end = np.zeros(turns.shape[:2], bool)
    at_end[:, newton.moving[: own.shape[1]]] = (made >= newton.faces.room - TOUCH).any(axis=-1)
    if not at_end.any():
        return is_far
    there = local @ rotation_vector_to_matrix(vecmat(turns, state.rotations))
    for group in problem.limits:
        if not at_end.take(group.bones, axis=1).any():
            continue
        room = np.abs(group.room(there.take(group.bones, axis=1))[1].min(axis=-1))
        is_far |= (at_end.take(group.bones, axis=1) & (room > _ROUND)).any(axis=-1)
    return is_far


def _kept(
    held: Problem,
    state: State,
    newton: NewtonStep,
    springs: Springs | None,
    local: Array,
    most: Array,
    pace: float,
) -> tuple[State, Mask, Mask]:
    """Return the state after a step and some that bring what is held back, and ease springs that have bent.

    And where (batch,) it is held, and given up: where the step and the first one back leave more than
    ``most`` (batch,) of its objective. What else they do not bring back is by steps with derivatives of
    their own. What turns a joint by far more than its ``pace`` is a leap, and holds nothing.
    """
    exact = altered(held, tolerance=_EXACT * held.tolerance, angle_tolerance=_EXACT * held.angle_tolerance)
    trial, made, often = stepped(held, state, newton.step, local), newton.step, _EASED if springs else 0
    residual, given_up = measure(exact, trial), np.zeros(len(most), bool)
    first = residual.energy
    going, beside = ~residual.met | (often > 0), np.zeros((len(most), len(newton.moving), 3))
    for count in range(_BACK):
        if not going.any():
            break
        before = beside
        beside = springs.eased(trial, before) if springs and count < often else before
        further = newton.further(residual.vector, made, beside - before)
        nearer = stepped(held, trial, further)
        left = measure(exact, nearer)
        made = made + further
        # Easing may cost what the step itself has left.
        worth = left.energy < (first if count < often else _WORTH**2 * residual.energy)
        rows = (going & (worth | (left.energy < residual.energy))).nonzero()[0]
        trial, residual = replaced(trial, rows, nearer), replaced(residual, rows, left)
        given_up = residual.energy > most
        going &= worth & ~given_up & (~residual.met | (count + 1 < often))
    leaps = _farthest(held, made) > _LEAP * pace
    if residual.met.all():
        return trial, ~leaps, given_up
    kept = measure(held, trial, residual).met & ~leaps
    lost = (~kept & ~leaps & ~given_up).nonzero()[0]
    if len(lost):
        left = residual.rows(lost)
        trial.put(lost, brought_back(exact.rows(lost), trial.rows(lost), left, in_haste=True))
        turned = angle_between(local, local_rotations(held, trial.rotations)).max(axis=1)
        kept[lost] = measure(held.rows(lost), trial.rows(lost)).met & (turned <= _LEAP * pace)[lost]
    return trial, kept, given_up


def _objective(problem: Problem, state: State, left: Residual | None) -> Array:
    """Return what is to be least, (batch,); ``left``: of the goals, if any weighs."""
    cost: Array = problem.price * posture_cost(problem, state)
    return cost if left is None else left.energy + cost


def _step(
    problem: Problem,
    state: State,
    local: Array,
    left: Residual,
    missed: Residual | None,
    calm: Array,
    made: Array,
    pace: float,
) -> tuple[NewtonStep, Array]:
    """Return the step, at its pace; ``left``: of what is held; ``missed``: of other goals, if any weighs."""
    faces, shape = limit_faces(problem, state, local), (len(local), len(problem.moving), 3)
    if missed:
        gradient, hessian = joint_derivatives(problem, state, missed)
    else:
        gradient, hessian = np.zeros(shape), np.zeros((*shape, *shape[1:]))
    if problem.has_comfort:
        add_posture_cost(problem, state, local, faces, problem.price, gradient, hessian)
    held = problem.holding.reached
    if held.goals:
        held = pressed(held, state, NEAR_BOUND * problem.length)
        left = measure(held, state, left)
    floor, eager = _CALM * problem.length * calm, eagerness(problem, held)
    lowered = Lowered(gradient * problem.units, hessian, floor, _LEVEL, eager)
    newton = newton_keeping(held, left, state, faces, lowered, released=True)
    newton = newton.shortened(np.minimum(1.0, _LONGEST / np.maximum(_farthest(problem, newton.step), 1e-12)))
    return _at_pace(problem, newton, left, made, pace)


def _at_pace(
    problem: Problem, newton: NewtonStep, left: Residual, made: Array, pace: float
) -> tuple[NewtonStep, Array]:
    """Return the step with joints turned by no more than their ``pace``, radians, beyond what takes off what
    is ``left`` of what is held; and with that beyond it what is ``made`` so far, (batch, n + k, 3).

    A further step may lead back in full: the one before may have been too long.
    """
    if pace == np.inf:
        return newton, made
    step, none = newton.step, np.zeros(newton.step.shape)
    needed = none if newton.taken is None else newton.further(left.vector, none)
    beyond, before = step - needed, made + none
    room = pace - _farthest(problem, before)
    share = np.clip(room / np.maximum(_farthest(problem, beyond), 1e-12), 0.0, 1.0)
    share = np.where(_farthest(problem, before + beyond) > pace, share, 1.0)[:, None, None]
    paced = np.where(share < 1, needed + share * beyond, step)
    return replace(newton, step=paced), before + share * beyond


def _farthest(problem: Problem, step: Array) -> Array:
    """Return by how much a step (batch, n + k, 3) turns a joint at most, (batch,), radians."""
    turns: Array = norm(joint_turns(problem, step)).max(axis=-1)
    return turns
