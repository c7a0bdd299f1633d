# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a solve went, in numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import NDArray

from ..armature import Frame, Rig, world_lengths, world_residuals
from ..solvers import Skeleton, Solution, limits_touched
from ..solvers.rotation import Array

# A smaller gap is not seen in a figure on a screen: this part of the figure's size, and this angle.
VISIBLE_GAP = 5e-4
VISIBLE_TURN = radians(0.1)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is left between effectors and targets, all (frames, effectors).

    ``distances`` and ``out_of_reach`` in scene units, ``angles`` in radians, ``missed``: it can be seen.
    ``rmsd`` (frames,) in scene units. What has no weight is not counted and reads 0. ``held_back``: for each
    effector that was missed the bones at their limits on its way to the root, in its worst frame.
    """

    distances: Array
    angles: Array
    out_of_reach: Array
    rmsd: Array
    missed: NDArray[np.bool_]
    held_back: tuple[tuple[str, ...], ...]


def outcome_of(rig: Rig, frames: Sequence[Frame], skeleton: Skeleton, solution: Solution) -> Outcome:
    """Return how the frames' solution went."""
    counted = np.array([[e.position_weight > 0, e.rotation_weight > 0] for e in rig.effectors])
    distances = np.where(counted[:, 0], world_residuals(rig, frames, solution), 0.0)
    angles = np.where(counted[:, 1], solution.rotation_residuals, 0.0)
    visible = visible_gap(frames)
    missed = ((distances > visible) | (angles > VISIBLE_TURN)) & ~solution.converged[:, None]
    left = distances / np.where(visible > 0, visible, 1.0) + angles / VISIBLE_TURN
    worst = np.argmax(np.where(missed, left, -1.0), axis=0)
    return Outcome(
        distances,
        angles,
        _beyond(distances, world_lengths(frames, solution.out_of_reach)),
        world_lengths(frames, solution.rmsd[:, None])[:, 0],
        missed,
        tuple(
            _held_back(rig, skeleton, solution, int(row), column) if missed[row, column] else ()
            for column, row in enumerate(worst)
        ),
    )


def _beyond(distances: Array, out_of_reach: Array) -> Array:
    """Return what no pose could spare an effector; of two too far apart only one need be missed by that."""
    return np.where(distances > 0.999 * out_of_reach, out_of_reach, 0.0)


def _held_back(rig: Rig, skeleton: Skeleton, solution: Solution, row: int, column: int) -> tuple[str, ...]:
    """Return the bones at their limits from one effector up to the root, in one row."""
    rows = slice(row, row + 1)
    touched = limits_touched(skeleton.rows(rows), solution.pose.rows(rows), VISIBLE_TURN)[0]
    names, bone = [], int(rig.places[column])
    while bone >= 0:
        names += [rig.names[bone]] if touched[bone] else []
        bone = int(rig.parents[bone])
    return tuple(names)


def visible_gap(frames: Sequence[Frame]) -> Array:
    """Return the smallest distances (frames, 1), scene units, that can be seen in the figure."""
    heads = np.stack([frame.matrices[:, :3, 3] for frame in frames])
    return VISIBLE_GAP * world_lengths(frames, np.ptp(heads, axis=1).max(axis=1, keepdims=True))
