# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded motion put on the ground that a body stands on, its floor made level where it was tilted."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees, radians

import numpy as np
from bpy.types import Context, Object
from mathutils import Matrix, Vector

from ..solvers.geometry import Array
from ..solvers.motion import Floor, find_contacts, find_floor
from .frames.pose_kept import pose_kept
from .frames.ranges import present_frame_kept

_LOW = 5  # per cent of a clip's frames in which a foot without a floor may be below the ground
_TOLD = radians(0.2)  # of tilt, that a report speaks of
_ROUNDS = 3  # in which a floor is found


@dataclass(frozen=True)
class Standing:
    """A ``target`` of a bone of some ``length`` that ``rest`` (bone_to_world) has at rest, a foot or not."""

    target: Object
    rest: Matrix
    length: float
    is_foot: bool

    def ends(self, matrix: Matrix) -> tuple[Vector, Vector]:
        """Return head and tip of the bone where ``matrix`` (bone_to_world) has it."""
        return matrix.translation.copy(), matrix @ Vector((0.0, self.length, 0.0))


def put_on_ground(
    context: Context,
    leader: Object,
    follower: Object,
    stands: Sequence[Standing],
    size: float,
    levels: bool,
) -> list[str]:
    """Move the leader, which carries the targets, so that the first one begins over its rest and feet step on
    the ground of their rest; ``levels`` the floor, too. ``size`` of the ``follower``, a length.

    Returns what is to be told of it, in sentences.
    """
    frames = _read(context, follower, stands)
    finite = np.isfinite(frames).all(axis=(1, 2, 3))
    places, soles = frames[finite], np.array([[end.z for end in one.ends(one.rest)] for one in stands])
    feet = np.array([one.is_foot for one in stands])
    steps = places[:, feet].reshape(len(places), -1, 3)
    steps[..., 2] -= soles[feet].ravel()
    floor = _floor_of(steps, size, context.scene.render.fps / context.scene.render.fps_base)
    own = floor if floor and levels else None
    leader.matrix_world = _onto(own, places[0, 0, 0], steps, stands[0].rest.translation) @ leader.matrix_world
    context.view_layer.update()
    return _told(leader, floor, levels)


def _read(context: Context, follower: Object, stands: Sequence[Standing]) -> Array:
    """Return heads and tips (frames, targets, 2, 3) that bones at the targets have, world.

    The follower, which has no say in that, is not posed for each frame where it is live.
    """
    scene, found = context.scene, []
    with pose_kept(follower), present_frame_kept(scene):
        for number in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(number)
            found.append([one.ends(one.target.matrix_world) for one in stands])
    return np.array(found, dtype=float)


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


def _onto(floor: Floor | None, first: Array, steps: Array, rest: Vector) -> Matrix:
    """Return what turns a floor level and down to zero, and moves the ``first`` place (3,) over its rest."""
    pivot, turn = Vector(first), Matrix.Identity(4)
    if floor:
        pivot.z -= float(floor.over(first))
        turn = Vector(floor.normal).rotation_difference(Vector((0.0, 0.0, 1.0))).to_matrix().to_4x4()
    begins = turn @ (Vector(first) - pivot) + pivot
    if floor:
        low = pivot.z
    else:
        low = np.percentile(steps[..., 2].min(axis=1), _LOW) if steps.shape[1] else begins.z - rest.z
    shift = Vector((rest.x - begins.x, rest.y - begins.y, -low))
    return Matrix.Translation(shift) @ Matrix.Translation(pivot) @ turn @ Matrix.Translation(-pivot)


def _told(leader: Object, floor: Floor | None, levels: bool) -> list[str]:
    if floor is None or floor.tilt < _TOLD:
        return []
    what = "made level" if levels else "kept"
    return [f"The floor of '{leader.name}' was tilted by {degrees(floor.tilt):.1f}°, and is {what}"]
