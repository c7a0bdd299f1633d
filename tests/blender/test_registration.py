# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switching the add-on on and off leaves nothing behind and doubles nothing, however often."""

import sys
from collections import Counter

import bpy
import pytest

TIMES = 5
OWNERS = ("Object", "PoseBone", "Bone", "Armature", "Scene", "Action", "WindowManager")


def modules_below(name):
    return {key: module for key, module in sys.modules.items() if key.startswith(f"{name}.")}


def handlers():
    """How often each function stands in each list of handlers."""
    named = ((name, getattr(bpy.app.handlers, name)) for name in dir(bpy.app.handlers))
    lists = {name: value for name, value in named if isinstance(value, list)}
    return Counter((name, f"{f.__module__}.{f.__qualname__}") for name, fs in lists.items() for f in fs)


def keymap_items():
    configuration = bpy.context.window_manager.keyconfigs.addon  # None where there are no windows
    keymaps = configuration.keymaps if configuration else ()
    return Counter((keymap.name, item.idname) for keymap in keymaps for item in keymap.keymap_items)


def properties_of(owner):
    return frozenset(getattr(bpy.types, owner).bl_rna.properties.keys())


def snapshot():
    return {
        "types": frozenset(dir(bpy.types)),
        "operators": frozenset(dir(bpy.ops.superpose)),
        "handlers": handlers(),
        "keymap items": keymap_items(),
        **{f"properties of {owner}": properties_of(owner) for owner in OWNERS},
    }


def running_timers(modules):
    """Blender cannot list its timers, but it answers for a function that it is shown."""
    values = [value for module in modules.values() for value in vars(module).values()]
    return [value for value in values if callable(value) and bpy.app.timers.is_registered(value)]


@pytest.fixture
def switched_off(addon):
    addon.disable()
    yield addon
    addon.enable()


def test_on_and_off_many_times(switched_off):
    off = snapshot()
    switched_off.enable()
    on, loaded = snapshot(), set(modules_below(switched_off.name))
    for _ in range(TIMES):
        modules = modules_below(switched_off.name)
        switched_off.disable()
        assert snapshot() == off
        assert not running_timers(modules)
        switched_off.enable()
        assert snapshot() == on
        assert set(modules_below(switched_off.name)) == loaded
    switched_off.disable()


def test_off_leaves_no_name_of_ours(switched_off):
    """Two snapshots agree on a thing that the very first round has left; its name betrays it."""
    assert not [name for name in dir(bpy.types) if name.startswith("SUPERPOSE_")]
    assert not dir(bpy.ops.superpose)
    assert not [name for owner in OWNERS for name in properties_of(owner) if "superpose" in name]
    assert not [name for _, name in handlers() if name.startswith(switched_off.name)]
    assert not [name for _, name in keymap_items() if name.startswith("superpose.")]


def test_off_unloads_what_registers(switched_off):
    left = modules_below(switched_off.name)
    assert not [name for name, module in left.items() if hasattr(module, "register")]


def test_names_are_ours(addon):
    """A panel or operator name that another add-on has taken would throw that one out."""
    on = snapshot()
    addon.disable()
    off = snapshot()
    addon.enable()
    assert all(name.startswith("SUPERPOSE_") for name in on["types"] - off["types"])
    for owner in OWNERS:
        new = on[f"properties of {owner}"] - off[f"properties of {owner}"]
        assert all(name.startswith("superpose") for name in new)


def test_a_new_file_keeps_the_addon(addon, blend):
    assert not blend.objects
    assert addon.name in bpy.context.preferences.addons


def test_steps_of_undo_have_names_of_their_own(addon):
    """Undo History knows them by these alone; what joins a step of another operator has that one's."""
    own = (name for name in dir(bpy.ops.superpose) if not name.startswith("join_"))
    operators = (getattr(bpy.ops.superpose, name) for name in own)
    names = Counter(operator.get_rna_type().name for operator in operators)
    assert not [name for name, count in names.items() if count > 1]
