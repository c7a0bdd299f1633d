# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far targets certainly lie out of reach, from lengths alone."""

import numpy as np

from ..geometry import Array, matvec, norm, product
from ..problem import Problem, State


def out_of_reach(problem: Problem, state: State) -> Array:
    """Return how far each target must be missed by, (batch, E), length units; 0 where nothing is certain.

    ``state`` says where the anchored roots are.

    No pose stretches a path: a target farther from an anchored root than the bones between are long, or
    two targets farther apart than the path between their effectors, cannot both be met. Of such a pair
    one effector misses by half the excess or more. Only positions that count in all axes are judged.
    """
    tree = problem.tree
    lengths = norm(problem.offsets) * (tree.parents >= 0)
    frames, moves = problem.frames, tree.effectors.moves
    tips = norm(problem.points[:, : frames.count])
    plain = np.abs(frames.axes - np.eye(3)).max(axis=(-2, -1)) < 1e-9
    judged = plain & (frames.position_weights > 0)
    from_root = frames.target_points - state.heads.take(tree.bodies.root, axis=1)
    anchored = ~problem.freedom[tree.bodies.root].any(axis=(-2, -1))
    paths = matvec(moves, lengths)
    excess = norm(from_root) - paths - tips
    excess = np.where(judged & anchored, np.maximum(excess, 0.0), 0.0)
    first, second = tree.pairs
    apart = norm(frames.target_points.take(first, axis=1) - frames.target_points.take(second, axis=1))
    shared = product(lengths[:, None] * moves, moves.T.astype(float))[:, first, second]
    between = paths.take(first, axis=1) + paths.take(second, axis=1) - 2 * shared
    halves = 0.5 * (apart - between - tips[:, first] - tips[:, second])
    halves = np.where(judged[:, first] & judged[:, second], halves, 0.0)
    for side in (first, second):
        np.maximum.at(excess.T, side, halves.T)
    return excess
