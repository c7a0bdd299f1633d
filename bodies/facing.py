# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way an upright body faces: toes, face, thumbs, knees and elbows vote."""

import numpy as np

from .tree import Array
from .view import Divided, View

_TOES, _FACE, _THUMBS, _KNEES, _ELBOWS = 3.0, 2.0, 1.2, 1.0, -0.8
# In sizes of the body: differences this small say nothing.
_SLIGHT = 0.01


def sigmoid(value: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(value, -50.0, 50.0))))


def votes_for(view: View, forward: Array, leg: Divided, arm: Divided, neck: list[int]) -> float:
    """Return the sum of the votes for facing along a unit vector; negative for facing the other way."""
    heads, size = view.tree.heads, view.tree.size

    def vote(way: Array) -> float:
        return float(np.tanh(way @ forward / size / _SLIGHT))

    votes = _TOES * vote(leg.limb.points[-1] - leg.end) + _KNEES * vote(_bend(leg))
    votes += _ELBOWS * vote(_bend(arm))
    if neck:
        head = neck[view.head_of(neck)]
        votes += _FACE * vote(view.tree.centroids[head] - heads[head])
    thumb = _thumb(view, arm)
    return votes + (_THUMBS * vote(thumb) if thumb is not None else 0.0)


def _bend(limb: Divided) -> Array:
    """Return how far the knee or elbow is from the line between the ends (3,)."""
    first, middle, last = (limb.limb.points[place, :] for place in limb.places[:3])
    way = last - first
    return middle - first - way * float((middle - first) @ way) / max(float(way @ way), 1e-12)


def _thumb(view: View, arm: Divided) -> Array | None:
    """Return where the thumb, which begins first, is from the middle of the fingers (3,)."""
    fingers = view.tree.children[int(arm.limb.joints[0, arm.places[-1]])]
    if len(fingers) < 4:
        return None
    first = min(fingers, key=lambda finger: round(float(view.tree.edges[finger]) / view.tree.size, 6))
    others = [finger for finger in fingers if finger != first]
    thumb: Array = view.tree.centroids[first] - view.tree.centroids[others].mean(axis=0)
    return thumb
