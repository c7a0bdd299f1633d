# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which channels of controls may be written, and in which ways controls may be moved so."""

from collections.abc import Set

from bpy.types import Object, PoseBone

from ..fcurves.actions import drivers_of
from ..fcurves.paths import bone_and_property
from ..joints.locks import FOUR_DIMENSIONAL, free_rotation
from ..joints.turns import rotation_path

Channel = tuple[str, str, int]  # bone, property, index


def driven_channels(ob: Object) -> set[Channel]:
    """Return the channels of bones that drivers write, so that nobody else can."""
    curves = drivers_of(ob.animation_data)
    return {(*bone_and_property(curve.data_path), curve.array_index) for curve in curves}


def turning_channels(bone: PoseBone, driven: Set[Channel]) -> list[bool]:
    """Return which of four rotation channels, in the bone's own mode, may be written."""
    path, is_whole = rotation_path(bone.rotation_mode), bone.rotation_mode in FOUR_DIMENSIONAL
    by_drivers = [(bone.name, path, index) in driven for index in range(4)]
    is_held_by_w = bone.lock_rotations_4d and bone.lock_rotation_w
    if is_whole and (any((*bone.lock_rotation, *by_drivers)) or is_held_by_w):
        return [False] * 4  # parts of a quaternion are no angles
    pairs = zip(free_rotation(bone), by_drivers, strict=True)
    return [free and not held for free, held in pairs]


def turns_free(bone: PoseBone, driven: Set[Channel]) -> list[bool]:
    """Return about which of its own axes a control may turn: those whose angles may be written."""
    free = turning_channels(bone, driven)
    return [all(free)] * 3 if bone.rotation_mode in FOUR_DIMENSIONAL else free[:3]


def shifts_free(bone: PoseBone, driven: Set[Channel]) -> list[bool]:
    """Return along which of its axes a control may be moved."""
    is_connected = bone.bone.use_connect and bone.parent is not None
    held = [is_connected or (bone.name, "location", axis) in driven for axis in range(3)]
    return [not (lock or stays) for lock, stays in zip(bone.lock_location, held, strict=True)]
