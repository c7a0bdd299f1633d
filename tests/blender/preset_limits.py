# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What limits of human and animal joints let bones do, in directions of the body."""

from math import radians

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest

FRONT, BACK, UP, DOWN, LEFT, RIGHT = (0, -1, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0)


def limit_of(ob, name):
    return ob.pose.bones[name].superpose.limit


def rest_of(ob, name):
    return armatures.array(ob.data.bones[name].matrix_local)[:3, :3]


def limb_of(ob, name):
    """Where the bone's limb goes on at rest, as its cones have it, in armature space."""
    return rest_of(ob, name) @ np.array(limit_of(ob, name).limb.normalized())


def beyond(rooms, ob, name, turn):
    """How far a turn in armature space, from rest, is outside the bone's limit."""
    rest = rest_of(ob, name)
    return limited.outside(rooms, limit_of(ob, name), rest.T @ turn @ rest)


def towards(rooms, ob, name, direction):
    """The shortest turn in armature space that points the bone in a direction."""
    along, wanted = limb_of(ob, name), np.array(direction, float) / np.linalg.norm(direction)
    axis = np.cross(along, wanted)
    angle = np.arctan2(np.linalg.norm(axis), along @ wanted)
    return rooms.geometry.rotation_vector_to_matrix(axis / np.linalg.norm(axis) * angle)


def leaning(rooms, ob, name, direction, degrees):
    """The turn in armature space that leans the bone towards a direction by so many degrees."""
    axis = np.cross(limb_of(ob, name), direction)
    return rooms.geometry.rotation_vector_to_matrix(axis / np.linalg.norm(axis) * radians(degrees))


def limited_bones(ob):
    return [
        b.name for b in ob.pose.bones if b.is_property_set("superpose") and b.superpose.limit.kind != 'NONE'
    ]


def bends_towards(ob, name):
    """Where the tip of a hinged bone goes as its angle grows, in armature space."""
    rest = rest_of(ob, name)
    return np.cross(rest @ np.array(limit_of(ob, name).axis), rest[:, 1])


def refused(match, **properties):
    armatures.refresh()
    before = figures.state()
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.superpose.apply_limit_preset(**properties)
    assert figures.state() == before
