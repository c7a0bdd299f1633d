# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a rig as a tree of points: all that can be said without names."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Tree:
    """J joints: ``names``, ``heads`` (J, 3), ``parents`` (J,), -1 for none, all before their children."""

    names: tuple[str, ...]
    parents: Indices
    heads: Array

    @cached_property
    def children(self) -> list[list[int]]:
        below: list[list[int]] = [[] for _ in self.names]
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                below[parent].append(joint)
        return below

    @cached_property
    def roots(self) -> list[int]:
        return np.flatnonzero(self.parents < 0).tolist()

    @cached_property
    def size(self) -> float:
        """The diameter, about: from the joint farthest from the centroid to the joint farthest from that."""
        far = self.heads[np.argmax(np.linalg.norm(self.heads - self.heads.mean(axis=0), axis=1))]
        return max(float(np.linalg.norm(self.heads - far, axis=1).max()), 1e-12)

    @cached_property
    def edges(self) -> Array:
        """How far each joint is from its parent (J,); 0 for roots."""
        return np.where(self.parents < 0, 0.0, np.linalg.norm(self.heads - self.heads[self.parents], axis=1))

    @cached_property
    def reaches(self) -> Array:
        """The length of the longest way down from each joint (J,)."""
        return self._gathered(np.zeros(len(self.names)), lambda own, below, edge: max(own, below + edge))

    @cached_property
    def lengths(self) -> Array:
        """The length of all edges below each joint (J,)."""
        return self._gathered(np.zeros(len(self.names)), lambda own, below, edge: own + below + edge)

    @cached_property
    def counts(self) -> Array:
        """How many joints each subtree has, its top among them (J,)."""
        return self._gathered(np.ones(len(self.names)), lambda own, below, _: own + below)

    @cached_property
    def centroids(self) -> Array:
        """The middle of the joints of each subtree (J, 3)."""
        sums = self.heads.copy()
        for joint in reversed(range(len(self.names))):
            if self.parents[joint] >= 0:
                sums[self.parents[joint]] += sums[joint]
        return sums / self.counts[:, None]

    def ancestors(self, joint: int) -> Iterator[int]:
        """Yield the joint and all above it."""
        while joint >= 0:
            yield joint
            joint = int(self.parents[joint])

    def below(self, joint: int) -> Iterator[int]:
        """Yield the joint and all below it."""
        todo = [joint]
        while todo:
            yield (joint := todo.pop())
            todo.extend(reversed(self.children[joint]))

    def along(self, joint: int) -> list[int]:
        """Return the longest way down from a joint."""
        way = [joint]
        while self.children[way[-1]]:
            way.append(max(self.children[way[-1]], key=lambda child: self.reaches[child] + self.edges[child]))
        return way

    def kept(self, joints: Iterable[int]) -> "Tree":
        """Return the tree of these joints alone, each below the nearest kept one above it."""
        chosen = sorted(joints)
        place = {joint: index for index, joint in enumerate(chosen)}
        above = (
            (place[link] for link in self.ancestors(joint) if link != joint and link in place)
            for joint in chosen
        )
        parents = np.array([next(links, -1) for links in above], dtype=np.int64)
        return Tree(tuple(self.names[joint] for joint in chosen), parents, self.heads[chosen])

    def _gathered(self, values: Array, merge: Callable[[float, float, float], float]) -> Array:
        for joint in reversed(range(len(self.names))):
            parent = self.parents[joint]
            if parent >= 0:
                values[parent] = merge(values[parent], values[joint], self.edges[joint])
        return values


def tree_of(names: Sequence[str], parents: Sequence[str | None], heads: Array) -> Tree:
    """Return the tree of joints given in any order; ``parents`` are names."""
    place = {name: index for index, name in enumerate(names)}
    depth: dict[str, int] = {}
    above = dict(zip(names, parents, strict=True))
    for name in names:
        way = [name]
        while way[-1] not in depth and (parent := above[way[-1]]) is not None:
            way.append(parent)
        start = depth.get(way[-1], 0)
        depth.update({link: start + rank for rank, link in enumerate(reversed(way))})
    order = sorted(names, key=lambda name: depth[name])
    rank = {name: index for index, name in enumerate(order)}
    links = [-1 if (parent := above[name]) is None else rank[parent] for name in order]
    ordered = np.asarray(heads, dtype=np.float64)[[place[name] for name in order]]
    return Tree(tuple(order), np.array(links, dtype=np.int64), ordered)
