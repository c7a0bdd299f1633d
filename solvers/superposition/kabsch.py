# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The superposition of qcp.py by singular values, an independent way to the same rotation.

Where the best rotation is not unique (one point, points on a line, mirrored sets) any of the best may come
out, so bones with one effector spin about their own arm. It is there to check the other by, not to pose with.

References: Kabsch 1976 (10.1107/S0567739476001873), 1978 (10.1107/S0567739478001680).
"""

import numpy as np

from ..geometry import Array, matrix_to_quaternion


def kabsch_rotation(covariance: Array) -> Array:
    """Return the quaternions (..., 4), w >= 0, that best turn moved points onto targets.

    ``covariance`` is ``S = sum w a b^T`` about the pivot, (..., 3, 3), at any scale.
    """
    left, _, right = np.linalg.svd(covariance)
    turned = np.swapaxes(right, -1, -2)
    mirrored = np.linalg.det(turned @ np.swapaxes(left, -1, -2)) < 0
    turned[..., 2] = np.where(mirrored[..., None], -turned[..., 2], turned[..., 2])
    return matrix_to_quaternion(turned @ np.swapaxes(left, -1, -2))
