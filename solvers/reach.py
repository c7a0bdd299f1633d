# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far targets certainly lie out of reach, from lengths alone."""

import numpy as np

from .problem import Problem
from .rotation import Array


def out_of_reach(problem: Problem) -> Array:
    """Return how far each target must be missed by, (batch, E), length units; 0 where nothing is certain.

    No pose stretches a path: a target farther from an anchored root than the bones between are long, or
    two targets farther apart than the path between their effectors, cannot both be met. Of such a pair
    one effector misses by half the excess or more. Only positions that count in all axes are judged.
    """
    tree, inner = problem.tree, problem.tree.inner
    lengths = np.zeros((len(problem.offsets), len(tree.bones)))
    lengths[:, inner] = np.linalg.norm(problem.offsets[:, inner], axis=-1)
    tips = np.linalg.norm(problem.points, axis=-1)
    plain = np.abs(problem.axes - np.eye(3)).max(axis=(-2, -1)) < 1e-9
    judged = plain & (problem.position_weights > 0)
    excess = np.zeros(problem.goals.shape[:2])
    for root in tree.roots:
        below = tree.moves[:, root]
        if not problem.freedom[root].any():
            reach = lengths @ tree.moves.T + tips
            gap = np.linalg.norm(problem.goals - problem.offsets[:, root, None], axis=-1) - reach
            excess = np.where(judged & below, np.maximum(excess, gap), excess)
    for e, f in np.argwhere(np.triu(tree.moves.astype(int) @ tree.moves.T.astype(int) > 0, 1)):
        path = lengths @ (tree.moves[e] ^ tree.moves[f]) + tips[e] + tips[f]
        gap = 0.5 * (np.linalg.norm(problem.goals[:, e] - problem.goals[:, f], axis=-1) - path)
        gap = np.where(judged[:, e] & judged[:, f], gap, 0.0)
        excess[:, [e, f]] = np.maximum(excess[:, [e, f]], gap[:, None])
    return excess
