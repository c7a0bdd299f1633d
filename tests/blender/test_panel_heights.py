# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels are as high whatever they say, so that nothing below them moves."""

from importlib import import_module

import bpy
import figures
import pytest
from drawn_panels import Layout, draw_on, draw_panel

pytestmark = pytest.mark.usefixtures("blend")


class Measured(Layout):
    """How high it is, in lines; between parts that are not aligned there is a gap, and none beside."""

    def __init__(self, drawn=None, is_across=False, align=False):
        super().__init__(drawn)
        self.is_across, self.align, self.parts = is_across, align, []

    def part(self, *_, **given):
        return self.take(Measured(self.drawn, align=given.get("align", False)))

    column = box = part

    def row(self, *_, **__):
        return self.take(Measured(self.drawn, is_across=True))

    def take(self, part):
        self.parts.append(part)
        return part

    def label(self, text="", icon='NONE'):
        self.parts.append(None)

    def prop(self, owner, name, icon='NONE', **_):
        self.label()

    def operator(self, name, icon='NONE', **_):
        self.label()
        return super().operator(name, icon)

    def popover(self, name, icon='NONE', **_):
        self.label()

    def height(self):
        heights = [part.height() if part else 1.0 for part in self.parts]
        if self.is_across:
            return max(heights)
        return sum(heights) + (0.0 if self.align else 0.1) * (len(heights) - 1)


def test_the_box_is_as_high_with_its_second_button(addon):
    draw_report = import_module(f"{addon.name}.panels.report").draw_report
    figures.ready()
    heights = set()
    for name in ("solve", "bake"):
        getattr(bpy.ops.superpose, name)()
        layout = Measured()
        draw_report(layout, bpy.context)
        heights.add(layout.height())
    assert len(heights) == 1


def height_of(name):
    layout = Measured()
    draw_on(layout, getattr(bpy.types, name))
    return layout.height()


def test_the_panel_is_as_high_and_says_what_to_do_where_no_effector_is_active():
    ob = figures.ready()
    bpy.ops.superpose.solve()
    names = ["SUPERPOSE_PT_effectors", "SUPERPOSE_PT_effector"]
    heights = [height_of(names[0])]
    ob.superpose.active_bone_index = ob.pose.bones.find("chest")
    heights.append(height_of(names[0]))
    assert heights[0] == heights[1]
    assert all(getattr(bpy.types, name).poll(bpy.context) for name in names)
    words = " ".join(draw_panel(names[0]))
    assert "No effector is active: choose one in the list, or select bones and add them with +" in words
    assert draw_panel(names[1]) == ["No active effector"]


def test_where_there_are_goals_alone_nothing_is_said_of_a_list():
    ob = figures.figure()
    ob.superpose.goals.add()
    assert draw_panel("SUPERPOSE_PT_effectors")[-1] == "Select bones, then add them with +"
    assert not bpy.types.SUPERPOSE_PT_effector.poll(bpy.context)
