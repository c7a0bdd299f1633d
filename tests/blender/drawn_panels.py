# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels draw, without a window."""

from types import SimpleNamespace

import bpy


class Layout:
    """Stands in for the layout that Blender gives only to a window; keeps what is drawn."""

    def __init__(self, drawn=None):
        self.drawn = [] if drawn is None else drawn

    def part(self, *_, **__):
        return Layout(self.drawn)

    row = column = split = box = part

    def separator(self):
        pass

    def label(self, text="", icon='NONE'):
        self.drawn.append(text)
        self.check_icon(icon)

    def prop(self, owner, name, icon='NONE', **_):
        assert name in owner.bl_rna.properties
        self.drawn.append(name)

    def prop_decorator(self, owner, name):
        assert name in owner.bl_rna.properties

    def prop_search(self, owner, name, place, collection, **_):
        self.prop(owner, name)
        assert hasattr(place, collection)

    def operator(self, name, icon='NONE', **_):
        group, _, function = name.partition(".")
        properties = getattr(getattr(bpy.ops, group), function).get_rna_type().properties
        self.drawn.append(name)
        self.check_icon(icon)
        return SimpleNamespace(**dict.fromkeys(properties.keys()))

    def operator_menu_enum(self, name, enum, text="", icon='NONE'):
        assert enum in self.operator(name, icon).__dict__
        self.drawn.append(text)

    def popover(self, name, icon='NONE', **_):
        self.menu(name, icon)

    def menu(self, name, icon='NONE', **_):
        assert hasattr(bpy.types, name)
        self.drawn.append(name)
        self.check_icon(icon)

    def template_list(self, kind, _, place, collection, active_place, active, **__):
        assert hasattr(bpy.types, kind)
        assert hasattr(place, collection)
        assert hasattr(active_place, active)
        self.drawn.append(kind)

    def template_icon(self, icon_value, scale):
        self.drawn.append(f"picture {icon_value}")

    @staticmethod
    def check_icon(icon):
        assert icon in bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items


def panels():
    """The panels of the tab; what a button opens is none of them."""
    ours = [getattr(bpy.types, name) for name in dir(bpy.types) if name.startswith("SUPERPOSE_PT_")]
    return [panel for panel in ours if panel.bl_region_type == 'UI']


def draw_panel(name, context=None):
    """What one panel draws, line by line."""
    layout = Layout()
    draw_on(layout, getattr(bpy.types, name), context)
    return layout.drawn


def draw_on(layout, panel, context=None):
    methods = {name: getattr(panel, name) for name in dir(panel) if name.startswith("draw_")}
    stage = SimpleNamespace(layout=layout)
    for name, method in methods.items():
        setattr(stage, name, method.__get__(stage))
    panel.draw(stage, context or bpy.context)


def draw():
    """What all the panels that would be shown draw, and the report that a button opens."""
    layout = Layout()
    for panel in [*panels(), bpy.types.SUPERPOSE_PT_report]:
        if not hasattr(panel, "poll") or panel.poll(bpy.context):
            draw_on(layout, panel)
    return layout.drawn
