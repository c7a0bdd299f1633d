# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What controls say, the ways in which they may be moved, and where joints are."""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, Mask, multiply, quaternion_to_matrix, rotation_vector_to_quaternion

# About the length of a leg, in lengths of the figure: how far controls shift as readily as they turn by a
# radian. With more those of a spine would slide far from their joints, and others back; with less, turn so.
_LEG = 0.5


@dataclass(frozen=True, eq=False)
class Controls:
    """The own ``rotations`` (c, 4), quaternions, and ``locations`` (c, 3) of controls, as their channels say.

    A location is along the axes that the control has when its own rotation is none.
    """

    rotations: Array
    locations: Array


@dataclass(frozen=True, eq=False)
class Joints:
    """Where joints are, in armature space: ``rotations`` (j, 3, 3) and ``points`` (j, 3)."""

    rotations: Array
    points: Array


@dataclass(frozen=True, eq=False)
class Placed:
    """Where ``controls`` put ``joints``; ``frames`` (c, 3, 3), ``heads`` (c, 3): the controls themselves, in
    armature space.
    """

    controls: Controls
    joints: Joints
    frames: Array
    heads: Array


@dataclass(frozen=True, eq=False)
class Ways:
    """``w`` ways to move controls: about or along the axis ``axes`` (w,), 0 to 2, of control ``of`` (w,).

    ``are_turns`` (w,): about it, in radians; else along it, in multiples of the figure's ``length``.
    ``moves`` (w, j): which joints each may move. ``weights`` (j,): how much what is left of a joint counts.
    """

    of: Indices
    axes: Indices
    are_turns: Mask
    moves: Mask
    length: float
    weights: Array

    @property
    def units(self) -> Array:
        """By how much ways (w,) are moved for one unit of a step: the more, the more joints they move."""
        shares = np.maximum(self.moves.mean(axis=1), 1 / self.moves.shape[1])
        units: Array = np.sqrt(shares) * np.where(self.are_turns, 1.0, _LEG)
        return units

    def acting(self, count: int) -> Mask:
        """Return which of so many controls (count,) may move any joint."""
        acts = np.zeros(count, bool)
        acts[self.of[self.moves.any(axis=1)]] = True
        return acts

    def moved(self, controls: Controls, amounts: Array) -> Controls:
        """Return the controls moved by ``amounts`` (w,), turns about their own axes as they are turned."""
        moves = np.zeros((2, len(controls.rotations), 3))
        moves[(~self.are_turns).astype(np.int64), self.of, self.axes] = amounts
        turned = multiply(controls.rotations, rotation_vector_to_quaternion(moves[0]))
        return Controls(turned, controls.locations + self.length * moves[1])

    def frames(self, placed: Placed) -> Array:
        """Return the axes (w, 3, 3) that each way is about or along, in armature space, as columns."""
        own = quaternion_to_matrix(placed.controls.rotations)
        unturned = placed.frames @ own.swapaxes(-1, -2)
        frames: Array = np.where(self.are_turns[:, None, None], placed.frames[self.of], unturned[self.of])
        return frames


def make_ways(turns: Mask, shifts: Mask, moves: Mask, length: float, weights: Array | None = None) -> Ways:
    """Return the ways in which controls may turn and shift, (c, 3) each, about and along their own axes.

    ``moves`` (c, j): which joints a control may move. Without ``weights`` (j,) all count alike.
    """
    weights = np.ones(moves.shape[1]) if weights is None else weights
    ways = np.concatenate([np.argwhere(turns), np.argwhere(shifts)])
    of, are_turns = ways[:, 0], np.arange(len(ways)) < np.count_nonzero(turns)
    return Ways(of, ways[:, 1], are_turns, moves[of], length, weights)
