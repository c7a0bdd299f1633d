# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps an effector from its target: another goal, or a joint's limit.

Where the objective is at its least, the pull of an effector on joints and roots is balanced by three things:
what other goals of its rank pull, what holds the goals of higher ranks (the multipliers of keeping.py), and
limits. Each of these has a share of the effector's own pull; what these leave of one is the pull of comfort.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..geometry import Array, Indices, Mask, altered
from ..problem import (
    Problem,
    Residual,
    State,
    held_goals,
    jacobian,
    limit_faces,
    local_rotations,
    looked_at,
    lowering,
    measure,
    of_ranks,
    pressed,
    ranks_of,
    residuals,
)
from .keeping import balanced

# What pulls with less than this share of an effector's own pull is not what keeps it off. A limit that is
# pressed at all may: along a limb that is nearly straight hardly anything turns its joints.
_LEAST, _LEAST_LIMIT = 0.05, 1e-3
# Squared, as a share of what it is missed by: a pull this weak has nothing against it but the bones' lengths,
# or it is half a turn off, where all ways lead back.
_NO_PULL = 1e-4
_AT_BOUND = 10.0  # times the tolerance: how near to the bound of an inequality is at it


@dataclass(frozen=True, eq=False, slots=True)
class Opposed:
    """Shares of the pull of effectors (batch, E), 0 for those that miss nothing.

    ``holding`` (batch, E, E + G): of goals of higher ranks, the effector's own rotation among them that comes
    before its place, and ``pulling`` (batch, E, E + G) of others of its own, effectors first, then goals of
    other kinds, one group's after the other's. ``limiting`` (batch,
    E, bones): of the ends of joints' limits, and ``confining`` (batch, E, bones) of joints that are at no end
    but turn about one axis only.
    """

    holding: Array
    pulling: Array
    limiting: Array
    confining: Array

    def strongest(self) -> tuple[Indices, Indices]:
        """Return for each effector (batch, E) the goal, and the bone by its limit, that pull most, or -1.

        Goals of higher ranks come before the others: it is to them that an effector gives way. That its own
        rotation comes before its place, or that joints are hinges, is only told where nothing else is.
        """
        itself = np.arange(self.holding.shape[1])
        own, others = self.holding[:, itself, itself] > _LEAST, self.holding.copy()
        others[:, itself, itself] = 0.0
        holding, pulling, confining = (
            _most(shares, _LEAST) for shares in (others, self.pulling, self.confining)
        )
        goals, limits = np.where(holding >= 0, holding, pulling), _most(self.limiting, _LEAST_LIMIT)
        nothing = (goals < 0) & (limits < 0)
        return np.where(nothing & own, itself, goals), np.where(nothing & ~own, confining, limits)


def opposed(problem: Problem, state: State) -> Opposed:
    """Return what keeps effectors from their targets, where the state is at the problem's least.

    Of an effector whose place and rotation have ranks of their own, what keeps off the one that comes first.
    """
    batch, count = len(state.heads), problem.frames.count
    goals = np.zeros((batch, count, len(_starts(problem, state))))
    bones = np.zeros((batch, count, len(problem.tree.bones)))
    found: tuple[Array, ...] = goals, goals, bones, bones
    waiting = np.ones((batch, count), bool)
    first, *others = ranks_of(problem)
    for chosen in (
        of_ranks(problem, partial(np.equal, first)),
        *(lowering(problem, problem, rank) for rank in others),
    ):
        residual = measure(chosen, state)
        own = (waiting & _missed(chosen, residual))[..., None]
        if own.any():
            pairs = zip(_shares(chosen, state, residual), found, strict=True)
            found = tuple(np.where(own, shares, before) for shares, before in pairs)
            waiting &= ~own[..., 0]
    return Opposed(*found)


def _shares(problem: Problem, state: State, residual: Residual) -> tuple[Array, ...]:
    """Return the shares as ``Opposed`` has them, for the effectors that weigh in ``problem``."""
    turning, moving = problem.turning, problem.moving
    rows = jacobian(problem, state, residual).take(moving, axis=2)
    pulls = residual.vector[:, :, None, None] * rows
    reactions, left, limited, confined = _reactions(problem, state, pulls)
    starts, count = _starts(problem, state), problem.frames.count
    own = np.add.reduceat(pulls[:, : 6 * count], starts[:count], axis=1)
    strength = _strength(own, residual)[..., None]
    shares = []
    for each in (reactions, pulls):
        forces = _flat(np.add.reduceat(each, starts, axis=1))
        shares.append(-_flat(own) @ forces.swapaxes(-1, -2) / strength)
    itself = np.arange(count)
    shares[0][:, itself, itself] *= problem.frames.position_weights > 0
    shares[1][:, itself, itself] = 0.0
    on_joints = np.einsum("bemi,bmi->bem", own, left, order="C")[..., : len(turning)] / strength
    for which in (limited, confined & ~limited):
        shares.append(np.zeros((*own.shape[:2], len(problem.tree.bones))))
        shares[-1][..., turning] = np.where(which[:, None], on_joints, 0.0)
    return tuple(shares)


def _reactions(problem: Problem, state: State, pulls: Array) -> tuple[Array, Array, Mask, Mask]:
    """Return what rows of higher ranks pull against ``pulls`` of rows (batch, R, m + k, 3).

    And what is left of both together (batch, m + k, 3), which joints (batch, m) ends of their limits keep
    from giving way to that, and which turn about one axis only.
    """
    gradient: Array = pulls.sum(axis=1)
    turning, moving, unit = problem.turning, problem.moving, problem.units
    faces = limit_faces(problem, state, local_rotations(problem, state.rotations))
    flat = faces.scaled(turning, unit[:, : len(turning)])
    confined = np.einsum("bmii->bm", flat.loose) < 2  # the trace of a projector is its rank
    if problem.held is None:
        touched = flat.touched(-gradient[:, : len(turning)])
        return np.zeros_like(pulls), gradient, _of_joints(touched), confined
    asked = _with_faces(problem.held.asked, state)
    held = jacobian(asked, state, measure(asked, state)).take(moving, axis=2)
    _, touched, multipliers, left, _ = balanced(held, gradient, flat)
    return multipliers[:, :, None, None] * held, left, _of_joints(touched), confined


def _of_joints(faces: Mask) -> Mask:
    """Return which joints (batch, m) have any of these faces (batch, m, c)."""
    joints: Mask = np.any(faces, axis=-1)
    return joints


def _with_faces(problem: Problem, state: State) -> Problem:
    """Return the problem whose inequalities are equations where the state is at their bounds.

    Where it keeps to an inequality its row is nothing, so it would seem to hold nothing.
    """
    kept = altered(problem, goals=held_goals(problem, state, np.ones(len(state.heads), bool)))
    return pressed(kept, state, _AT_BOUND * problem.tolerance)


def _starts(problem: Problem, state: State) -> Indices:
    """Return at which row of the residual each effector begins, and each goal of another kind."""
    starts = list(range(0, 6 * problem.frames.count, 6))
    first = 6 * problem.frames.count
    for group in problem.goals:
        _, goals, each = group.residual(*looked_at(problem, state, group)).shape
        starts += range(first, first + goals * each, each)
        first += goals * each
    return np.array(starts)


def _strength(own: Array, residual: Residual) -> Array:
    """Return the squared pulls (batch, E), endless for those too weak to be told from rounding."""
    strength = np.einsum("bemi,bemi->be", own, own, order="C")
    rows = residual.vector[:, : 6 * own.shape[1]].reshape(*own.shape[:2], 6)
    return np.where(strength > _NO_PULL * np.einsum("ber,ber->be", rows, rows), strength, np.inf)


def _missed(problem: Problem, residual: Residual) -> Mask:
    """Return which effectors (batch, E) that weigh anything are not at their targets."""
    lengths, angles = residuals(problem, residual)
    missed: Mask = (lengths > problem.tolerance[:, None]) | (angles > problem.angle_tolerance)
    return missed


def _flat(forces: Array) -> Array:
    """Return forces (batch, goals, m + k, 3) as vectors (batch, goals, d)."""
    return forces.reshape(*forces.shape[:2], -1)


def _most(shares: Array, least: float) -> Indices:
    """Return which share (..., n) is the largest, or -1 where none is as large as the ``least``."""
    most = shares.argmax(axis=-1)
    enough = np.take_along_axis(shares, most[..., None], axis=-1)[..., 0] > least
    return np.where(enough, most, -1)
