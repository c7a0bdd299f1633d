# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of new aims and poles, where the pose has them already."""

from bpy.types import Context, Object, PoseBone, PropertyGroup
from mathutils import Vector

from ...armature.setup.empties import make_empty
from ...armature.setup.sides import extent

AXES = ("X", "Y", "Z", "-X", "-Y", "-Z")
_AHEAD = 0.5  # of the rig's greatest extent


def give_goal_target(context: Context, ob: Object, goal: PropertyGroup) -> None:
    """Give an aim or a pole that has no target a new empty, which it meets as the armature is posed."""
    if goal.kind not in _WAYS or goal.target:
        return
    bone = ob.pose.bones[goal.bone]
    target = make_empty(context, ob, bone, f"{ob.name} {bone.name} {goal.kind.lower()}")
    target.empty_display_type = 'SPHERE'
    target.location = ob.matrix_world @ (bone.head + _AHEAD * extent(ob) * _WAYS[goal.kind](ob, goal))
    goal.target = target


def axis_of(bone: PoseBone, axis: str) -> Vector:
    """Return one of the bone's own signed axes, armature space."""
    own = {"X": bone.x_axis, "Y": bone.y_axis, "Z": bone.z_axis}[axis[-1]]
    return -own if axis.startswith("-") else own


def bend_of(upper: PoseBone, middle: PoseBone, end: PoseBone) -> Vector:
    """Return the direction, armature space, to which a limb bends; of a straight one the middle's own Z."""
    line = (end.head - upper.head).normalized()
    out = middle.head - upper.head
    out = out - out.dot(line) * line
    return out.normalized() if out.length > 1e-4 * (end.head - upper.head).length else middle.z_axis


def _aims(ob: Object, goal: PropertyGroup) -> Vector:
    return axis_of(ob.pose.bones[goal.bone], goal.axis)


def _bends(ob: Object, goal: PropertyGroup) -> Vector:
    return bend_of(*(ob.pose.bones[name] for name in (goal.upper_bone, goal.bone, goal.end_bone)))


_WAYS = {'AIM': _aims, 'POLE': _bends}
