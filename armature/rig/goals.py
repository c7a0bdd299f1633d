# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals of an armature besides its effectors: which take part, and whether their targets can be used."""

from collections.abc import Mapping

import numpy as np
from bpy.types import Object, PoseBone

from ..errors import RigError
from ..goals import KINDS, GoalSetting, sentence
from .mirrors import axis_signs
from .usable_targets import check_target


def read_goals(ob: Object) -> tuple[GoalSetting, ...]:
    """Return the goals that are enabled, in the order of the list; raises RigError naming what is missing."""
    goals = enumerate(ob.superpose.goals)
    return tuple(KINDS[goal.kind].read(ob, index, goal) for index, goal in goals if goal.enabled)


def bones_of_goals(ob: Object, goals: tuple[GoalSetting, ...]) -> list[PoseBone]:
    """Return the bones that the goals look at; raises RigError for one that a negative scale mirrors."""
    for goal in goals:
        for bone in (ob.pose.bones[name] for name in goal.bones):
            linear = np.array(bone.matrix, dtype=np.float64)[:3, :3]
            if (axis_signs(linear, np.array(bone.scale)) < 0).any():
                raise RigError(f"'{bone.name}' is mirrored by a negative scale: {goal.words} cannot be used")
    return [ob.pose.bones[name] for goal in goals for name in goal.bones]


def check_goals(ob: Object, goals: tuple[GoalSetting, ...], moved: frozenset[str]) -> None:
    """Raise RigError for a target that is gone or that one of the ``moved`` bones carries."""
    for setting in goals:
        check_target(ob, ob.superpose.goals[setting.index], setting.words, moved)


def carried_along(ob: Object, solved: set[str], blocked: Mapping[str, str]) -> set[str]:
    """Return the deforming bones that hang on ``solved`` ones, and are placed by their channels alone."""
    carried: set[str] = set()
    waiting = [child for name in solved for child in ob.pose.bones[name].children]
    while waiting:
        bone = waiting.pop()
        if bone.name not in solved and bone.bone.use_deform and bone.name not in blocked:
            carried.add(bone.name)
            waiting += bone.children
    return carried


def without_driven(
    ob: Object, goals: tuple[GoalSetting, ...], solved: set[str], blocked: Mapping[str, str]
) -> list[str]:
    """Return a note for each goal about the whole body that leaves out what controls drive, if any does."""
    names = [bone.name for bone in ob.pose.bones if bone.bone.use_deform and bone.name in blocked]
    names = [name for name in names if name not in solved]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    words = [sentence(goal.words) for goal in goals if goal.of_all and names]
    return [f"{word} leaves out '{names[0]}'{more}: {blocked[names[0]]} places it" for word in words]
