# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The effectors that the user has set up on an armature."""

from collections.abc import Sequence

from bpy.types import Object, PoseBone, PropertyGroup

Setting = float | bool | str | Sequence[bool]

# What the bone itself has of an effector, so that it can be keyed: weights of position and rotation, offset.
WEIGHTS = ("superpose_position_weight", "superpose_rotation_weight")
OFFSET = "superpose_offset"
HOLDS = ('PINNED', 'FOLLOWS', 'FREE')  # what an effector does while others are moved


def effectors_of(ob: Object) -> list[PoseBone]:
    """Return the effectors in the order of the list."""
    return sorted(filter(is_effector, ob.pose.bones), key=lambda bone: bone.superpose.order)


def is_effector(bone: PoseBone) -> bool:
    """Return whether the bone is in the list; stores nothing on bones that have no settings."""
    return bone.is_property_set("superpose") and bone.superpose.is_effector


def make_effectors(ob: Object, bones: Sequence[PoseBone]) -> None:
    """Put bones that are no effectors at the end of the list."""
    first = max((bone.superpose.order + 1 for bone in effectors_of(ob)), default=0)
    for order, bone in enumerate(bones, first):
        bone.superpose.is_effector, bone.superpose.order = True, order


def effector_setting(bone: PoseBone, name: str) -> Setting:
    """Return a setting of the effector, whether the bone itself has it or its group of settings."""
    return getattr(*_kept_in(bone, name))


def store_effector_setting(bone: PoseBone, name: str, value: object) -> None:
    """Store a setting of the effector where ``effector_setting`` finds it."""
    setattr(*_kept_in(bone, name), value)


def _kept_in(bone: PoseBone, name: str) -> tuple[PoseBone | PropertyGroup, str]:
    own = f"superpose_{name}"
    return (bone, own) if own in WEIGHTS else (bone.superpose, name)
