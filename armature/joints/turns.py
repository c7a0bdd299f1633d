# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How one bone's channels turn it."""

import numpy as np
from bpy.types import PoseBone

from ...solvers.rotation import Array
from .rotation_modes import to_quaternions


def channel_turn(bone: PoseBone) -> Array:
    """Return how the bone's channels turn it (4,), whatever its rotation mode."""
    values = {'QUATERNION': bone.rotation_quaternion, 'AXIS_ANGLE': bone.rotation_axis_angle}
    channels = np.zeros((1, 1, 4))
    present = values.get(bone.rotation_mode, bone.rotation_euler)
    channels[0, 0, : len(present)] = present
    return to_quaternions(channels, (bone.rotation_mode,))[0, 0]
