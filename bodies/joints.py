# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a rig: one of the bones that are one joint for different purposes, none that only help."""

from dataclasses import replace

import numpy as np

from .machines import without_axes
from .tree import Tree, tree_of
from .words import ends_chain, is_helper, part_of

# Rigify's: the joints, and the bones that deform the mesh and often hang together where the joints do not.
_FAMILIES = ("ORG-", "DEF-")
_FEWEST = 10
# Hooves and tails may be roots of their own: chains of so few joints, this near to the body, in bones.
_LOOSE_JOINTS, _TOUCHING = 8, 1.8
_OF_BODY = 2.0  # the bones of a camera, say, are longer than so many of the body's longest


def joints_of(tree: Tree) -> Tree:
    """Return the tree without controls and helpers; a bone is named as the one that is the joint."""
    family = [joint for joint, name in enumerate(tree.names) if name.startswith(_FAMILIES)]
    joints = _folded(tree, family) if len(family) >= _FEWEST else tree
    spelt = replace(joints, names=without_axes(joints.names))
    kept = [joint for joint, name in enumerate(spelt.names) if not _helps(spelt, joint, name)]
    return _joined(joints.kept(kept or range(len(joints.names))))


def _joined(tree: Tree) -> Tree:
    """Return the tree with small loose chains hung on the nearest joint, by the nearer end."""
    parents = tree.parents.copy()
    body = max(tree.roots, key=lambda root: tree.counts[root])
    joints = np.array(list(tree.below(body)))
    longest = _OF_BODY * float(tree.edges[joints].max())
    for root in tree.roots:
        chain = list(tree.below(root))
        if (
            root == body
            or len(chain) > _LOOSE_JOINTS
            or any(len(tree.children[joint]) > 1 for joint in chain)
            or tree.edges[chain].max() > longest
        ):
            continue
        distances = np.linalg.norm(
            tree.heads[joints][None] - tree.heads[[chain[0], chain[-1]]][:, None], axis=-1
        )
        end, near = np.unravel_index(np.argmin(np.round(distances / tree.size, 9)), distances.shape)
        bone = max(float(tree.edges[joints[near]]), float(tree.reaches[root]) / len(chain))
        if distances[end, near] < _TOUCHING * bone:
            way = chain[::-1] if end else chain
            parents[way] = [joints[near], *way[:-1]]
    names = [None if parent < 0 else tree.names[parent] for parent in parents.tolist()]
    return tree_of(tree.names, names, tree.heads)


def _helps(tree: Tree, joint: int, name: str) -> bool:
    """Return whether the bone is no joint: what carries others ends no chain, whatever its name."""
    return is_helper(name) and not _is_link(tree, joint) and not (ends_chain(name) and tree.children[joint])


def _is_link(tree: Tree, joint: int) -> bool:
    """Return whether a bone that twists is a link of the limb, or one for IK a loose hoof."""
    below = [tree.names[other] for other in tree.below(joint) if other != joint]
    if tree.parents[joint] < 0:
        return any(not is_helper(name) for name in below)
    return bool(part_of(tree.names[joint], keep_twist=True)) and any(part_of(name) for name in below)


def _folded(tree: Tree, family: list[int]) -> Tree:
    """Return one joint for each group of bones that differ in the prefix alone."""
    groups: dict[str, list[int]] = {}
    for joint in sorted(family, key=lambda joint: tree.names[joint].startswith(_FAMILIES[1])):
        groups.setdefault(_without_prefix(tree.names[joint]), []).append(joint)
    if any(name.startswith(_FAMILIES[0]) for name in tree.names):
        groups = {
            key: members for key, members in groups.items() if tree.names[members[0]].startswith(_FAMILIES[0])
        }
    above = {base: _above(tree, base, members, groups) for base, members in groups.items()}
    for base in groups:  # bones of two families can hang on one another in a circle
        seen = {base}
        while (link := above[base]) is not None and link not in seen:
            seen.add(base := link)
        above[base] = None
    order = sorted(groups, key=lambda base: _depth(base, above))
    place = {base: index for index, base in enumerate(order)}
    first = [groups[base][0] for base in order]
    parents = [-1 if (link := above[base]) is None else place[link] for base in order]
    names = tuple(tree.names[joint] for joint in first)
    return Tree(names, np.array(parents, dtype=np.int64), tree.heads[first])


def _above(tree: Tree, base: str, members: list[int], groups: dict[str, list[int]]) -> str | None:
    for member in reversed(members):
        for link in tree.ancestors(member):
            other = _without_prefix(tree.names[link])
            if other != base and other in groups and tree.names[link].startswith(_FAMILIES):
                return other
    return None


def _depth(base: str | None, above: dict[str, str | None]) -> int:
    depth = -1
    while base is not None:
        base, depth = above[base], depth + 1
    return depth


def _without_prefix(name: str) -> str:
    return name[len(_FAMILIES[0]) :] if name.startswith(_FAMILIES) else name
