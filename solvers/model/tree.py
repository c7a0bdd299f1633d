# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that matter to a set of goals, and all index work, done once for a topology."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..geometry import Array, Indices, Mask


@dataclass(frozen=True, eq=False, slots=True)
class CarriedFrames:
    """Bones with a point on each, ``F`` of them, and what carries them round: all that a goal can speak of.

    - ``bones`` (F,): the bone each sits on; ``sits_on`` (n, F) the same as a 0/1 matrix.
    - ``moves``, ``turns`` (F, n): whether bone b moves, turns frame f.
    - ``carried`` (F, n): what of frame f bone b carries round: its point (index f) or, past a bone that does
      not inherit rotation, that bone's head (index F + bone). ``next_joint`` (F, n): what follows bone b on
      the way to frame f, indexed alike.
    - ``felt`` (F, n): the product of the falloffs between frame and bone.
    """

    bones: Indices
    sits_on: Array
    moves: Mask
    turns: Mask
    carried: Indices
    next_joint: Indices
    felt: Array

    def first(self, count: int) -> "CarriedFrames":
        """Return the first ``count`` of the frames; indices into all points and heads stay as they are."""
        if count == len(self.bones):
            return self
        rest = (getattr(self, name)[:count] for name in self.__slots__[2:])
        return CarriedFrames(self.bones[:count], np.ascontiguousarray(self.sits_on[:, :count]), *rest)


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """Index arrays over the ``n`` bones that have a carried frame on or below them, ``k`` of them roots.

    Parents come before children.

    - ``bones`` (n,): their index in the skeleton.
    - ``parents`` (n,): -1 for a root; ``is_root`` (n, 1); ``is_tip`` (n,): without children.
    - ``joints`` (n,): the bone whose rotation is inherited, or -1.
    - ``roots`` (k,); ``root_of`` (n,): which of the roots, counted from 0, a bone hangs from.
    - ``turn_rounds``, ``head_rounds``: (children, ancestors) pairs; composing along them in turn composes
      along whole chains (of joints, of parents) in log2(depth) rounds.
    - ``levels``, deepest first: bones at the same depth, their parents, and the 0/1 matrix (parents,
      bones) that sums over children.
    - ``frames``: all carried frames; ``effectors``: the first E of them.
    - ``carries`` (n, n): whether bone b turns with bone a: itself, or one that inherits a's rotation.
    - ``passes`` (n,): the falloff of each bone.
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
    levels: tuple[tuple[Indices, Indices, Array], ...]
    frames: CarriedFrames
    effectors: CarriedFrames
    carries: Mask
    root_of: Indices
    bodies: "Bodies"
    passes: Array
    is_tip: Mask
    is_root: Mask
    pairs: Indices


@dataclass(frozen=True, eq=False, slots=True)
class Bodies:
    """What the roots carry round. For each effector (E,): its ``root`` among the bones, the item
    ``carried`` (as in Tree), whether it is ``turned``, how much it is ``felt``; ``belongs`` (k, E) 1 where
    it hangs from that root. ``stiff`` (n,): bones that turn with their root.
    """

    root: Indices
    carried: Indices
    turned: Array
    felt: Array
    belongs: Array
    stiff: Mask


@lru_cache(maxsize=32)
def plan(
    topology: tuple[tuple[int, bool], ...], frame_bones: tuple[int, ...], falloffs: tuple[float, ...]
) -> Tree:
    """Return the Tree of bones given as (parent, whether rotation is inherited) for frames on some.

    Those with ``falloffs`` are effectors and come first.
    """
    parents, inherits = zip(*topology, strict=True)
    needed: set[int] = set()
    for bone in frame_bones:
        while bone >= 0 and bone not in needed:
            needed.add(bone)
            bone = parents[bone]
    bones = sorted(needed)
    place = {bone: i for i, bone in enumerate(bones)} | {-1: -1}
    local = np.array([place[parents[b]] for b in bones])
    joints = np.where(np.array([inherits[b] for b in bones]), local, -1)
    on = np.array([place[b] for b in frame_bones], dtype=np.int64)
    passes = np.ones(len(bones))
    np.minimum.at(passes, on[: len(falloffs)], falloffs)
    roots, root_of = np.flatnonzero(local < 0), _root_of(local)
    sits_on = np.equal.outer(np.arange(len(bones)), on).astype(float)
    frames = CarriedFrames(on, sits_on, *_paths(local, joints, on), _felt(local, on, passes))
    effectors = frames.first(len(falloffs))
    return Tree(
        bones=np.array(bones),
        parents=local,
        joints=joints,
        roots=roots,
        inner=np.flatnonzero(local >= 0),
        turn_rounds=_rounds(joints),
        head_rounds=_rounds(local),
        levels=_levels(local),
        frames=frames,
        effectors=effectors,
        carries=_carries(joints),
        root_of=root_of,
        bodies=_bodies(roots[root_of], joints, effectors),
        passes=passes,
        is_tip=~np.isin(np.arange(len(bones)), local),
        is_root=(local < 0)[:, None],
        pairs=_pairs(root_of[effectors.bones]),
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


def _bodies(roots: Indices, joints: Indices, effectors: CarriedFrames) -> Bodies:
    """Return the Bodies, given the root (n,) of every bone."""
    stiff = roots == np.arange(len(roots))
    for bone in range(len(roots)):
        stiff[bone] |= joints[bone] >= 0 and stiff[joints[bone]]
    root, each = roots[effectors.bones], np.arange(len(effectors.bones))
    belongs = np.equal.outer(np.unique(roots), root).astype(float)
    turned = effectors.turns[each, root].astype(float)
    return Bodies(root, effectors.carried[each, root], turned, effectors.felt[each, root], belongs, stiff)


def _rounds(parents: Indices) -> tuple[tuple[Indices, Indices], ...]:
    """Return pairs of children and ancestors, by pointer jumping (Hillis and Steele 1986).

    In each round every bone reaches twice as far up.
    """
    rounds = []
    ancestors = parents.copy()
    while (ancestors >= 0).any():
        children = np.flatnonzero(ancestors >= 0)
        rounds.append((children, ancestors[children]))
        ancestors = np.where(ancestors >= 0, ancestors[ancestors], -1)
    return tuple(rounds)


def _levels(parents: Indices) -> tuple[tuple[Indices, Indices, Array], ...]:
    depth = np.zeros(len(parents), int)
    for bone, parent in enumerate(parents):
        depth[bone] = depth[parent] + 1 if parent >= 0 else 0
    levels = []
    for bones in (np.flatnonzero(depth == d) for d in range(depth.max(), -1, -1)):
        above = np.unique(parents[bones][parents[bones] >= 0])
        levels.append((bones, above, np.equal.outer(above, parents[bones]).astype(float)))
    return tuple(levels)


def _paths(parents: Indices, joints: Indices, frames: Indices) -> tuple[Mask, Mask, Indices, Indices]:
    """Walk from the bone of each frame to its root, noting what every bone on the way moves and turns."""
    shape = (len(frames), len(parents))
    moves, turns = np.zeros(shape, bool), np.zeros(shape, bool)
    carried, next_joint = np.zeros(shape, int), np.zeros(shape, int)
    for f, bone in enumerate(frames):
        turning, item, step = True, f, f
        while bone >= 0:
            moves[f, bone], turns[f, bone] = True, turning
            carried[f, bone], next_joint[f, bone] = item, step
            step = len(frames) + bone
            if joints[bone] < 0:
                turning, item = False, step
            bone = parents[bone]
    return moves, turns, carried, next_joint


def _carries(joints: Indices) -> Mask:
    carries = np.eye(len(joints), dtype=bool)
    for bone, above in enumerate(joints):
        if above >= 0:
            carries[:, bone] |= carries[:, above]
    return carries


def _felt(parents: Indices, frames: Indices, passes: Array) -> Array:
    felt = np.zeros((len(frames), len(parents)))
    for f, bone in enumerate(frames):
        share = 1.0
        while bone >= 0:
            felt[f, bone] = share
            share *= passes[bone] if bone != frames[f] else 1.0
            bone = parents[bone]
    return felt
