# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of live posing begin with."""

import sys
from math import inf

import armatures
import bpy
import pytest
from live_figures import live_figure


class Mouse:
    """Drags as far as live posing can see, until it is let go, and rests when it is told to; it has time.

    So slowly that there is a report of every move.
    """

    def __init__(self, addon, monkeypatch):
        self.handlers, self.is_dragging = sys.modules[f"{addon.name}.live.handlers"], True
        monkeypatch.setattr(sys.modules[f"{addon.name}.live.follower"], "_READ", 0.0)
        monkeypatch.setattr(self.handlers, "_is_mouse_dragging", lambda: self.is_dragging)
        monkeypatch.setattr(self.handlers, "FRAME", inf)

    @property
    def is_awaited(self):
        return bpy.app.timers.is_registered(self.handlers._on_rest)

    def rest(self):
        self.wait_for(self.handlers._on_rest)

    def let_go(self, moved):
        """Let go of an object, which Blender then tells of once more, and have it call what was put off."""
        self.is_dragging = False
        moved.update_tag()
        armatures.refresh()
        if bpy.app.timers.is_registered(self.handlers._on_let_go):
            self.wait_for(self.handlers._on_let_go)

    def wait_for(self, function):
        bpy.app.timers.unregister(function)
        while function() is not None:
            pass
        armatures.refresh()


@pytest.fixture(autouse=True)
def _empty_file(left_empty, blend):
    """Begin with nothing."""


@pytest.fixture
def ob():
    """A figure with targets, live and at rest."""
    return live_figure()


@pytest.fixture
def mouse(addon, monkeypatch):
    return Mouse(addon, monkeypatch)
