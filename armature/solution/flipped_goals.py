# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the targets of goals come to be when a pose is flipped."""

import numpy as np
from bpy.types import Object, PropertyGroup
from mathutils import Matrix

from ...solvers.geometry import Array
from ..problem.own_targets import why_fixed
from ..rig.usable_targets import target_place
from ..setup.empties import made_for
from .flipping import axes_image, counterpart

_BONES = ("bone", "upper_bone", "end_bone")
_MIRROR = Matrix.Diagonal((-1, 1, 1, 1))
_SAME_AXIS = 0.99  # the cosine between an axis and the mirror image of one


def flipped_goal_targets(ob: Object) -> dict[Object, Matrix]:
    """Return where the armature's own targets of aims and poles have to be, world.

    That is the mirror image of where the same goal of the other side has its target; of a goal in the middle
    its own. Goals without such a one, and targets that something else places, are left out.
    """
    goals = [
        goal
        for goal in ob.superpose.goals
        if goal.kind in ('AIM', 'POLE') and goal.target and goal.bone in ob.pose.bones
    ]
    own = [goal for goal in goals if made_for(goal.target) == ob and not why_fixed(goal)]
    pairs = ((goal, next((other for other in goals if _is_image(ob, other, goal)), None)) for goal in own)
    return {goal.target: _mirrored(ob, goal.target, other) for goal, other in pairs if other}


def _mirrored(ob: Object, target: Object, other: PropertyGroup) -> Matrix:
    """Return the target, turned as it is, at the mirror image of the place of the other goal's."""
    to_world = ob.matrix_world
    point = to_world @ _MIRROR @ to_world.inverted() @ target_place(other).translation
    place = target.matrix_world.copy()
    place.translation = point
    return place


def _is_image(ob: Object, goal: PropertyGroup, other: PropertyGroup) -> bool:
    """Return whether a goal asks of one side of the body what the other one asks of the other side."""
    names = [(getattr(goal, name), getattr(other, name)) for name in _BONES]
    if goal.kind != other.kind or any(there != (here and counterpart(ob, here)) for here, there in names):
        return False
    return goal.kind != 'AIM' or _is_axis_mirrored(ob, goal, other)


def _is_axis_mirrored(ob: Object, goal: PropertyGroup, other: PropertyGroup) -> bool:
    """Return whether the axis of an aim is the mirror image of that of the other."""
    image = axes_image(ob.pose.bones.get(goal.bone), ob.pose.bones[other.bone])
    return image is not None and bool((image @ _axis(goal)) @ _axis(other) > _SAME_AXIS)


def _axis(goal: PropertyGroup) -> Array:
    """Return the axis of an aim (3,), in its bone's frame."""
    sign = -1.0 if goal.axis.startswith("-") else 1.0
    return sign * np.eye(3)["XYZ".index(goal.axis[-1])]
