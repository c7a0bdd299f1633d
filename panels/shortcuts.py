# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for what is done most in the 3D viewport, and clicks on handles; the keymap editor lists them."""

import sys

import bpy
from bpy.types import KeyMap, KeyMapItem

KEYMAPS = ("Object Mode", "Pose")
# Blender's own keymaps leave all of these free: Shift Q for the pie menu, Shift Alt and a letter for what is
# in it.
PIE = 'Q'
LETTERS = {
    "superpose.solve": 'S',
    "superpose.toggle_live": 'L',
    "superpose.reset": 'R',
    "superpose.snap_targets": 'T',
    "superpose.set_hold": 'P',
    "superpose.bake": 'B',
    "superpose.set_up_body": 'U',
    "superpose.add_effectors": 'A',
    "scene.superpose_show_targets": 'O',
    "scene.superpose_show_limits": 'J',
}
CLICK = "superpose.select_handle"
# Blender's tool that selects with the press of a button. Its keymap is asked before that of the mode.
TWEAK = "3D View Tool: Tweak"
PASTE = "superpose.paste_pose"

# Blender takes off by name and item what was added; there is no asking it whose an item is.
_added: list[tuple[KeyMap, KeyMapItem]] = []


def _add(keymap: KeyMap, does: str, letter: str) -> KeyMapItem:
    """Add a key for an operator of ours, or for a setting to be toggled."""
    if does.startswith("superpose."):
        return keymap.keymap_items.new(does, letter, 'PRESS', shift=True, alt=True)
    item = keymap.keymap_items.new("wm.context_toggle", letter, 'PRESS', shift=True, alt=True)
    item.properties.data_path = does
    return item


def _add_click(keymap: KeyMap, extend: bool) -> KeyMapItem:
    """Add a click on handles, before Blender's own, which gets what hits none.

    A click, not a press: a drag that begins on a handle is the tool's.
    """
    item = keymap.keymap_items.new(CLICK, 'LEFTMOUSE', 'CLICK', shift=extend, head=True)
    item.properties.extend = extend
    return item


def _add_tweak(keymap: KeyMap, value: str) -> KeyMapItem:
    """Add a click or a drag on handles to Blender's tool, whose press takes what is drawn there."""
    return keymap.keymap_items.new(CLICK, 'LEFTMOUSE', value, head=True)


def _add_paste(keymap: KeyMap, flipped: bool, key: str) -> KeyMapItem:
    """Add Blender's key for pasting a pose, before Blender's own, which gets it where nothing is set up.

    Blender 4.2 alone has that operator: later ones paste poses without what is set up.
    """
    item = keymap.keymap_items.new(PASTE, 'V', 'PRESS', shift=flipped, head=True, **{key: True})
    item.properties.flipped = flipped
    return item


def register() -> None:
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration is None:  # some Blenders without a window have none
        return
    for name in KEYMAPS:
        keymap = configuration.keymaps.new(name=name)
        pie = keymap.keymap_items.new("wm.call_menu_pie", PIE, 'PRESS', shift=True)
        pie.properties.name = "SUPERPOSE_MT_pie"
        letters = [_add(keymap, *pair) for pair in LETTERS.items()]
        clicks = [_add_click(keymap, extend) for extend in (False, True)]
        keys = ("ctrl", "oskey") if sys.platform == "darwin" else ("ctrl",)
        is_pasting = name == "Pose" and hasattr(bpy.types, "SUPERPOSE_OT_paste_pose")
        flips = [(flipped, key) for key in keys for flipped in (False, True)] if is_pasting else []
        pastes = [_add_paste(keymap, *flip) for flip in flips]
        _added.extend((keymap, item) for item in (pie, *letters, *clicks, *pastes))
    tool = configuration.keymaps.new(name=TWEAK, space_type='VIEW_3D', region_type='WINDOW', tool=True)
    _added.extend((tool, _add_tweak(tool, value)) for value in ('CLICK', 'CLICK_DRAG'))


def unregister() -> None:
    for keymap, item in _added:
        keymap.keymap_items.remove(item)
    _added.clear()
