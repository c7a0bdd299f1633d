# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual opens from the panel, and from every control's context menu at the heading that tells of it."""

import re
import webbrowser
from fnmatch import fnmatchcase
from importlib import import_module

import bpy
import pytest
from bl_operators.wm import WM_OT_doc_view_manual

pytestmark = pytest.mark.usefixtures("blend")

OWNERS = (bpy.types.Object, bpy.types.PoseBone, bpy.types.Scene)


@pytest.fixture
def page(addon, tmp_path, monkeypatch):
    """A manual that stands in for the built one."""
    page = tmp_path / "panel.html"
    page.write_text("The panel")
    monkeypatch.setattr(import_module(f"{addon.name}.operators.manual"), "PAGE", page)
    return page


def controls():
    """Every operator and property of ours, as Blender's context menus call them."""
    for name in dir(bpy.ops.superpose):
        yield f"bpy.ops.superpose.{name}"
    classes = bpy.types.PropertyGroup.__subclasses__()
    groups = [kind for kind in classes if kind.__name__.startswith("SUPERPOSE_PG_") and kind.is_registered]
    for owner in (*groups, *OWNERS):
        for prop in owner.bl_rna.properties.keys():
            if owner in groups or "superpose" in prop:
                yield f"bpy.types.{owner.bl_rna.identifier}.{prop}"


def test_every_control_leads_to_a_heading(page, root):
    text = (root / "docs/panel.md").read_text(encoding="utf-8")
    headings = {title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    for control in controls():
        url = WM_OT_doc_view_manual._lookup_rna_url(control, verbose=False)
        assert url, control
        place, _, heading = url.partition("#")
        assert place == page.as_uri()
        assert heading in headings, control


def test_every_pattern_is_for_something(addon):
    headings = import_module(f"{addon.name}.operators.manual").HEADINGS
    names = [control.lower() for control in controls()]
    first = {next(pattern for pattern, _ in headings if fnmatchcase(name, pattern)) for name in names}
    assert first == {pattern for pattern, _ in headings}


def test_help_opens_the_page(page, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert bpy.ops.superpose.help() == {'FINISHED'}
    assert opened == [page.as_uri()]


def test_without_a_built_manual_help_says_so(page):
    page.unlink()
    with pytest.raises(RuntimeError, match="has no manual"):
        bpy.ops.superpose.help()
    assert WM_OT_doc_view_manual._lookup_rna_url("bpy.ops.superpose.solve", verbose=False) is None
