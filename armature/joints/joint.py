# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each joint may do: as Superpose has it, or as a rig that is already set up says.

A bone's own limit takes the place of Blender's IK settings, which hold in Blender's IK only. Rotation locks
and Limit Rotation constraints go on acting whatever we do. So the own limit holds together with them where
one range of angles can say both. Where none can, locks and constraints alone hold, and a note says so.

IK settings are read as Euler angles in the order YXZ, twist before swing. So hinges, and hinges that twist,
are exactly what Blender's IK makes of them. If a bone has rotation locks or a Limit Rotation as well, its IK
settings are read in their order, so that all of them hold. For a hinge that is the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import pi

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers import EulerLimit, Hinge
from ...solvers.geometry import Array
from ...solvers.limits import Limit
from ..euler_angles import blenders_angles
from ..setup.limits import limit_kind, read_limit
from .limit_rotation import (
    Clamp,
    common_range,
    limit_rotations,
    readable_range,
    uses_limits,
)
from .locks import is_fully_locked, is_held, lock_order
from .turns import channel_turn

IK_ORDER = 'YXZ'
_IK_SETTINGS = tuple(f"{name}_{axis}" for name in ("use_ik_limit", "lock_ik") for axis in "xyz")
_IK_STIFFNESSES = tuple(f"ik_stiffness_{axis}" for axis in "xyz")
_FREE = (-pi, pi)
_TURN = 2 * pi - 1e-5
# Angles that differ less are one: channels are of single precision.
_SAME = 1e-5


@dataclass(frozen=True)
class Joint:
    """What one bone's angles, of Euler ``order``, may do; no order for a bone without limits.

    - ``kept``: axes whose angles stay as they are
    - ``lower``, ``upper`` (3,): bounds, pi either way if free
    - ``clamps``: the Limit Rotation constraints, which Blender applies to the channels
    - ``own``: the bone's own limit, where that says all
    - ``cushion``: the width of its soft rim, where it holds together with others
    - ``held``: the bone may not turn
    - ``notes``: which of the limits contradict each other
    """

    order: str = ""
    kept: tuple[bool, ...] = (False,) * 3
    lower: tuple[float, ...] = (-pi,) * 3
    upper: tuple[float, ...] = (pi,) * 3
    clamps: tuple[Clamp, ...] = ()
    own: Limit | None = None
    cushion: float = 0.0
    held: bool = False
    stiffness: float = 0.0
    notes: tuple[str, ...] = ()


def read_joints(ob: Object, bones: Iterable[PoseBone]) -> tuple[Joint, ...]:
    """Return what the bones' joints may do.

    Raises LimitError naming a bone whose own limit allows nothing.
    """
    clamps, in_use = limit_rotations(ob), uses_limits(ob)
    return tuple(_joint(bone, clamps.get(bone.name, ()), in_use) for bone in bones)


def as_blender_sees(joints: tuple[Joint, ...], local: Array) -> Array:
    """Return channels' quaternions (frames, bones, 4) as Limit Rotation constraints leave them."""
    local = local.copy()
    for index, joint in enumerate(joints):
        for clamp in joint.clamps:
            local[:, index] = clamp.applied(local[:, index])
    return local


def limit_of(joint: Joint, bone: str, local: Array) -> Limit | None:
    """Return the limit of a bone that has the rotations ``local`` (frames, 4); None for a free one."""
    if joint.own is not None:
        return joint.own
    if not joint.order:
        return None
    lower, upper = np.array(joint.lower), np.array(joint.upper)
    angles = blenders_angles(local, joint.order)
    lower, upper = (np.where(joint.kept, angles, bound) for bound in (lower, upper))
    if joint.clamps:
        lower, upper = readable_range(lower, upper, angles, joint.order)
    return EulerLimit(bone, joint.order, lower, upper, joint.cushion)


def _joint(bone: PoseBone, clamps: tuple[Clamp, ...], use_limits: bool) -> Joint:
    own = limit_kind(bone) if use_limits else 'NONE'
    if not clamps and own == 'NONE' and not _has_locks_or_ranges(bone, use_limits):
        return Joint(stiffness=_ik_stiffness(bone) if use_limits else 0.0)
    joint = _enforced(bone, clamps)
    if use_limits and not joint.held:
        joint = replace(joint, stiffness=_ik_stiffness(bone))
        joint = _with_ik(bone, joint) if own == 'NONE' else _with_own(bone, joint)
    return _settled(joint)


def _has_locks_or_ranges(bone: PoseBone, use_limits: bool) -> bool:
    """Return whether rotation locks or, where limits are used, IK settings say anything of its angles."""
    locks = any(bone.lock_rotation) or bone.lock_rotation_w
    return locks or (use_limits and any(getattr(bone, name) for name in _IK_SETTINGS))


def _enforced(bone: PoseBone, clamps: tuple[Clamp, ...]) -> Joint:
    """Return what rotation locks and Limit Rotation leave: what holds in Blender whoever turns the bone."""
    lock = lock_order(bone)
    if is_held(bone):
        hard = () if is_fully_locked(bone) else ("its rotation locks are no locks of angles",)
        return _held_joint(bone, clamps, *hard)
    if lock and clamps and clamps[0].order != lock:
        return _held_joint(bone, clamps, "its rotation locks and its Limit Rotation differ in their order")
    lower, upper = common_range(clamps) if clamps else (np.full(3, -pi), np.full(3, pi))
    return Joint(
        order=lock or (clamps[0].order if clamps else ""),
        kept=tuple(lock_axis and bool(lock) for lock_axis in bone.lock_rotation),
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
        clamps=clamps,
    )


def _held_joint(bone: PoseBone, clamps: tuple[Clamp, ...], *why: str) -> Joint:
    notes = tuple(f"Bone '{bone.name}' stays as it is: {reason}" for reason in why)
    return Joint(clamps=clamps, held=True, notes=notes)


def _with_ik(bone: PoseBone, joint: Joint) -> Joint:
    """Return the joint with the bone's IK settings too, where they leave anything."""
    low, high = np.array([_ik_range(bone, axis) for axis in "xyz"]).T
    joint = _narrowed(bone, joint, low, high, "its IK limits allow")
    kept = np.array(joint.kept) | [getattr(bone, f"lock_ik_{axis}") for axis in "xyz"]
    return replace(joint, order=joint.order or IK_ORDER, kept=tuple(kept.tolist()))


def _with_own(bone: PoseBone, joint: Joint) -> Joint:
    """Return the joint with the bone's own limit, as far as locks and Limit Rotation leave it."""
    own = read_limit(bone)
    if _is_free(joint):
        return replace(joint, order="", own=own)
    keeps = f"Bone '{bone.name}' keeps to its {'Limit Rotation' if joint.clamps else 'rotation locks'}"
    if own is None:
        return replace(joint, notes=(f"{keeps}: mute it to free the bone",) if joint.clamps else ())
    box = as_box(own, joint.order)
    if box is None:
        rule = f"together with these, only hinges about X, Y or Z and angles of order {joint.order} can hold"
        return replace(joint, notes=(f"{keeps}: {rule}",))
    joint = _narrowed(bone, joint, *box, "its own limit allows")
    notes = *joint.notes, *_locked_outside(bone, joint, *box)
    return replace(joint, cushion=own.cushion, notes=notes)


def _locked_outside(bone: PoseBone, joint: Joint, lower: Array, upper: Array) -> tuple[str, ...]:
    """Return a note where locks keep an angle that the bone's own limit does not allow."""
    angles = blenders_angles(channel_turn(bone), joint.order)
    outside = np.array(joint.kept) & ((angles < lower - _SAME) | (angles > upper + _SAME))
    axes = " and ".join(np.array(["X", "Y", "Z"])[outside])
    return (f"Bone '{bone.name}' keeps its locked angle about {axes}, outside its limit",) if axes else ()


def as_box(limit: Limit, order: str) -> tuple[Array, Array] | None:
    """Return the range (3,), (3,) of Euler angles of this order that is the same as the limit, or None."""
    if isinstance(limit, EulerLimit):
        (lower,), (upper,) = limit.lower, limit.upper
        hinge = np.count_nonzero((lower != 0) | (upper != 0)) <= 1  # which is the same in every order
        return (lower, upper) if hinge or limit.order == order else None
    if not isinstance(limit, Hinge) or limit.play:
        return None
    axis = np.array(limit.axis) / np.linalg.norm(limit.axis)
    if np.abs(axis).max() < 1 - _SAME:
        return None
    along = np.round(axis)
    ends = along * limit.lower, along * limit.upper
    return np.minimum(*ends), np.maximum(*ends)


def _narrowed(bone: PoseBone, joint: Joint, low: Array, high: Array, allows: str) -> Joint:
    """Return the joint within a further range, except about axes where that would leave nothing."""
    bounds, kept = (np.array(joint.lower), np.array(joint.upper)), np.array(joint.kept)
    lower, upper = np.maximum(bounds[0], low), np.minimum(bounds[1], high)
    apart = (lower > upper) & ~kept
    notes = joint.notes
    if apart.any():
        notes += (f"Bone '{bone.name}' keeps to its Limit Rotation: {allows} none of that",)
    # The range of a kept axis is not asked for.
    unchanged = apart | kept
    lower, upper = (np.where(unchanged, *pair) for pair in zip(bounds, (lower, upper), strict=True))
    return replace(joint, lower=tuple(lower.tolist()), upper=tuple(upper.tolist()), notes=notes)


def _is_free(joint: Joint) -> bool:
    return not any(joint.kept) and bool((np.subtract(joint.upper, joint.lower) >= _TURN).all())


def _settled(joint: Joint) -> Joint:
    order = "" if _is_free(joint) else joint.order
    return replace(joint, order=order, held=joint.held or all(joint.kept))


def _ik_range(bone: PoseBone, axis: str) -> tuple[float, float]:
    if not getattr(bone, f"use_ik_limit_{axis}"):
        return _FREE
    return getattr(bone, f"ik_min_{axis}"), getattr(bone, f"ik_max_{axis}")


def _ik_stiffness(bone: PoseBone) -> float:
    return max(getattr(bone, name) for name in _IK_STIFFNESSES)
