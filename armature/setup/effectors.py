# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The effectors that the user has set up on an armature."""

from bpy.types import Object, PoseBone

HOLDS = ('PINNED', 'FOLLOWS', 'FREE')  # what an effector does while others are moved


def effectors_of(ob: Object) -> list[PoseBone]:
    """Return the effectors in the order of the list."""
    return sorted(filter(is_effector, ob.pose.bones), key=lambda bone: bone.superpose.order)


def is_effector(bone: PoseBone) -> bool:
    """Return whether the bone is in the list; stores nothing on bones that have no settings."""
    return bone.is_property_set("superpose") and bone.superpose.is_effector
