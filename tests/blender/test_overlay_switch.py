# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever turns the overlay's switch, the drawing is there exactly while it is on."""

from importlib import import_module

import bpy
import figures
import pytest


@pytest.fixture
def is_on(addon, blend):
    """Whether Blender has been asked to draw."""
    yield lambda: import_module(f"{addon.name}.overlay.switch").is_on()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


SWITCHES = ("superpose_show_limits", "superpose_show_targets")


def switch(on, scene=None, name=SWITCHES[0]):
    setattr(scene or bpy.context.scene, name, on)


def test_at_first_nothing_is_drawn(is_on):
    assert not is_on()


@pytest.mark.parametrize("name", SWITCHES)
def test_the_user_turns_it(is_on, name):
    for on in (True, True, False, False, True):
        switch(on, name=name)
        assert is_on() == on


def test_either_switch_is_enough(is_on):
    for name in SWITCHES:
        switch(True, name=name)
    switch(False)
    assert is_on()
    switch(False, name=SWITCHES[1])
    assert not is_on()


def test_making_targets_turns_it_on_and_undo_off(is_on):
    ob = figures.figure()
    figures.select_bones(ob, "head")
    bpy.ops.superpose.add_effectors()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.superpose.create_targets()
    bpy.ops.ed.undo_push(message="after")
    assert is_on()
    bpy.ops.ed.undo()
    assert not is_on()


def test_one_scene_is_enough(is_on):
    other = bpy.data.scenes.new("Other")
    switch(True, other)
    switch(False)
    assert is_on()
    switch(False, other)
    assert not is_on()


def test_a_file_keeps_it(is_on, tmp_path):
    switch(True)
    saved = str(tmp_path / "on.blend")
    bpy.ops.wm.save_as_mainfile(filepath=saved)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not is_on()
    bpy.ops.wm.open_mainfile(filepath=saved)
    assert bpy.context.scene.superpose_show_limits
    assert is_on()


def test_undo_and_redo_turn_it(is_on):
    bpy.ops.ed.undo_push(message="off")
    switch(True)
    bpy.ops.ed.undo_push(message="on")
    bpy.ops.ed.undo()
    assert not bpy.context.scene.superpose_show_limits
    assert not is_on()
    bpy.ops.ed.redo()
    assert bpy.context.scene.superpose_show_limits
    assert is_on()


def test_the_addon_takes_it_along(addon, is_on):
    """Switched off while it draws, and on again in a file that has the switch on."""
    switch(True)
    before = import_module(f"{addon.name}.overlay.switch")
    addon.disable()
    assert not before.is_on()
    addon.enable()
    after = import_module(f"{addon.name}.overlay.switch")
    assert bpy.app.timers.is_registered(after._follow)
    after._follow()  # without windows Blender runs no timers
    assert is_on()


def test_nothing_is_on_the_graphics_card_before_the_first_redraw(addon, is_on):
    switch(True)
    draw = import_module(f"{addon.name}.overlay.draw")
    assert draw._shader.cache_info().currsize == 0
