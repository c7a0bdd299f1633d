# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""An axis of a bone that points at a target or along a direction; the turn about that axis is free."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import GoalError
from ..geometry import Array, arctan2, cross, dot, norm, quaternion_to_matrix, shortest_arc, vecmat
from .animated import HEAD, Frame, Point
from .towards import Towards, TowardsGoals

_Y = np.array([0.0, 1.0, 0.0])
# As shares of the arm: a target this near is in the bone's own point, one nearer than that pulls no harder.
_NOWHERE, _NEAR = 1e-6, 1e-2
# Opposite the target all ways lead there; how fast they change is as at this sine at most.
_OPPOSITE = 0.05


@dataclass(frozen=True, eq=False)
class Aim(Towards):
    """An ``axis`` of a bone, in its frame, should point at a point or along a direction.

    ``at`` (batch or 1, 3): the point, seen from the point ``offset`` of the bone; ``along`` (batch or 1, 3):
    the direction. One of them, in armature space. The turn about the axis is free.

    Raises GoalError naming the bone.
    """

    bone: str
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    offset: Point = HEAD

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_numbers("an axis", self.axis)
        self.refuse(np.shape(self.axis) != (3,), "has an axis that is not 3 long")
        self.check_directions("an axis", self.axis)

    @property
    def title(self) -> str:
        """What the goal is called in messages."""
        return f"aim of '{self.bone}'"

    def frames(self) -> tuple[Frame, ...]:
        """Return the bones that it looks at, and the points on them."""
        return ((self.bone, self.offset),)

    @property
    def group_type(self) -> "type[Aims]":
        """The group that takes up goals of this kind."""
        return Aims


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Aims(TowardsGoals):
    """Aims: two rows each, the turn of the axis onto the direction, across the axis.

    ``bases`` (m, 3, 3): the axis is their Y, in the bone's frame. Rows, for the angle t from the axis to the
    direction, a unit vector whose components along X and Z of the basis are s, so that |s| = sin t::

        a t s / sin t

    So a squared angle counts wherever the axis points, and from behind too there is a slope.
    """

    bases: Array

    CONDITIONS: ClassVar[int] = 2

    @classmethod
    def arrays(cls, goals: Sequence[Aim]) -> dict[str, Any]:
        """Return frames whose Y the axes are, beside points and directions."""
        axes = np.array([goal.axis for goal in goals], dtype=np.float64)
        arcs = shortest_arc(np.broadcast_to(_Y, axes.shape), axes)
        return {"bases": quaternion_to_matrix(arcs)} | TowardsGoals.arrays(goals)

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return the turns of the axes, (batch, m, 2)."""
        directions, _ = self._directions(points)
        across, _, angles, _ = self._split(directions, rotations[:, :, 0] @ self.bases)
        return (self.roots * self.arm * angles)[..., None] * across

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return the derivatives: a turn of the bone does what the opposite turn of the direction would."""
        directions, distances = self._directions(points)
        axes = rotations[:, :, 0] @ self.bases
        across, cosine, angles, sine = self._split(directions, axes)
        x, y, z = (axes[..., column] for column in range(3))
        least = np.maximum(sine, np.where(cosine > 0, 0.0, _OPPOSITE))
        share = np.where(least > 0, angles / np.where(least > 0, least, 1.0), 1.0)
        sideways = across[..., :1] * x + across[..., 1:] * z
        shared = (cosine - share)[..., None] * sideways - sine[..., None] * y
        by_direction = share[..., None, None] * np.stack([x, z], axis=-2)
        by_direction += across[..., None] * shared[..., None, :]
        by_direction *= (self.roots * self.arm)[..., None, None]
        along = directions[..., None, :]
        by_point = by_direction - dot(by_direction, along)[..., None] * along
        by_point *= -(self.is_point / distances)[..., None, None]
        by_turn = cross(by_direction, np.broadcast_to(along, by_direction.shape))
        return by_point[..., None, :], by_turn[..., None, :]

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return no lengths, and the angles between axes and directions, (batch, m)."""
        directions, _ = self._directions(points)
        angles = self.counted * self._split(directions, rotations[:, :, 0] @ self.bases)[2]
        return np.zeros(angles.shape), angles

    def refuse(self, points: Array) -> None:
        """Raise GoalError for an aim at the point that it is seen from."""
        away = norm(self.goals - points[:, :, 0])
        bad = ((away < _NOWHERE * self.arm) & self.is_point).any(axis=0)
        if bad.any():
            raise GoalError(f"The {self.names[int(np.argmax(bad))]} is at the bone's own point")

    def _directions(self, points: Array) -> tuple[Array, Array]:
        """Return unit directions (batch, m, 3) to point along, and how far targets are (batch, m)."""
        ways = self.ways(points[:, :, 0])
        lengths = norm(ways)
        directions = ways / np.where(lengths > 0, lengths, 1.0)[..., None]
        return directions, np.maximum(lengths, _NEAR * self.arm)

    def _split(self, directions: Array, axes: Array) -> tuple[Array, Array, Array, Array]:
        """Return how directions lie to the axes: unit vectors across, cosines, angles and sines.

        ``axes`` (batch, m, 3, 3). Vectors (batch, m, 2), the others (batch, m).
        """
        seen = vecmat(directions, axes)
        across, cosine = seen[..., ::2], seen[..., 1]
        sine = norm(across)
        unit = np.where(sine[..., None] > 0, across, [1.0, 0.0]) / np.where(sine > 0, sine, 1.0)[..., None]
        return unit, cosine, arctan2(sine, cosine), sine
