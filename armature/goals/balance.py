# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance: the centre of mass above an object, or between what stands."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from bpy.types import Object, PropertyGroup

from ...bodies import Mass, masses
from ...solvers import Balance
from ...solvers.geometry import Array, Mask, matvec, norm
from ..errors import RigError
from ..setup.body import recognised_body
from .chosen import Chosen
from .posed import Posed
from .setting import GoalSetting, common, sentence

_STANDS = 0.1  # of the height of what holds the body: no higher above the lowest of it


@dataclass(frozen=True)
class BalanceSetting(GoalSetting):
    """``masses``: bones, the share of the body's mass that each carries, and where along the bone."""

    STANDS: ClassVar[bool] = True
    ADDS: ClassVar[str] = (
        "Keep the centre of mass above the selected object or, without one, between the lowest effectors"
    )

    masses: tuple[tuple[str, float, float], ...]

    @classmethod
    def begun(cls, chosen: Chosen) -> dict[str, Any]:
        """Return the object."""
        return {"target": chosen.target}

    @classmethod
    def read(cls, ob: Object, index: int, goal: PropertyGroup) -> Self:
        """Return the settings, with the masses of the bones."""
        return cls(**common(ob, index, goal), masses=masses_of(ob))

    @property
    def bones(self) -> tuple[str, ...]:
        """All bones that have mass."""
        return tuple(name for name, _, _ in self.masses)

    def goal(self, posed: Posed) -> Balance:
        """Return the balance over the target or, without one, over what stands lowest of the effectors.

        Raises RigError where there is neither, and for a target that is too far away.
        """
        if not (self.has_target or posed.supports.shape[1]):
            raise RigError(f"{sentence(self.words)} has no effectors to stand on: choose a target")
        at, level = posed.point() if self.has_target else None, posed.level()
        if at is not None:
            posed.check_near(sentence(self.words), norm(matvec(level, at - posed.heads[:, 0])))
        return Balance(
            tuple((name, posed.along(name, part), share) for name, share, part in self.masses),
            at=at,
            polygon=None if self.has_target else _standing(posed),
            level=level,
            weights=posed.weights,
            rank=self.rank,
        )


def masses_of(ob: Object) -> tuple[tuple[str, float, float], ...]:
    """Return for every bone with mass how much it has of the body's, and where along it: what is set on it
    or else what bodies of its kind have.
    """
    found = masses(recognised_body(ob), {bone.name: bone.bone.length for bone in ob.pose.bones})
    own = {bone.name: bone.superpose.mass for bone in ob.pose.bones if bone.is_property_set("superpose")}
    for name in (name for name, share in own.items() if share > 0):
        found[name] = Mass(own[name], found[name].along if name in found else 0.5)
    return tuple((name, mass.share, mass.along) for name, mass in found.items())


def stands(heights: Array) -> Mask:
    """Return which points (..., points) stand, by their heights in the scene: those near the lowest."""
    lowest, spans = heights.min(axis=-1, keepdims=True), np.ptp(heights, axis=-1, keepdims=True)
    low: Mask = heights <= lowest + _STANDS * np.maximum(spans, 1e-9)
    return low


def _standing(posed: Posed) -> Array:
    """Return those points of the effectors (frames, points, 3) that are lowest in each frame.

    In place of the higher ones the lowest is repeated, so that all frames have equally many.
    """
    heights = np.einsum("fpi,fi->fp", posed.supports, posed.armature_to_world[:, 2, :3])
    low = stands(heights)
    frames, first = np.arange(len(heights)), heights.argmin(axis=1)
    return np.where(low[..., None], posed.supports, posed.supports[frames, first][:, None])
