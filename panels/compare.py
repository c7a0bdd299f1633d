# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solvers beside each other on this armature."""

import bpy
from bpy.types import Context, Panel, UILayout

from . import RigPanel, rig_of

# Shares of the width: solver, solved, left, time.
_COLUMNS = (0.4, 0.3, 0.5)


class SUPERPOSE_PT_compare(RigPanel, Panel):
    bl_label = "Compare Solvers"
    bl_options = {'DEFAULT_CLOSED'}

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.operator("superpose.compare_solvers", text="Compare Solvers...", icon='GRAPH')
        setup = rig_of(context).superpose
        if not setup.contestants:
            return
        layout.label(text=setup.compared)
        table = layout.box().column(align=True)
        heading = self.draw_row(table, "Solver", "Solved", "Worst Gap", "ms")
        heading.enabled = False
        for who in setup.contestants:
            icon = 'INFO' if who.cannot else 'NONE'
            self.draw_row(table, who.name, f"{who.solved:.0%}", who.gap, f"{who.milliseconds:.3g}", icon)
        notes = layout.column(align=True)
        for who in setup.contestants:
            if who.cannot:
                notes.label(text=f"{who.name}: {who.cannot}", icon='INFO')

    def draw_row(
        self, table: UILayout, name: str, solved: str, gap: str, time: str, icon: str = 'NONE'
    ) -> UILayout:
        row = part = table.row()
        part = part.split(factor=_COLUMNS[0])
        part.label(text=name, icon=icon)
        for words, share in ((solved, _COLUMNS[1]), (gap, _COLUMNS[2])):
            part = part.split(factor=share)
            part.alignment = 'RIGHT'
            part.label(text=words)
        part.label(text=time)
        return row


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_compare,))
