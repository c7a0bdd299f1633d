# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel at the top: solve, and how it went."""

import bpy
from bpy.types import Context, Panel

from . import SidebarPanel, draw_lines, has_effectors, is_outdated, is_set_up, refusal_of, rig_of


class SUPERPOSE_PT_main(SidebarPanel, Panel):
    bl_label = "Superpose"

    def draw(self, context: Context) -> None:
        layout = self.layout
        rig = rig_of(context)
        if rig is None:
            layout.label(text="Make an armature the active object", icon='INFO')
            return
        # Why the buttons are greyed out, if they are.
        draw_lines(layout, bpy.types.SUPERPOSE_OT_solve.refusal(context), 'ERROR')
        if not has_effectors(rig):
            row = layout.row(align=True)
            row.scale_y = 1.6
            row.operator("superpose.set_up_body", text="Set Up Body...", icon='OUTLINER_OB_ARMATURE')
            row.operator("superpose.load_set_up", text="", icon='IMPORT')
            draw_lines(layout, "Or for the bones that you select", 'INFO')
            layout.operator("superpose.add_effectors", icon='ADD')
            if is_set_up(rig) and len(rig.superpose.goals):
                draw_lines(layout, "Goals are left without effectors", 'INFO')
                layout.operator("superpose.remove_setup", icon='X')
            return
        setup = rig.superpose
        col = layout.column()
        row = col.row(align=True)
        row.scale_y = 1.6
        row.operator("superpose.solve", icon='CON_KINEMATIC')
        row.prop(rig, "superpose_live", toggle=True, icon='PLAY')
        row = col.row(align=True)
        row.prop(setup, "scope", expand=True)
        refused = refusal_of(rig)
        if refused:
            draw_lines(col, refused, 'CANCEL')
        elif setup.is_solved and is_outdated(rig):
            draw_lines(col, f"Pose changed since ({setup.message})", 'INFO')
        elif setup.is_solved:
            draw_lines(col, setup.message, 'ERROR' if setup.is_missed else 'CHECKMARK')
            for line in (*setup.strays.splitlines(), setup.jumps):
                draw_lines(col, line, 'ERROR')
        else:  # so that what is below stays where it is
            col.label(text="Not solved yet", icon='BLANK1')
        col.operator("superpose.reset", icon='LOOP_BACK')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_main,))
