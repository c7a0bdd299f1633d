# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be set for any bone, effector or not: the active one."""

import bpy
from bpy.types import Context, Panel

from . import SidebarPanel, active_bone, is_set_up, rig_of
from .lines import draw_lines, sidebar_width


class SUPERPOSE_PT_bone(SidebarPanel, Panel):
    bl_label = "Active Bone"
    bl_parent_id = "SUPERPOSE_PT_main"
    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return rig_of(context) is not None

    def draw(self, context: Context) -> None:
        layout = self.layout
        bone = active_bone(context)
        if bone is None:
            words = "Make a bone active to set its stiffness, twist, speed and limit"
            draw_lines(layout, words, 'INFO', sidebar_width(context))
            return
        layout.label(text=bone.name, icon='BONE_DATA')
        layout.use_property_split = True
        layout.use_property_decorate = False
        if is_set_up(rig_of(context)):  # else looking would store something on the bone
            layout.prop(bone.superpose, "stiffness")
            layout.prop(bone.superpose, "twist_share")
            sub = layout.column()
            sub.active = bone.superpose.twist_share > 0
            sub.prop(bone.superpose, "twist_of")
            layout.prop(bone.superpose, "turn_speed")
            if any(goal.kind == 'BALANCE' for goal in rig_of(context).superpose.goals):
                layout.prop(bone.superpose, "mass")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_bone,))
