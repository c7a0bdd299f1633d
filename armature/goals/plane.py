# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planes: bones that stay above a floor, or on their side of a wall."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from bpy.types import Object, PropertyGroup

from ...solvers import Plane
from ...solvers.geometry import dot, norm
from .chosen import Chosen
from .posed import Posed
from .setting import GoalSetting, common, sentence


@dataclass(frozen=True)
class PlaneSetting(GoalSetting):
    """Without a bone the whole body stays above, fingers and toes too: heads and tails."""

    ADDS: ClassVar[str] = (
        "Keep all solved bones above the selected object's XY plane or, without one, above the ground"
    )

    @classmethod
    def begun(cls, chosen: Chosen) -> dict[str, Any]:
        """Return the object; a plane must hold."""
        return {"target": chosen.target, "rank": 'MUST'}

    @classmethod
    def read(cls, ob: Object, index: int, goal: PropertyGroup) -> Self:
        """Return the settings."""
        return cls(**common(ob, index, goal))

    @property
    def bones(self) -> tuple[str, ...]:
        return (self.bone,) if self.bone else ()

    @property
    def of_all(self) -> bool:
        return not self.bone

    def goal(self, posed: Posed) -> Plane:
        """Return the plane: the target's XY plane, without a target the scene's ground.

        Raises RigError for one that is too far above.
        """
        points = [posed.spot(name, part) for name, part in posed.ends(self.bones or posed.names)]
        normals, heights = posed.plane()
        above = heights - dot(normals, posed.heads[:, 0])
        posed.check_near(sentence(self.words), above / norm(normals))
        return Plane(
            tuple(points),
            normals,
            heights,
            weights=posed.weights,
            rank=self.rank,
        )
