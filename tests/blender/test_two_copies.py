# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A second copy, from another repository, refuses to be switched on beside the first, which stays whole."""

import addon_utils
import bpy
import figures
import pytest
from addons import Addon
from test_registration import snapshot


@pytest.fixture
def other(addon, root, tmp_path):
    """The same checkout as an extension of a second repository."""
    repositories = bpy.context.preferences.extensions.repos
    repository = repositories.new(name="Other", module="other", custom_directory=str(tmp_path))
    (tmp_path / "superpose").symlink_to(root)
    yield Addon("bl_ext.other.superpose")
    addon_utils.disable("bl_ext.other.superpose", default_set=True)
    repositories.remove(repository)


def test_the_second_refuses_and_the_first_stays_whole(addon, other, blend):
    before = snapshot()
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"switched on already, as 'bl_ext\.user_default\.superpose'"):
            other.enable()
        assert snapshot() == before
        other.disable()
        assert snapshot() == before
    figures.turned_away(figures.ready())
    assert bpy.ops.superpose.solve() == {'FINISHED'}


def test_the_second_takes_over_once_the_first_is_off(addon, other):
    addon.disable()
    try:
        other.enable()
        with pytest.raises(RuntimeError, match=r"'bl_ext\.other\.superpose'"):
            addon.enable()
        other.disable()
    finally:
        addon.enable()
    assert hasattr(bpy.types, "SUPERPOSE_OT_solve")
