# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One tips-to-root pass of superpositions: every bone takes the rotation that leaves least of the objective.

What a bone must know of the effectors below it is the 4x4 sum ``H = sum w [p; 1] [t; 1]^T`` over moved
points and targets, seen from its head: covariance, weighted sums and weight in one. Turning the bone
and passing ``H`` on to its parent are products from the left and the right, so a pass costs O(bones)
however many effectors there are, and bones at the same depth are one expression.

References: Gjoni's EWBIK (github.com/EGjoni/Everything-Will-Be-IK) for the sweep; superposition/qcp.py for
the step.
"""

from collections.abc import Callable

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    einsum,
    matvec,
    product,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
    rotation_vector_to_matrix,
)
from ..problem import Problem, State, forward_kinematics, local_rotations, turned_with_children
from ..superposition import qcp_rotation
from .turns import damped, has_limits, settled, snapped_turns

# A covariance below this share of (all weights) x (characteristic length)^2 is rounding, not direction.
_NOISE = 1e-14
_IDENTITY = np.eye(3)


def sweep(
    problem: Problem,
    state: State,
    largest_turns: Array,
    stabilisation: int = 0,
    superposed: Callable[[Array], Array] = qcp_rotation,
) -> State:
    """Return the state after one pass.

    ``largest_turns`` (n,): the largest turn of each bone, radians; 0 leaves it alone. A turn that is cut
    short still lowers the objective, so without falloff and limits a pass never raises it. Snapping
    to limits may: with ``stabilisation`` a bone whose snapped turn would, tries that many ever shorter turns
    and then stays; at 0 the snapped turn is accepted, as published. ``superposed``: from covariances to
    quaternions, as qcp_rotation.
    """
    tree = problem.tree
    effectors, count = tree.effectors, problem.frames.count
    heads = state.heads.take(effectors.bones, axis=1)
    own = _effector_sums(problem, state, state.points[:, :count], heads, np.ones(count))
    own = product(effectors.sits_on, own.reshape(*own.shape[:2], 16)).reshape(len(own), -1, 4, 4)
    below = np.zeros_like(own)
    turns = np.broadcast_to(_IDENTITY, state.rotations.shape).copy()
    for level, parents, gather in tree.levels:
        sums = own.take(level, axis=1) + below.take(level, axis=1)
        if largest_turns[level].any():
            covariance = _covariance(problem, level, sums)
            best, largest = superposed(covariance), largest_turns[level]
            turns[:, level] = _turns(problem, state, level, covariance, best, largest, stabilisation)
        if len(parents):
            passed = own.take(level, axis=1) + tree.passes[level, None, None] * below.take(level, axis=1)
            arms = state.heads.take(level, axis=1) - state.heads.take(tree.parents[level], axis=1)
            lifted = _lifted(passed, turns.take(level, axis=1), arms, tree.joints[level] >= 0)
            lifted = product(gather, lifted.reshape(*lifted.shape[:2], 16))
            below[:, parents] += lifted.reshape(len(own), -1, 4, 4)
    translations = state.translations.copy()
    translations[:, tree.roots] += _translations(problem, sums, turns.take(tree.roots, axis=1))
    rotations = turned_with_children(tree, state.rotations, turns)
    return forward_kinematics(problem, rotations, translations)


def superpose_bodies(problem: Problem, state: State, share: Array) -> State:
    """Return the state after turning and moving each body as a whole, its bones all stiff.

    ``share`` (batch, k) of the way to the superposition of a root's effectors on their targets: the turn
    about the effectors' mean and the move of that mean, or the turn about the head of a root that is not
    wholly free. Any share lowers the objective (without falloff).
    """
    tree, bodies = problem.tree, problem.tree.bodies
    carried = np.concatenate([state.points, state.heads], axis=1).take(bodies.carried, axis=1)
    sums = _effector_sums(problem, state, carried, state.heads.take(bodies.root, axis=1), bodies.turned)
    sums = product(bodies.belongs * bodies.felt, sums.reshape(*sums.shape[:2], 16))
    sums = sums.reshape(*sums.shape[:2], 4, 4)
    best = qcp_rotation(_covariance(problem, tree.roots, sums))
    free = problem.freedom[tree.roots]
    share = (share * (problem.mobility[tree.roots] > 0))[..., None]
    turns = rotation_vector_to_matrix(share * quaternion_to_rotation_vector(best))
    weight = np.where(sums[..., 3, 3:] > 0, sums[..., 3, 3:], 1.0)
    mean, goal = sums[..., :3, 3] / weight, sums[..., 3, :3] / weight
    centred = problem.centred[tree.roots, None]
    end = matvec(turns, mean)
    moves = np.where(centred, mean - end + share * (goal - mean), share * (goal - end))
    translations = state.translations.copy()
    translations[:, tree.roots] += matvec(free, moves)
    turned = turns.take(tree.root_of, axis=1) @ state.rotations
    rotations = np.where(bodies.stiff[:, None, None], turned, state.rotations)
    return forward_kinematics(problem, rotations, translations)


def _effector_sums(problem: Problem, state: State, points: Array, pivots: Array, turned: Array) -> Array:
    """Return ``H`` of each effector, (batch, E, 4, 4), for bones with heads at ``pivots`` (batch, E, 3).

    The bone carries ``points`` (batch, E, 3) round and, where ``turned`` (E,), the effector's rotation.
    Positions that count per axis make no superposition problem; ``pulls`` weighted by the majorant do.
    """
    moved = np.ones((*points.shape[:2], 4))
    moved[..., :3] = points - pivots
    frames, wanted = problem.frames, moved.copy()
    wanted[..., :3] += frames.pulls(state.points[:, : frames.count])
    weights = frames.position_weights[..., None] * frames.majorants
    sums = (weights * moved)[..., :, None] * wanted[..., None, :]
    products = frames.turn_products(state.rotations.take(problem.tree.effectors.bones, axis=1))
    sums[..., :3, :3] += turned[:, None, None] * products
    return sums


def _turns(
    problem: Problem, state: State, bones: Indices, covariance: Array, best: Array, largest: Array, tries: int
) -> Array:
    """Return the turns of ``bones`` (batch, bones, 3, 3): ``best`` (batch, bones, 4), cut and snapped.

    With ``tries`` none of them loses what the identity holds.
    """
    if not has_limits(problem, bones):
        return quaternion_to_matrix(damped(best, largest))
    held = einsum("bnii->bn", covariance)
    result = np.broadcast_to(_IDENTITY, covariance.shape).copy()
    open_rows = np.ones(held.shape, bool)
    rotations, local = (
        state.rotations.take(bones, axis=1),
        local_rotations(problem, state.rotations).take(bones, axis=1),
    )
    best = settled(problem, bones, rotations, local, covariance, best, largest)
    for attempt in range(max(tries, 1)):
        turns = quaternion_to_matrix(damped(best, largest * 0.5**attempt))
        snapped = snapped_turns(problem, bones, rotations, local, turns)
        kept = einsum("bnij,bnji->bn", snapped, covariance)
        accept = open_rows & ((kept >= held) if tries else True)
        result = np.where(accept[..., None, None], snapped, result)
        open_rows &= ~accept
    return result


def _covariance(problem: Problem, bones: Indices, sums: Array) -> Array:
    """Return what the turns are read from, (batch, bones, 3, 3); wholly free roots turn about the means."""
    covariance = sums[..., :3, :3]
    centred = problem.centred[bones]
    if centred.any():
        weight = np.where(sums[..., 3:, 3:] > 0, sums[..., 3:, 3:], 1.0)
        about_means = covariance - sums[..., :3, 3:] * sums[..., 3:, :3] / weight
        covariance = np.where(centred[:, None, None], about_means, covariance)
    frames = problem.frames
    weights = frames.position_weights.sum(axis=-1) * problem.length**2
    weights = weights + frames.rotation_weights.sum(axis=(-2, -1))
    noise = np.abs(covariance).max(axis=(-2, -1), keepdims=True) < _NOISE * weights[:, None, None, None]
    return np.where(noise, 0.0, covariance)


def _lifted(sums: Array, turns: Array, arms: Array, carries: Mask) -> Array:
    """Return the sums after their bones' turns, seen from the parents' heads, ``arms`` away.

    Ancestors of a bone that does not inherit rotation (``carries`` false) only carry its head round: its
    points collapse onto the head and their targets move along.
    """
    lifted = sums.copy()
    lifted[..., :3, :] = turns @ sums[..., :3, :]
    lifted[..., 3, :3] -= np.where(carries[:, None], 0.0, lifted[..., :3, 3])
    lifted[..., :3, :] *= carries[:, None, None]
    lifted[..., :3, :] += arms[..., :, None] * lifted[..., 3:, :]
    lifted[..., :, :3] += lifted[..., :, 3:] * arms[..., None, :]
    return lifted


def _translations(problem: Problem, sums: Array, turns: Array) -> Array:
    """Return how far the roots move, (batch, k, 3): mean target less turned mean effector point."""
    weight = np.where(sums[..., 3, 3:] > 0, sums[..., 3, 3:], 1.0)
    away = sums[..., 3, :3] - matvec(turns, sums[..., :3, 3])
    return matvec(problem.freedom[problem.tree.roots], away / weight)
