# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poles: an elbow or a knee that lies towards an object."""

from dataclasses import dataclass
from typing import Self

from bpy.types import Object, PropertyGroup

from ...solvers.goals import Pole
from ..setup.ranks import MUST, POLE
from .posed import Posed
from .setting import GoalSetting, common, need_bone, need_target


@dataclass(frozen=True)
class PoleSetting(GoalSetting):
    """``upper_bone`` and ``end_bone``: where the limb of the middle ``bone`` begins and ends."""

    upper_bone: str
    end_bone: str

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
            weight=self.weight,
            weights=posed.influences,
            rank=MUST if self.rank == MUST else POLE,
        )
