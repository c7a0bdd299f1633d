# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far effectors are from their targets, of whatever pose, found by whomever."""

from collections.abc import Sequence

import numpy as np

from ..geometry import Array, matrix_to_quaternion, matvec, norm, quaternion_to_matrix
from .effectors import Effector, Targets


def effectors_left(
    effectors: Sequence[Effector], targets: Targets, points: Array, rotations: Array
) -> tuple[Array, Array]:
    """Return what is left, as a ``Solution`` has it: lengths and angles in radians, (batch, effectors).

    ``points`` (batch, effectors, 3) and ``rotations`` (batch, effectors, 3, 3) of the effectors, armature
    space. Axes that do not count are left out; what has no weight is 0.
    """
    counted = np.array([e.position_weight > 0 for e in effectors])
    axes = np.array([np.multiply(e.rotation_axes, e.rotation_weight) > 0 for e in effectors])
    away = matvec(targets.axes, points - targets.positions)
    inverse = np.swapaxes(quaternion_to_matrix(targets.rotations), -1, -2)
    turns = matrix_to_quaternion(inverse @ rotations)[..., 1:] * axes
    return counted * norm(away), 2 * np.arcsin(np.minimum(norm(turns), 1.0))
