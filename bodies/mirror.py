# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plane that a body is its own mirror image in, and which joint is whose counterpart."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .tree import Array, Indices, Tree
from .words import other_side, side_of

# Subtrees less alike are no counterparts; how alike siblings are that may tell the plane.
_ALIKE, _SURELY_ALIKE = 0.12, 0.35
# In sizes of the body: how far a counterpart may be from the mirror image, how near the middle is.
_NEAR, _MIRRORED, _MIDDLE, _MIDDLE_BELOW = 0.03, 0.05, 0.05, 0.08
# So many pairs of names tell the plane; the cosine of their direction and a plane's normal, which it tells.
_FEWEST_NAMED, _TOWARDS = 3, 0.5
# The planes that are tried, of so many pairs of siblings; how far apart these are, in sizes of the body.
_PLANES, _PAIRS, _APART = 8, 300, 0.01
# How likely counterparts are that are at their images, whatever they carry, and how far off these may be.
_PLACED, _EXACTLY = 0.3, 0.01
_NAMED = 2.0  # counterparts by name, likelier than any by shape
# Planes closer to one another than about ten degrees are one.
_SAME_PLANE = 0.985


@dataclass(frozen=True, eq=False)
class Mirror:
    """A plane: the unit ``normal`` (3,), which is square to the body's middle through ``point`` (3,).

    ``symmetry``: the share of the joints away from the plane that have another at their image, 0 to 1.
    ``tells_left``: names tell left and right, and the normal points left.
    """

    normal: Array
    point: Array
    symmetry: float
    tells_left: bool = False

    def away(self, points: Array) -> Array:
        """Return how far points (..., 3) are from the plane, along its normal."""
        return (points - self.point) @ self.normal

    def image(self, points: Array) -> Array:
        return points - 2.0 * self.away(points)[..., None] * self.normal


def mirror_of(tree: Tree) -> Mirror | None:
    """Return the plane that mirrors the most of a body, or None; its normal points left if names tell."""
    pairs = named_pairs(tree)
    to_left = _to_left(tree, pairs)
    planes = list(_planes_of_siblings(tree))
    least = 0.0
    if to_left is not None and len(pairs) >= _FEWEST_NAMED:
        planes.insert(0, (to_left, _middle(tree, pairs)))
        planes = [plane for plane in planes if abs(plane[0] @ to_left) > _TOWARDS]
        least = -1.0
    mirrors = [_measured(tree, normal, point) for normal, point in planes]
    best = max(mirrors, key=lambda mirror: round(mirror.symmetry, 6), default=None)
    if best is None or best.symmetry <= least:
        return None
    towards = 0.0 if to_left is None else float(best.normal @ to_left)
    if abs(towards) <= _TOWARDS:
        return best
    return replace(best, normal=best.normal * np.sign(towards), tells_left=True)


def named_pairs(tree: Tree) -> list[tuple[int, int]]:
    """Return the (left, right) joints whose names differ in the side alone."""
    found: dict[str, dict[str, int]] = {}
    for joint, name in enumerate(tree.names):
        if side_of(name):
            found.setdefault(other_side(name), {}).setdefault(side_of(name), joint)
    return [(both["L"], both["R"]) for both in found.values() if len(both) == 2]


def mates_of(tree: Tree, mirror: Mirror, root: int) -> Indices:
    """Return each joint's counterpart (J,): itself in the middle, -1 if there is none."""
    mates = np.full(len(tree.names), -1)
    mates[root] = root
    todo = [(root, root)]
    by_name = dict(named_pairs(tree))
    by_name.update({right: left for left, right in by_name.items()})
    while todo:
        one, other = todo.pop()
        for first, second in _matched(tree, mirror, one, other, by_name):
            mates[first], mates[second] = second, first
            todo.append((first, second))
        if one == other:
            middle = [
                child for child in tree.children[one] if mates[child] < 0 and _in_middle(tree, mirror, child)
            ]
            mates[middle] = middle
            todo.extend((child, child) for child in middle)
    return mates


def likeness(tree: Tree, one: Indices, other: Indices) -> Array:
    """Return how alike the subtrees of joints are, 1 for equal ones; the two broadcast."""

    def difference(values: Array) -> Array:
        largest = np.maximum(np.maximum(values[one], values[other]), 0.02 * tree.size)
        share: Array = np.abs(values[one] - values[other]) / largest
        return share

    counts = np.abs(np.log(tree.counts[one] / tree.counts[other]))
    unlike = difference(tree.reaches) + difference(tree.lengths) + 0.7 * difference(tree.edges) + 0.3 * counts
    alike: Array = np.exp(-2.0 * unlike)
    return alike


def _matched(
    tree: Tree, mirror: Mirror, one: int, other: int, by_name: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield pairs of children, the likeliest first, each child once."""
    ours, theirs = np.array(tree.children[one], dtype=int), np.array(tree.children[other], dtype=int)
    if not len(ours) or not len(theirs):
        return
    likely = np.round(_fit(tree, mirror, ours[:, None], theirs[None, :]), 9)
    likely[ours[:, None] == np.array([by_name.get(second, -1) for second in theirs.tolist()])] = _NAMED
    if one == other:
        likely[np.tril_indices(len(ours))] = 0.0
    while likely.max() >= _ALIKE:
        row, column = np.unravel_index(np.argmax(likely), likely.shape)
        yield int(ours[row]), int(theirs[column])
        likely[row], likely[:, column] = 0.0, 0.0
        if one == other:
            likely[column], likely[:, row] = 0.0, 0.0


def _fit(tree: Tree, mirror: Mirror, ours: Indices, theirs: Indices) -> Array:
    """Return how likely joints are counterparts; not at all if both are in the middle."""
    off = np.linalg.norm(mirror.image(tree.heads[ours]) - tree.heads[theirs], axis=-1)
    off = off + np.linalg.norm(mirror.image(tree.centroids[ours]) - tree.centroids[theirs], axis=-1)
    apart = np.abs(mirror.away(tree.centroids[ours]) - mirror.away(tree.centroids[theirs]))
    fit = np.exp(-0.5 * (off / (2.0 * _MIRRORED * tree.size)) ** 2)
    placed = np.linalg.norm(mirror.image(tree.heads[ours]) - tree.heads[theirs], axis=-1) / tree.size
    placed = _PLACED * np.exp(-0.5 * (placed / _EXACTLY) ** 2)
    likely: Array = np.maximum(likeness(tree, ours, theirs) * (0.25 + 0.75 * fit), placed)
    return likely * (apart > 0.005 * tree.size)


def _in_middle(tree: Tree, mirror: Mirror, joint: int) -> bool:
    head, below = abs(mirror.away(tree.heads[joint])), abs(mirror.away(tree.centroids[joint]))
    return bool(head < _MIDDLE * tree.size and below < _MIDDLE_BELOW * tree.size)


def _to_left(tree: Tree, pairs: list[tuple[int, int]]) -> Array | None:
    """Return the unit vector from what names call right to what they call left; None if they do not tell."""
    if not pairs:
        return None
    way = np.mean([tree.heads[left] - tree.heads[right] for left, right in pairs], axis=0)
    length = float(np.linalg.norm(way))
    return way / length if length > 1e-6 * tree.size else None


def _middle(tree: Tree, pairs: list[tuple[int, int]]) -> Array:
    middle: Array = np.median([0.5 * (tree.heads[left] + tree.heads[right]) for left, right in pairs], axis=0)
    return middle


def _planes_of_siblings(tree: Tree) -> Iterator[tuple[Array, Array]]:
    """Yield the planes that lie between siblings that are alike, the weightiest first, each once."""
    below = [np.array(children) for children in tree.children if len(children) > 1]
    pairs = [children[np.stack(np.triu_indices(len(children), 1))] for children in below]
    if not pairs:
        return
    ones, others = np.concatenate(pairs, axis=1)
    alike = likeness(tree, ones, others)
    ones, others, alike = (values[alike > _SURELY_ALIKE] for values in (ones, others, alike))
    places = (tree.heads, tree.centroids)
    ways = np.concatenate([points[ones] - points[others] for points in places])
    middles = np.concatenate([0.5 * (points[ones] + points[others]) for points in places])
    apart = np.linalg.norm(ways, axis=1)
    weights = np.tile(alike, 2) * (np.tile(tree.lengths[ones] + tree.lengths[others], 2) + apart)
    weights = np.round(weights / tree.size, 9) * (apart > _APART * tree.size)
    kept = np.empty((0, 3))
    for pair in np.argsort(-weights, kind="stable")[:_PAIRS]:
        if weights[pair] > 0 and len(kept) < _PLANES:
            normal = ways[pair] / apart[pair]
            if not (np.abs(kept @ normal) > _SAME_PLANE).any():
                kept = np.concatenate([kept, normal[None]])
                yield normal, middles[pair]


def _measured(tree: Tree, normal: Array, point: Array) -> Mirror:
    """Return the plane with the share of the joints that are mirrored, each as heavy as its bone."""
    mirror = Mirror(normal, point, 0.0)
    beside = np.abs(mirror.away(tree.heads)) > _NEAR * tree.size
    if not beside.any():
        return mirror
    images = mirror.image(tree.heads[beside])
    distances = np.linalg.norm(images[:, None] - tree.heads[None], axis=-1).min(axis=1)
    weights = tree.edges[beside] + 1e-3 * tree.size
    mirrored = float(weights[distances < _MIRRORED * tree.size].sum())
    share = mirrored / (float(tree.edges.sum()) + 1e-12)
    return Mirror(normal, point, mirrored / float(weights.sum()) * min(1.0, share / 0.2))
