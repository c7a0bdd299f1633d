# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rig that is already set up says of its joints: rotation locks, Limit Rotation and IK settings.

IK settings are read as Euler angles in the order YXZ, twist before swing: so hinges, and hinges that twist,
are exactly what Blender's IK makes of them. A bone that has rotation locks or a Limit Rotation as well lends
them its order, which for a hinge is the same, so that all of them hold.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import pi

import numpy as np
from bpy.types import Object, PoseBone

from ..solvers import EulerLimit
from ..solvers.rotation import Array
from .limit_rotation import Clamp, blenders_angles, common_range, limit_rotations, readable_range
from .locks import is_fully_locked, is_held, lock_order

_IK_ORDER = 'YXZ'
_FREE = (-pi, pi)
_TURN = 2 * pi - 1e-5


@dataclass(frozen=True)
class Joint:
    """What one bone's angles, of Euler ``order``, may do; no order for a bone without limits.

    ``kept``: axes whose angles stay as they are. ``lower``, ``upper`` (3,): bounds, pi either way if free.
    ``clamps``: the Limit Rotation constraints, which Blender applies to the channels. ``held``: may not turn.
    ``notes``: which of the limits contradict each other.
    """

    order: str = ""
    kept: tuple[bool, ...] = (False,) * 3
    lower: tuple[float, ...] = (-pi,) * 3
    upper: tuple[float, ...] = (pi,) * 3
    clamps: tuple[Clamp, ...] = ()
    held: bool = False
    stiffness: float = 0.0
    notes: tuple[str, ...] = ()


def read_joints(ob: Object, bones: Iterable[PoseBone]) -> tuple[Joint, ...]:
    """Return what the bones' joints may do."""
    clamps = limit_rotations(ob)
    return tuple(_joint(bone, clamps.get(bone.name, ()), ob.superpose.use_limits) for bone in bones)


def as_blender_sees(joints: tuple[Joint, ...], local: Array) -> Array:
    """Return channels' quaternions (frames, bones, 4) as Limit Rotation constraints leave them."""
    local = local.copy()
    for index, joint in enumerate(joints):
        for clamp in joint.clamps:
            local[:, index] = clamp.applied(local[:, index])
    return local


def limit_of(joint: Joint, bone: str, local: Array) -> EulerLimit | None:
    """Return the limit of a bone that has the rotations ``local`` (frames, 4); None for a free one."""
    if not joint.order:
        return None
    lower, upper = np.array(joint.lower), np.array(joint.upper)
    angles = blenders_angles(local, joint.order)
    if joint.clamps:
        lower, upper = readable_range(lower, upper, angles, joint.order)
    lower, upper = (np.where(joint.kept, angles, bound) for bound in (lower, upper))
    return EulerLimit(bone, joint.order, lower, upper)


def _joint(bone: PoseBone, clamps: tuple[Clamp, ...], use_limits: bool) -> Joint:
    lock = lock_order(bone)
    if is_held(bone):
        hard = () if is_fully_locked(bone) else ("its rotation locks are no locks of angles",)
        return _held_joint(bone, clamps, *hard)
    if lock and clamps and clamps[0].order != lock:
        return _held_joint(bone, clamps, "its rotation locks and its Limit Rotation differ in their order")
    order = lock or (clamps[0].order if clamps else "")
    kept = np.array(bone.lock_rotation) & bool(lock)
    lower, upper = common_range(clamps) if clamps else (np.full(3, -pi), np.full(3, pi))
    if not use_limits:
        return _made(order, kept, lower, upper, clamps)
    return _with_ik(bone, order, kept, (lower, upper), clamps)


def _held_joint(bone: PoseBone, clamps: tuple[Clamp, ...], *why: str) -> Joint:
    notes = tuple(f"Bone '{bone.name}' is held: {reason}" for reason in why)
    return Joint(clamps=clamps, held=True, notes=notes)


def _with_ik(
    bone: PoseBone, order: str, kept: Array, bounds: tuple[Array, Array], clamps: tuple[Clamp, ...]
) -> Joint:
    """Return the joint with the bone's IK settings too, where they leave anything of the ``bounds``."""
    low, high = np.array([_ik_range(bone, axis) for axis in "xyz"]).T
    lower, upper = np.maximum(bounds[0], low), np.minimum(bounds[1], high)
    apart = (lower > upper) & ~kept
    notes = ()
    if apart.any():
        notes = (f"Bone '{bone.name}' keeps to its Limit Rotation: its IK limits allow none of that",)
        lower, upper = (np.where(apart, *pair) for pair in zip(bounds, (lower, upper), strict=True))
    # The range of a kept axis is not asked for.
    lower, upper = (np.where(kept, *pair) for pair in zip(bounds, (lower, upper), strict=True))
    kept = kept | [getattr(bone, f"lock_ik_{axis}") for axis in "xyz"]
    return _made(order or _IK_ORDER, kept, lower, upper, clamps, _ik_stiffness(bone), notes)


def _made(
    order: str,
    kept: Array,
    lower: Array,
    upper: Array,
    clamps: tuple[Clamp, ...],
    stiffness: float = 0.0,
    notes: tuple[str, ...] = (),
) -> Joint:
    free = not kept.any() and (upper - lower >= _TURN).all()
    return Joint(
        order="" if free else order,
        kept=tuple(kept.tolist()),
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
        clamps=clamps,
        held=bool(kept.all()),
        stiffness=stiffness,
        notes=notes,
    )


def _ik_range(bone: PoseBone, axis: str) -> tuple[float, float]:
    if not getattr(bone, f"use_ik_limit_{axis}"):
        return _FREE
    return getattr(bone, f"ik_min_{axis}"), getattr(bone, f"ik_max_{axis}")


def _ik_stiffness(bone: PoseBone) -> float:
    return max(getattr(bone, f"ik_stiffness_{axis}") for axis in "xyz")
