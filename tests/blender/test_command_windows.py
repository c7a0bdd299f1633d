# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What files show in their windows counts without one, too, and is there in the outputs."""

import bpy
import figures
import pytest
from command_line import answer, saved

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


@pytest.fixture
def command(addon, capfd):
    return lambda *arguments: answer(addon, capfd, *arguments)


def seen_again(file):
    """Open the file in a window of its own."""
    bpy.ops.wm.open_mainfile(filepath=str(file), load_ui=True)
    return bpy.context.window_manager.windows[0]


def test_the_layout_of_a_file_is_in_its_output(command, tmp_path):
    ob = figures.ready()
    bpy.context.scene.frame_end = 2
    bpy.data.workspaces[0].name = "Layout of the File"
    file = saved(ob, tmp_path / "scene.blend")
    bpy.data.workspaces[0].name = "Layout of the Session"
    assert command("bake", "--files", file, "--in-place")[0] == 0
    seen_again(file)
    assert "Layout of the File" in bpy.data.workspaces
    assert "Layout of the Session" not in bpy.data.workspaces


def test_the_armature_is_meant_that_is_active_in_the_view_layer_in_the_window(command, tmp_path):
    (window,) = bpy.context.window_manager.windows
    first, second = figures.ready("First"), figures.ready("Second")
    bpy.context.scene.frame_end = 2
    window.view_layer = bpy.context.scene.view_layers.new("Its Own")
    window.view_layer.objects.active = first
    file = saved(first, tmp_path / "scene.blend")
    window.view_layer = bpy.context.scene.view_layers[0]
    window.view_layer.objects.active = second
    assert command("bake", "--files", file, "--in-place")[0] == 0
    assert seen_again(file).view_layer.name == "Its Own"
    assert bpy.data.objects["First"].animation_data.action
    assert not bpy.data.objects["Second"].animation_data
