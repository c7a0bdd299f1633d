# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far rotations lie outside what limits allow."""

from collections.abc import Sequence

import numpy as np

from ..geometry import Array, angle_between, quaternion_to_matrix
from .groups import group_limits
from .protocol import Limit


def angles_outside(limits: Sequence[Limit], turns: Array) -> Array:
    """Return the angles (n,), radians, from rotations to the nearest that ``limits`` (n) allow; 0 within.

    ``turns`` (n, 4): quaternions wxyz relative to rest, in the parents' frames, each for its own limit, one
    limit a bone.
    """
    local = quaternion_to_matrix(turns)[None]
    angles = np.zeros(len(limits))
    for group in group_limits(limits, {limit.bone: place for place, limit in enumerate(limits)}):
        own = np.ascontiguousarray(local[:, group.bones])
        angles[group.bones] = angle_between(group.nearest(own, own), own)[0]
    return angles
