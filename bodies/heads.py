# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joint beyond the shoulders is the head, and how clear that is."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from .tree import Array
from .view import View, cosine

# In lengths of the trunk, from hips to shoulders: how far above them a human's head begins, and how long it
# is, and how much their logarithms vary where they are shorter and longer. Many rigs have no neck.
_NECK, _HEAD = (0.34, 0.9, 0.3), (0.42, 0.3, 0.5)
# What is carried by a head and is no longer than this may be a jaw.
_LONGEST_JAW = 0.35
# A neck's bones, and a head's, go about the same way, as far as this; and how much that varies.
_ONWARDS, _BENDS, _JAW_BENDS, _JAW_VARIES = 0.8, 0.25, 0.5, 0.2
# How well it fits that a head carries a joint, and each one more; and that there is no head.
_CARRIES, _ONE_MORE, _NONE = -0.3, -1.0, -2.5
_JOINTS_ON_HEAD = 3  # of more than so many, as of hair, the others tell nothing
# How clear the last joint of an animal's neck is, if nothing in pairs tells the head: it may be a jaw.
_LAST = 0.7


def human_head(view: View, neck: list[int], shoulders: Array, trunk: float) -> tuple[int, float]:
    """Return the place of the head among the joints of a ``neck``, and how clear that is (0 to 1).

    ``shoulders`` (3,): a point of the middle; ``trunk``: how far it is from the hips.
    """
    if view.carriers(neck):
        return view.head_of(neck), 1.0
    points = np.concatenate([[shoulders], view.tree.heads[neck]])
    fits = np.array(list(_fits(points / max(trunk, 1e-12))))
    best = int(np.argmax(np.round(fits, 9)))
    return best, float(np.exp(fits[best]) / (np.exp(fits).sum() + np.exp(_NONE)))


def animal_head(view: View, neck: list[int]) -> tuple[int, float]:
    """Return the place of the head and how clear it is, as of a human."""
    return view.head_of(neck), 1.0 if view.carriers(neck) or len(neck) == 1 else _LAST


def _fits(points: Array) -> Iterator[float]:
    """Yield how well each joint above the shoulders fits as the head; ``points`` in lengths of the trunk."""
    ways = np.diff(points, axis=0)
    straight = np.array([1.0, *(cosine(one, other) for one, other in pairwise(ways))])
    straight[2:] = np.minimum.accumulate(straight[2:])  # once past a bend, as of hair, it is no neck
    for place, way in enumerate(ways):
        fit = _usual(float(np.linalg.norm(points[place + 1] - points[0])), *_NECK)
        fit -= 0.5 * (max(0.0, _ONWARDS - straight[place]) / _BENDS) ** 2
        beyond = len(ways) - place - 1
        if beyond:
            carried = float(np.linalg.norm(ways[place + 1]))
            fit += _CARRIES + _ONE_MORE * (min(beyond, _JOINTS_ON_HEAD) - 1)
            fit += max(_usual(carried, *_HEAD), _jaw(carried, cosine(way, ways[place + 1])))
        yield fit


def _jaw(length: float, straight: float) -> float:
    if length > _LONGEST_JAW:
        return -np.inf
    return -0.5 * (max(0.0, straight - _JAW_BENDS) / _JAW_VARIES) ** 2


def _usual(length: float, usual: float, shorter: float, longer: float) -> float:
    """Return the logarithm of how usual a length is."""
    off = float(np.log(max(length, 1e-9) / usual))
    return -0.5 * (off / (longer if off > 0 else shorter)) ** 2
