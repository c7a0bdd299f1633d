# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cones of the active bone's limit."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator, PoseBone

from ...armature import RigError
from ...armature.limit_kinds import KINDS, add_cone, direction
from ...armature.limits.making import euler_order, shown_turn
from ...armature.setup.limits import limit_kind, store_limit
from ...solvers.limits import LONGEST_CHAIN
from .bones import ActiveBoneOperator, active_bone

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_add_cone(ActiveBoneOperator, Operator):
    """Add a cone after the active one, about where the bone points now. The bone may also point between \
neighbours in the list"""

    bl_idname = "superpose.add_cone"
    bl_label = "Add Cone"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bone = active_bone(context, ob)
        turn = shown_turn(ob, bone)
        if limit_kind(bone) != 'CONES':
            context.scene.superpose_show_limits = True
            store_limit(bone, KINDS['CONES'].around(bone.name, turn, euler_order(bone)))
            bone.superpose.limit.cones[0].direction = direction(turn)
            return {'FINISHED'}
        limit = bone.superpose.limit
        place, last = limit.active_cone_index + 1, len(limit.cones)
        if last >= LONGEST_CHAIN:
            raise RigError(f"The limit of '{bone.name}' has {last} cones: there may be no more")
        context.scene.superpose_show_limits = True
        add_cone(limit, direction(turn, limit.limb))
        limit.active_cone_index = min(max(place, 0), last)
        limit.cones.move(last, limit.active_cone_index)
        return {'FINISHED'}


class SUPERPOSE_OT_remove_cone(ActiveBoneOperator, Operator):
    """Remove the active cone; removing the last cone removes the limit"""

    bl_idname = "superpose.remove_cone"
    bl_label = "Remove Cone"

    @classmethod
    def check_bone(cls, bone: PoseBone) -> None:
        if limit_kind(bone) != 'CONES':
            raise RigError(f"Bone '{bone.name}' has no cones")

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bone = active_bone(context, ob)
        limit = bone.superpose.limit
        if len(limit.cones) <= 1:
            store_limit(bone, None)
            return {'FINISHED'}
        limit.cones.remove(min(max(limit.active_cone_index, 0), len(limit.cones) - 1))
        limit.active_cone_index = min(limit.active_cone_index, len(limit.cones) - 1)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_add_cone, SUPERPOSE_OT_remove_cone))
