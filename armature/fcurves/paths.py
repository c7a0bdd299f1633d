# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data paths of pose bones, as F-curves and drivers have them."""

import re

import bpy

_OF_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.?(.*)', re.DOTALL)


def bone_and_property(path: str) -> tuple[str, str]:
    """Return the name of the pose bone that a path begins at, empty for none, and the path from there on."""
    match = _OF_BONE.fullmatch(path)
    return (bpy.utils.unescape_identifier(match[1]), match[2]) if match else ("", path)


def is_turn(prop: str) -> bool:
    """Return whether a bone's property says how its channels turn it, in whatever mode."""
    return prop.startswith("rotation")
