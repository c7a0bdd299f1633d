# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts in lines as long as there is room, measured in the letters that Blender draws.

Widths are in Blender's units of its interface: a button is one unit high, and an icon one wide, at any scale.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import blf
import bpy
from bpy.types import Context, UILayout

ICON, BOX = 1.0, 0.6  # how much room an icon takes, and a box with both its edges
ASIDE = 0.4  # of a label what is empty before and after its text
_CORE = 18  # of the twenty pixels of a unit those that grow with the interface; the others are two outlines
_USUAL = 11.3  # what a panel is wide inside, in a sidebar that nobody made wider or narrower
_BESIDE = 54.6  # pixels of a sidebar's width that its tabs and edges take, where nothing is enlarged
_LEAST = 4.0  # narrower lines are cut rather than wrapped
_FONT = 0  # of the interface
_NO_BREAK = "\u00a0"
_BEFORE_A_UNIT = re.compile(r"(?<=\d) (?=[^\W\d_]{1,4}\b)")


def sidebar_width(context: Context) -> float:
    """Return how wide a panel of the sidebar is inside, its zoom included; elsewhere what is usual."""
    region = context.region
    if region is None or region.type != 'UI':
        return _USUAL
    left, right = (region.view2d.region_to_view(x, 0)[0] for x in (0, region.width))
    return (right - left - _BESIDE * _scale()) / _unit()


def text_width(text: str) -> float:
    """Return how wide a text is, without what is empty beside it."""
    points = bpy.context.preferences.ui_styles[0].widget.points
    blf.size(_FONT, points * _scale())
    return blf.dimensions(_FONT, text)[0] / _unit()


def lines_of(text: str, width: float) -> list[str]:
    """Return a text in lines that fit into labels of a width; numbers stay with their units."""
    room, lines = max(width, _LEAST) - ASIDE, [""]
    for word in _words(text):
        for part in _parts(word, room):
            longer = f"{lines[-1]} {part}".lstrip()
            if text_width(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(part)
    return [line.replace(_NO_BREAK, " ") for line in lines if line]


def held_still(texts: Sequence[str], rows: int, width: float) -> list[str]:
    """Return the texts in exactly so many lines, so that what is below stays where it is."""
    lines = [line for text in texts for line in lines_of(text, width)]
    if len(lines) > rows:
        lines[rows - 1] = with_dots(lines[rows - 1], width)
    return [*lines, *[""] * rows][:rows]


def with_dots(line: str, width: float) -> str:
    """Return the words of a line that fit into a label of a width, and dots that tell of more."""
    room = max(width, _LEAST) - ASIDE
    words = _words(line)
    fewer = (" ".join(words[:count]) for count in range(len(words), 0, -1))
    kept = next(part for part in chain(fewer, _beginnings(words[0])) if text_width(f"{part}…") <= room)
    return f"{kept.replace(_NO_BREAK, ' ')}…"


def both_ends(name: str, width: float) -> str:
    """Return a name that fits into a label of a width: of a longer one how it begins and ends.

    Blender would cut its end, where names tell the sides of the body.
    """
    room = width - ASIDE
    shorter = (f"{name[: kept - kept // 2]}…{name[-(kept // 2) :]}" for kept in range(len(name) - 1, 1, -1))
    return next((part for part in chain([name], shorter) if text_width(part) <= room), name)


def draw_lines(layout: UILayout, text: str, icon: str, width: float) -> None:
    """Draw a text in as many lines as it needs where there is room of a width, the icon included."""
    col = layout.column(align=True)
    below = 'NONE' if icon == 'NONE' else 'BLANK1'
    for place, line in enumerate(lines_of(text, width - ICON * (icon != 'NONE'))):
        col.label(text=line, icon=below if place else icon)


def _words(text: str) -> list[str]:
    """Return a text's words; a number and its unit are one."""
    return _BEFORE_A_UNIT.sub(_NO_BREAK, text).split(" ")


def _parts(word: str, room: float) -> Iterator[str]:
    """Yield a word, or if it is wider than there is room, its parts."""
    while text_width(word) > room:
        part = next(part for part in _beginnings(word) if text_width(part) <= room)
        yield part
        word = word[len(part) :]
    yield word


def _beginnings(text: str) -> Iterator[str]:
    """Yield what a text begins with, the longest first, and at last nothing."""
    return (text[:end] for end in range(len(text), -1, -1))


def _unit() -> float:
    """Return how many pixels a unit is, as Blender rounds it: at 160 % it is four percent less than that."""
    return round(_CORE * _scale()) + 2 * bpy.context.preferences.system.pixel_size


def _scale() -> float:
    """Return how far the interface is enlarged; without a window nobody has said."""
    return bpy.context.preferences.system.ui_scale or 1.0
