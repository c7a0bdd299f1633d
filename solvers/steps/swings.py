# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs swung at once to where goals know the way, between ends that stay where they are.

A limb whose middle joint has a pole turns about the line between its ends; its lower end turns back. A kind
of goal may offer several ways. Where joints have limits, the way is taken after which these joints are least
outside.
"""

from itertools import pairwise

import numpy as np

from ..geometry import Array, Indices, altered, angle_between
from ..problem import Problem, State, forward_kinematics, local_rotations, looked_at, snapped

_SHARES = np.linspace(0, 1, 9)
# In characteristic lengths, and in radians: what other goals may leave before limbs are swung within limits.
_ROUGHLY = 0.04
_NONE = np.zeros(0)


def has_swings(problem: Problem, state: State) -> bool:
    """Return whether limbs can be swung to any of the goals."""
    return len(_without_swung(problem, state).goals) < len(problem.goals)


def before_swings(problem: Problem, state: State) -> Problem:
    """Return what is to be met before limbs are swung: the goals that they are not swung to.

    Within limits it is enough to meet them roughly: where joints give way to limits in a swing, steps to all
    goals follow in any case.
    """
    others = _without_swung(problem, state)
    if not problem.limits:
        return others
    near = np.maximum(problem.tolerance, _ROUGHLY * problem.length)
    return altered(others, tolerance=near, angle_tolerance=max(problem.angle_tolerance, _ROUGHLY))


def _without_swung(problem: Problem, state: State) -> Problem:
    """Return the problem without the goals that limbs can be swung to."""
    ways = _ways(problem, state, _NONE)
    stay = (group for group, found in zip(problem.goals, ways, strict=True) if found is None)
    return altered(problem, goals=tuple(stay))


def swing_limbs(problem: Problem, state: State) -> State:
    """Return the state with limbs swung to their goals, and every joint at its nearest allowed rotation."""
    for number, group in enumerate(problem.goals):
        ways = _ways(problem, state, _SHARES if problem.limits else _NONE)[number]
        if ways is not None:
            state = _swung(problem, state, problem.tree.frames.bones[group.frames], ways)
    return state


def _ways(problem: Problem, state: State, shares: Array) -> list[Array | None]:
    """Return what each group of goals offers."""
    return [group.swings(looked_at(problem, state, group)[0], shares) for group in problem.goals]


def _swung(problem: Problem, state: State, bones: Indices, ways: Array) -> State:
    """Return the state after one of the ``ways`` (batch, s, m, c - 1, 3, 3) of each goal of a group.

    ``bones`` (m, c): those that the goals look at. Limbs with a locked joint stay.
    """
    best = np.argmin(_outside(problem, state, bones, ways), axis=1)
    turns = np.take_along_axis(ways, best[:, None, :, None, None, None], axis=1)[:, 0]
    rotations, carries = state.rotations.copy(), problem.tree.carries
    for goal in np.flatnonzero((problem.mobility[bones] > 0).all(axis=1)):
        for joint, (upper, lower) in enumerate(pairwise(bones[goal])):
            between = np.flatnonzero(carries[upper] & ~carries[lower])
            rotations[:, between] = turns[:, goal, joint, None] @ rotations[:, between]
    return forward_kinematics(problem, snapped(problem, rotations), state.translations)


def _outside(problem: Problem, state: State, bones: Indices, ways: Array) -> Array:
    """Return how far joints would be outside their limits, radians (batch, s, m), after the ``ways``.

    ``bones`` (m, c): those that the goals look at.
    """
    shape, flat = ways.shape[:3], bones.ravel()
    before = state.rotations.take(flat, axis=1).reshape(len(ways), 1, *bones.shape, 3, 3)
    local = local_rotations(problem, state.rotations).take(flat, axis=1).reshape(before.shape)
    still = np.broadcast_to(np.eye(3), (*shape, 1, 3, 3))
    above, own = np.concatenate([still, ways], axis=3), np.concatenate([ways, still], axis=3)
    joints = above @ before @ np.swapaxes(local, -1, -2)
    local = (np.swapaxes(joints, -1, -2) @ own @ before).reshape(-1, len(flat), 3, 3)
    rows, outside = np.repeat(np.arange(shape[0]), shape[1]), np.zeros(local.shape[:2])
    for limits in problem.limits:
        columns = np.flatnonzero(np.isin(flat, limits.bones))
        seen = local.take(columns, axis=1)
        allowed = limits.members(np.searchsorted(limits.bones, flat[columns])).rows(rows).nearest(seen)
        outside[:, columns] = angle_between(seen, allowed)
    total: Array = outside.reshape(*shape, -1).sum(axis=-1)
    return total
