# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""FABRIK: forward and backward reaching. Joints are moved along lines; bones are turned to fit afterwards.

Inwards, effectors are put on their targets and every joint follows the one before it at a bone's length, as
on a string. Outwards, roots are put back and the joints follow again. Where chains meet (a sub-base) the
mean of what they ask for counts. A target alone and out of reach is pointed at by the whole chain.

The paper's joints are points. Here a bone may hold several, which are rigid to each other: inwards their
mean stands for them; outwards the bone takes the superposition of its joints on where they were asked to be,
turned from where its parent has carried it, so with the least twist. Of one joint that is the point on the
line that the paper takes. Limits are met on the way out, where the paper reorients joints too: a bone is put
at its nearest allowed rotation before its children reach on. Free roots stay where the way inwards has led.

Reference: Aristidou and Lasenby 2011 (10.1016/j.gmod.2011.05.003).
"""

import numpy as np

from ..problem import Problem
from ..rotation import Array, norm, quaternion_to_matrix
from ..settings import Settings
from ..state import Miss, State, local_rotations, place, pulls
from ..superpose import best_rotation
from ..sweep import snapped_turns
from ..tree import Indices

_IDENTITY = np.eye(3)
# A covariance below this share of (all weights) x (characteristic length)^2 is rounding, not direction.
_NOISE = 1e-14


def fabrik_step(problem: Problem, state: State, _miss: Miss, _settings: Settings) -> State:
    """Return the state after reaching inwards and outwards once."""
    goals = state.points + pulls(problem, state)
    weights = problem.position_weights * problem.majorants[..., 0]
    wanted = _inwards(problem, state, goals, weights)
    _stretch(problem, state, goals, weights, wanted)
    return _outwards(problem, state, goals, weights, wanted)


def _inwards(problem: Problem, state: State, goals: Array, weights: Array) -> Array:
    """Return where heads (batch, n, 3) should be, led by the effectors."""
    tree, wanted = problem.tree, state.heads.copy()
    passed = _passed_weights(problem, weights)
    at_head = norm(problem.points) == 0
    # The weight, weighted places and weighted wishes of effectors at a bone's head and of its other joints.
    own = tree.sits_on @ _weighed(weights * at_head, state.points, goals)
    sums = tree.sits_on @ _weighed(weights * ~at_head, state.points, goals)
    for level, parents, gather in tree.levels:
        heads = state.heads[:, level]
        weight, now, goal = _means(sums[:, level])
        own_weight, _, own_goal = _means(own[:, level])
        followed = own_weight * own_goal + weight * _on_line(goal, heads, now)
        total = own_weight + weight
        wanted[:, level] = np.where(total > 0, followed / np.where(total > 0, total, 1.0), heads)
        if len(parents):
            sums[:, parents] += gather @ _weighed(passed[:, level], heads, wanted[:, level])
    return wanted


def _weighed(weights: Array, places: Array, wishes: Array) -> Array:
    weights = np.broadcast_to(weights, places.shape[:2])[..., None]
    return np.concatenate([weights, weights * places, weights * wishes], axis=-1)


def _means(sums: Array) -> tuple[Array, Array, Array]:
    weight = sums[..., :1]
    share = 1 / np.where(weight > 0, weight, 1.0)
    return weight, sums[..., 1:4] * share, sums[..., 4:] * share


def _on_line(goal: Array, heads: Array, joint: Array) -> Array:
    """Return the points on the lines from ``goal`` to the heads, as far from it as the joint is from them."""
    line, arm = heads - goal, heads - joint
    line = np.where(norm(line)[..., None] > 0, line, arm)
    length = norm(line)[..., None]
    return goal + line * (norm(arm)[..., None] / np.where(length > 0, length, 1.0))


def _passed_weights(problem: Problem, weights: Array) -> Array:
    """Return how much each bone's head counts for its parent, (b, n): what it moves and the parent feels."""
    tree = problem.tree
    felt = np.where(tree.parents >= 0, tree.felt[:, tree.parents], 0.0)
    return weights @ (tree.moves * felt)


def _stretch(problem: Problem, state: State, goals: Array, weights: Array, wanted: Array) -> None:
    """Have chains whose only target is out of reach want all their joints on it: they will point at it."""
    tree, bodies = problem.tree, problem.tree.bodies
    lengths = norm(problem.offsets) * (tree.parents >= 0)
    reach = lengths @ tree.moves.T + norm(problem.points)
    pulling = weights > 0
    alone = pulling & ((pulling @ bodies.belongs.T @ bodies.belongs) == 1)
    anchored = ~problem.freedom[bodies.root].any(axis=(-2, -1))
    beyond = alone & anchored & (norm(goals - state.heads[:, bodies.root]) > reach)
    for effector in np.flatnonzero(beyond.any(axis=0)):
        chain = tree.moves[effector]
        rows = beyond[:, effector, None, None]
        wanted[:, chain] = np.where(rows, goals[:, effector, None], wanted[:, chain])


def _outwards(problem: Problem, state: State, goals: Array, weights: Array, wanted: Array) -> State:
    """Return the state whose bones, from the roots on, turn their joints onto where they are wanted."""
    tree, heads, rotations = problem.tree, state.heads.copy(), state.rotations.copy()
    moves = (problem.freedom[tree.roots] @ (wanted - heads)[:, tree.roots, :, None])[..., 0]
    heads[:, tree.roots] += moves
    passed, local = _passed_weights(problem, weights), local_rotations(problem, state.rotations)
    turns = np.broadcast_to(_IDENTITY, rotations.shape).copy()
    below = (np.zeros(0, int), np.zeros(0, int), np.zeros((0, 0)))
    for (level, _, _), inner in zip(reversed(tree.levels), [*reversed(tree.levels[:-1]), below], strict=True):
        carried = np.where((tree.joints[level] >= 0)[:, None, None], turns[:, tree.joints[level]], _IDENTITY)
        rotations[:, level] = carried @ rotations[:, level]
        children, above = inner[0], tree.parents[inner[0]]
        sums = _own_sums(problem, level, rotations, heads, goals, weights)
        arms = (rotations[:, above] @ problem.offsets[:, children, :, None])[..., 0]
        wishes = _products(passed[:, children], arms, wanted[:, children] - heads[:, above])
        sums[:, np.searchsorted(level, inner[1])] += inner[2] @ wishes
        turn = _turns(problem, level, sums, weights, rotations, local)
        turns[:, level], rotations[:, level] = turn @ carried, turn @ rotations[:, level]
        heads[:, children] = heads[:, above]
        heads[:, children] += (rotations[:, above] @ problem.offsets[:, children, :, None])[..., 0]
    translations = state.translations.copy()
    translations[:, tree.roots] += moves
    return place(problem, rotations, translations)


def _own_sums(
    problem: Problem, bones: Indices, rotations: Array, heads: Array, goals: Array, weights: Array
) -> Array:
    """Return the covariances (batch, bones, 9) of the bones' own effectors with their goals."""
    on = problem.tree.effectors
    arms = (rotations[:, on] @ problem.points[:, :, None])[..., 0]
    return problem.tree.sits_on[bones] @ _products(weights, arms, goals - heads[:, on])


def _products(weights: Array, arms: Array, wishes: Array) -> Array:
    products = weights[..., None, None] * arms[..., :, None] * wishes[..., None, :]
    return products.reshape(*products.shape[:2], 9)


def _turns(
    problem: Problem, bones: Indices, sums: Array, weights: Array, rotations: Array, local: Array
) -> Array:
    """Return the turns (batch, bones, 3, 3) that fit the bones' joints best, within limits."""
    least = _NOISE * (weights.sum(axis=-1) * problem.length**2)[:, None, None]
    sums = np.where(np.abs(sums).max(axis=-1, keepdims=True) > least, sums, 0.0)
    turns = quaternion_to_matrix(best_rotation(sums.reshape(*sums.shape[:2], 3, 3)))
    turns = np.where((problem.mobility[bones] > 0)[:, None, None], turns, _IDENTITY)
    if not any(np.isin(bones, group.bones).any() for group in problem.limits):
        return turns
    return snapped_turns(problem, bones, rotations[:, bones], local[:, bones], turns)
