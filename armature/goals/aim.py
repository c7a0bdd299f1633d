# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Aims: an axis of a bone that points at an object."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from bpy.types import Object, PoseBone, PropertyGroup
from mathutils import Vector

from ...solvers import Aim
from ..setup.body import recognised_body
from .chosen import Chosen
from .posed import Posed
from .setting import GoalSetting, common, need_bone, need_target

_SIGNED = ("X", "Y", "Z", "-X", "-Y", "-Z")
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class AimSetting(GoalSetting):
    """``axis``: the one that points, in the bone's frame."""

    ADDS: ClassVar[str] = (
        "Point the active bone at the selected object, with the axis that is nearest to it; without an "
        "object, at a new empty where the bone points or, for a head, looks"
    )

    axis: tuple[float, float, float]

    @classmethod
    def begun(cls, chosen: Chosen) -> dict[str, Any]:
        """Return the bone, the object, and the axis that is nearest to the way there."""
        bone, wanted = chosen.bone, _face_of(chosen.ob, chosen.bone)
        if chosen.target is not None:
            to_armature = chosen.ob.matrix_world.inverted()
            wanted = to_armature @ chosen.target.matrix_world.translation - bone.head
        axis = max(_SIGNED, key=lambda axis: _axis_of(bone, axis).dot(wanted))
        return {"bone": bone.name, "axis": axis, "target": chosen.target}

    @classmethod
    def direction(cls, ob: Object, goal: PropertyGroup) -> Vector:
        """Return where the axis points."""
        return _axis_of(ob.pose.bones[goal.bone], goal.axis)

    @classmethod
    def read(cls, ob: Object, index: int, goal: PropertyGroup) -> Self:
        """Return the settings; raises RigError without bone or target."""
        need_bone(goal)
        need_target(goal)
        sign = -1.0 if goal.axis.startswith("-") else 1.0
        x, y, z = (sign * part for part in _AXES[goal.axis[-1]])
        return cls(**common(ob, index, goal), axis=(x, y, z))

    @property
    def points(self) -> bool:
        return True

    def goal(self, posed: Posed) -> Aim:
        """Return the aim, from the bone's head."""
        return Aim(
            self.bone,
            self.axis,
            at=posed.point(),
            weights=posed.weights,
            rank=self.rank,
        )


def _axis_of(bone: PoseBone, axis: str) -> Vector:
    """Return one of the bone's own signed axes, armature space."""
    own = {"X": bone.x_axis, "Y": bone.y_axis, "Z": bone.z_axis}[axis[-1]]
    return -own if axis.startswith("-") else own


def _face_of(ob: Object, bone: PoseBone) -> Vector:
    """Return the direction, armature space, to which a recognised head looks; of others where they point."""
    body = recognised_body(ob)
    if body.forward is None or bone.name not in body.bones("head"):
        return bone.y_axis
    return bone.matrix.to_3x3() @ bone.bone.matrix_local.to_3x3().inverted() @ Vector(body.forward)
