# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to the whole rig at once."""

import bpy
from bpy.types import Context, Panel

from . import SidebarPanel, body_of, is_set_up, rig_of


class SUPERPOSE_PT_whole(SidebarPanel, Panel):
    bl_label = "Whole Body"
    bl_parent_id = "SUPERPOSE_PT_main"
    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return rig_of(context) is not None

    def draw(self, _context: Context) -> None:
        col = self.layout.column(align=True)
        col.operator("superpose.set_up_body", text="Set Up Body...", icon='OUTLINER_OB_ARMATURE')
        row = col.row(align=True)
        row.operator("superpose.save_set_up", text="Save...", icon='EXPORT')
        row.operator("superpose.load_set_up", text="Load...", icon='IMPORT')
        col = self.layout.column(align=True)
        limits = col.operator("superpose.apply_limit_preset", icon='CON_ROTLIMIT')
        limits.joint, limits.scope = 'GUESS', 'ALL'
        col.operator("superpose.human_comfort", icon='ARMATURE_DATA')
        self.layout.operator("superpose.remove_setup", icon='X')


class SUPERPOSE_PT_controls(SidebarPanel, Panel):
    bl_label = "Controls"
    bl_parent_id = "SUPERPOSE_PT_whole"
    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return rig_of(context) is not None

    def draw(self, context: Context) -> None:
        rig = rig_of(context)
        col = self.layout.column(align=True)
        pose = "Pose Body as Rig" if body_of(context, rig) else "Make Body"
        col.operator("superpose.make_body", text=pose, icon='ARMATURE_DATA')
        col.operator("superpose.fit_controls", text="Fit Controls...", icon='CON_ARMATURE')
        if is_set_up(rig):
            self.layout.prop(rig.superpose, "control_rig", text="Rig")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_whole, SUPERPOSE_PT_controls))
