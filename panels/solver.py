# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the rotations are found."""

import bpy
from bpy.types import Context, Panel

from . import RigPanel, rig_of
from .lines import draw_lines, sidebar_width


class SUPERPOSE_PT_solver(RigPanel, Panel):
    bl_label = "Solver"
    bl_options = {'DEFAULT_CLOSED'}

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        setup = rig_of(context).superpose
        layout.prop(setup, "method")
        layout.prop(setup, "use_limits")
        layout.prop(setup, "use_comfort")
        col = layout.column(align=True)
        col.prop(setup, "tolerance")
        col.prop(setup, "angle_tolerance", text="Angle")
        col = layout.column(align=True)
        for name in setup.parameters():
            sub = col.column()
            sub.active = setup.is_at_work(name)
            sub.prop(setup, name)
        for words in setup.ignored():
            draw_lines(layout, words, 'ERROR', sidebar_width(context))


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_solver,))
