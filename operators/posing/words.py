# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What header and status bar say while a bone is dragged, and the units in which numbers are typed."""

from collections.abc import Iterable
from math import degrees, radians

import bpy
import numpy as np
from bpy.types import Context, Header, Scene

from ...reports import length_text
from ...solvers.geometry import angle_between
from .gesture import Constraint, Gesture
from .motion import Motion

_UNITS = {
    'KILOMETERS': "km",
    'METERS': "m",
    'CENTIMETERS': "cm",
    'MILLIMETERS': "mm",
    'MICROMETERS': "um",
    'MILES': "mi",
    'FEET': "ft",
    'INCHES': "in",
    'THOU': "thou",
}
_DIGITS = 4  # of lengths and angles, so that what *Shift* does is seen
_OVERHANG = {'EVENT_CTRL': 2.0, 'EVENT_ALT': 1.6}  # pictures of keys that are wider than others
_HINTS = (
    ("Confirm", ('MOUSE_LMB',)),
    ("Cancel", ('MOUSE_RMB',)),
    ("Axis", ('EVENT_X', 'EVENT_Y', 'EVENT_Z')),
    ("Plane", ('EVENT_SHIFT',)),
    ("Move", ('EVENT_G',)),
    ("Turn", ('EVENT_R',)),
    ("Snap", ('EVENT_CTRL',)),
    ("Precise", ('EVENT_SHIFT',)),
    ("Release Pins", ('EVENT_ALT',)),
)


def header_text(
    scene: Scene, bones: list[str], gesture: Gesture, motion: Motion, remarks: Iterable[str]
) -> str:
    """Return what is moved, by how much, along what, and remarks that are not empty.

    What is typed is in the scene's units, what it comes to in those that suit it.
    """
    what = f"{'Turn' if gesture.turns else 'Move'} {' and '.join(bones)}"
    amount = turn_text(motion) if gesture.turns else way_text(scene, gesture, motion)
    if gesture.typed:
        typed = f"[{', '.join(gesture.typed.shown())}]"
        amount = typed if gesture.turns else f"{typed} = {amount}"
    way = constraint_text(gesture.constraint, gesture.turns) if gesture.constraint else ""
    return "  ".join(filter(None, (f"{what}:", amount, way, *remarks)))


def way_text(scene: Scene, gesture: Gesture, motion: Motion) -> str:
    """Return how far something is moved, along which axes, and turned on the way."""
    along = gesture.axes().T @ motion.translation
    whole, *parts = (length_text(scene, part, _DIGITS) for part in (np.linalg.norm(along), *along))
    listed = ", ".join(f"{axis} {part}" for axis, part in zip("XYZ", parts, strict=True))
    turned = f", turned by {turn_text(motion)}" if motion.turns else ""
    return f"{whole} ({listed}){turned}"


def turn_text(motion: Motion) -> str:
    """Return by how much something is turned."""
    return f"{round(degrees(angle_between(np.eye(3), motion.rotation)), 2):.{_DIGITS}g}°"


def constraint_text(constraint: Constraint, turns: bool) -> str:
    """Return along which axis or in which plane."""
    space = "local" if constraint.is_local else "global"
    letters = "".join("XYZ"[axis] for axis in constraint.axes)
    if constraint.is_plane:
        return f"in the {space} plane {letters}"
    return f"{'about' if turns else 'along'} {space} {letters}"


def draw_hints(header: Header, _context: Context) -> None:
    """Draw in the status bar what keys do while a bone is dragged."""
    for text, icons in _HINTS:
        row = header.layout.row(align=True)
        for icon in icons:
            row.label(icon=icon)
            row.separator(factor=_OVERHANG.get(icon, 0.0))
        row.label(text=text)


def number_from(scene: Scene, text: str, turns: bool) -> float:
    """Return a number that was typed, in the units that are shown, as scene units or radians."""
    units = scene.unit_settings
    if turns:
        number = _plain(text)
        return number if units.system_rotation == 'RADIANS' else radians(number)
    if units.system == 'NONE':
        return _plain(text)
    adaptive = "ft" if units.system == 'IMPERIAL' else "m"
    unit = _UNITS.get(units.length_unit, adaptive)
    metres = bpy.utils.units.to_value(units.system, 'LENGTH', f"{_plain(text)}{unit}")
    return metres / units.scale_length


def _plain(text: str) -> float:
    """Return the number as far as it has been typed."""
    return float(text) if text.strip("-.") else 0.0
