# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solvers beside each other on this armature."""

import bpy
from bpy.types import Context, Panel, UILayout

from . import RigPanel, draw_lines, rig_of

# Of what is left of the width: solver, solved, miss; the rest is for the time.
_SHARES = (0.4, 0.32, 0.65)
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


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
        self.draw_row(table, "Solver", "Solved", "Miss", "ms").enabled = False
        notes = list(dict.fromkeys(who.cannot for who in setup.contestants if who.cannot))
        marks = {words: str(number).translate(_RAISED) for number, words in enumerate(notes, start=1)}
        for who in setup.contestants:
            solved, time = f"{who.solved:.0%}{marks.get(who.cannot, '')}", who.milliseconds
            self.draw_row(table, who.name, solved, who.miss, f"{time:.0f}" if time >= 10 else f"{time:.2g}")
        col = layout.column(align=True)
        for words in notes:
            draw_lines(col, f"{marks[words]} {words}", 'NONE')

    def draw_row(self, table: UILayout, *cells: str) -> UILayout:
        row = part = table.row(align=True)
        for words, share in zip(cells, (*_SHARES, 1.0), strict=True):
            part = part.split(factor=share, align=True) if share < 1 else part
            part.label(text=words)
        return row


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_compare,))
