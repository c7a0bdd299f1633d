# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the rotations are found."""

import bpy
from bpy.types import Context, Panel

from . import RigPanel, rig_of


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
        col = layout.column(align=True)
        col.prop(setup, "tolerance")
        col.prop(setup, "angle_tolerance", text="Angle")
        col = layout.column(align=True)
        if setup.method == 'SUPERPOSE':
            col.prop(setup, "iterations")
            col.prop(setup, "restarts")
            col.prop(setup, "sweeps")
        else:
            col.prop(setup, "iterations", text="Sweeps")
            col.prop(setup, "stabilisation")
        sub = col.column()
        sub.active = setup.method == 'SWEEP' or setup.sweeps > 0
        sub.prop(setup, "dampening")
        col = layout.column(align=True)
        for note in setup.notes.splitlines():
            col.label(text=note, icon='INFO')


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_solver,))
