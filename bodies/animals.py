# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a body whose bones have a human's names is an animal's all the same."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from .named import Named
from .on_toes import on_toes
from .plans import BIRD, QUADRUPED
from .role import ARM, LEG, Role
from .shaped import Shaped
from .tree import Array, Tree

_RATHER = 0.5  # what is at least so sure speaks against a human
_HARDLY = 0.1  # what fits a human so little beside another body
_ALIKE = 0.1  # limbs of both sides are as long, but for this share
_WING = 1.5  # fingers that are so many times as long as the forearm carry a wing
_Limbs = Mapping[tuple[str, str], Array]


def as_of_an_animal(tree: Tree, told: Named, shape: Shaped | None) -> bool:
    """Return whether it may be an animal whose bones have a human's names: by its tail, limbs or shape."""
    if any(role.part == "tail" for role in told.roles.values()):
        return True
    limbs = _limbs(tree, told)
    if _are_alike(limbs) and (_has_wings(tree, told) or _stands_on_toes(limbs)):
        return True
    if shape is None or shape.plan.kind not in {QUADRUPED, BIRD}:
        return False
    return shape.sure > _RATHER or shape.human < _HARDLY


def _limbs(tree: Tree, told: Named) -> _Limbs:
    """Return where the joints of limbs are (3,) that names tell, by part and side."""
    first = ((joint, role) for joint, role in told.roles.items() if role.place == 1)
    return {(role.part, role.side): tree.heads[joint] for joint, role in first if role.side}


def _are_alike(limbs: _Limbs) -> bool:
    """Return whether limbs are as long on both sides: else where joints are tells nothing of the body."""
    segments = [(one, other) for limb in (ARM[1:], LEG[1:]) for one, other in pairwise(limb)]
    ends = ([limbs.get((part, side)) for side in "LR" for part in both] for both in segments)
    known = np.array([each for each in ends if all(end is not None for end in each)]).reshape(-1, 2, 2, 3)
    left, right = np.linalg.norm(known[:, :, 1] - known[:, :, 0], axis=2).T
    return bool((np.abs(left - right) <= _ALIKE * np.maximum(left, right)).all())


def _stands_on_toes(limbs: _Limbs) -> bool:
    parts = (*LEG[1:], "toe", *ARM[1:])
    if not limbs.keys() >= {(part, side) for part in parts for side in "LR"}:
        return False
    both = (np.array([limbs[part, side] for part in parts]) for side in "LR")
    return all(on_toes(points[:4], points[4:]) > _RATHER for points in both)


def _is_last(role: Role) -> bool:
    return role.place == role.count


def _has_wings(tree: Tree, told: Named) -> bool:
    """Return whether fingers are longer than forearms, as a bat's are."""
    for hand in [joint for joint, role in told.roles.items() if role.part == "hand" and _is_last(role)]:
        digits = [joint for joint in tree.below(hand) if told.roles.get(joint, Role("hand")).part != "hand"]
        forearm = [
            joint for joint in tree.ancestors(hand) if told.roles.get(joint, Role("")).part == "forearm"
        ]
        ends = np.linalg.norm(tree.heads[digits] - tree.heads[hand], axis=1)
        length = np.linalg.norm(tree.heads[forearm] - tree.heads[hand], axis=1)
        if len(ends) and len(length) and ends.max() > _WING * length.max():
            return True
    return False
