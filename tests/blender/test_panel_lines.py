# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts in panels fill the lines that there is room for, and none is wider."""

from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import blf
import bpy
import figures
import pytest
from drawn_panels import draw_panel
from windowed import Window

pytestmark = pytest.mark.usefixtures("blend")

WIDTHS = [4.0, 8.4, 11.3, 30.0]
TEXT = "Not all targets were moved: 'metarig hand.L target' is locked, and 'WW.WW' is 12.5 mm off"


@pytest.fixture
def lines(addon):
    return import_module(f"{addon.name}.panels.lines")


def drawn_width(text):
    """How many units of twenty pixels Blender draws a text wide, at its usual size."""
    blf.size(0, 11)
    return blf.dimensions(0, text)[0] / 20


def sidebar(width, zoom=1.0):
    """A context whose region is a sidebar of so many pixels."""
    context = Window()
    context.window = None
    view = SimpleNamespace(region_to_view=lambda x, y: (x / zoom, y / zoom))
    context.region = SimpleNamespace(type='UI', width=width, view2d=view)
    return context


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_its_place_and_none_could_take_the_next_word(lines, width):
    rows = lines.lines_of(TEXT, width)
    assert " ".join(rows) == TEXT
    assert all(drawn_width(row) < width for row in rows)
    for row, after in pairwise(rows):
        word = after.split(" ")[0]
        word += " mm" if word == "12.5" else ""
        assert drawn_width(f"{row} {word}") > width - 1


def test_a_word_wider_than_the_line_is_parted_and_loses_nothing(lines):
    word = "a_bone_whose_name_is_as_long_as_blender_lets_it_be_for_a_bone.L"
    rows = lines.lines_of(word, 5)
    assert len(rows) > 2
    assert "".join(rows) == word
    assert all(drawn_width(row) < 5 for row in rows)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", range(6))
def test_texts_are_held_in_as_many_lines(lines, count, width):
    texts = [f"Text {number} says {number * 1.5} mm" for number in range(count)]
    rows, whole = lines.held_still(texts, 3, width), lines.held_still(texts, 99, width)
    assert len(rows) == 3
    assert all(drawn_width(row) < width for row in rows)
    assert rows == whole[:3] or (rows[:2] == whole[:2] and rows[2].endswith("…"))
    assert rows[2].endswith("…") == bool(whole[3])


@pytest.mark.once
@pytest.mark.parametrize(
    ("scale", "outline", "header"), [(0.8333, 1, 22), (1.2917, 1, 32), (1.6667, 1, 42), (2.0833, 2, 54)]
)
def test_a_unit_is_as_many_pixels_as_in_blender_however_much_the_interface_is_enlarged(
    lines, monkeypatch, scale, outline, header
):
    system = SimpleNamespace(ui_scale=scale, pixel_size=outline)
    preferences = SimpleNamespace(system=system, ui_styles=bpy.context.preferences.ui_styles)
    monkeypatch.setattr(lines, "bpy", SimpleNamespace(context=SimpleNamespace(preferences=preferences)))
    unit = 100 / (lines.sidebar_width(sidebar(100)) - lines.sidebar_width(sidebar(0)))
    assert 1.3 * unit == pytest.approx(header, abs=1), "in a window headers are 1.3 units high"
    blf.size(0, 11 * scale)
    assert lines.text_width(TEXT) == pytest.approx(blf.dimensions(0, TEXT)[0] / unit)


@pytest.mark.once
@pytest.mark.parametrize("width", [4.0, 5.5, 7.0, 8.4, 9.0])
def test_a_line_ends_with_dots_after_whole_words_and_never_within_a_number_and_its_unit(lines, width):
    for line in ("25 cm, 14° and 'hand.R' by 12.5 mm", "38 cm, 9.4°, 'hand.R' by 35 cm"):
        cut = lines.with_dots(line, width)
        assert drawn_width(cut) < width
        kept = cut.removesuffix("…")
        assert line.startswith(kept)
        assert len(kept) == len(line) or line[len(kept)] == " "
        assert line[len(kept) :].split(" ")[1:2] not in (["cm"], ["cm,"], ["mm"]), cut


def test_a_word_that_is_too_wide_itself_is_cut_before_the_dots(lines):
    cut = lines.with_dots("a_bone_whose_name_is_as_long_as_blender_lets_it_be", 5)
    assert len(cut) > 5
    assert "a_bone_whose_name_is_as_long_as".startswith(cut.removesuffix("…"))


@pytest.mark.once
def test_a_name_that_is_too_wide_is_cut_in_its_middle_so_that_sides_can_be_told(lines):
    left, right = (lines.both_ends(f"FrontLowerLeg.{side}", 4.0) for side in "LR")
    assert left.startswith("Fr")
    assert (left[-2:], right[-2:]) == (".L", ".R")
    assert all(drawn_width(name) <= 4.0 - lines.ASIDE for name in (left, right))
    assert lines.both_ends("hand.L", 4.0) == "hand.L"
    assert lines.both_ends("hand.L", 0.1) == "hand.L"  # Blender cuts it


def test_a_sidebar_made_wider_has_longer_lines_and_one_zoomed_in_has_shorter_ones():
    ob = figures.ready()
    bpy.ops.superpose.solve()
    ob.superpose.message = TEXT
    counts = [
        len([line for line in draw_panel("SUPERPOSE_PT_main", context) if line and line in TEXT])
        for context in (sidebar(800), sidebar(400), sidebar(280))
    ]
    assert counts == [1, 2, 4]
    zoomed = draw_panel("SUPERPOSE_PT_main", sidebar(800, zoom=2.0))
    assert zoomed == draw_panel("SUPERPOSE_PT_main", sidebar(400))
