# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pie menu and the keys: of what is done most, and none that is Blender's own."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import bpy
import figures
import pytest
from drawn_panels import Layout

pytestmark = pytest.mark.usefixtures("blend")

KEYMAPS = ("Object Mode", "Pose")
# What is heard in the 3D viewport besides the keymap of the mode.
AROUND = ("3D View", "3D View Generic", "Window", "Screen", "Screen Editing", "Frames", "Object Non-modal")
MODIFIERS = ("ctrl", "shift", "alt", "oskey")


def ours(name):
    """The keys, without those that hand on what is not for them: clicks beside handles, Blender's paste."""
    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps.get(name)
    items = keymap.keymap_items if keymap else []
    return [item for item in items if is_ours(item) and item.type not in {'LEFTMOUSE', 'V'}]


def is_ours(item):
    aim = getattr(item.properties, "data_path", "") or getattr(item.properties, "name", "")
    return "superpose" in item.idname or "superpose" in aim.lower()


def blenders_keys(name, select_mouse):
    """The keys that Blender itself takes in a mode's keymap and around it, read from its own script."""
    folder = Path(bpy.utils.preset_paths("keyconfig")[0], "keymap_data")
    spec = spec_from_file_location("blender_default", folder / "blender_default.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    for keymap, _, content in module.generate_keymaps(module.Params(select_mouse=select_mouse)):
        if keymap in (name, *AROUND):
            for _, event, _ in content["items"]:
                every = event.get("any", False)
                yield event["type"], *(every or bool(event.get(key)) for key in MODIFIERS)


@pytest.mark.parametrize("select_mouse", ['LEFT', 'RIGHT'])
@pytest.mark.parametrize("name", KEYMAPS)
def test_no_key_is_one_of_blenders(name, select_mouse):
    taken = set(blenders_keys(name, select_mouse))
    assert ('G', False, False, False, False) in taken
    keys = [(item.type, *(bool(getattr(item, key)) for key in MODIFIERS)) for item in ours(name)]
    assert not taken & set(keys)
    assert len(set(keys)) == len(keys) > 10


@pytest.mark.parametrize("name", KEYMAPS)
def test_keys_call_what_there_is(name):
    for item in ours(name):
        if item.idname == "wm.context_toggle":
            owner, _, setting = item.properties.data_path.partition(".")
            assert setting in getattr(bpy.context, owner).bl_rna.properties
        elif item.idname == "wm.call_menu_pie":
            assert hasattr(bpy.types, item.properties.name)
        else:
            assert item.idname.removeprefix("superpose.") in dir(bpy.ops.superpose)


def test_clicks_and_drags_on_handles_come_before_those_of_the_tool_whose_press_selects():
    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps["3D View Tool: Tweak"]
    items = [item for item in keymap.keymap_items if item.idname == "superpose.select_handle"]
    assert {(item.type, item.value) for item in items} == {
        ('LEFTMOUSE', 'CLICK'),
        ('LEFTMOUSE', 'CLICK_DRAG'),
    }


@pytest.mark.parametrize("set_up", [lambda: None, figures.figure, figures.ready])
def test_the_pie_menu_has_all_that_has_a_key(set_up):
    set_up()
    layout = Layout()
    layout.menu_pie = layout.part
    pie = bpy.types.SUPERPOSE_MT_pie
    pie.draw(type("stage", (), {"layout": layout})(), bpy.context)
    settings = [getattr(item.properties, "data_path", "").rpartition(".")[2] for item in ours("Pose")]
    keyed = {setting or item.idname for setting, item in zip(settings, ours("Pose"), strict=True)}
    assert set(layout.drawn) == keyed - {"wm.call_menu_pie"}
    assert len(layout.drawn) == 10


def pin_said():
    """What the pie menu calls the toggle of pins."""
    said, layout = {}, Layout()
    layout.menu_pie = layout.part

    def operator(self, name, text="", **_):
        said[name] = text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Layout, "operator", operator)
        bpy.types.SUPERPOSE_MT_pie.draw(type("stage", (), {"layout": layout})(), bpy.context)
    return said["superpose.set_hold"]


def test_the_pie_menu_says_that_pinned_bones_are_let_follow():
    ob = figures.ready()
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, "hand.L", "hand.R")
    said = [pin_said()]
    for bone in ("hand.L", "hand.R"):
        ob.pose.bones[bone].superpose.hold = 'PINNED'
        said.append(pin_said())
    bpy.ops.superpose.set_hold()
    assert [*said, pin_said()] == ["", "", "Let Follow", ""]


def test_live_is_toggled_with_a_target_active_too():
    ob = figures.ready()
    figures.make_active(figures.target_of(ob, "head"))
    bpy.ops.superpose.toggle_live()
    assert ob.superpose_live
    bpy.ops.superpose.toggle_live()
    assert not ob.superpose_live


def test_blenders_keys_for_pasting_a_pose_are_taken_in_blender_4_2_alone():
    """In Object Mode they paste objects; later Blenders paste poses without settings themselves."""
    keys = bpy.context.window_manager.keyconfigs.addon.keymaps
    pastes = [item for item in keys["Pose"].keymap_items if item.idname == "superpose.paste_pose"]
    if bpy.app.version >= (4, 3):
        assert not pastes
        return
    for flipped in (False, True):
        (item,) = [item for item in pastes if item.ctrl and item.properties.flipped == flipped]
        assert (item.type, bool(item.shift), bool(item.alt)) == ('V', flipped, False)
    blenders = set(blenders_keys("Pose", 'LEFT'))
    assert {('V', True, False, False, False), ('V', True, True, False, False)} <= blenders
    assert not any(item.idname == "superpose.paste_pose" for item in keys["Object Mode"].keymap_items)
