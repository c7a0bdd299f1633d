# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solvers beside each other on this armature."""

import bpy
from bpy.types import Context, Panel, UILayout

from . import RigPanel, rig_of

# Of what is left of the width: solver, solved, gap; the rest is for the time.
_SHARES = (0.42, 0.34, 0.6)


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
        self.draw_row(table, "Solver", "Solved", "Gap", "ms").enabled = False
        notes = list(dict.fromkeys(who.cannot for who in setup.contestants if who.cannot))
        stars = {"": ""} | {words: "*" * number for number, words in enumerate(notes, start=1)}
        for who in setup.contestants:
            name, time = f"{who.name}{stars[who.cannot]}", f"{who.milliseconds:.3g}"
            self.draw_row(table, name, f"{who.solved:.0%}", who.gap, time)
        col = layout.column(align=True)
        for words in notes:
            col.label(text=f"{stars[words]} {words}")

    def draw_row(self, table: UILayout, *cells: str) -> UILayout:
        row = part = table.row(align=True)
        for words, share in zip(cells, (*_SHARES, 1.0), strict=True):
            part = part.split(factor=share, align=True) if share < 1 else part
            part.label(text=words)
        return row


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_compare,))
