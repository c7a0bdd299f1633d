# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solvers beside each other on this armature."""

import bpy
from bpy.types import Context, Panel, UILayout

from . import RigPanel, rig_of
from .lines import draw_lines, sidebar_width

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
        self.draw_numbers(table, "Solved", "Miss", "Time").active = False
        notes = list(dict.fromkeys(who.cannot for who in setup.contestants if who.cannot))
        marks = {words: str(number).translate(_RAISED) for number, words in enumerate(notes, start=1)}
        for who in setup.contestants:
            solved, time = f"{who.solved:.0%}{marks.get(who.cannot, '')}", who.milliseconds
            table.label(text=who.name)  # on a line of its own: beside numbers there is no room for it
            self.draw_numbers(table, solved, who.miss, f"{time:.0f} ms" if time >= 10 else f"{time:.2g} ms")
        col = layout.column(align=True)
        for words in notes:
            draw_lines(col, f"{marks[words]} {words}", 'NONE', sidebar_width(context))

    def draw_numbers(self, table: UILayout, *cells: str) -> UILayout:
        row = table.row(align=True)
        for place, words in enumerate(cells):
            row.label(text=words, icon='NONE' if place else 'BLANK1')  # set in from the names
        return row


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_compare,))
