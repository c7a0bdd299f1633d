# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that matter to a set of effectors, and all index work, done once for a topology."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """Index arrays over the ``n`` bones that have an effector on or below them; parents come first.

    ``bones`` (n,): their index in the skeleton. ``parents`` (n,): -1 for a root. ``joints`` (n,): the
    bone whose rotation is inherited, or -1. ``roots``, ``inner``: bones without, with a parent. ``turn_rounds`` and ``head_rounds``: (child, ancestor)
    pairs of index arrays; composing along them in turn composes along whole chains in log2(depth)
    rounds. ``levels``, deepest first: bones at the same depth, their parents, and
    the 0/1 matrix (parents, bones) that sums over children. ``effectors`` (E,): the bone each sits
    on, ``sits_on`` (n, E) the same as a 0/1 matrix. ``moves`` and ``turns`` (E, n): whether bone b moves, turns effector e. ``carried`` (E, n): what
    of the effector bone b carries round: its point (index e) or, past a bone that does not inherit
    rotation, that bone's head (index E + bone). ``next_joint`` (E, n): the same, one bone on.
    ``root_of`` (n,): which of the roots a bone hangs from, ``turned_by_root`` (n,): whether it turns with it. ``felt`` (E, n): the product of the falloffs
    between effector and bone. ``is_tip`` (n,): bones without children.
    """

    bones: Indices
    parents: Indices
    joints: Indices
    roots: Indices
    inner: Indices
    turn_rounds: tuple[tuple[Indices, Indices], ...]
    head_rounds: tuple[tuple[Indices, Indices], ...]
    levels: tuple[tuple[Indices, Indices, NDArray[np.float64]], ...]
    effectors: Indices
    sits_on: NDArray[np.float64]
    moves: NDArray[np.bool_]
    turns: NDArray[np.bool_]
    carried: Indices
    next_joint: Indices
    root_of: Indices
    turned_by_root: NDArray[np.bool_]
    felt: NDArray[np.float64]
    is_tip: NDArray[np.bool_]


@lru_cache(maxsize=32)
def plan(
    parents: tuple[int, ...], inherits: tuple[bool, ...], effector_bones: tuple[int, ...], falloffs: tuple[float, ...]
) -> Tree:
    """Return the Tree of a skeleton's ``parents`` for effectors on ``effector_bones``."""
    needed: set[int] = set()
    for bone in effector_bones:
        while bone >= 0 and bone not in needed:
            needed.add(bone)
            bone = parents[bone]
    bones = sorted(needed)
    place = {bone: i for i, bone in enumerate(bones)} | {-1: -1}
    local = np.array([place[parents[b]] for b in bones])
    joints = np.where(np.array([inherits[b] for b in bones]), local, -1)
    effectors = np.array([place[b] for b in effector_bones])
    passes = np.ones(len(bones))
    np.minimum.at(passes, effectors, falloffs)
    roots = np.flatnonzero(local < 0)
    root_of, turned_by_root = np.zeros(len(bones), int), np.ones(len(bones), bool)
    for bone, (parent, joint) in enumerate(zip(local, joints, strict=True)):
        root_of[bone] = root_of[parent] if parent >= 0 else np.searchsorted(roots, bone)
        turned_by_root[bone] = parent < 0 or (joint >= 0 and turned_by_root[joint])
    return Tree(
        np.array(bones), local, joints, roots, np.flatnonzero(local >= 0),
        _rounds(joints), _rounds(local), _levels(local),
        effectors, np.equal.outer(np.arange(len(bones)), effectors).astype(float),
        *_paths(local, joints, effectors), root_of, turned_by_root, _felt(local, effectors, passes),
        ~np.isin(np.arange(len(bones)), local),
    )


def _rounds(parents: Indices) -> tuple[tuple[Indices, Indices], ...]:
    """Pointer jumping: in each round every bone reaches twice as far up (Hillis and Steele 1986)."""
    rounds = []
    ancestors = parents.copy()
    while (ancestors >= 0).any():
        children = np.flatnonzero(ancestors >= 0)
        rounds.append((children, ancestors[children]))
        ancestors = np.where(ancestors >= 0, ancestors[ancestors], -1)
    return tuple(rounds)


def _levels(parents: Indices) -> tuple[tuple[Indices, Indices, NDArray[np.float64]], ...]:
    depth = np.zeros(len(parents), int)
    for bone, parent in enumerate(parents):
        depth[bone] = depth[parent] + 1 if parent >= 0 else 0
    levels = []
    for bones in (np.flatnonzero(depth == d) for d in range(depth.max(), -1, -1)):
        above = np.unique(parents[bones][parents[bones] >= 0])
        levels.append((bones, above, np.equal.outer(above, parents[bones]).astype(float)))
    return tuple(levels)


def _paths(parents: Indices, joints: Indices, effectors: Indices) -> tuple[np.ndarray, ...]:
    """Walk from each effector to its root, noting what every bone on the way moves and turns."""
    shape = (len(effectors), len(parents))
    moves, turns = np.zeros(shape, bool), np.zeros(shape, bool)
    carried, next_joint = np.zeros(shape, int), np.zeros(shape, int)
    for e, bone in enumerate(effectors):
        turning, item, step = True, e, e
        while bone >= 0:
            moves[e, bone], turns[e, bone] = True, turning
            carried[e, bone], next_joint[e, bone] = item, step
            step = len(effectors) + bone
            if joints[bone] < 0:
                turning, item = False, step
            bone = parents[bone]
    return moves, turns, carried, next_joint


def _felt(parents: Indices, effectors: Indices, passes: NDArray[np.float64]) -> NDArray[np.float64]:
    felt = np.zeros((len(effectors), len(parents)))
    for e, bone in enumerate(effectors):
        share = 1.0
        while bone >= 0:
            felt[e, bone] = share
            share *= passes[bone] if bone != effectors[e] else 1.0
            bone = parents[bone]
    return felt
