# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How joints move with controls: measured once, and carried along with the controls from then on.

Each way moves each joint by a twist: a turn, and the speed of what lies in the control's head. Seen from the
control, a twist stays as it is wherever control and joint go, as far as the joint hangs on the control. So
for long it says how the joint moves.

Reference: Murray, Li and Sastry 1994, A Mathematical Introduction to Robotic Manipulation, chapter 2.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    cross,
    matrix_to_quaternion,
    quaternion_to_rotation_vector,
)
from .controls import Joints, Placed, Ways

# By how much a control is moved to see what moves with it: radians, or lengths of the figure.
STEP = 0.02
# Radians, or lengths of the figure, for one of these: what moves a joint by less does not move it, as Blender
# has matrices in single precision.
_NOISE = 1e-4


@dataclass(frozen=True, eq=False)
class Columns:
    """The ``turns`` and ``speeds`` (w, j, 3) of joints by each of the ``ways``, in the ways' frames; of what
    lies in the control's head, in lengths of the figure.
    """

    ways: Ways
    turns: Array
    speeds: Array

    def acting(self, count: int) -> Mask:
        """Return which of so many controls (count,) move any joint."""
        acts, moving = np.zeros(count, bool), (self.turns != 0) | (self.speeds != 0)
        acts[self.ways.of[moving.any(axis=(1, 2))]] = True
        return acts

    def rows(self, placed: Placed, arm: float) -> Array:
        """Return how joints move, (j, 6, w): their points, in lengths, and turns times the ``arm``."""
        frames = self.ways.frames(placed)
        turns = np.einsum("wik,wjk->wji", frames, self.turns)
        points = np.einsum("wik,wjk->wji", frames, self.speeds) + cross(turns, _arms(self.ways, placed))
        rows: Array = np.concatenate([points, arm * turns], axis=-1).transpose(1, 2, 0)
        return rows


def between(before: Joints, after: Joints, length: float) -> tuple[Array, Array]:
    """Return turns (j, 3), radians, and ways (j, 3), in lengths, of joints from one place to the other."""
    turned = after.rotations @ before.rotations.swapaxes(-1, -2)
    turns = quaternion_to_rotation_vector(matrix_to_quaternion(turned))
    return turns, (after.points - before.points) / length


def columns_of(ways: Ways, placed: Placed, groups: list[Indices], trials: list[Joints]) -> Columns:
    """Return how joints move, from where they are once the ways of each of the ``groups`` have taken a step.

    Of one group no two ways move the same joint.
    """
    turns, points = np.zeros((2, *ways.moves.shape, 3))
    for group, joints in zip(groups, trials, strict=True):
        turns[group], points[group] = (part / STEP for part in between(placed.joints, joints, ways.length))
    own = ways.moves & (np.maximum(np.abs(turns), np.abs(points)).max(axis=-1) > _NOISE)
    turns, points = (np.where(own[..., None], part, 0.0) for part in (turns, points))
    return Columns(ways, *_twists(ways, placed, turns, points))


def _arms(ways: Ways, placed: Placed) -> Array:
    """Return where joints are from the ways' heads, (w, j, 3), in lengths of the figure."""
    arms: Array = (placed.joints.points - placed.heads[ways.of, None]) / ways.length
    return arms


def _twists(ways: Ways, placed: Placed, turns: Array, points: Array) -> tuple[Array, Array]:
    """Return turns and points' moves (w, j, 3) of armature space as the columns have them."""
    frames = ways.frames(placed)
    return turns @ frames, (points - cross(turns, _arms(ways, placed))) @ frames


def apart(moves: Mask) -> list[Indices]:
    """Return groups of ways, as few as are found at once, no two of which move the same joint.

    ``moves`` (w, j). Those that move most joints come first, each into the first group that has room.
    """
    groups: list[tuple[list[int], Mask]] = []
    for way in np.argsort(-moves.sum(axis=1), kind="stable").tolist():
        room = next((group for group in groups if not (group[1] & moves[way]).any()), None)
        if room is None:
            groups.append(room := ([], np.zeros(moves.shape[1], bool)))
        room[0].append(way)
        room[1][:] |= moves[way]
    return [np.array(ways) for ways, _ in groups]
