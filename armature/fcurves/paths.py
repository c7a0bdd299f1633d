# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data paths of bones, as F-curves and drivers of objects and armatures have them."""

import re
from collections.abc import Iterable

import bpy
from bpy.types import FCurve, PropertyGroup

Curves = dict[tuple[str, str], list[FCurve]]  # by bone and property

_OF_BONE = re.compile(r'(?:pose\.)?bones\["((?:[^"\\]|\\.)*)"\]\.?(.*)', re.DOTALL)

# The channels of a bone's or an object's transform, and how many numbers each has.
CHANNELS = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_euler": 3,
    "rotation_axis_angle": 4,
    "scale": 3,
}
# What of an effector can be keyed, as properties of its bone.
KEYED_OF_EFFECTORS = (
    "superpose_influence",
    "superpose_position_weight",
    "superpose_rotation_weight",
    "superpose_offset",
    "superpose_mask",
    "superpose_contact",
    "superpose_tip_contact",
)
# What of another goal can be keyed.
KEYED_OF_GOALS = ("influence", "weight", "position_weight", "rotation_weight", "place", "turn")


def bone_and_property(path: str) -> tuple[str, str]:
    """Return the name of the bone that a path begins at, empty for none, and the path from there on."""
    match = _OF_BONE.fullmatch(path)
    return (bpy.utils.unescape_identifier(match[1]), match[2]) if match else ("", path)


def by_bone_and_property(curves: Iterable[FCurve]) -> Curves:
    """Return the curves by the name of their bone, empty for none, and their property."""
    found: Curves = {}
    for curve in curves:
        found.setdefault(bone_and_property(curve.data_path), []).append(curve)
    return found


def is_turn(prop: str) -> bool:
    """Return whether a bone's property says how its channels turn it, in whatever mode."""
    return prop.startswith("rotation")


def is_transform(prop: str) -> bool:
    """Return whether a bone's or an object's property is a channel of its transform."""
    return prop.removeprefix("delta_") in CHANNELS


def is_ik_limit(prop: str) -> bool:
    """Return whether a bone's property is of the limits that Blender's inverse kinematics has for it."""
    return prop.startswith(("ik_min_", "ik_max_", "use_ik_limit_", "lock_ik_"))


def paths_of_goal(goal: PropertyGroup) -> set[str]:
    """Return the data paths of what can be keyed of a goal besides effectors."""
    return {f"{goal.path_from_id()}.{name}" for name in KEYED_OF_GOALS}


def is_of_goal(prop: str) -> bool:
    """Return whether a property says what an effector or another goal asks for, and how much."""
    begin, _, name = prop.rpartition("].")
    return prop in KEYED_OF_EFFECTORS or (begin.startswith("superpose.goals[") and name in KEYED_OF_GOALS)
