# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Give bones limits of their own, take them away, and set ends of ranges from the pose."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, IntProperty
from bpy.types import Context, Object, Operator, PoseBone

from ...armature import RigError, bone_meant, bones_meant
from ...armature.limit_kinds import KINDS, kind_of
from ...armature.limits.making import euler_order, shown_turn, shown_turns
from ...armature.setup.limits import free_limit, limit_kind, read_limit, store_limit
from ..mixins.rig import RigOperator
from .bones import ActiveBoneOperator, active_bone, chosen_bones, names_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

_FREE = ('FREE', "Free", "No limit, whatever the rig says")
_ITEMS = (*((name, kind.LABEL, kind.ADDS) for name, kind in KINDS.items()), _FREE)


class SUPERPOSE_OT_add_limit(RigOperator, Operator):
    """Give the selected bones a limit of their own, wide enough for the present pose"""

    bl_idname = "superpose.add_limit"
    bl_label = "Add Limit"

    kind: EnumProperty(name="Kind", description="How the joints may turn", items=_ITEMS)

    @staticmethod
    def active_bone(context: Context, ob: Object) -> PoseBone | None:
        """Return the active bone, for the panels."""
        return bone_meant(context, ob)

    @staticmethod
    def count(context: Context, ob: Object) -> int:
        """Return how many bones would get a limit, for the panel: in Object Mode nobody sees that."""
        return len(bones_meant(context, ob)) or 1

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bones = chosen_bones(context, ob)
        label = _FREE[1]
        if self.kind == 'FREE':
            for bone in bones:
                free_limit(bone)
        else:
            kind, turns = KINDS[self.kind], shown_turns(ob, bones)
            label = kind.LABEL
            for bone, turn in zip(bones, turns, strict=True):
                store_limit(bone, kind.around(bone.name, turn, euler_order(bone)))
            context.scene.superpose_show_limits = True
        self.report({'INFO'}, f"Limit set for {names_of(bones)}: {label}")
        return {'FINISHED'}


class SUPERPOSE_OT_remove_limit(RigOperator, Operator):
    """Remove the selected bones' own limits; the limits of the rig count again"""

    bl_idname = "superpose.remove_limit"
    bl_label = "Remove Limit"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        limited = [bone for bone in chosen_bones(context, ob) if limit_kind(bone) != 'NONE']
        if not limited:
            raise RigError("No selected bone has a limit of its own")
        for bone in limited:
            store_limit(bone, None)
        self.report({'INFO'}, f"Limit removed from {names_of(limited)}")
        return {'FINISHED'}


class SUPERPOSE_OT_set_limit_end(ActiveBoneOperator, Operator):
    """Set one end of the active bone's range to where the bone is now"""

    bl_idname = "superpose.set_limit_end"
    bl_label = "Set Range from Pose"

    end: EnumProperty(
        name="End",
        description="Which end of the range is set",
        items=(('MIN', "Minimum", "The least angle"), ('MAX', "Maximum", "The largest angle")),
    )
    axis: IntProperty(
        name="Axis", description="Which of three angles: 0 for X, 1 for Y, 2 for Z", max=2, min=0
    )

    @classmethod
    def check_bone(cls, bone: PoseBone) -> None:
        if limit_kind(bone) in {'NONE', 'FREE'}:
            raise RigError(f"Bone '{bone.name}' has no limit of its own")

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bone = active_bone(context, ob)
        limit, end = read_limit(bone), {'MIN': "lower", 'MAX': "upper"}[self.end]
        store_limit(bone, kind_of(limit).with_end(limit, end, shown_turn(ob, bone), self.axis))
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_add_limit, SUPERPOSE_OT_remove_limit, SUPERPOSE_OT_set_limit_end)
)
