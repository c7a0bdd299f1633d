# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body seen in its mirror plane, where left and right are one."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .limbs import Limb
from .mirror import Mirror
from .segments import Pattern, divided
from .tree import Array, Indices, Tree

# Necks bend less from one joint to the next than from there to a jaw or a beak: the cosine between.
_AHEAD = 0.5
# What is on a head is no farther behind where that begins, in lengths of the bone before.
_BEHIND = 0.5


@dataclass(frozen=True, eq=False)
class Divided:
    """A limb with the ``places`` of the ends of its segments among its joints, and how ``clear`` they are."""

    limb: Limb
    places: tuple[int, ...]
    clear: float = 1.0

    @property
    def start(self) -> Array:
        return self.limb.points[self.places[0], :]

    @property
    def end(self) -> Array:
        """The wrist or ankle of two segments, where toes begin of three."""
        return self.limb.points[self.places[-1], :]

    @property
    def tip(self) -> Array:
        """Where fingers or toes begin, or the last joint."""
        return self.limb.points[-1 if self.limb.hub is None else self.limb.hub, :]

    @property
    def length(self) -> float:
        return float(np.linalg.norm(np.diff(self.limb.points[list(self.places)], axis=0), axis=1).sum())


def divide(limb: Limb, pattern: Pattern, forward: Array | None = None) -> Divided | None:
    division = divided(limb.sides, limb.aside, limb.off_lines, limb.hub, pattern, forward)
    return None if division is None else Divided(limb, division.places, division.clear)


@dataclass(frozen=True, eq=False)
class View:
    """A body: its ``tree``, its ``mirror`` and which joint is whose mate (J,)."""

    tree: Tree
    mirror: Mirror
    mates: Indices

    def flat(self, points: Array) -> Array:
        """Return points (..., 3) moved to the mirror plane."""
        return points - self.mirror.away(points)[..., None] * self.mirror.normal

    def in_plane(self, way: Array, square_to: Array | None = None) -> Array:
        """Return the unit vector nearest to ``way`` in the plane, square to another; any without one."""
        for vector in (way, *np.eye(3)):
            for axis in (self.mirror.normal, square_to):
                vector = vector if axis is None else vector - (vector @ axis) * axis
            if np.linalg.norm(vector) > 1e-6 * (np.linalg.norm(way) + 1e-300):
                unit: Array = vector / np.linalg.norm(vector)
                return unit
        raise ValueError("square_to lies along the mirror's normal")

    def sideways(self, limb: Limb) -> float:
        """Return how much of a limb goes out of the plane, from 0 to 1."""
        return abs(float(self.mirror.away(limb.points[-1]) - self.mirror.away(limb.points[0]))) / limb.length

    def beyond(self, limb: Limb, other: Limb) -> list[int]:
        """Return the longest chain in the middle that goes on from one limb away from another."""
        return max(self.chains(limb, other), key=lambda chain: self._weight(chain[0]), default=[])

    def chains(self, limb: Limb, other: Limb) -> list[list[int]]:
        """Return the chains in the middle that go on from one limb away from another."""
        trunk = set(self.tree.ancestors(limb.carrier)) | set(self.tree.ancestors(other.carrier))
        links = list(self.tree.ancestors(limb.carrier))
        if limb.carrier not in self.tree.ancestors(other.carrier):
            links = links[:1]
        return [
            self._middle_chain(child) for link in links for child in self._middle(link) if child not in trunk
        ]

    def face_pairs(self, chain: list[int]) -> int:
        """Return how many pairs hang on a chain in the middle."""
        return sum(
            1
            for joint in chain
            for child in self.tree.children[joint]
            if self.mates[child] not in (-1, child)
        )

    def carriers(self, chain: list[int]) -> list[int]:
        """Return the places of the joints of a chain in the middle that carry pairs."""
        return [place for place, joint in enumerate(chain) if self.face_pairs([joint])]

    def head_of(self, neck: list[int]) -> int:
        """Return which joint after the chest is the head: the first that carries pairs, or the last.

        A jaw or a beak is carried by the head, so a last joint like one is none.
        """
        carriers = self.carriers(neck)
        if not carriers:
            return len(neck) - (2 if self._ends_in_jaw(neck) else 1)
        place = carriers[0]
        return place - 1 if place and self._holds_face(neck[place]) else place

    def _holds_face(self, joint: int) -> bool:
        """Return whether a joint that carries pairs only holds the face: ears or eyes are far behind it."""
        tree = self.tree
        if tree.edges[joint] < 1e-4 * tree.size:
            return True
        way = tree.heads[joint] - tree.heads[tree.parents[joint]]
        pairs = [child for child in tree.children[joint] if self.mates[child] not in (-1, child)]
        return bool(((tree.heads[pairs] - tree.heads[joint]) @ way).min() < -_BEHIND * (way @ way))

    def _ends_in_jaw(self, neck: list[int]) -> bool:
        """Return whether the last joint is off the neck's way, and not as far on as that is long."""
        if len(neck) < 3:
            return False
        onwards, last = np.diff(self.tree.heads[neck[-3:]], axis=0)
        is_short = bool(self.tree.edges[neck[-1]] < self.tree.edges[neck[:-1]].sum())
        return is_short and cosine(onwards, last) < _AHEAD

    def _middle(self, joint: int) -> Iterator[int]:
        return (child for child in self.tree.children[joint] if self.mates[child] == child)

    def _middle_chain(self, joint: int) -> list[int]:
        chain = [joint]
        while (child := max(self._middle(chain[-1]), key=self._weight, default=None)) is not None:
            chain.append(child)
        return chain

    def _weight(self, joint: int) -> tuple[float, float]:
        tree = self.tree
        return round((tree.reaches[joint] + tree.edges[joint]) / tree.size, 6), round(
            tree.lengths[joint] / tree.size, 6
        )


def cosine(one: Array, other: Array) -> float:
    return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-12)
