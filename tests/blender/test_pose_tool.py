# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Pose tool is in the toolbar of Pose Mode as long as the add-on is on, and its keys do what they can."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import bpy
import pytest
from bl_ui.space_toolsystem_toolbar import VIEW3D_PT_tools_active
from shipped import ROOT


@pytest.fixture
def tool(addon):
    return import_module(f"{addon.name}.tools.pose").PoseTool


def toolbar():
    """The tools of every mode by name, groups flattened, separators as None."""
    flat = VIEW3D_PT_tools_active._tools_flatten
    modes = VIEW3D_PT_tools_active._tools.items()
    return {mode: [getattr(item, "idname", None) for item in flat(tools)] for mode, tools in modes}


def test_it_is_in_the_toolbar_of_pose_mode_alone(tool):
    assert [mode for mode, tools in toolbar().items() if tool.bl_idname in tools] == ['POSE']


def test_switched_off_the_toolbar_is_as_it_was(addon, tool):
    on = toolbar()
    addon.disable()
    off = toolbar()
    addon.enable()
    assert not any(name and "superpose" in name for tools in off.values() for name in tools)
    assert toolbar() == on
    assert [name for name in on['POSE'] if name not in (None, "superpose.pose")] == [
        name for name in off['POSE'] if name is not None
    ]


def test_its_keys_call_operators_with_properties_that_they_have(tool):
    for idname, event, data in tool.bl_keymap:
        module, name = idname.split(".")
        assert name in dir(getattr(bpy.ops, module))
        given = {key for key, _ in (data or {}).get("properties", ())}
        assert given <= set(getattr(getattr(bpy.ops, module), name).get_rna_type().properties.keys())
        assert event["type"] in bpy.types.Event.bl_rna.properties["type"].enum_items


def test_its_icon_is_drawn_by_our_script_and_blender_can_read_it(tool, tmp_path):
    icon, made = Path(f"{tool.bl_icon}.dat"), tmp_path / "made.dat"
    subprocess.run([sys.executable, ROOT / "workshop/tool_icon.py", made], check=True)
    assert made.read_bytes() == icon.read_bytes()
    value = bpy.app.icons.new_triangles_from_file(str(icon))
    assert value > 0
    bpy.app.icons.release(value)
