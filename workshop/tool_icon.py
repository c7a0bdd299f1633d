# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the icon of the Pose tool, a figure with a raised hand: ``python workshop/tool_icon.py [ICON.dat]``.

Without ICON.dat the shipped icon is written anew. The format is that of Blender's own icons in the toolbar:
the letters VCO and a zero, extent and origin of two bytes each, then of each triangle three corners of two
bytes, then of each triangle three colours of four bytes.
"""

import sys
from itertools import pairwise
from math import atan2, cos, pi, sin
from pathlib import Path

Point = tuple[float, float]
Shape = tuple[list[Point], bytes]

ICON = Path(__file__).resolve().parent.parent / "tools" / "pose_body.dat"
EXTENT = 255
PALE, BRIGHT = bytes.fromhex("e5e5e5ff"), bytes.fromhex("d9aff5ff")  # those of Blender's tools for bones
PARTS = 8  # of half a circle

THICK = 11.0
HIPS, CHEST, HAND = (104.0, 112.0), (104.0, 160.0), (196.0, 196.0)
LIMBS = (
    (HIPS, CHEST),
    (HIPS, (78.0, 74.0), (70.0, 32.0)),
    (HIPS, (132.0, 74.0), (138.0, 32.0)),
    (CHEST, (66.0, 142.0), (48.0, 106.0)),
    (CHEST, (152.0, 146.0), HAND),
)
DISCS = (((104.0, 206.0), 22.0, PALE), (HAND, 29.0, BRIGHT))


def arc(middle: Point, radius: float, start: float) -> list[Point]:
    """Return points of half a circle, anticlockwise from an angle on, radians."""
    turns = [start + pi * part / PARTS for part in range(PARTS + 1)]
    return [(middle[0] + radius * cos(turn), middle[1] + radius * sin(turn)) for turn in turns]


def bar(start: Point, end: Point) -> list[Point]:
    """Return the outline of a bar with round ends."""
    along = atan2(end[1] - start[1], end[0] - start[0])
    return [*arc(end, THICK, along - pi / 2), *arc(start, THICK, along + pi / 2)]


def circle(middle: Point, radius: float) -> list[Point]:
    """Return points of a circle, anticlockwise."""
    return [*arc(middle, radius, 0.0), *arc(middle, radius, pi)]


def shapes() -> list[Shape]:
    """Return the convex shapes of the icon, each with its colour; later ones cover those before."""
    bars = [(bar(*ends), PALE) for limb in LIMBS for ends in pairwise(limb)]
    return [*bars, *((circle(middle, radius), colour) for middle, radius, colour in DISCS)]


def as_bytes(drawn: list[Shape]) -> bytes:
    """Return the icon as the file has it."""
    corners, colours = bytearray(), bytearray()
    for outline, colour in drawn:
        whole = [bytes((round(x), round(y))) for x, y in outline]
        for second, third in pairwise(whole[1:]):
            corners += whole[0] + second + third
            colours += 3 * colour
    return bytes((*b"VCO\0", EXTENT, EXTENT, 0, 0)) + corners + colours


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else ICON).write_bytes(as_bytes(shapes()))
