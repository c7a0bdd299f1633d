# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded motion put on the ground that a body stands on, its floor made level where it was tilted."""

from dataclasses import dataclass
from math import degrees, radians

import numpy as np
from mathutils import Matrix, Vector

from ...solvers.geometry import Array, Indices, Mask
from ...solvers.motion import Floor, find_contacts, find_floor

_LOW = 5  # per cent of a clip's frames in which a foot without a floor may be below the ground
_TOLD = radians(0.2)  # of tilt, that a report speaks of
_ROUNDS = 3  # in which a floor is found


@dataclass(frozen=True, eq=False)
class Soles:
    """Bones of some ``lengths`` (n,), where they are at rest, ``rests`` (n, 4, 4), to the world.

    And which ``are_feet`` (n,), and which ``are_hips`` (n,) or stand for them. ``carriers`` (n,): the
    row of the foot that carries each, feet themselves; -1 for none.
    """

    rests: Array
    lengths: Array
    are_feet: Mask
    are_hips: Mask
    carriers: Indices

    def ends(self, places: Array) -> Array:
        """Return heads and tips (..., n, 2, 3) of the bones that are at ``places`` (..., n, 4, 4)."""
        heads = places[..., :3, 3]
        return np.stack([heads, heads + places[..., :3, 1] * self.lengths[:, None]], axis=-2)

    def steps(self, ends: Array) -> Array:
        """Return heads and tips (frames, 2 feet, 3) of the feet among ``ends`` (frames, n, 2, 3).

        As high as they are over where they are at rest.
        """
        steps = ends[:, self.are_feet].reshape(len(ends), -1, 3)
        steps[..., 2] -= self.ends(self.rests)[self.are_feet, :, 2].ravel()
        return steps


@dataclass(frozen=True, eq=False)
class Floored:
    """What puts a motion on the ground: the ``move`` (4, 4) of the world, and the ``floor`` that it had."""

    move: Array
    floor: Floor | None

    def told(self, name: str, levels: bool) -> list[str]:
        """Return what is to be told of the floor of the armature called so, in sentences."""
        if self.floor is None or self.floor.tilt < _TOLD:
            return []
        what = "made level" if levels else "kept"
        return [f"The floor of '{name}' was tilted by {degrees(self.floor.tilt):.1f}°, and is {what}"]


def put_on_ground(places: Array, soles: Soles, size: float, rate: float, levels: bool) -> Floored:
    """Return what has the hips begin over their rest, and feet step on the ground of their rest.

    ``places`` (frames, n, 4, 4) of the bones, to the world, so many frames a second; ``levels``: the floor is
    made level, too. ``size`` of the body, a length.
    """
    ends, rests = soles.ends(places), soles.ends(soles.rests)
    steps = soles.steps(ends)
    floor = _floor_of(steps, size, rate)
    first, rest = (heads[soles.are_hips].mean(axis=0) for heads in (ends[0, :, 0], rests[:, 0]))
    return Floored(_onto(floor if levels else None, first, steps, rest), floor)


def _floor_of(steps: Array, size: float, rate: float) -> Floor | None:
    """Return the floor that soles (frames, n, 3) stand on, if there is one.

    Over a floor that is known to be tilted more of them are seen to stand.
    """
    floor, feet, over = None, np.ones(steps.shape[1], dtype=bool), steps.copy()
    for _ in range(_ROUNDS if len(feet) else 0):
        floor = find_floor(steps, find_contacts(over, feet, size, rate), size)
        if floor is None:
            break
        over[..., 2] = floor.over(steps)
    return floor


def _onto(floor: Floor | None, first: Array, steps: Array, rest: Array) -> Array:
    """Return what turns a floor level and down to zero, and moves the ``first`` place (3,) over its rest."""
    pivot, turn = Vector(first), Matrix.Identity(4)
    if floor:
        pivot.z -= float(floor.over(first))
        turn = Vector(floor.normal).rotation_difference(Vector((0.0, 0.0, 1.0))).to_matrix().to_4x4()
    begins = turn @ (Vector(first) - pivot) + pivot
    if floor:
        low = pivot.z
    else:
        low = np.percentile(steps[..., 2].min(axis=1), _LOW) if steps.shape[1] else begins.z - rest[2]
    shift = Vector((rest[0] - begins.x, rest[1] - begins.y, -low))
    return np.array(Matrix.Translation(shift) @ Matrix.Translation(pivot) @ turn @ Matrix.Translation(-pivot))
