# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""While the Pose tool is in use the bone that a press takes is lit, and a redraw comes when it is another."""

from contextlib import nullcontext
from importlib import import_module
from types import SimpleNamespace

import armatures
import bpy
import figures
import numpy as np
import pytest
from viewports import front, on_screen, space
from windowed import Window


@pytest.fixture
def ob(blend):
    space().overlay.show_overlays = space().overlay.show_extras = True
    ob = figures.ready()
    bpy.ops.object.mode_set(mode='POSE')
    armatures.refresh()
    return ob


@pytest.fixture
def tool(addon):
    return import_module(f"{addon.name}.tools.pose").PoseTool


@pytest.fixture
def tool_handles(addon):
    return import_module(f"{addon.name}.overlay.tool_handles")


class Mouse:
    """A mouse in a viewport in which the Pose tool is in use."""

    def __init__(self, tool_handles):
        self.kind, self.redraws = tool_handles.SUPERPOSE_GT_held, 0
        self.gizmo = SimpleNamespace(lit=None)
        region = SimpleNamespace(width=1000, height=1000, tag_redraw=self.count)
        tools = SimpleNamespace(
            from_space_view3d_mode=lambda *_, **__: SimpleNamespace(idname="superpose.pose")
        )
        self.context = front(region=region, workspace=SimpleNamespace(tools=tools))

    def count(self):
        self.redraws += 1

    def move(self, place, aside=(0, 0)):
        """Move it to a place in the scene; Blender is told whether to highlight, and so when to stop."""
        at = tuple(np.add(on_screen(self.context, place), aside))
        is_hit = self.kind.test_select(self.gizmo, self.context, at) == 0
        assert is_hit == (self.gizmo.lit is not None)
        return self.gizmo.lit


def middle_of(ob, bone):
    return ob.matrix_world @ ob.pose.bones[bone].head.lerp(ob.pose.bones[bone].tail, 0.5)


def test_the_bone_that_a_press_takes_is_lit(ob, tool_handles):
    mouse = Mouse(tool_handles)
    assert mouse.move(middle_of(ob, "forearm.L")) == (ob.name, "forearm.L")
    assert mouse.move(ob.matrix_world @ ob.pose.bones["hand.L"].head) == (ob.name, "hand.L")
    assert mouse.redraws == 2
    mouse.move(ob.matrix_world @ ob.pose.bones["hand.L"].head, aside=(1, 1))
    assert mouse.redraws == 2, "nothing else is lit"
    assert mouse.move(middle_of(ob, "hand.L"), aside=(200, 200)) is None
    assert mouse.redraws == 3


@pytest.mark.parametrize("is_highlight", [True, False], ids=["over the viewport", "elsewhere"])
def test_nothing_is_lit_once_the_mouse_is_elsewhere(ob, tool_handles, monkeypatch, is_highlight):
    lit = []
    monkeypatch.setattr(tool_handles, "draw_strokes", lambda strokes, _: lit.extend(strokes))
    monkeypatch.setattr(tool_handles, "draw_marks", lambda *_: None)
    monkeypatch.setattr(tool_handles, "state_kept", nullcontext)
    gizmo = SimpleNamespace(lit=(ob.name, "forearm.L"), is_highlight=is_highlight)
    tool_handles.SUPERPOSE_GT_held.draw(gizmo, front())
    assert len(lit) == is_highlight


def test_of_events_over_what_is_lit_the_gizmo_takes_none_that_means_another_thing_to_the_tool(
    tool, tool_handles
):
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    made = [tool_handles.SUPERPOSE_GGT_held.setup_keymap(keyconfig) for _ in range(2)][-1]
    (taken,) = made.keymap_items
    events = {tuple(event.items()): name for name, event, _ in tool.bl_keymap}
    assert events[("type", taken.type), ("value", taken.value)] == taken.idname
    assert taken.any, "Ctrl, Shift and Alt may be held before the drag begins"
    keyconfig.keymaps.remove(made)


def test_it_is_drawn_where_the_bone_is_in_the_colour_of_the_theme(ob, tool_handles):
    bone = ob.pose.bones["forearm.L"]
    stroke = tool_handles.stroke_of(front(), bone)
    ends = [ob.matrix_world @ bone.head, ob.matrix_world @ bone.tail]
    np.testing.assert_allclose(stroke.places, ends, atol=1e-6)
    assert stroke.colour == tuple(bpy.context.preferences.themes[0].user_interface.gizmo_hi)


def test_what_has_gone_or_is_hidden_since_is_not_lit(ob, tool_handles):
    name = ob.name

    def lit(bone):
        found = tool_handles.lit_bone(front(), (name, bone))
        return found and found.name

    assert lit("hand.L") == "hand.L"
    assert lit("none") is None
    assert tool_handles.lit_bone(front(), None) is None
    bone = ob.pose.bones["hand.L"]
    (bone if hasattr(bone, "hide") else bone.bone).hide = True
    assert lit("hand.L") is None
    bpy.ops.object.mode_set(mode='OBJECT')
    assert lit("head") is None
    bpy.data.objects.remove(ob)
    assert lit("head") is None


def test_the_ring_about_a_handle_leaves_the_handle_free(addon, tool_handles):
    marks = import_module(f"{addon.name}.overlay.marks")
    handles = [marks.Mark((0, 0, 0), kind, (1, 1, 1)) for kind in ('SQUARE', 'DISC', 'RING')]
    ring = marks.triangles([tool_handles.ring(front(), (0, 0, 0))]).offsets
    widest = np.abs(marks.triangles(handles).offsets).max()
    assert np.linalg.norm(ring, axis=1).min() >= widest - 1.0, "but for what fades out"


def test_nothing_of_it_is_there_while_another_tool_is_in_use(ob, tool, tool_handles):
    context = Window()
    in_use = {}
    for name in (None, "builtin.select_box", tool.bl_idname):
        context.tool_in_use = name and SimpleNamespace(idname=name)
        in_use[name] = tool_handles.SUPERPOSE_GGT_held.poll(context)
    assert in_use == {None: False, "builtin.select_box": False, tool.bl_idname: True}
