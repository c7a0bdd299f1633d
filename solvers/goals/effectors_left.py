# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far effectors are from their targets, of whatever pose, found by whomever."""

from collections.abc import Sequence

import numpy as np

from ..geometry import Array, matrix_to_quaternion, matvec, norm, quaternion_to_matrix
from .effectors import Effector, Targets, weights_of


def effectors_left(
    effectors: Sequence[Effector], targets: Targets, points: Array, rotations: Array
) -> tuple[Array, Array]:
    """Return what is left, as a ``Solution`` has it: lengths and angles in radians, (batch, effectors).

    ``points`` (batch, effectors, 3) and ``rotations`` (batch, effectors, 3, 3) of the effectors, armature
    space. Axes that do not count are left out; what has no weight in its row is 0.
    """
    counted = weights_of(effectors, targets.weights) > 0
    axes = np.array([e.rotation_axes for e in effectors]).reshape(-1, 3) * counted[..., 1:] > 0
    away = matvec(targets.axes, points - targets.positions)
    inverse = np.swapaxes(quaternion_to_matrix(targets.rotations), -1, -2)
    turns = matrix_to_quaternion(inverse @ rotations)[..., 1:] * axes
    return counted[..., 0] * norm(away), 2 * np.arcsin(np.minimum(norm(turns), 1.0))
