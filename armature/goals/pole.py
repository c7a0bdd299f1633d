# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poles: an elbow or a knee that lies towards an object."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from bpy.types import Object, PoseBone, PropertyGroup
from mathutils import Vector

from ...solvers import Pole
from ..errors import RigError
from ..setup.ranks import MUST, POLE
from .chosen import Chosen
from .posed import Posed
from .setting import GoalSetting, common, need_bone, need_target


@dataclass(frozen=True)
class PoleSetting(GoalSetting):
    """``upper_bone`` and ``end_bone``: where the limb of the middle ``bone`` begins and ends."""

    ADDS: ClassVar[str] = (
        "Bend the limb with the active bone in its middle towards the selected object or, without one, "
        "towards a new empty"
    )

    upper_bone: str
    end_bone: str

    @classmethod
    def begun(cls, chosen: Chosen) -> dict[str, Any]:
        """Return the bones of the limb, and the object."""
        upper, end = _limb_of(chosen.bone)
        bones = {"bone": chosen.bone.name, "upper_bone": upper.name, "end_bone": end.name}
        return {**bones, "target": chosen.target}

    @classmethod
    def direction(cls, ob: Object, goal: PropertyGroup) -> Vector:
        """Return where the limb bends."""
        return _bend_of(*(ob.pose.bones[name] for name in (goal.upper_bone, goal.bone, goal.end_bone)))

    @classmethod
    def read(cls, ob: Object, index: int, goal: PropertyGroup) -> Self:
        """Return the settings; raises RigError for a limb that is not whole, or without target."""
        for name in ("bone", "upper_bone", "end_bone"):
            need_bone(goal, name)
        need_target(goal)
        return cls(**common(ob, index, goal), upper_bone=goal.upper_bone, end_bone=goal.end_bone)

    @property
    def bones(self) -> tuple[str, ...]:
        return self.upper_bone, self.bone, self.end_bone

    def goal(self, posed: Posed) -> Pole:
        """Return the pole."""
        return Pole(
            *self.bones,
            at=posed.point(),
            weights=posed.weights,
            rank=MUST if self.rank == MUST else POLE,
        )


def _limb_of(middle: PoseBone) -> tuple[PoseBone, PoseBone]:
    """Return the bones with which the limb of a middle one begins and ends; raises RigError."""
    above = [bone for bone in middle.parent_recursive if not _is_same_place(bone, middle)]
    below = [bone for bone in middle.children if not _is_same_place(bone, middle)]
    if not (above and below):
        raise RigError(f"'{middle.name}' is not the middle of a limb: make a forearm or a shin active")
    return above[0], min(below, key=lambda bone: (bone.bone.head_local - middle.bone.tail_local).length)


def _is_same_place(bone: PoseBone, other: PoseBone) -> bool:
    return (bone.bone.head_local - other.bone.head_local).length < 1e-6


def _bend_of(upper: PoseBone, middle: PoseBone, end: PoseBone) -> Vector:
    """Return the direction, armature space, to which a limb bends; of a straight one the middle's own Z."""
    line = (end.head - upper.head).normalized()
    out = middle.head - upper.head
    out = out - out.dot(line) * line
    return out.normalized() if out.length > 1e-4 * (end.head - upper.head).length else middle.z_axis
