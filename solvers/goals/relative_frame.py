# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bone that stays beside another one, which the solve may move too: a hand on a sword or on a hip."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from ..errors import GoalError
from ..geometry import (
    Array,
    cross_matrix,
    matrix_to_quaternion,
    matvec,
    norm,
    normalised,
    quaternion_to_matrix,
)
from .animated import HEAD, AnimatedGoal, Frame, Point
from .weighed import WeighedGoals, stacked

_IDENTITY = np.eye(3)


@dataclass(frozen=True, eq=False)
class RelativeFrame(AnimatedGoal):
    """The point ``offset`` of a bone should be at the point ``to_offset`` of the bone ``to_bone``.

    The bone should be turned against ``to_bone`` by ``to_rotation`` (batch or 1, 4), a unit quaternion,
    ``bone_to_to_bone``. Both points are in the frames of their bones, in lengths; ``to_offset`` is (batch or
    1, 3). ``weights`` (batch or 1, 2): factors on ``position_weight`` and ``rotation_weight``.

    Raises GoalError naming the bone.
    """

    bone: str
    to_bone: str
    to_offset: Array = field(default_factory=lambda: np.zeros((1, 3)))
    to_rotation: Array = field(default_factory=lambda: np.array([[1.0, 0.0, 0.0, 0.0]]))
    offset: Point = HEAD
    position_weight: float = 1.0
    rotation_weight: float = 1.0
    weights: Array = field(default_factory=lambda: np.ones((1, 2)), kw_only=True)

    ANIMATED: ClassVar[dict[str, tuple[int | None, ...]]] = {
        "weights": (2,),
        "to_offset": (3,),
        "to_rotation": (4,),
    }
    WEIGHTS: ClassVar[tuple[str, ...]] = ("weight", "position_weight", "rotation_weight")
    CALLED: ClassVar[dict[str, str]] = AnimatedGoal.CALLED | {"to_offset": "a place", "to_rotation": "a turn"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse(self.bone == self.to_bone, "is to the bone itself")
        crooked = (np.abs(norm(np.clip(self.to_rotation, -2.0, 2.0)) - 1) > 1e-6).any()
        self.refuse(bool(crooked), "has a turn that is no unit quaternion")

    @property
    def title(self) -> str:
        """What the goal is called in messages."""
        return f"attachment of '{self.bone}'"

    @property
    def weighed(self) -> Array:
        """The weights of position and rotation with their factors, (rows, 2)."""
        return self.weight * self.weights * [self.position_weight, self.rotation_weight]

    def frames(self) -> tuple[Frame, ...]:
        """Return the point of the bone, and the head of the other one."""
        return (self.bone, self.offset), (self.to_bone, HEAD)

    @property
    def group_type(self) -> "type[RelativeFrames]":
        """The group that takes up goals of this kind."""
        return RelativeFrames

    @classmethod
    def check_together(cls, goals: Sequence[Self]) -> None:
        """Raise GoalError for bones that are attached to each other in a circle."""
        others: dict[str, set[str]] = {}
        for goal in goals:
            others.setdefault(goal.bone, set()).add(goal.to_bone)
        for goal in goals:
            if goal.bone in _reached(others, goal.to_bone):
                raise GoalError(f"The {goal.title} leads in a circle, by way of '{goal.to_bone}'")


def _reached(others: dict[str, set[str]], start: str) -> set[str]:
    """Return the bones that a bone is relative to, by way of others too, and itself."""
    reached, left = set(), [start]
    while left:
        bone = left.pop()
        if bone not in reached:
            reached.add(bone)
            left.extend(others.get(bone, ()))
    return reached


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RelativeFrames(WeighedGoals):
    """Relative frames: six rows each, how far away and how turned, seen from two frames that both may move.

    ``roots`` (b, m, 2): of positions and rotations. ``offsets`` (b, m, 3) and ``rests`` (b, m, 3, 3): where
    the first frame should be in the second one. Rows, for points p, q and rotations R, Q::

        p - (q + Q o)          2 a v(M)          M = (Q T)^T R, v the vector part of its quaternion
    """

    offsets: Array
    rests: Array

    BATCHED: ClassVar[tuple[str, ...]] = ("roots", "arm", "offsets", "rests")
    CONDITIONS: ClassVar[int] = 6

    @classmethod
    def arrays(cls, goals: Sequence[RelativeFrame]) -> dict[str, Array]:
        """Return where the first frames should be in the second ones."""
        return {
            "offsets": stacked([goal.to_offset for goal in goals]),
            "rests": quaternion_to_matrix(normalised(stacked([goal.to_rotation for goal in goals]))),
        }

    def residual(self, points: Array, rotations: Array) -> Array:
        """Return ways and turns, (batch, m, 6)."""
        ways, turns, _, _ = self._apart(points, rotations)
        parts = (self.roots[..., :1] * ways, 2 * self._turning * turns[..., 1:])
        return np.concatenate(parts, axis=-1)

    def slopes(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return the derivatives by points and turns: what the first frame gains the second one loses."""
        _, turns, arms, wanted = self._apart(points, rotations)
        shape = (*points.shape[:2], 6, 2, 3)
        by_point, by_turn = np.zeros(shape), np.zeros(shape)
        by_point[..., :3, 0, :] = self.roots[..., :1, None] * _IDENTITY
        by_point[..., :3, 1, :] = -by_point[..., :3, 0, :]
        by_turn[..., :3, 1, :] = self.roots[..., :1, None] * cross_matrix(arms)
        rates = turns[..., :1, None] * _IDENTITY - cross_matrix(turns[..., 1:])
        by_turn[..., 3:, 0, :] = self._turning[..., None] * (rates @ np.swapaxes(wanted, -1, -2))
        by_turn[..., 3:, 1, :] = -by_turn[..., 3:, 0, :]
        return by_point, by_turn

    def left(self, points: Array, rotations: Array) -> tuple[Array, Array]:
        """Return distances and angles, (batch, m)."""
        ways, turns, _, _ = self._apart(points, rotations)
        angles = 2 * np.arcsin(np.minimum(norm(turns[..., 1:]), 1.0))
        return self.counted[..., 0] * norm(ways), self.counted[..., 1] * angles

    @property
    def _turning(self) -> Array:
        return self.roots[..., 1:] * self.arm[..., None]

    def _apart(self, points: Array, rotations: Array) -> tuple[Array, Array, Array, Array]:
        """Return ways (batch, m, 3), turns (batch, m, 4), arms ``Q o`` and the wanted rotations ``Q T``."""
        arms, wanted = matvec(rotations[:, :, 1], self.offsets), rotations[:, :, 1] @ self.rests
        ways = points[:, :, 0] - points[:, :, 1] - arms
        return ways, matrix_to_quaternion(np.swapaxes(wanted, -1, -2) @ rotations[:, :, 0]), arms, wanted
