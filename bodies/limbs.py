# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pairs of limbs of a body that is its own mirror image, and where their joints are."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .mirror import Mirror
from .segments import off_lines
from .tree import Array, Indices, Tree

# A branch as long as this share of the longest is as good as it.
_COMPARABLE = 0.55
# Fingers are shorter than this share of the way to their ends, or than that where they differ much; limbs on
# one stem begin in this share of it.
_FINGERS, _SHORT_FINGERS, _STEM = 0.55, 0.25, 0.3
# A limb is this share of the longest limb, and of the body, and its ends are this far apart, in lengths.
_LONG, _LONG_IN_BODY, _STRETCHED = 0.18, 0.1, 0.25
_MOST = 10  # pairs that are looked at: hair can have hundreds


@dataclass(frozen=True, eq=False)
class Limb:
    """A limb and its counterpart: ``joints`` (2, n) from the trunk outwards, -1 where the second has none.

    ``sides`` (1 or 2, n, 3): their heads, of the second only if it is whole. ``aside`` (n,): how far they are
    from the middle. ``hub``: where fingers or toes begin, None without them.
    ``carrier``: the joint in the middle that both hang on.
    """

    joints: Indices
    sides: Array
    aside: Array
    hub: int | None
    carrier: int

    @property
    def points(self) -> Array:
        """The heads of the first (n, 3)."""
        return self.sides[0, :]

    @cached_property
    def off_lines(self) -> Array:
        """How far the joints between two are from their line, for each side (s, m, m)."""
        return np.array([off_lines(points) for points in self.sides])

    @property
    def length(self) -> float:
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())


def limbs_of(tree: Tree, mirror: Mirror, mates: Indices) -> list[Limb]:
    """Return the limbs, the longest first; the first of each pair is where the mirror's normal points."""
    limbs: list[Limb] = []
    for carrier in np.flatnonzero(mates == np.arange(len(mates))).tolist():
        for child in tree.children[carrier]:
            mate = mates[child]
            if (
                mate >= 0
                and mate != child
                and (mirror.away(tree.centroids[child]), child)
                > (
                    mirror.away(tree.centroids[mate]),
                    mate,
                )
            ):
                limbs.extend(_limb(tree, mirror, mates, way, carrier) for way in _ways(tree, mates, [child]))
    limbs = [
        limb for limb in limbs if np.linalg.norm(limb.points[-1] - limb.points[0]) > _STRETCHED * limb.length
    ]
    limbs.sort(key=lambda limb: -round(limb.length / tree.size, 6))
    shortest = max(_LONG * limbs[0].length, _LONG_IN_BODY * tree.size) if limbs else 0.0
    return [limb for limb in limbs if limb.length > shortest][:_MOST]


def _ways(tree: Tree, mates: Indices, stem: list[int]) -> Iterator[list[int]]:
    """Yield the ways of the limbs that begin with a stem: one, or several that part early.

    What one side alone has, as a shield, is no part of a limb.
    """
    total = _longest(tree, stem[0])
    way = list(stem)
    while branches := _comparable(tree, way[-1]):
        if len(branches) > 2 and tree.reaches[way[-1]] > (1.0 - _STEM) * total:
            for branch in branches:
                yield way + tree.along(branch)
            return
        way.append(next((branch for branch in branches if mates[branch] >= 0), branches[0]))
    yield way


def _limb(tree: Tree, mirror: Mirror, mates: Indices, way: list[int], carrier: int) -> Limb:
    hub = next((place for place, joint in enumerate(way) if _has_fingers(tree, joint, way)), None)
    joints = np.array([way, mates[way].tolist()])
    whole = joints if (joints >= 0).all() else joints[:1]
    return Limb(joints, tree.heads[whole], np.abs(mirror.away(tree.heads[way])), hub, carrier)


def _has_fingers(tree: Tree, joint: int, way: list[int]) -> bool:
    left = float(tree.reaches[joint]) / max(_longest(tree, way[0]), 1e-12)
    if len(tree.children[joint]) < 2:
        return False
    return left < _SHORT_FINGERS or (left < _FINGERS and len(_comparable(tree, joint)) > 1)


def _comparable(tree: Tree, joint: int) -> list[int]:
    """Return the longest branches below a joint, the longest first."""
    reach = {
        child: round((tree.reaches[child] + tree.edges[child]) / tree.size, 9)
        for child in tree.children[joint]
    }
    longest = max(reach.values(), default=0.0)
    order = sorted(reach, key=lambda child: (-reach[child], -tree.counts[child]))
    return [child for child in order if reach[child] >= _COMPARABLE * longest]


def _longest(tree: Tree, joint: int) -> float:
    return float(tree.reaches[joint] + tree.edges[joint])
