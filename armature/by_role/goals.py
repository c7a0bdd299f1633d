# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals said by roles: which bones they are about and how they count, not where their targets are.

When they are loaded, an attachment takes the place that its bone has in the pose, and an aim or a pole gets a
target where the pose meets it already. New goals do the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from bpy.types import Object, PropertyGroup

from ...bodies import Body, is_name
from ...solvers.geometry import Array
from ..entries import LARGEST, Entry, shortest
from ..errors import RigError
from ..goals import KINDS, RANKS, new_name
from .limb_axes import limb_to_bone

BONES = ("bone", "upper_bone", "end_bone", "other_bone")
_DIRECTIONS = ("along", "front", "aside", "-along", "-front", "-aside")
_AXES = ("X", "Y", "Z", "-X", "-Y", "-Z")
_SIGNED = np.concatenate([np.eye(3), -np.eye(3)])


@dataclass(frozen=True)
class RoleGoal:
    """A goal; ``bones``: the role or hold of each of its bones by the name of the property that keeps it.

    ``axis``: which way the axis of an aim goes, of its limb. The other fields have the properties' names.
    """

    kind: str
    bones: Mapping[str, str] = field(default_factory=dict)
    axis: str = "along"
    rank: str = "SHOULD"
    enabled: bool = True
    weight: float = 1.0
    position_weight: float = 1.0
    rotation_weight: float = 1.0
    influence: float = 1.0

    def stored_in(self, ob: Object, body: Body) -> PropertyGroup:
        """Return the armature's goal that is this one, new or the one that is there, with these settings."""
        bones = {name: body.bone(role) for name, role in self.bones.items()}
        goal = next((g for g in ob.superpose.goals if _is_about(g, self.kind, bones)), None)
        is_new = goal is None
        goal = ob.superpose.goals.add() if is_new else goal
        for name, value in {"kind": self.kind, **bones}.items():
            setattr(goal, name, value)
        for name in _PLAIN:
            setattr(goal, name, getattr(self, name))
        if self.kind == 'AIM':
            turned = limb_to_bone(ob, body, goal.bone) @ _SIGNED[_DIRECTIONS.index(self.axis)]
            goal.axis = _AXES[_nearest(turned)]
        if is_new:
            goal.name = new_name(self.kind, goal.bone)
            KINDS[self.kind].completed(ob, goal)
        return goal


# What is kept as it is.
_PLAIN = ("rank", "enabled", "weight", "position_weight", "rotation_weight", "influence")


def role_goals(ob: Object, body: Body) -> tuple[tuple[RoleGoal, ...], list[str]]:
    """Return the armature's goals by role, and the names of those of which roles cannot speak.

    Those are about bones without a role, or, planes and balances, about an object of their own.
    """
    said, unsaid = [], []
    for goal in ob.superpose.goals if ob.is_property_set("superpose") else ():
        bones = {name: body.name_of(getattr(goal, name)) for name in BONES if getattr(goal, name)}
        if not all(bones.values()) or (goal.kind in ('PLANE', 'BALANCE') and goal.target):
            unsaid.append(goal.name)
            continue
        values = {name: getattr(goal, name) for name in _PLAIN}
        plain = {name: shortest(v) if isinstance(v, float) else v for name, v in values.items()}
        said.append(RoleGoal(goal.kind, bones, _axis_of_limb(ob, body, goal), **plain))
    return tuple(said), unsaid


def goal_entry(goal: RoleGoal) -> dict[str, Any]:
    """Return what a file says of a goal: what is not as usual."""
    usual = RoleGoal(goal.kind)
    names = [f.name for f in fields(RoleGoal) if f.name not in ("kind", "bones")]
    unusual = {name: getattr(goal, name) for name in names if getattr(goal, name) != getattr(usual, name)}
    return {"kind": goal.kind, **goal.bones, **unusual}


def goal_from_entry(number: int, said: dict[str, Any]) -> RoleGoal:
    """Return the goal that a file's entry says; raises RigError saying what is wrong."""
    entry = Entry(f"The file's goal {number}", said)
    kind = entry.choice("kind", tuple(KINDS))
    bones = {name: entry.take(name) for name in BONES if name in entry.values}
    for role in bones.values():
        if not isinstance(role, str) or not is_name(role):
            raise RigError(f"{entry.owner} names '{role}', which is no role of a body")
    goal = RoleGoal(
        kind,
        bones,
        entry.choice("axis", _DIRECTIONS, "along"),
        entry.choice("rank", tuple(RANKS), "SHOULD"),
        entry.flag("enabled", True),
        *(entry.number(name, 0.0, LARGEST, 1.0) for name in ("weight", "position_weight", "rotation_weight")),
        entry.number("influence", 0.0, 1.0, 1.0),
    )
    entry.end()
    return goal


def _axis_of_limb(ob: Object, body: Body, goal: PropertyGroup) -> str:
    if goal.kind != 'AIM':
        return "along"
    return _DIRECTIONS[_nearest(_SIGNED[_AXES.index(goal.axis)] @ limb_to_bone(ob, body, goal.bone))]


def _nearest(direction: Array) -> int:
    """Return which of the six signed axes is nearest to a direction (3,)."""
    return int(np.argmax(_SIGNED @ direction))


def _is_about(goal: PropertyGroup, kind: str, bones: Mapping[str, str]) -> bool:
    return goal.kind == kind and all(getattr(goal, name) == bones.get(name, "") for name in BONES)
