# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Aims: an axis of a bone that points at an object."""

from dataclasses import dataclass
from typing import Self

from bpy.types import Object, PropertyGroup

from ...solvers.goals import Aim
from .posed import Posed
from .setting import GoalSetting, common, need_bone, need_target

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class AimSetting(GoalSetting):
    """``axis``: the one that points, in the bone's frame."""

    axis: tuple[float, float, float]

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
            weight=self.weight,
            weights=posed.influences,
            rank=self.rank,
        )
