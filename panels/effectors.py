# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors and what can be set for the active one."""

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Object, Panel, Pose, PoseBone, UILayout, UIList

from . import (
    RigPanel,
    draw_axes,
    draw_weight,
    has_effectors,
    is_effector,
    is_result_true,
    namespace_of,
    rig_of,
)
from .lines import BOX, ICON, both_ends, held_still, sidebar_width
from .why import ROWS, draw_result, draw_why, is_off, room_beside, stand_icon

_AROUND = 4.8  # of the panel's width what is around a name and its result: signs before it, buttons behind
_SCROLL_BAR = 0.8
_ROWS = 7
_OF_ONE = 3  # rows above the reasons, of the active effector


def active_effector(rig: Object) -> PoseBone | None:
    """Return the bone that the list shows as active."""
    bones, index = rig.pose.bones, rig.superpose.active_bone_index
    bone = bones[index] if 0 <= index < len(bones) else None
    return bone if bone and is_effector(bone) else None


class SUPERPOSE_UL_effectors(UIList):
    """The pose bones that are effectors, in the order that the user gave them.

    Three things are told once in a draw, before the rows. ``scrolls``: the list, as high as it is at first,
    has a bar, which takes room. ``are_true``: results are of the present pose. ``namespace``: what all names
    begin with.
    """

    scrolls: BoolProperty(options={'HIDDEN', 'SKIP_SAVE'})
    are_true: BoolProperty(options={'HIDDEN', 'SKIP_SAVE'})
    namespace: StringProperty(options={'HIDDEN', 'SKIP_SAVE'})

    def filter_items(self, _context: Context, data: Pose, name: str) -> tuple[list[int], list[int]]:
        bones = getattr(data, name)
        shown = [is_effector(bone) for bone in bones]
        self.scrolls, self.are_true = sum(shown) > _ROWS, is_result_true(data.id_data)
        self.namespace = namespace_of(data.id_data)
        pairs = zip(bones, shown, strict=True)
        orders = [bone.superpose.order if is_shown else -1 for bone, is_shown in pairs]
        places = [0] * len(bones)
        for place, index in enumerate(sorted(range(len(bones)), key=orders.__getitem__)):
            places[index] = place
        return [self.bitflag_filter_item * is_shown for is_shown in shown], places

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
        room = sidebar_width(context) - _AROUND - (_SCROLL_BAR if self.scrolls else 0.0)
        if self.are_true and effector.is_solved:
            miss = effector.miss if is_off(effector) else ""
            row, room = draw_result(row, miss, stand_icon(effector), room), room_beside(miss, room)
        row.label(text=both_ends(bone.name.removeprefix(self.namespace), room))


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
        if bone is not None:
            col = layout.column()
            self.draw_effector(col, bone)
            draw_why(col, bone, context)
        elif has_effectors(rig):
            self.draw_none(layout, sidebar_width(context))
        else:
            layout.label(text="Select bones, then add them with +", icon='INFO')

    def draw_none(self, layout: UILayout, width: float) -> None:
        """Say that no effector is active, in a box as high as what there is of one."""
        words = "No effector is active: choose one in the list, or select bones and add them with +"
        col = layout.box().column()
        rows = held_still([words], _OF_ONE + ROWS + 1, width - BOX - ICON)
        for place, line in enumerate(rows):
            if place == _OF_ONE:
                col = col.column(align=True)  # as the reasons are
            col.label(text=line, icon='BLANK1' if place else 'INFO')

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
        return super().poll(context) and has_effectors(rig_of(context))

    def draw(self, context: Context) -> None:
        layout, bone = self.layout, active_effector(rig_of(context))
        if bone is None:
            layout.label(text="No active effector", icon='INFO')
        else:
            self.draw_weights(layout, bone)

    def draw_weights(self, layout: UILayout, bone: PoseBone) -> None:
        effector = bone.superpose
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
