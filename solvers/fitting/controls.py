# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What controls say, the ways in which they may be moved, and where joints are."""

from dataclasses import dataclass

import numpy as np

from ..geometry import (
    Array,
    Indices,
    Mask,
    conjugate,
    multiply,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
    rotation_vector_to_quaternion,
)

# About the length of a leg, in lengths of the figure: how far controls shift as readily as they turn by a
# radian. With more those of a spine would slide far from their joints, and others back; with less, turn so.
_LEG = 0.5
# What controls cost that are away from home, in squared lengths of the figure: turned by a radian, as a share
# of the joints that move; shifted by such a length where others carry them, and where none do. So little that
# it hardly shows on joints, but those of a spine do not slide away from it.
_TURNED, _SLID, _SHIFTED = 2e-3, 1e-1, 3e-4


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
    ``moves`` (w, j): which joints each may move. ``weights`` (j,): how much what is left of a joint counts;
    ``costs`` (w,): what it does to be away from home, squared lengths of the figure for a unit.
    """

    of: Indices
    axes: Indices
    are_turns: Mask
    moves: Mask
    length: float
    weights: Array
    costs: Array

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

    def between(self, before: Controls, after: Controls) -> Array:
        """Return by how much each way (w,) leads from what controls said ``before``; of turns, about.

        Turns of a large angle are about one axis of three, and no single way leads there.
        """
        turned = quaternion_to_rotation_vector(multiply(conjugate(before.rotations), after.rotations))
        shifted = (after.locations - before.locations) / self.length
        amounts: Array = np.where(self.are_turns, turned[self.of, self.axes], shifted[self.of, self.axes])
        return amounts

    def frames(self, placed: Placed) -> Array:
        """Return the axes (w, 3, 3) that each way is about or along, in armature space, as columns."""
        own = quaternion_to_matrix(placed.controls.rotations)
        unturned = placed.frames @ own.swapaxes(-1, -2)
        frames: Array = np.where(self.are_turns[:, None, None], placed.frames[self.of], unturned[self.of])
        return frames


def make_ways(
    turns: Mask,
    shifts: Mask,
    moves: Mask,
    length: float,
    weights: Array | None = None,
    carried: Mask | None = None,
) -> Ways:
    """Return the ways in which controls may turn and shift, (c, 3) each, about and along their own axes.

    ``moves`` (c, j): which joints a control may move. Without ``weights`` (j,) all count alike. ``carried``
    (c,): controls that hang on others of them, and shift less readily; none without it.
    """
    weights = np.ones(moves.shape[1]) if weights is None else weights
    carried = np.zeros(len(moves), bool) if carried is None else carried
    ways = np.concatenate([np.argwhere(turns), np.argwhere(shifts)])
    of, are_turns = ways[:, 0], np.arange(len(ways)) < np.count_nonzero(turns)
    shares = moves[of].mean(axis=1)
    costs = np.where(are_turns, _TURNED * shares, np.where(carried[of], _SLID, _SHIFTED))
    return Ways(of, ways[:, 1], are_turns, moves[of], length, weights, costs)
