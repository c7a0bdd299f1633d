# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""With *Live* off nothing of ours is called until a file, or another state of it, is opened or saved."""

import sys
from types import FunctionType

import bpy
import pytest
from live_figures import live_figure, move

OF_FILES = {"load_post", "undo_post", "redo_post", "blend_import_post", "save_pre"}


class Ours:
    """What Blender has been asked to call of the add-on."""

    def __init__(self, addon):
        self.name = addon.name

    def functions(self):
        modules = [module for name, module in sys.modules.items() if name.startswith(self.name)]
        found = (value for module in modules for value in vars(module).values())
        return {function for function in found if isinstance(function, FunctionType)}

    def handlers(self):
        lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
        return {
            (name, function)
            for name, functions in lists.items()
            if isinstance(functions, list)
            for function in functions
            if getattr(function, "__module__", "").startswith(self.name)
        }

    def timers(self):
        """Those that see to a file are registered once, as the add-on is switched on (see reloads)."""
        of_files = {function for _, function in self.handlers()}
        return {f for f in self.functions() - of_files if bpy.app.timers.is_registered(f)}

    def draws(self):
        return sys.modules[f"{self.name}.overlay.switch"].is_on()


@pytest.fixture
def ours(addon):
    return Ours(addon)


def test_nothing_of_ours_is_called_once_live_and_targets_are_off(ours, addon, monkeypatch):
    monkeypatch.setattr(sys.modules[f"{addon.name}.live.handlers"], "_is_mouse_dragging", lambda: True)
    ob = live_figure()
    move(ob, steps=3)
    assert ours.timers()
    assert ours.draws()
    assert "depsgraph_update_post" in {name for name, _ in ours.handlers()}
    ob.superpose_live = False
    bpy.context.scene.superpose_show_targets = False
    assert {name for name, _ in ours.handlers()} <= OF_FILES
    assert not ours.timers()
    assert not ours.draws()
