# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cyclic coordinate descent: from the tips to the root, every bone turns its effector towards the target.

For one effector a bone takes the least turn that points it from the bone's head at the target. With
several there are two customary ways: ``averaging`` "TURNS" takes the mean of each effector's own turn,
"POINTS" turns the mean of the effectors towards the mean of their targets. A turn is cut to the largest
allowed before it is averaged, and snapped to the bone's limit before the next bone takes its own.

A rotation target is met by the effector's own bone, which averages that turn with those for positions;
the bones above do not feel it. Turned with them too, this were the superposition of steps/sweep.py.

References: Wang and Chen 1991 (10.1109/70.86079); Canutescu and Dunbrack 2003 (10.1110/ps.0242703).
"""

import numpy as np

from ..geometry import Array, Indices, matvec, norm, quaternion_to_matrix, shortest_arc
from ..problem import (
    Problem,
    Residual,
    State,
    forward_kinematics,
    local_rotations,
    turned_with_children,
)
from ..settings import Settings
from ..steps import damped, has_limits, is_half_turn, settled, snapped_turns
from ..superposition import qcp_rotation

# An effector or target nearer to a bone's head than this share of the characteristic length turns nothing.
_NO_ARM = 1e-9
_IDENTITY = np.eye(3)


def ccd_step(problem: Problem, state: State, _miss: Residual, settings: Settings) -> State:
    """Return the state after one pass from the tips to the roots, and a move of free roots to the mean."""
    tree, largest = problem.tree, settings.dampening * problem.mobility
    points = state.points[:, : problem.frames.count].copy()
    goals = points + problem.frames.pulls(points)
    own, own_weights = _own_turns(problem, state)
    local = local_rotations(problem, state.rotations)
    turns = np.broadcast_to(_IDENTITY, state.rotations.shape).copy()
    for level, _, _ in tree.levels:
        arcs, weights = _arcs(problem, level, state, local, points, goals, largest[level], settings)
        arcs = np.concatenate([arcs, damped(own.take(level, axis=1), largest[level])[:, None]], axis=1)
        weights = np.concatenate([weights, own_weights.take(level, axis=1)[:, None]], axis=1)
        turn = quaternion_to_matrix(_mean_turn(arcs, weights))
        if has_limits(problem, level):
            turn = snapped_turns(
                problem, level, state.rotations.take(level, axis=1), local.take(level, axis=1), turn
            )
        turns[:, level] = np.where((largest[level] > 0)[:, None, None], turn, _IDENTITY)
        _carry(problem, level, state, turns, points, goals)
    translations = state.translations.copy()
    translations[:, tree.roots] += _root_moves(problem, points, goals)
    rotations = turned_with_children(tree, state.rotations, turns)
    return forward_kinematics(problem, rotations, translations)


def _own_turns(problem: Problem, state: State) -> tuple[Array, Array]:
    """Return the turns (batch, n, 4) onto the bones' own rotation targets, and their weights (batch, n)."""
    effectors, frames = problem.tree.effectors, problem.frames
    sits_on, products = effectors.sits_on, frames.turn_products(state.rotations.take(effectors.bones, axis=1))
    sums = sits_on @ products.reshape(*products.shape[:2], 9)
    turns = qcp_rotation(sums.reshape(*sums.shape[:2], 3, 3))
    weights = frames.rotation_weights.max(axis=-1) / problem.arm[:, None] ** 2
    return turns, np.broadcast_to(matvec(sits_on, weights), turns.shape[:2])


def _arcs(
    problem: Problem,
    bones: Indices,
    state: State,
    local: Array,
    points: Array,
    goals: Array,
    largest: Array,
    settings: Settings,
) -> tuple[Array, Array]:
    """Return the turns (batch, k, bones, 4) for positions, none too large, and their weights.

    k is one for each effector or, averaging points, one for all. ``local`` (batch, n, 3, 3) are the bones'
    rotations relative to rest.
    """
    heads = state.heads.take(bones, axis=1)
    arms = points[:, :, None] - heads[:, None]
    wanted = goals[:, :, None] - heads[:, None]
    lengths = np.minimum(norm(arms), norm(wanted))
    effectors, frames = problem.tree.effectors, problem.frames
    felt = effectors.felt[:, bones] * effectors.moves[:, bones]
    weights = (frames.position_weights[..., None] * frames.majorants) * felt
    weights = np.where(lengths > _NO_ARM * problem.length[:, None, None], weights, 0.0)
    if settings.averaging == "POINTS":
        arms = np.einsum("bem,bemi->bmi", weights, arms)[:, None]
        wanted = np.einsum("bem,bemi->bmi", weights, wanted)[:, None]
        weights = weights.sum(axis=1, keepdims=True)
    arcs = shortest_arc(arms, wanted)
    if has_limits(problem, bones) and is_half_turn(arcs).any():
        turned = state.rotations.take(bones, axis=1), local.take(bones, axis=1)
        for one in range(arcs.shape[1]):
            covariance = arms[:, one, :, :, None] * wanted[:, one, :, None, :]
            arcs[:, one] = settled(problem, bones, *turned, covariance, arcs[:, one], largest)
    return damped(arcs, largest), weights


def _mean_turn(turns: Array, weights: Array) -> Array:
    """Return the normalised weighted mean (batch, m, 4) of turns (batch, k, m, 4), all with w >= 0."""
    mean = np.einsum("bkm,bkmi->bmi", weights, turns)
    length = norm(mean)[..., None]
    none = np.array([1.0, 0.0, 0.0, 0.0])
    return np.where(length > 0, mean / np.where(length > 0, length, 1.0), none)


def _carry(problem: Problem, bones: Indices, state: State, turns: Array, points: Array, goals: Array) -> None:
    """Carry ``points`` round with the turns of ``bones``, each of which moves other effectors.

    Bones above one that does not inherit rotation carry only its head round: the point collapses onto
    the head, and its goal moves along.
    """
    tree = problem.tree
    effectors, columns = np.nonzero(tree.effectors.moves[:, bones])
    above = bones[columns]
    heads = state.heads.take(above, axis=1)
    turned = heads + matvec(turns.take(above, axis=1), points.take(effectors, axis=1) - heads)
    aloof = (tree.joints[above] < 0)[:, None]
    goals[:, effectors] -= np.where(aloof, turned - heads, 0.0)
    points[:, effectors] = np.where(aloof, heads, turned)


def _root_moves(problem: Problem, points: Array, goals: Array) -> Array:
    """Return how far the roots move, (batch, k, 3): the mean of what is left, as far as they are free."""
    bodies, frames = problem.tree.bodies, problem.frames
    weights = frames.position_weights * frames.majorants[..., 0]
    weights = bodies.belongs * bodies.felt * weights[:, None]
    total = weights.sum(axis=-1, keepdims=True)
    mean = weights @ (goals - points) / np.where(total > 0, total, 1.0)
    return matvec(problem.freedom[problem.tree.roots], mean)
