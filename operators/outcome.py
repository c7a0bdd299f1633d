# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a solve went, in numbers and words that a user reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees, radians

import bpy
import numpy as np
from bpy.types import Object, Scene
from numpy.typing import NDArray

from ..armature import Frame, Rig, world_lengths, world_residuals
from ..solvers import Skeleton, Solution, limits_touched
from ..solvers.rotation import Array
from .refusals import forget_refusal
from .setup import effectors_of

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
        world_lengths(frames, solution.out_of_reach),
        world_lengths(frames, solution.rmsd[:, None])[:, 0],
        missed,
        tuple(
            _held_back(rig, skeleton, solution, int(row), column) if missed[row, column] else ()
            for column, row in enumerate(worst)
        ),
    )


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
    sizes = [[np.ptp(frame.matrices[:, :3, 3], axis=0).max()] for frame in frames]
    return VISIBLE_GAP * world_lengths(frames, np.array(sizes))


def store(scene: Scene, ob: Object, rig: Rig, outcome: Outcome, message: str) -> None:
    """Leave the worst of all frames on the armature and its effectors, for the panel to show."""
    forget(ob)
    for column, effector in enumerate(rig.effectors):
        result = ob.pose.bones[effector.bone].superpose
        result.is_solved = True
        result.is_missed = bool(outcome.missed[:, column].any())
        result.position_residual = outcome.distances[:, column].max()
        result.rotation_residual = outcome.angles[:, column].max()
        result.out_of_reach = outcome.out_of_reach[:, column].max()
        result.held_back = "\n".join(outcome.held_back[column])
        result.gap = short_gap_text(scene, result.position_residual, result.rotation_residual)
    setup = ob.superpose
    setup.is_solved = True
    setup.is_missed = bool(outcome.missed.any())
    setup.rmsd = outcome.rmsd.max()
    setup.position_residual = outcome.distances.max()
    setup.rotation_residual = outcome.angles.max()
    setup.message = message
    setup.notes = "\n".join(rig.notes)


def store_comparison(scene: Scene, ob: Object, about: str, rows: Sequence[dict]) -> None:
    """Leave a comparison's table on the armature, for the panel to show."""
    setup = ob.superpose
    setup.compared = about
    setup.contestants.clear()
    for row in rows:
        shown = setup.contestants.add()
        shown.name, shown.solved, shown.cannot = row["solver"], row["solved"], row["cannot"]
        shown.gap = short_gap_text(scene, row["worst_length"], radians(row["worst_degrees"]))
        shown.milliseconds = row["milliseconds"]


def forget(ob: Object) -> None:
    """Take back what the panel shows of an earlier outcome, which no longer holds."""
    forget_refusal(ob)
    for owner in (ob, *effectors_of(ob)):
        owner.superpose.is_solved = False
    ob.superpose.message = ob.superpose.notes = ""


def length_text(scene: Scene, length: float) -> str:
    """Return a length in scene units, as the user has units shown."""
    units = scene.unit_settings
    return bpy.utils.units.to_string(units.system, 'LENGTH', length * units.scale_length, precision=2).strip()


def gap_text(scene: Scene, distance: float, angle: float) -> str:
    """Return a distance in scene units and an angle in radians, as the user has units shown."""
    return f"{length_text(scene, distance)}, {round(degrees(angle), 3):.2g}°"


def short_gap_text(scene: Scene, distance: float, angle: float) -> str:
    """Return the distance, or the angle where that alone can be seen."""
    length = length_text(scene, distance)
    return f"{degrees(angle):.2g}°" if angle > VISIBLE_TURN and length.startswith("0 ") else length


def missed_text(scene: Scene, rig: Rig, outcome: Outcome) -> str:
    """Return which effectors the first row missed and by how much."""
    parts = []
    for column in np.flatnonzero(outcome.missed[0]):
        gap = gap_text(scene, outcome.distances[0, column], outcome.angles[0, column])
        beyond = outcome.out_of_reach[0, column]
        reach = f" ({length_text(scene, beyond)} out of reach)" if beyond else ""
        names = ", ".join(outcome.held_back[column])
        limits = f", with {names} at the limit" if names else ""
        parts.append(f"'{rig.effectors[column].bone}' by {gap}{reach}{limits}")
    return "; ".join(parts)
