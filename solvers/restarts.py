# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other poses to start from where a solve from the given one got stuck: the same ones every time."""

import numpy as np

from .problem import Problem
from .rotation import Array, rotation_vector_to_matrix
from .state import State, along_chains, local_rotations, place, snapped

# The additive recurrence of Roberts (the generalised golden ratio in three dimensions): points that fill
# a cube evenly without any randomness.
_GOLDEN = 1.0 / 1.2207440846057596 ** np.arange(1, 4)
_SPREAD = 0.6  # radians each way per component: bent clearly, not tangled


def seeds(problem: Problem, state: State, count: int) -> list[State]:
    """Return ``count`` start states for the rows of ``state``, bent in ways that fill the space evenly.

    Free bodies stay where they are; only what hangs from them is bent anew.
    """
    local = local_rotations(problem, state.rotations)
    rest = np.broadcast_to(np.eye(3), local.shape)
    return [_posed(problem, state, local, _bends(problem, rest, number)) for number in range(count)]


def _bends(problem: Problem, rest: Array, number: int) -> Array:
    """Return local rotations spread out evenly, within what limits each bone has."""
    bones = rest.shape[1]
    points = ((np.arange(1, bones + 1)[:, None] + bones * number) * _GOLDEN) % 1.0
    bent = rest @ rotation_vector_to_matrix(_SPREAD * (2 * points - 1))
    for group in problem.limits:
        bent[:, group.bones] = group.sampled(points[group.bones])
    return bent


def _posed(problem: Problem, state: State, local: Array, pose: Array) -> State:
    kept = problem.tree.is_root[:, 0] | (problem.mobility == 0)
    pose = np.where(kept[:, None, None], local, pose)
    rotations = along_chains(problem.tree.turn_rounds, problem.rests @ pose)
    return place(problem, snapped(problem, rotations), state.translations)
