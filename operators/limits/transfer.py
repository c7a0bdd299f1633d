# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring limits from one bone to others, to the other side, or from the rig's own settings."""

from dataclasses import replace
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator, PoseBone

from ...armature import RigError
from ...armature.joints.limit_rotation import uses_limits
from ...armature.limits.converting import converted_limit
from ...armature.setup.comfort import read_comfort, store_comfort
from ...armature.setup.copied import copied_from
from ...armature.setup.limits import limit_kind, read_limit, store_limit, store_or_free
from ...armature.setup.mirroring import mirrored_comfort, mirrored_limit, opposite
from ...reports import count_text
from ..mixins.rig import RigOperator
from .bones import SCOPES, ActiveBoneOperator, active_bone, chosen_bones

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


def has_own(bone: PoseBone) -> bool:
    """Return whether there is anything about the joint to mirror."""
    return limit_kind(bone) != 'NONE' or read_comfort(bone) is not None


def has_own_limit(bone: PoseBone) -> None:
    """Raise RigError unless the bone has a limit of its own."""
    if limit_kind(bone) == 'NONE':
        raise RigError(f"Bone '{bone.name}' has no limit of its own")


class SUPERPOSE_OT_copy_limit(ActiveBoneOperator, Operator):
    """Give the other selected bones the active bone's limit, in their own rest frames"""

    bl_idname = "superpose.copy_limit"
    bl_label = "Copy Limit to Selected"

    check_bone = staticmethod(has_own_limit)

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        active = active_bone(context, ob)
        others = [bone for bone in chosen_bones(context, ob) if bone != active]
        if not others:
            raise RigError("Select the bones to copy the limit to")
        limit = read_limit(active)
        for bone in others:
            store_or_free(bone, limit and replace(limit, bone=bone.name))
        return {'FINISHED'}


class SUPERPOSE_OT_mirror_limits(RigOperator, Operator):
    """Give the other side of the body the mirror image of the limits and comfort poses on this side"""

    bl_idname = "superpose.mirror_limits"
    bl_label = "Mirror Limits"

    source: EnumProperty(
        name="From",
        description="Which bones' limits are mirrored; names such as .L and .R say which bone is on the "
        "other side",
        items=(
            ('SELECTED', "Selected Bones", "From the selected bones to those opposite"),
            ('LEFT', "Left to Right", "From every bone on the left, which is at +X of the armature"),
            ('RIGHT', "Right to Left", "From every bone on the right, which is at -X of the armature"),
        ),
    )

    @staticmethod
    def copied_from(bone: PoseBone) -> str:
        """Return of which bone the joint is a copy where it should be the mirror image, or nothing."""
        other = copied_from(bone)
        return other.name if other else ""

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        pairs = [(bone, opposite(bone)) for bone in self.sources(context, ob) if has_own(bone)]
        if not pairs:
            raise RigError("None of these bones has a limit or a comfort pose of its own")
        lonely = [bone.name for bone, other in pairs if other is None]
        pairs = [(bone, other) for bone, other in pairs if other is not None]
        if not pairs:
            raise RigError(f"'{lonely[0]}' has no opposite bone: it needs a name such as hand.L or hand.R")
        images = [(mirrored_limit(*pair), mirrored_comfort(*pair)) for pair in pairs]
        for (bone, other), (limit, comfort) in zip(pairs, images, strict=True):
            if limit_kind(bone) != 'NONE':
                store_or_free(other, limit)
            if comfort is not None:
                store_comfort(other, comfort)
        missed = f"; without an opposite: {', '.join(lonely)}" if lonely else ""
        self.report({'INFO'}, f"Mirrored {count_text(len(pairs), 'joint')}{missed}")
        return {'FINISHED'}

    def sources(self, context: Context, ob: Object) -> list[PoseBone]:
        """Return the bones to mirror from; raises RigError if both of a pair are selected."""
        if self.source != 'SELECTED':
            side = 1 if self.source == 'LEFT' else -1
            return [bone for bone in ob.pose.bones if bone.bone.head_local.x * side > 0 and opposite(bone)]
        chosen = chosen_bones(context, ob)
        for bone in chosen:
            other = opposite(bone)
            if other in chosen:
                raise RigError(f"'{bone.name}' and '{other.name}' are both selected: select one side")
        return chosen


class SUPERPOSE_OT_convert_limits(RigOperator, Operator):
    """Turn the rig's own limits into limits of the bones, which you can see and change here. The rig's \
constraints, locks and IK settings stay as they are"""

    bl_idname = "superpose.convert_limits"
    bl_label = "Convert Rig's Limits"

    scope: EnumProperty(
        name="Bones", description="Which bones' limits are converted", items=SCOPES, default='ALL'
    )

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        if not uses_limits(ob):
            raise RigError("Joint Limits are off: there is nothing to convert")
        found = [(bone, converted_limit(ob, bone)) for bone in chosen_bones(context, ob, self.scope)]
        found = [(bone, limit) for bone, limit in found if limit is not None]
        if not found:
            raise RigError("The rig limits none of these bones, or they have limits of their own")
        for bone, limit in found:
            store_limit(bone, limit)
        context.scene.superpose_show_limits = True
        self.report({'INFO'}, f"Converted the limits of {count_text(len(found), 'bone')}")
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_copy_limit, SUPERPOSE_OT_mirror_limits, SUPERPOSE_OT_convert_limits)
)
