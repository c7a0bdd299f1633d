# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's rotation locks: which bones they hold altogether, and which they leave some angles."""

from bpy.types import PoseBone

FOUR_DIMENSIONAL = {'QUATERNION', 'AXIS_ANGLE'}


def is_fully_locked(bone: PoseBone) -> bool:
    """Return whether no turn is left: all three axes are locked."""
    return all(bone.lock_rotation)


def lock_order(bone: PoseBone) -> str:
    """Return the Euler order in which the locked axes keep their angles; empty for none that can be kept so.

    Locked parts of a quaternion are angles only where two are zero, which leaves a hinge.
    """
    if not any(bone.lock_rotation) or is_fully_locked(bone):
        return ""
    if bone.rotation_mode not in FOUR_DIMENSIONAL:
        return bone.rotation_mode
    if not bone.lock_rotations_4d:
        return 'XYZ' if bone.rotation_mode == 'QUATERNION' else ""
    parts = zip(bone.rotation_quaternion[1:], bone.lock_rotation, strict=True)
    locked = [part for part, lock in parts if lock]
    hinge = bone.rotation_mode == 'QUATERNION' and len(locked) == 2 and not any(locked)
    return 'XYZ' if hinge and not bone.lock_rotation_w else ""


def is_held(bone: PoseBone) -> bool:
    """Return whether the locks leave no turn, or none that can be kept to."""
    four = bone.rotation_mode in FOUR_DIMENSIONAL and bone.lock_rotations_4d and bone.lock_rotation_w
    return any((*bone.lock_rotation, four)) and not lock_order(bone)


def free_rotation(bone: PoseBone) -> list[bool]:
    """Return which of four rotation channels, in the bone's own mode, may be written."""
    free = [not lock for lock in bone.lock_rotation]
    if bone.rotation_mode not in FOUR_DIMENSIONAL:
        return [*free, False]
    return [True, *free] if bone.lock_rotations_4d else [True] * 4
