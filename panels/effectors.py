# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors and what can be set for the active one."""

import bpy
from bpy.types import Context, Object, Panel, PoseBone, UILayout, UIList

from . import RigPanel, draw_axes, draw_weight, is_effector, rig_of
from .lines import sidebar_width
from .why import draw_result, draw_why, has_result, is_off, stand_icon

_AROUND = 4.8  # of the panel's width what is around a name and its result: signs before it, buttons behind
_SCROLL_BAR = 0.8
_ROWS = 7


def active_effector(rig: Object) -> PoseBone | None:
    """Return the bone that the list shows as active."""
    bones, index = rig.pose.bones, rig.superpose.active_bone_index
    bone = bones[index] if 0 <= index < len(bones) else None
    return bone if bone and is_effector(bone) else None


def order_of(bone: PoseBone) -> int:
    return bone.superpose.order if is_effector(bone) else -1


def scrolls(rig: Object) -> bool:
    """Return whether the list, as high as it is at first, has a bar to scroll it, which takes room."""
    return sum(map(is_effector, rig.pose.bones)) > _ROWS


class SUPERPOSE_UL_effectors(UIList):
    """The pose bones that are effectors, in the order that the user gave them."""

    def filter_items(self, _context: Context, data: object, name: str) -> tuple[list[int], list[int]]:
        bones = getattr(data, name)
        shown = [self.bitflag_filter_item if is_effector(bone) else 0 for bone in bones]
        in_order = sorted(range(len(bones)), key=lambda index: order_of(bones[index]))
        places = [0] * len(bones)
        for place, index in enumerate(in_order):
            places[index] = place
        return shown, places

    def draw_item(
        self,
        context: Context,
        layout: UILayout,
        _data: object,
        bone: PoseBone,
        _icon: int,
        _active_data: object,
        _active_property: str,
    ) -> None:
        effector = bone.superpose
        row = layout.row(align=True)
        row.prop(effector, "enabled", text="")
        row = row.row(align=True)
        row.active = effector.enabled
        row.prop(effector, "hold", text="", icon_only=True, emboss=False)
        if has_result(bone):
            room = sidebar_width(context) - _AROUND - (_SCROLL_BAR if scrolls(bone.id_data) else 0.0)
            row = draw_result(row, effector.miss if is_off(bone) else "", stand_icon(effector), room)
        row.label(text=bone.name)


class SUPERPOSE_PT_effectors(RigPanel, Panel):
    bl_label = "Effectors"

    def draw(self, context: Context) -> None:
        layout = self.layout
        rig = rig_of(context)
        row = layout.row()
        row.template_list(
            "SUPERPOSE_UL_effectors", "", rig.pose, "bones", rig.superpose, "active_bone_index", rows=_ROWS
        )
        col = row.column(align=True)
        col.operator("superpose.add_effectors", text="", icon='ADD')
        col.operator("superpose.remove_effector", text="", icon='REMOVE')
        col.separator()
        col.operator("superpose.move_effector", text="", icon='TRIA_UP').direction = 'UP'
        col.operator("superpose.move_effector", text="", icon='TRIA_DOWN').direction = 'DOWN'

        bone = active_effector(rig)
        if bone is None:
            layout.label(text="Select bones, then add them with +", icon='INFO')
            return
        col = layout.column()
        self.draw_effector(col, bone)
        draw_why(col, bone, context)

    def draw_effector(self, col: UILayout, bone: PoseBone) -> None:
        effector = bone.superpose
        col.use_property_split = True
        col.use_property_decorate = False
        # Without a label beside them, names are read to their ends.
        col.prop(effector, "target", text="", placeholder="No target: stays where it is")
        if effector.target and effector.target.type == 'ARMATURE':
            col.prop_search(effector, "target_bone", effector.target.pose, "bones", text="")
        draw_keyed(col, bone, "superpose_influence")
        row = col.row(align=True)
        row.use_property_split = False  # beside a label there is no room for three names
        row.prop(effector, "hold", expand=True)


class SUPERPOSE_PT_effector(RigPanel, Panel):
    bl_label = "Weights and Axes"
    bl_parent_id = "SUPERPOSE_PT_effectors"
    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and active_effector(rig_of(context)) is not None

    def draw(self, context: Context) -> None:
        bone = active_effector(rig_of(context))
        effector, layout = bone.superpose, self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        col = layout.column(align=True)
        draw_weight(col, bone, "superpose_position_weight")
        draw_axes(col, effector, "position_axes")
        col = layout.column(align=True)
        draw_weight(col, bone, "superpose_rotation_weight")
        draw_axes(col, effector, "rotation_axes")
        draw_keyed(layout, bone, "superpose_offset")
        layout.prop(effector, "falloff")
        row = layout.row()
        row.enabled = effector.hold == 'PINNED'
        row.prop(effector, "use_sole")


def draw_keyed(layout: UILayout, bone: PoseBone, name: str) -> None:
    """Draw a property of the bone with the dot that keys it."""
    sub = layout.column()
    sub.use_property_decorate = True
    sub.prop(bone, name)


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_UL_effectors, SUPERPOSE_PT_effectors, SUPERPOSE_PT_effector)
)
