# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far rotations lie outside what limits allow."""

from collections.abc import Sequence
from math import prod

import numpy as np

from ..geometry import Array, angle_between, quaternion_to_matrix
from .group import Group
from .groups import group_limits
from .protocol import Limit


def angles_outside(limits: Sequence[Limit], turns: Array) -> Array:
    """Return the angles (..., n), radians, from rotations to the nearest that ``limits`` (n) allow; 0 within.

    ``turns`` (..., n, 4): quaternions wxyz relative to rest, in the parents' frames, each for its own limit,
    one limit a bone.
    """
    rows = turns.reshape(prod(turns.shape[:-2]), len(limits), 4)
    angles = np.zeros(rows.shape[:2])
    for group in group_limits(limits, {limit.bone: place for place, limit in enumerate(limits)}):
        _, angles[:, group.bones] = nearest_allowed(group, rows.take(group.bones, axis=1))
    return angles.reshape(turns.shape[:-1])


def nearest_allowed(group: Group, turns: Array) -> tuple[Array, Array]:
    """Return the allowed rotations (batch, m, 3, 3) nearest to those of a group's bones, and the angles to
    them (batch, m), radians.

    ``turns`` (batch, m, 4): quaternions wxyz relative to rest.
    """
    own = quaternion_to_matrix(turns)
    nearest = group.nearest(own, own)
    return nearest, angle_between(nearest, own)
