# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting an effector by its handle in the viewport."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty
from bpy.types import Context, Event, Object, Operator, PoseBone

from ..armature import is_selected
from ..overlay.picking import handle_at, target_at
from ..overlay.switch import is_on

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_select_handle(Operator):
    """Select the bone of an effector, in Object Mode its target, by a click on its handle or inside the \
target's box"""

    bl_idname = "superpose.select_handle"
    bl_label = "Select by Handle"
    bl_options = {'UNDO'}

    extend: BoolProperty(
        name="Extend",
        description="Select or deselect it besides what is selected",
        options={'SKIP_SAVE'},
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        return is_on() and context.region_data is not None and context.mode in {'OBJECT', 'POSE'}

    def invoke(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        mouse = event.mouse_region_x, event.mouse_region_y
        bone = handle_at(context, mouse)
        if context.mode == 'POSE':
            return {'PASS_THROUGH'} if bone is None else self.select_bone(context, bone)
        found = object_of(context, bone) if bone else target_at(context, mouse)
        return {'PASS_THROUGH'} if found is None else self.select_object(context, found)

    def select_bone(self, context: Context, bone: PoseBone) -> "set[OperatorReturnItems]":
        """Make the bone the active one, and the only one selected unless others are to stay so."""
        on = not (self.extend and is_selected(bone))
        for other in () if self.extend else context.selected_pose_bones:
            set_selected(other, False)
        set_selected(bone, on)
        if on:
            context.view_layer.objects.active = bone.id_data
            bone.id_data.data.bones.active = bone.bone
        return {'FINISHED'}

    def select_object(self, context: Context, found: Object) -> "set[OperatorReturnItems]":
        """Make the object the active one, and the only one selected unless others are to stay so."""
        on = not (self.extend and found.select_get())
        for other in () if self.extend else context.selected_objects:
            other.select_set(False)
        found.select_set(on)
        if on:
            context.view_layer.objects.active = found
        return {'FINISHED'}


def object_of(context: Context, bone: PoseBone) -> Object:
    """Return the effector's target or, where that cannot be selected, its armature, whose list shows it."""
    rig, target = bone.id_data, bone.superpose.target
    if target is not None and target.visible_get(viewport=context.space_data) and not target.hide_select:
        return target
    rig.superpose.chosen_bone_index = rig.pose.bones.find(bone.name)
    return rig


def set_selected(bone: PoseBone, on: bool) -> None:
    """Select the bone or not; from Blender 5.0 on this belongs to the pose bone."""
    (bone if hasattr(bone, "select") else bone.bone).select = on


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_select_handle,))
