# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose as its mirror image: each bone posed as the one of the other side was, those in the middle too."""

from collections.abc import Iterator

import bpy
import numpy as np
from bpy.types import Object, PoseBone

from ...solvers.geometry import Array, Mask, matrix_to_quaternion, quaternion_to_matrix
from ..errors import RigError
from ..euler_angles import blenders_angles
from ..fcurves.actions import drivers_of
from ..joints.locks import FOUR_DIMENSIONAL, free_rotation
from ..joints.rotation_modes import to_channels, to_quaternions
from ..joints.turns import channel_turn, rotation_channels, rotation_path
from ..setup.mirroring import mirror_image, rest_rotation
from .channels import Change

# Smaller changes are rounding, of channels and rests of single precision.
_UNCHANGED = 1e-6
_SHOWN = 1e-4
# How far axes may be from those of the mirror image, as a cosine, for a scale along them to be mirrored.
_ALIGNED = 1e-3


def flipped_pose(ob: Object) -> tuple[list[Change], list[str]]:
    """Return what mirroring in the armature's X axis changes of all bones, before anything is written.

    A change leaves out what locks and drivers hold. Also returns the bones, posed here or on the other side,
    that have no mirror image: it is not there, it points elsewhere at rest, or uneven scales lie along other
    axes.
    """
    driven, changes, without_image = _driven(ob), [], []
    for bone in ob.pose.bones:
        name = counterpart(ob, bone.name)
        source = ob.pose.bones.get(name or "")
        image = axes_image(source, bone)
        if image is None:
            without_image += [bone.name] if is_posed(bone) or is_posed(source) else []
            continue
        for path, values, blocked in _wanted(source, bone, image):
            held = blocked | [(bone.path_from_id(path), index) in driven for index in range(len(values))]
            differ = np.abs(values - getattr(bone, path)) > _UNCHANGED * (1 + np.abs(values))
            if differ.any():
                changes.append(Change(bone, path, values, differ & ~held))
        if not _is_scale_mirrored(source, image):
            without_image.append(bone.name)
    return changes, without_image


def stayed(changes: list[Change]) -> list[str]:
    """Return the bones that do not have what the changes want, once they are written and evaluated."""
    apart = (change for change in changes if not np.allclose(_present(change), change.values, atol=_SHOWN))
    return list(dict.fromkeys(change.bone.name for change in apart))


def counterpart(ob: Object, bone: str) -> str | None:
    """Return the bone that is the other of a pair by name, or one in the middle itself; None without one."""
    other = bpy.utils.flip_name(bone)
    return other if other in ob.pose.bones else None


def is_posed(bone: PoseBone | None) -> bool:
    """Return whether the bone's channels move, turn or scale it."""
    return bone is not None and not np.allclose(bone.matrix_basis, np.eye(4), atol=_SHOWN)


def axes_image(source: PoseBone | None, bone: PoseBone) -> Array | None:
    """Return what takes the source's axes to the mirror image's, (3, 3), or None without a mirror image."""
    try:
        return mirror_image(source, bone) if source else None
    except RigError:
        return None


def _wanted(source: PoseBone, bone: PoseBone, image: Array) -> Iterator[tuple[str, Array, Mask]]:
    """Yield properties of the bone, what they are in the mirror image, and which parts locks hold."""
    turn = matrix_to_quaternion(image @ quaternion_to_matrix(channel_turn(source)) @ image.T)
    if np.abs(turn @ channel_turn(bone)) < 1 - _UNCHANGED**2:
        yield rotation_path(bone.rotation_mode), *_rotation(bone, turn)
    move = _location_axes(bone) @ image @ _location_axes(source).T
    yield "location", move @ np.array(source.location), np.array(bone.lock_location)
    if _is_scale_mirrored(source, image):
        scale = np.array(source.scale)[np.abs(image).argmax(axis=1)]
        yield "scale", scale, np.array(bone.lock_scale)


def _rotation(bone: PoseBone, turn: Array) -> tuple[Array, Mask]:
    """Return the channels of a turn (4,), and which of them locks hold.

    Locked Euler angles stay by themselves; four numbers are one turn, which stays whole where locks hold any
    part of it.
    """
    mode, own, locks = bone.rotation_mode, rotation_channels(bone), np.array(bone.lock_rotation)
    values = to_channels(turn[None, None], (mode,), own[None, None], locks[None])[0, 0]
    if mode not in FOUR_DIMENSIONAL:
        return values[:3], locks
    if bone.lock_rotations_4d:
        is_held = (np.abs(values - own) > _UNCHANGED) & ~np.array(free_rotation(bone))
        is_held[0] |= bone.lock_rotation_w and np.abs(values[0] - own[0]) > _UNCHANGED
    else:
        turns = to_quaternions(np.stack([values, own])[:, None], (mode,))[:, 0]
        is_held = (np.abs(np.subtract(*blenders_angles(turns, 'XYZ'))) > _UNCHANGED) & locks
    return values, np.full(4, is_held.any())


def _is_scale_mirrored(source: PoseBone, image: Array) -> bool:
    """Return whether the mirror image of the scale is one along the axes of the other bone."""
    aligned = (np.abs(image).max(axis=1) > 1 - _ALIGNED).all()
    return bool(aligned) or np.ptp(source.scale) < _SHOWN


def _location_axes(bone: PoseBone) -> Array:
    """Return the rotation (3, 3) from the bone's axes to those of its location: the parent's, or its own."""
    if bone.bone.use_local_location:
        return np.eye(3)
    parent = rest_rotation(bone.parent) if bone.parent else np.eye(3)
    return parent.T @ rest_rotation(bone)


def _driven(ob: Object) -> set[tuple[str, int]]:
    """Return the channels, (data path, index), that drivers set."""
    return {(curve.data_path, curve.array_index) for curve in drivers_of(ob.animation_data)}


def _present(change: Change) -> Array:
    return np.array(getattr(change.bone, change.path), dtype=np.float64)
