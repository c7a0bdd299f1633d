# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits as the settings of Blender's IK that say the same, where there are such."""

from math import tau

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers.geometry import Array
from ...solvers.limits import Limit
from ..joints.joint import IK_ORDER, as_box
from ..joints.limit_rotation import uses_limits
from ..rig.rig import Rig
from ..setup.limits import limit_kind, read_limit

_FREE = np.full(3, -tau), np.full(3, tau)


def say_limits(ob: Object, copy: Object) -> None:
    """Give the copy's bones IK settings for the limits of ``ob``, and clear those that do not count there."""
    in_use = uses_limits(ob)
    for bone in ob.pose.bones:
        if not in_use:
            _set_box(copy.pose.bones[bone.name], *_FREE)
        elif limit_kind(bone) != 'NONE':
            _set_box(copy.pose.bones[bone.name], *(_sayable(read_limit(bone)) or _FREE))


def say_stiffness(rig: Rig, copy: Object) -> None:
    """Have the copy's bones be as stiff as those of the rig, as far as Blender has it: none is held."""
    for name, stiffness in zip(rig.names, rig.stiffness.tolist(), strict=True):
        for axis in "xyz":
            setattr(copy.pose.bones[name], f"ik_stiffness_{axis}", stiffness)


def unsaid(ob: Object, names: tuple[str, ...]) -> bool:
    """Return whether the IK of Blender cannot be told of a limit that one of the bones has of its own."""
    owners = [bone for bone in map(ob.pose.bones.get, names) if limit_kind(bone) != 'NONE']
    return uses_limits(ob) and any(_sayable(read_limit(bone)) is None for bone in owners)


def _sayable(limit: Limit | None) -> tuple[Array, Array] | None:
    """Return the limit as ranges (3,), (3,) of angles about X, Y and Z that hold rest, None if it is none."""
    box = as_box(limit, IK_ORDER) if limit else _FREE
    return box if box and (box[0] <= 0).all() and (box[1] >= 0).all() else None


def _set_box(bone: PoseBone, lower: Array, upper: Array) -> None:
    for axis, low, high in zip("xyz", lower.tolist(), upper.tolist(), strict=True):
        locked = low == high
        setattr(bone, f"lock_ik_{axis}", locked)
        setattr(bone, f"use_ik_limit_{axis}", not locked and high - low < tau)
        setattr(bone, f"ik_min_{axis}", low)
        setattr(bone, f"ik_max_{axis}", high)
