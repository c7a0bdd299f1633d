# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors that are none any more."""

from bpy.types import PoseBone, PropertyGroup

from ..fcurves.paths import KEYED_OF_EFFECTORS
from .made import forget_made

# What a bone stores whether it is an effector or not.
OF_JOINTS = ("stiffness", "mass", "limit", "comfort", "twist_share", "twist_of", "turn_speed", "chosen_as")


def clear_effector(bone: PoseBone) -> None:
    """Delete what makes the bone an effector; what its joint may do stays."""
    stored = bone.superpose
    for name in set(stored.bl_rna.properties.keys()) - {"rna_type", "made", *OF_JOINTS}:
        stored.property_unset(name)
    forget_made(bone, 'EFFECTOR')
    unset_keyed(bone)
    if not any(_is_set(stored, name) for name in OF_JOINTS):
        bone.property_unset("superpose")


def _is_set(group: PropertyGroup, name: str) -> bool:
    """Return whether a property is set or, of a group, which Blender sets where it is read, any within it."""
    value = getattr(group, name)
    if not isinstance(value, PropertyGroup):
        return group.is_property_set(name)
    return any(_is_set(value, inner) for inner in value.bl_rna.properties.keys() if inner != "rna_type")


def unset_keyed(bone: PoseBone) -> None:
    """Delete what the bone has of properties that an effector's keys are for."""
    for name in KEYED_OF_EFFECTORS:
        bone.property_unset(name)
