# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel at the top: solve, and how it went."""

from textwrap import wrap

import bpy
from bpy.types import Context, Panel, UILayout

from . import SidebarPanel, is_set_up, rig_of

LINE = 40  # characters that a sidebar of the usual width shows


def draw_refusal(layout: UILayout, context: Context) -> None:
    """Say why the buttons are greyed out, if they are."""
    why = bpy.types.SUPERPOSE_OT_solve.refusal(context)
    col = layout.column(align=True)
    for line, text in enumerate(wrap(why, LINE)):
        col.label(text=text, icon='BLANK1' if line else 'ERROR')


class SUPERPOSE_PT_main(SidebarPanel, Panel):
    bl_label = "Superpose"

    def draw(self, context: Context) -> None:
        layout = self.layout
        rig = rig_of(context)
        if rig is None:
            layout.label(text="Make an armature the active object", icon='INFO')
            return
        draw_refusal(layout, context)
        if not is_set_up(rig):
            layout.label(text="Select bones to give targets to", icon='INFO')
            layout.operator("superpose.add_effectors", icon='ADD')
            return
        setup = rig.superpose
        col = layout.column()
        row = col.row(align=True)
        row.scale_y = 1.6
        row.operator("superpose.solve", icon='CON_KINEMATIC')
        row = col.row(align=True)
        row.prop(setup, "scope", expand=True)
        if setup.is_solved:
            col.label(text=setup.message, icon='ERROR' if setup.is_missed else 'CHECKMARK')
        col.operator("superpose.reset", icon='LOOP_BACK')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_main,))
