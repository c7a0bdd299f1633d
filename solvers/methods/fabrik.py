# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""FABRIK: forward and backward reaching. Joints are moved along lines; bones are turned to fit afterwards.

Inwards, effectors are put on their targets and every joint follows the one before it at a bone's length, as
on a string. Outwards, roots are put back and the joints follow again. Where chains meet (a sub-base) the mean
of what they ask for counts. A target alone and out of reach is pointed at by the whole chain.

The paper's joints are points. Here a bone may hold several joints, which are rigid to each other. Inwards
their mean stands for them. Outwards the bone takes the superposition of its joints on where they were asked
to be. It is turned from where its parent has carried it, so with the least twist. For one joint this is the
point on the line that the paper takes. Free roots stay where the way inwards has led.

Limits are met on the way out, where the paper reorients joints too: a bone is put at its nearest allowed
rotation before its children reach on. Points know nothing of hinges. So a bone with a limited child, as a
thigh has a shin, turns a little for the child's joints too; without that, knees and elbows get stuck. Where
most bones are limited they still get stuck, as no bone waits to see what its limit leaves to those beyond it.

Reference: Aristidou and Lasenby 2011 (10.1016/j.gmod.2011.05.003).
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, Mask, matvec, norm, quaternion_to_matrix, vecmat
from ..problem import Problem, Residual, State, forward_kinematics, local_rotations
from ..settings import Settings
from ..steps import snapped_turns
from ..superposition import qcp_rotation

_IDENTITY = np.eye(3)
# How much the joints of a limited bone count for its parent's turn, against that bone's own head.
_LEAD = 0.5
# A covariance below this share of (all weights) x (characteristic length)^2 is rounding, not direction.
_NOISE = 1e-14


@dataclass(frozen=True, eq=False, slots=True)
class Wishes:
    """Points (batch, K, 3) that bones carry, and where they should go: ``places``, ``wanted``.

    ``owners`` (K,): the bone that carries each. ``weights`` (b, K): how much it counts for the bone's turn;
    ``leads`` (b, K): how much more for the sake of limited bones beyond.
    """

    owners: Indices
    weights: Array
    leads: Array
    places: Array
    wanted: Array


def fabrik_step(problem: Problem, state: State, _miss: Residual, _settings: Settings) -> State:
    """Return the state after reaching inwards and outwards once."""
    frames = problem.frames
    points = state.points[:, : frames.count]
    goals = points + frames.pulls(points)
    weights = frames.position_weights * frames.majorants[..., 0]
    passed = _passed_weights(problem, weights)
    wanted, joints = _inwards(problem, state, goals, weights, passed)
    _stretch(problem, state, goals, weights, wanted)
    return _outwards(problem, state, wanted, _wishes(problem, state, goals, weights, passed, wanted, joints))


def _wishes(
    problem: Problem,
    state: State,
    goals: Array,
    weights: Array,
    passed: Array,
    wanted: Array,
    joints: Array,
) -> Wishes:
    """Return effectors, heads and, for the parents of limited bones, the means of those bones' joints."""
    tree, (_, now, goal) = problem.tree, _means(joints)
    leads = _is_limited(problem) & (tree.joints >= 0)
    return Wishes(
        owners=np.concatenate([tree.effectors.bones, tree.parents, tree.parents]),
        weights=np.concatenate([weights, passed, 0 * passed], axis=1),
        leads=np.concatenate([0 * weights, 0 * passed, _LEAD * passed * leads], axis=1),
        places=np.concatenate([state.points[:, : problem.frames.count], state.heads, now], axis=1),
        wanted=np.concatenate([goals, wanted, goal], axis=1),
    )


def _inwards(
    problem: Problem, state: State, goals: Array, weights: Array, passed: Array
) -> tuple[Array, Array]:
    """Return where heads (batch, n, 3) should be, led by the effectors.

    And of what hangs on each bone (batch, n, 7) the weight, weighted places and weighted wishes.
    """
    tree, wanted = problem.tree, state.heads.copy()
    count, sits_on = problem.frames.count, tree.effectors.sits_on
    at_head, points = norm(problem.points[:, :count]) == 0, state.points[:, :count]
    own = sits_on @ _weighed(weights * at_head, points, goals)
    joints = sits_on @ _weighed(weights * ~at_head, points, goals)
    for level, parents, gather in tree.levels:
        heads = state.heads.take(level, axis=1)
        weight, now, goal = _means(joints.take(level, axis=1))
        own_weight, _, own_goal = _means(own.take(level, axis=1))
        followed = own_weight * own_goal + weight * _on_line(goal, heads, now)
        total = own_weight + weight
        wanted[:, level] = np.where(total > 0, followed / np.where(total > 0, total, 1.0), heads)
        if len(parents):
            joints[:, parents] += gather @ _weighed(
                passed.take(level, axis=1), heads, wanted.take(level, axis=1)
            )
    return wanted, joints


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
    felt = np.where(tree.parents >= 0, tree.effectors.felt[:, tree.parents], 0.0)
    return vecmat(weights, tree.effectors.moves * felt)


def _is_limited(problem: Problem) -> Mask:
    """Return which bones (n,) do not turn as they please."""
    limited: Mask = problem.mobility == 0
    for group in problem.limits:
        limited[group.bones] = True
    return limited


def _stretch(problem: Problem, state: State, goals: Array, weights: Array, wanted: Array) -> None:
    """Have chains whose only target is out of reach want all their joints on it: they will point at it."""
    tree, bodies = problem.tree, problem.tree.bodies
    lengths = norm(problem.offsets) * (tree.parents >= 0)
    reach = matvec(tree.effectors.moves, lengths) + norm(problem.points[:, : problem.frames.count])
    pulling = weights > 0
    alone = pulling & ((pulling @ bodies.belongs.T @ bodies.belongs) == 1)
    anchored = ~problem.freedom[bodies.root].any(axis=(-2, -1))
    beyond = alone & anchored & (norm(goals - state.heads.take(bodies.root, axis=1)) > reach)
    for effector in np.flatnonzero(beyond.any(axis=0)):
        chain, rows = tree.effectors.moves[effector], beyond[:, effector, None, None]
        wanted[:, chain] = np.where(rows, goals[:, effector, None], wanted[:, chain])


def _outwards(problem: Problem, state: State, wanted: Array, wishes: Wishes) -> State:
    """Return the state whose bones, from the roots on, turn what they carry to where it is wanted."""
    tree, heads, rotations = problem.tree, state.heads.copy(), state.rotations.copy()
    moves = matvec(problem.freedom[tree.roots], (wanted - heads).take(tree.roots, axis=1))
    heads[:, tree.roots] += moves
    local = local_rotations(problem, state.rotations)
    turns = np.broadcast_to(_IDENTITY, rotations.shape).copy()
    weighings = [wishes.weights, wishes.weights + wishes.leads][: 1 + wishes.leads.any()]
    for bones, parents, _ in reversed(tree.levels):
        inner = tree.parents[bones]
        if len(parents):
            arms = matvec(rotations.take(inner, axis=1), problem.offsets.take(bones, axis=1))
            heads[:, bones] = heads.take(inner, axis=1) + arms
        carried = np.where((tree.joints[bones] >= 0)[:, None, None], turns.take(inner, axis=1), _IDENTITY)
        before = carried @ rotations.take(bones, axis=1)
        given = problem, state, bones, carried, heads, wishes
        sums = [_carried_sums(*given, weights) for weights in weighings]
        turn = _turns(problem, bones, sums, before, local.take(bones, axis=1))
        turns[:, bones], rotations[:, bones] = turn @ carried, turn @ before
    translations = state.translations.copy()
    translations[:, tree.roots] += moves
    return forward_kinematics(problem, rotations, translations)


def _carried_sums(
    problem: Problem,
    state: State,
    bones: Indices,
    carried: Array,
    heads: Array,
    wishes: Wishes,
    weights: Array,
) -> Array:
    """Return the covariances (batch, bones, 3, 3) of what the bones carry with where it should go.

    ``carried`` (batch, bones, 3, 3): how their parents have turned them; ``heads``: where they are now.
    """
    items = np.flatnonzero(np.isin(wishes.owners, bones))
    owners = wishes.owners[items]
    arms = wishes.places.take(items, axis=1) - state.heads.take(owners, axis=1)
    arms = matvec(carried.take(np.searchsorted(bones, owners), axis=1), arms)
    ways = wishes.wanted.take(items, axis=1) - heads.take(owners, axis=1)
    products = (weights.take(items, axis=1)[..., None, None] * arms[..., None] * ways[:, :, None]).reshape(
        *ways.shape[:2], 9
    )
    sums = np.equal.outer(bones, owners).astype(float) @ products
    least = _NOISE * (weights.sum(axis=-1) * problem.length**2)[:, None, None]
    sums = np.where(np.abs(sums).max(axis=-1, keepdims=True) > least, sums, 0.0)
    return sums.reshape(*sums.shape[:2], 3, 3)


def _turns(problem: Problem, bones: Indices, sums: list[Array], rotations: Array, local: Array) -> Array:
    """Return the turns (batch, bones, 3, 3) that fit what the bones carry best, within limits.

    ``sums``: without leads and, where there are any, with them. Where a limit takes back what leads ask for,
    they may spoil more than they help; so of both turns, within limits, the one that fits better counts.
    """
    plain, *led = (_turn(problem, bones, each, rotations, local) for each in sums)
    if not led:
        return plain
    fits = [np.einsum("bmij,bmji->bm", turn, sums[-1]) for turn in (plain, *led)]
    return np.where((fits[1] > fits[0])[..., None, None], led[0], plain)


def _turn(problem: Problem, bones: Indices, sums: Array, rotations: Array, local: Array) -> Array:
    """Return the turns (batch, bones, 3, 3) that fit ``sums`` best, put within limits."""
    turns = quaternion_to_matrix(qcp_rotation(sums))
    turns = np.where((problem.mobility[bones] > 0)[:, None, None], turns, _IDENTITY)
    if not any(np.isin(bones, group.bones).any() for group in problem.limits):
        return turns
    return snapped_turns(problem, bones, rotations, local, turns)
