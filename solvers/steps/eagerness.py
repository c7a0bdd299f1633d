# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How eagerly a joint turns that feels only what counts little, where something above it counts more.

What is lowered first swings about, and all that hangs below it swings along. Where it is missed, its path
curves, often below zero, and some curvature is added to make that positive. This is more than all the
curvature of what hangs below. If it were the same for all joints, it would keep the joints below from holding
what hangs there where it is asked to be.
"""

import numpy as np

from ..geometry import Array, Mask
from ..problem import Problem


def eagerness(problem: Problem, held: Problem) -> Array | None:
    """Return by how much more than others (b, m + k) joints turn for what weighs less, and roots; 1 or more.

    By the root of what the heaviest effector of the ``problem`` weighs beside what the joint feels, below
    that effector and where nothing that is ``held`` is felt. None where nothing hangs there.
    """
    tree, bones, weights = problem.tree, problem.tree.effectors.bones, _weights(problem)
    greatest = weights.max(axis=1, initial=0.0, keepdims=True)
    leads = bones[((weights == greatest) & (weights > 0)).any(axis=0)]
    below = tree.carries[leads].any(axis=0)
    if not (below[bones] & (weights < greatest).any(axis=0)).any():
        return None
    felt, kept, count = _felt(problem), (_weights(held) > 0).any(axis=0), len(bones)
    below &= ~(felt[count:].any(axis=0) | felt[:count][kept].any(axis=0))
    heaviest = np.where(felt[:count], weights[:, :, None], 0.0).max(axis=1, initial=0.0)
    is_eager = below & (heaviest > 0) & (heaviest < greatest)
    ratios = np.sqrt(greatest / np.where(is_eager, heaviest, greatest)).take(problem.turning, axis=1)
    return np.concatenate([ratios, np.ones((len(ratios), len(tree.roots)))], axis=1)


def _weights(problem: Problem) -> Array:
    """Return what each effector weighs (b, E), by place or by turn."""
    frames = problem.frames
    turning = frames.rotation_weights.sum(axis=-1) / problem.arm[:, None] ** 2
    greater: Array = np.maximum(frames.position_weights, turning)
    return greater


def _felt(problem: Problem) -> Mask:
    """Return which bones (F, n) carry each frame that a goal looks at, itself only where that is no joint."""
    tree, frames = problem.tree, problem.frames
    felt = tree.frames.moves.copy()
    off_joint: Mask = np.any(problem.points[:, : frames.count], axis=(0, 2))
    turned: Mask = np.any(frames.rotation_weights, axis=(0, 2))
    each = np.flatnonzero(~(off_joint | turned))
    felt[each, tree.frames.bones[each]] = False
    return felt
