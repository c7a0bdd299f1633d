# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attached bones: one that stays beside another, which the solve may move too."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from bpy.types import Object, PropertyGroup

from ...solvers.geometry import matrix_to_quaternion, nearest_rotation
from ...solvers.goals import RelativeFrame
from ..errors import RigError
from .chosen import Chosen
from .posed import Posed
from .setting import GoalSetting, common, need_bone


@dataclass(frozen=True)
class AttachSetting(GoalSetting):
    """``place`` and ``turn``, a quaternion: where the bone is held in the frame of ``other_bone``."""

    ADDS: ClassVar[str] = "Keep the active bone beside the other selected one, as they are now"

    other_bone: str
    place: tuple[float, ...]
    turn: tuple[float, ...]
    position_weight: float
    rotation_weight: float

    @classmethod
    def read(cls, ob: Object, index: int, goal: PropertyGroup) -> Self:
        """Return the settings; raises RigError without both bones."""
        need_bone(goal)
        need_bone(goal, "other_bone")
        if not any(goal.turn):
            raise RigError(f"The attach of '{goal.bone}' has a turn of zero: press Set to Pose")
        return cls(
            **common(ob, index, goal),
            other_bone=goal.other_bone,
            place=tuple(goal.place),
            turn=tuple(goal.turn),
            position_weight=goal.position_weight,
            rotation_weight=goal.rotation_weight,
        )

    @classmethod
    def begun(cls, chosen: Chosen) -> dict[str, Any]:
        """Return the two bones."""
        return {"bone": chosen.bone.name, "other_bone": chosen.other_bone.name}

    @classmethod
    def completed(cls, ob: Object, goal: PropertyGroup) -> None:
        """Store how the bones are beside each other."""
        bone, other = (np.array(ob.pose.bones[name].matrix) for name in (goal.bone, goal.other_bone))
        turned, frame = nearest_rotation(np.stack([bone, other])[:, :3, :3])
        goal.place = frame.T @ (bone[:3, 3] - other[:3, 3])
        goal.turn = matrix_to_quaternion(frame.T @ turned)

    @property
    def bones(self) -> tuple[str, ...]:
        return self.bone, self.other_bone

    def goal(self, posed: Posed) -> RelativeFrame:
        """Return the relative frame."""
        turn = np.array(self.turn)
        return RelativeFrame(
            self.bone,
            self.other_bone,
            to_offset=np.array(self.place),
            to_rotation=turn / np.linalg.norm(turn),
            position_weight=self.position_weight,
            rotation_weight=self.rotation_weight,
            weights=np.stack([posed.influences] * 2, axis=-1),
            rank=self.rank,
        )
