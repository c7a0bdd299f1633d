# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that matter to a set of effectors, and all index work, done once for a topology."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..geometry import Indices


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """Index arrays over the ``n`` bones that have an effector on or below them, ``k`` of them roots.

    Parents come before children.

    - ``bones`` (n,): their index in the skeleton.
    - ``parents`` (n,): -1 for a root; ``is_root`` (n, 1); ``is_tip`` (n,): without children.
    - ``joints`` (n,): the bone whose rotation is inherited, or -1.
    - ``roots`` (k,); ``root_of`` (n,): which of the roots, counted from 0, a bone hangs from.
    - ``turn_rounds``, ``head_rounds``: (children, ancestors) pairs; composing along them in turn composes
      along whole chains (of joints, of parents) in log2(depth) rounds.
    - ``levels``, deepest first: bones at the same depth, their parents, and the 0/1 matrix (parents,
      bones) that sums over children.
    - ``effectors`` (E,): the bone each sits on; ``sits_on`` (n, E) the same as a 0/1 matrix.
    - ``moves``, ``turns`` (E, n): whether bone b moves, turns effector e.
    - ``carried`` (E, n): what of effector e bone b carries round: its point (index e) or, past a bone that
      does not inherit rotation, that bone's head (index E + bone). ``next_joint`` (E, n): what follows
      bone b on the way to effector e, indexed alike.
    - ``carries`` (n, n): whether bone b turns with bone a: itself, or one that inherits a's rotation.
    - ``passes`` (n,): the falloff of each bone; ``felt`` (E, n): the product of those between e and b.
    - ``bodies``: the effectors as seen from the roots.
    - ``pairs`` (2, P): effectors on one tree.
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
    carries: NDArray[np.bool_]
    root_of: Indices
    bodies: "Bodies"
    passes: NDArray[np.float64]
    felt: NDArray[np.float64]
    is_tip: NDArray[np.bool_]
    is_root: NDArray[np.bool_]
    pairs: Indices


@dataclass(frozen=True, eq=False, slots=True)
class Bodies:
    """What the roots carry round. For each effector (E,): its ``root`` among the bones, the item
    ``carried`` (as in Tree), whether it is ``turned``, how much it is ``felt``; ``belongs`` (k, E) 1 where
    it hangs from that root. ``stiff`` (n,): bones that turn with their root.
    """

    root: Indices
    carried: Indices
    turned: NDArray[np.float64]
    felt: NDArray[np.float64]
    belongs: NDArray[np.float64]
    stiff: NDArray[np.bool_]


@lru_cache(maxsize=32)
def plan(
    topology: tuple[tuple[int, bool], ...], effector_bones: tuple[int, ...], falloffs: tuple[float, ...]
) -> Tree:
    """Return the Tree of bones given as (parent, whether rotation is inherited) for effectors on some."""
    parents, inherits = zip(*topology, strict=True)
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
    roots, root_of = np.flatnonzero(local < 0), _root_of(local)
    moves, turns, carried, next_joint = _paths(local, joints, effectors)
    felt = _felt(local, effectors, passes)
    bodies = _bodies(roots[root_of], joints, effectors, carried, turns, felt)
    return Tree(
        bones=np.array(bones),
        parents=local,
        joints=joints,
        roots=roots,
        inner=np.flatnonzero(local >= 0),
        turn_rounds=_rounds(joints),
        head_rounds=_rounds(local),
        levels=_levels(local),
        effectors=effectors,
        sits_on=np.equal.outer(np.arange(len(bones)), effectors).astype(float),
        moves=moves,
        turns=turns,
        carried=carried,
        next_joint=next_joint,
        carries=_carries(joints),
        root_of=root_of,
        bodies=bodies,
        passes=passes,
        felt=felt,
        is_tip=~np.isin(np.arange(len(bones)), local),
        is_root=(local < 0)[:, None],
        pairs=_pairs(root_of[effectors]),
    )


def _root_of(parents: Indices) -> Indices:
    """Return, for each bone, which of the roots (counted from 0) it hangs from."""
    root_of = np.cumsum(parents < 0) - 1
    for bone in np.flatnonzero(parents >= 0):
        root_of[bone] = root_of[parents[bone]]
    return root_of


def _pairs(root_of_effector: Indices) -> Indices:
    first, second = np.triu_indices(len(root_of_effector), 1)
    together = root_of_effector[first] == root_of_effector[second]
    return np.stack([first[together], second[together]])


def _bodies(
    roots: Indices, joints: Indices, effectors: Indices, carried: Indices, turns: Indices, felt: Indices
) -> Bodies:
    """Return the Bodies, given the root (n,) of every bone."""
    stiff = roots == np.arange(len(roots))
    for bone in range(len(roots)):
        stiff[bone] |= joints[bone] >= 0 and stiff[joints[bone]]
    root, each = roots[effectors], np.arange(len(effectors))
    belongs = np.equal.outer(np.unique(roots), root).astype(float)
    turned = turns[each, root].astype(float)
    return Bodies(root, carried[each, root], turned, felt[each, root], belongs, stiff)


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


def _carries(joints: Indices) -> NDArray[np.bool_]:
    carries = np.eye(len(joints), dtype=bool)
    for bone, above in enumerate(joints):
        if above >= 0:
            carries[:, bone] |= carries[:, above]
    return carries


def _felt(parents: Indices, effectors: Indices, passes: NDArray[np.float64]) -> NDArray[np.float64]:
    felt = np.zeros((len(effectors), len(parents)))
    for e, bone in enumerate(effectors):
        share = 1.0
        while bone >= 0:
            felt[e, bone] = share
            share *= passes[bone] if bone != effectors[e] else 1.0
            bone = parents[bone]
    return felt
