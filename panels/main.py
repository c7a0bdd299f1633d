# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel at the top: solve, and how it went."""

import bpy
from bpy.types import Context, Object, Panel

from . import SidebarPanel, body_of, is_begun, rig_of
from .report import draw_report


class SUPERPOSE_PT_main(SidebarPanel, Panel):
    bl_label = "Superpose"

    def draw_header_preset(self, _context: Context) -> None:
        self.layout.operator("superpose.help", text="", icon='HELP', emboss=False)

    def draw(self, context: Context) -> None:
        rig = rig_of(context)
        if rig is not None and is_begun(context, rig):
            self.draw_solve(rig)
        elif rig is not None and body_of(context, rig):
            self.draw_controls()
        elif rig is not None:
            self.draw_begin()
        draw_report(self.layout, context)

    def draw_solve(self, rig: Object) -> None:
        col = self.layout.column()
        row = col.row(align=True)
        row.scale_y = 1.6
        row.operator("superpose.solve", icon='CON_KINEMATIC')
        row.prop(rig, "superpose_live", toggle=True, icon='PLAY')
        col.row(align=True).prop(rig.superpose, "scope", expand=True)
        col.operator("superpose.reset", icon='LOOP_BACK')
        if rig.superpose.control_rig:
            col.operator("superpose.fit_controls", text="Fit Controls...", icon='CON_ARMATURE')

    def draw_controls(self) -> None:
        """Draw what there is to do with a rig that has a body besides."""
        col = self.layout.column()
        row = col.row(align=True)
        row.scale_y = 1.6
        row.operator("superpose.fit_controls", text="Fit Controls...", icon='CON_ARMATURE')
        col.operator("superpose.make_body", text="Pose Body as Rig", icon='ARMATURE_DATA')

    def draw_begin(self) -> None:
        col = self.layout.column()
        row = col.row(align=True)
        row.scale_y = 1.6
        row.operator("superpose.set_up_body", text="Set Up Body...", icon='OUTLINER_OB_ARMATURE')
        row.operator("superpose.load_set_up", text="", icon='IMPORT')
        col.operator("superpose.add_effectors", icon='ADD')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_main,))
