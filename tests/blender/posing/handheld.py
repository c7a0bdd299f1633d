# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bone dragged with mouse and keys, without a window: what Blender would call is called here."""

from types import SimpleNamespace

import bpy
import figures
import numpy as np
from armatures import Vector, refresh
from bpy_extras.view3d_utils import location_3d_to_region_2d
from views import SIZE, view_of
from windowed import Window, operator

FRONT = Vector((0.0, -1.0, 0.0))


class Viewport(Window):
    """A window with a view of a point from some direction, and a mouse in it."""

    def __init__(self, point, direction=FRONT, perspective=False, distance=4.0):
        super().__init__()
        self.region = SimpleNamespace(width=SIZE, height=SIZE, x=0, y=0)
        self.region_data = view_of(Vector(point), Vector(direction), distance, perspective)
        self.words, self.mouse = [], np.zeros(2)
        self.area = SimpleNamespace(header_text_set=self.words.append, tag_redraw=lambda: None)
        scale = SimpleNamespace(ui_scale=1.0)
        self.preferences = SimpleNamespace(system=scale, edit=bpy.context.preferences.edit)
        areas = bpy.data.screens["Layout"].areas
        self.space_data = next(area.spaces.active for area in areas if area.type == 'VIEW_3D')

    def seen(self, place):
        """Where in the region a place is seen."""
        return np.array(location_3d_to_region_2d(self.region, self.region_data, Vector(place)))

    def event(self, kind, value='PRESS', shift=False, ctrl=False, alt=False):
        x, y = self.mouse
        return SimpleNamespace(
            type=kind,
            value=value,
            shift=shift,
            ctrl=ctrl,
            alt=alt,
            mouse_region_x=x,
            mouse_region_y=y,
            mouse_x=x,
            mouse_y=y,
            mouse_prev_press_x=x,
            mouse_prev_press_y=y,
        )


class Hand:
    """The user's hand: it takes hold of a bone at its middle and drags it."""

    def __init__(self, ob, bone="", **seen):
        self.ob_name = ob.name
        grip = place_of(ob, bone) if bone else Vector()
        self.viewport = Viewport(grip, **seen)
        self.viewport.mouse = self.viewport.seen(grip)
        self.tool = operator("pose", bone="", translation=(0, 0, 0), rotation=(0, 0, 0), release_pins=False)
        self.state = None

    def press(self, button='LEFTMOUSE'):
        """Press the button on what is under the mouse, and begin to drag."""
        self.state = self.tool.invoke(self.viewport, self.viewport.event(button, 'CLICK_DRAG'))
        return self

    def key_pressed(self, bone):
        """Press G with the bone active, or with none."""
        ob = bpy.data.objects[self.ob_name]
        ob.data.bones.active = ob.data.bones.get(bone or "")
        self.state = self.tool.invoke(self.viewport, self.viewport.event('G'))
        return self

    def move(self, pixels, **keys):
        """Move the mouse by so many pixels."""
        self.viewport.mouse = self.viewport.mouse + pixels
        return self.send('MOUSEMOVE', 'NOTHING', **keys)

    def send(self, kind, value='PRESS', **keys):
        self.state = self.tool.modal(self.viewport, self.viewport.event(kind, value, **keys))
        refresh()
        return self

    def type(self, *keys):
        for key in keys:
            self.send(key)
        return self

    def release(self):
        return self.send('LEFTMOUSE', 'RELEASE')

    @property
    def header(self):
        return self.viewport.words[-1]

    @property
    def has_cleared_the_window(self):
        return self.viewport.words[-1] is None and self.viewport.shown[-1] is None

    @property
    def reports(self):
        return [text for _, text in self.tool.reports]


def place_of(ob, bone):
    """The middle of a bone in the scene."""
    found = ob.pose.bones[bone]
    return ob.matrix_world @ found.head.lerp(found.tail, 0.5)


def head_of(ob, bone):
    refresh()
    return np.array(ob.matrix_world @ ob.pose.bones[bone].head)


def everything(ob):
    """The whole file, and whether its channels are the same to the bit."""
    return figures.state(), {bone.name: figures.transforms(bone) for bone in ob.pose.bones}


def heads(ob):
    return {bone.name: head_of(ob, bone.name) for bone in ob.pose.bones}


def moved(ob, before, bone="hand.L"):
    """How far the bone's head is from where ``heads`` found it."""
    return head_of(ob, bone) - before[bone]


def pose_mode(ob):
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode='POSE')
    refresh()
    return ob
