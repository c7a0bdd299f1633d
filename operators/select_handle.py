# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting an effector by its handle in the viewport."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty
from bpy.types import Context, Event, Object, Operator, PoseBone

from ..armature import is_effector, is_selected
from ..overlay.bone_picking import picked_at
from ..overlay.picking import handle_at, mouse_at, pressed_at, target_at
from ..overlay.switch import is_on
from ..overlay.viewport import is_in_use
from ..solvers.geometry import Array
from .mixins.selection import select_bone, select_object

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_select_handle(Operator):
    """Select the bone of an effector, in Object Mode its target: click its handle or inside the target's \
box. Where Blender's tool moves what a press selects, a drag moves it"""

    bl_idname = "superpose.select_handle"
    bl_label = "Select by Handle"
    bl_options = {'UNDO'}

    extend: BoolProperty(
        name="Extend",
        description="Add it to the selection, or remove it, and keep the rest selected",
        options={'SKIP_SAVE'},
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        is_shown = is_on() or is_in_use(context)
        return is_shown and context.region_data is not None and context.mode in {'OBJECT', 'POSE'}

    def invoke(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        is_drag = event.value == 'CLICK_DRAG'
        mouse = pressed_at(event) if is_drag else mouse_at(event)
        found = bone = bone_at(context, mouse)
        if context.mode == 'OBJECT':
            found = object_of(context, bone) if bone else target_at(context, mouse)
        if found is None or (is_drag and is_picked(found)):
            return {'PASS_THROUGH'}
        if found == bone and is_effector(bone):
            show_row(bone)
        (select_bone if found == bone else select_object)(context, found, extend=self.extend)
        return {'FINISHED', 'PASS_THROUGH'} if is_drag else {'FINISHED'}


def is_picked(found: PoseBone | Object) -> bool:
    """Return whether it is selected: a drag takes all that are selected along."""
    return is_selected(found) if isinstance(found, PoseBone) else found.select_get()


def bone_at(context: Context, mouse: Array) -> PoseBone | None:
    """Return the bone whose handle is at a place; while the Pose tool is in use, the bone that it lights."""
    if not is_in_use(context):
        return handle_at(context, mouse)
    ob, name = picked_at(context, mouse) or (None, "")
    return ob.pose.bones[name] if ob else None


def object_of(context: Context, bone: PoseBone) -> Object:
    """Return the effector's target or, where that cannot be selected, its armature, whose list shows it."""
    rig, target = bone.id_data, bone.superpose.target
    if target is not None and target.visible_get(viewport=context.space_data) and not target.hide_select:
        return target
    show_row(bone)
    return rig


def show_row(bone: PoseBone) -> None:
    """Make the bone the active one of the list of effectors."""
    rig = bone.id_data
    rig.superpose.chosen_bone_index = rig.pose.bones.find(bone.name)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_select_handle,))
