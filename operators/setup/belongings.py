# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to a set-up: the effectors on the bones, the targets made for them and their collection."""

import bpy
from bpy.types import Context, Object, PoseBone
from mathutils import Matrix

from ...armature import target_matrix
from ..mixins.rig import rig_of

# What a bone stores whether it is an effector or not.
OF_JOINTS = ("stiffness", "limit", "comfort")


def effector_places(context: Context, ob: Object, bones: list[PoseBone]) -> list[Matrix]:
    """Return where targets have to be for the bones to meet them as they are (target_to_world, unscaled)."""
    depsgraph = context.evaluated_depsgraph_get()
    return [target_matrix(ob, bone.name, bone.superpose.offset, depsgraph) for bone in bones]


def made_targets(ob: Object) -> list[Object]:
    """Return the objects that Superpose made as targets for this armature."""
    return [target for target in bpy.data.objects if rig_of(target) == ob and not target.library]


def clear_effector(bone: PoseBone) -> None:
    """Delete what makes the bone an effector; what its joint may do stays."""
    stored = bone.superpose
    for name in set(stored.bl_rna.properties.keys()) - {"rna_type", *OF_JOINTS}:
        stored.property_unset(name)
    bone.property_unset("superpose_influence")
    if not any(stored.is_property_set(name) for name in OF_JOINTS):
        clear(bone)


def clear(owner: PoseBone | Object) -> None:
    """Delete everything that Superpose stored on the pose bone or object."""
    owner.property_unset("superpose")
    if isinstance(owner, PoseBone):
        owner.property_unset("superpose_influence")
    else:
        owner.superpose_live = False  # else nobody would notice
        owner.property_unset("superpose_live")
