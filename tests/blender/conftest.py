# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures that need Blender: this checkout enabled as an extension, and an empty file for each test."""

import os
import tempfile
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import addon_utils
import bpy
import pytest
from addons import Addon


@pytest.fixture(scope="session")
def addon(root):
    """The checkout, enabled under the name that its users' installations have."""
    user = Path(bpy.utils.user_resource("EXTENSIONS", path="user_default", create=True))
    if not user.resolve().is_relative_to(Path(tempfile.gettempdir()).resolve()):
        pytest.fail(f"{user} is somebody's own: set BLENDER_USER_RESOURCES to a temporary folder")
    link = user / "superpose"
    link.unlink(missing_ok=True)
    link.symlink_to(root)
    live = Addon("bl_ext.user_default.superpose")
    live.enable()
    yield live
    live.disable()


@pytest.fixture(scope="session")
def rooms(addon):
    """The parts of the enabled add-on that tests ask, by the last of their names."""
    parts = ("armature", "armature.controls.joints", "armature.setup.comfort", "armature.setup.limits")
    parts += ("solvers", "solvers.geometry", "solvers.limits.kusudama")
    modules = {part.rpartition(".")[2]: import_module(f"{addon.name}.{part}") for part in parts}
    return SimpleNamespace(**modules)


@pytest.fixture
def blend(addon):
    """An empty file (no objects at all) with the add-on enabled; gives bpy.data."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return bpy.data


@pytest.fixture(scope="module")
def left_empty(addon):
    """An empty file after the last test of those in one file."""
    yield
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture(scope="session")
def made_once(addon, tmp_path_factory):
    """What opens a file with all that ``make`` puts there, which is kept by its name for all tests that ask.

    It counts as unsaved. Gives the active object.
    """
    folder = tmp_path_factory.mktemp("made")

    def opened(name, make):
        path = str(folder / f"{name}.blend")
        if not os.path.exists(path):
            make()
            bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
        bpy.ops.wm.read_homefile(filepath=path)
        return bpy.context.object

    return opened


@pytest.fixture
def rigify(rigify_enabled, blend):
    """The add-on that brings metarigs along and makes control rigs of them, in an empty file."""


@pytest.fixture(scope="module")
def rigify_enabled(addon):
    """To enable it takes longer than most tests do: it stays so for those of one file."""
    load_post = bpy.app.handlers.load_post
    before = list(load_post)
    addon_utils.enable("rigify", default_set=True)
    yield
    addon_utils.disable("rigify", default_set=True)
    load_post[:] = before  # Rigify leaves a handler there, which fails at every file that is opened


@pytest.fixture(params=[False])
def only_available(request):
    """Whether automatic keyframing keys only what has curves; Blenders differ in the default."""
    edit = bpy.context.preferences.edit
    before, edit.use_keyframe_insert_available = edit.use_keyframe_insert_available, request.param
    yield
    edit.use_keyframe_insert_available = before
