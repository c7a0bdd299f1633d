# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints that make up a body's shape: none that lie along a bone, none that one side alone carries."""

from collections.abc import Iterator

import numpy as np

from .tree import Indices, Tree

# In lengths of the bone: so near to its line a joint lies on it, and so near to its ends it is one of them.
_ON_BONE, _AT_END = 0.03, 0.03
_SHORTEST = 1e-4  # in sizes of the body: shorter bones have no direction


def of_the_body(tree: Tree) -> list[int]:
    """Return the joints of the largest root, without those that lie along a bone and carry nothing.

    Those share its twist, or hold something.
    """
    body = set(tree.below(max(tree.roots, key=lambda joint: tree.counts[joint])))
    along = {joint for joint in body for joint in _along_bones(tree, joint)}
    return sorted(body - along)


def carried_alone(tree: Tree, mates: Indices) -> set[int]:
    """Return what one side of a limb alone has, as a sword, where that is longer than what both have."""
    alone: set[int] = set()
    for joint in np.flatnonzero((mates >= 0) & (mates != np.arange(len(mates)))).tolist():
        way = {child: float(tree.edges[child] + tree.reaches[child]) for child in tree.children[joint]}
        both = max((length for child, length in way.items() if mates[child] >= 0), default=np.inf)
        for child, length in way.items():
            if mates[child] < 0 and length > both:
                alone.update(tree.below(child))
    return alone


def _along_bones(tree: Tree, joint: int) -> Iterator[int]:
    """Yield the children of a joint that carry nothing and lie on the way to another one.

    Or where one is that carries something: doubles, to which something is attached.
    """
    below = tree.children[joint]
    leaves = [child for child in below if not tree.children[child]]
    if len(below) < 2 or not leaves:
        return
    ways = tree.heads[below] - tree.heads[joint]
    out = tree.heads[leaves] - tree.heads[joint]
    squares = np.maximum((ways**2).sum(axis=1), (_SHORTEST * tree.size) ** 2)
    along = np.clip(out @ ways.T / squares, 0.0, 1.0)
    off = np.linalg.norm(out[:, None] - along[..., None] * ways, axis=-1) / np.sqrt(squares)
    carry = np.array([bool(tree.children[child]) for child in below])
    between = (along > _AT_END) & ((along < 1.0 - _AT_END) | carry)
    lie = ((off < _ON_BONE) & between).any(axis=1)
    yield from (leaf for leaf, lies in zip(leaves, lie.tolist(), strict=True) if lies)
