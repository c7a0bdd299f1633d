# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attached bones: one that stays beside another, which the solve may move too."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from bpy.types import Object, PropertyGroup

from ...solvers import RelativeFrame
from ...solvers.geometry import Array, matrix_to_quaternion, nearest_rotation
from ..errors import RigError
from .chosen import Chosen
from .posed import Posed
from .setting import GoalSetting, common, need_bone, sentence


@dataclass(frozen=True)
class AttachSetting(GoalSetting):
    """Where the bone is held in the frame of ``other_bone``.

    Its values: the weights of position and rotation, then the place (3,) and the turn (4,), a quaternion.
    """

    ADDS: ClassVar[str] = "Keep the active bone beside the other selected bone, as they are now"

    other_bone: str

    @classmethod
    def read(cls, ob: Object, index: int, goal: PropertyGroup) -> Self:
        """Return the settings; raises RigError without both bones."""
        need_bone(goal)
        need_bone(goal, "other_bone")
        setting = cls(**common(ob, index, goal), other_bone=goal.other_bone)
        setting._refuse_no_turn(np.array(goal.turn))
        return setting

    @classmethod
    def values(cls, goal: PropertyGroup) -> tuple[float, ...]:
        """Return weights, place and turn."""
        return goal.position_weight, goal.rotation_weight, *goal.place, *goal.turn

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
        """Return the relative frame; raises RigError for a turn of zero."""
        turns = posed.values[:, 5:9]
        self._refuse_no_turn(turns)
        return RelativeFrame(
            self.bone,
            self.other_bone,
            to_offset=posed.values[:, 2:5],
            to_rotation=np.stack([turn / np.linalg.norm(turn) for turn in turns]),
            weights=posed.influences[:, None] * posed.values[:, :2],
            rank=self.rank,
        )

    def _refuse_no_turn(self, turns: Array) -> None:
        if not turns.any(axis=-1).all():
            raise RigError(f"{sentence(self.words)} has a turn of zero: press Set to Pose")
