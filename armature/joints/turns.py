# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the channels of a bone, or of an object, turn it."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers.geometry import Array, Indices
from .rotation_modes import to_quaternions

_PATHS = {'QUATERNION': "rotation_quaternion", 'AXIS_ANGLE': "rotation_axis_angle"}


def rotation_path(mode: str) -> str:
    """Return the name of the property that holds the rotation in this mode."""
    return _PATHS.get(mode, "rotation_euler")


def placing_channels(ob: Object) -> list[tuple[Object, str]]:
    """Return the properties that say where an object is and how it is turned, each with the object."""
    return [(ob, "location"), (ob, rotation_path(ob.rotation_mode))]


@lru_cache(maxsize=16)  # asked for in every frame
def by_rotation_path(modes: tuple[str, ...]) -> dict[str, Indices]:
    """Return the names of the properties that hold rotations in these modes, each with its bones' places."""
    paths = np.array([rotation_path(mode) for mode in modes])
    return {str(path): np.flatnonzero(paths == path) for path in np.unique(paths)}


def channel_turn(bone: PoseBone) -> Array:
    """Return how the bone's channels turn it (4,), whatever its rotation mode."""
    return channel_turns([bone])[0]


def channel_turns(bones: Sequence[PoseBone]) -> Array:
    """Return how the bones' channels turn them (bones, 4), whatever their rotation modes."""
    channels = np.array([rotation_channels(bone) for bone in bones]).reshape(-1, 4)
    return to_quaternions(channels, [bone.rotation_mode for bone in bones])


def rotation_channels(bone: PoseBone) -> Array:
    """Return the present rotation channels (4,) in the bone's own mode; Euler angles are padded with 0."""
    present = getattr(bone, rotation_path(bone.rotation_mode))
    return np.array([*present, 0.0][:4], dtype=np.float64)
