# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bake led targets away from where they are: to contacts, over gaps, out of noise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..armature import VISIBLE_TURN, FrameSnapshot, Rig, in_blocks
from ..armature.frames.frame_snapshot import column
from ..armature.problem.spaces import place_in_world
from ..armature.problem.targets import effector_signs
from ..armature.rig.mirrors import shown_from_solved, shown_rotation
from ..solvers import Targets
from ..solvers.geometry import (
    Array,
    Mask,
    conjugate,
    matrix_to_quaternion,
    multiply,
    norm,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
)
from .report import visible_distance

Frames = Sequence[FrameSnapshot]


class Move(NamedTuple):
    """How one target is led in the scene: a ``way`` (3,) and a ``turn``, a rotation vector (3,).

    ``is_bridged``: it was not believed, so that no miss of it counts.
    """

    way: Array
    turn: Array
    is_bridged: bool


@dataclass(frozen=True, eq=False)
class Led:
    """How each target was led in each frame: ``ways`` and ``turns`` (frames, effectors, 3), and which were
    ``bridged`` (frames, effectors).

    0 where neither can be seen, or an effector is asked for in part.
    """

    ways: Array
    turns: Array
    bridged: Mask

    def at(self, row: float) -> Iterator[Move]:
        """Yield how each target is led in a row, or on the way from one to the next."""
        before, share = int(row), row % 1
        after = before + (share > 0)
        ways, turns = ((1 - share) * of[before] + share * of[after] for of in (self.ways, self.turns))
        yield from map(Move, ways, turns, (self.bridged[before] | self.bridged[after]).tolist())


def led_of(rig: Rig, read: Frames, frames: Frames, targets: Targets, bridged: Mask) -> Led | None:
    """Return how far the ``targets`` of frames are from where they were ``read``, if they are anywhere.

    ``bridged`` (frames, effectors): which targets were not believed.
    """
    ways, turns = in_blocks(lambda rows: _led(rig, read[rows], frames[rows], targets.rows(rows)), len(frames))
    return Led(ways, turns, bridged) if ways.any() or turns.any() or bridged.any() else None


def _led(rig: Rig, read: Frames, frames: Frames, targets: Targets) -> tuple[Array, Array]:
    own = column(read, "targets")
    counts = np.isfinite(own).all(axis=(-2, -1)) & (column(frames, "influences") == 1)
    own = np.where(counts[..., None, None], own, np.eye(4))
    signs = shown_from_solved(effector_signs(rig, frames))[..., None, :]
    turned = quaternion_to_matrix(targets.rotations) * signs
    places, turned = place_in_world(column(frames, "armature_to_world")[:, None], targets.positions, turned)
    before = matrix_to_quaternion(shown_rotation(own[..., :3, :3]))
    turns = quaternion_to_rotation_vector(multiply(matrix_to_quaternion(turned), conjugate(before)))
    ways = places - own[..., :3, 3]
    is_seen = counts & ((norm(ways) > visible_distance(frames)) | (norm(turns) > VISIBLE_TURN))
    return np.where(is_seen[..., None], ways, 0.0), np.where(is_seen[..., None], turns, 0.0)
