# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that were made for an armature, which go along with its bones."""

from collections.abc import Iterable

import numpy as np
from bpy.types import Object
from mathutils import Matrix

from ...solvers import Pose, Skeleton, forward
from ...solvers.geometry import Array
from ..fcurves.actions import curves_of
from ..frames.frame_snapshot import FrameSnapshot
from ..rig.mirrors import shown_from_solved
from ..rig.rig import Rig
from .places import place_target
from .targets import effector_points, effector_signs, place_in_world

_TRANSFORMS = ("location", "rotation")


def own_targets(rig: Rig, ob: Object) -> dict[int, Object]:
    """Return, by the row of the effector, the targets that were made for the armature and can be moved.

    Those that something else places stay: constraints, drivers, keys, locks, a library.
    """
    found = {}
    for row in np.flatnonzero(~rig.targetless):
        settings = ob.pose.bones[int(rig.indices[rig.places[row]])].superpose
        target = settings.target
        if target.superpose.rig == ob and not settings.target_bone and _stands_free(target):
            found[int(row)] = target
    return found


def places_in_pose(rig: Rig, frame: FrameSnapshot, skeleton: Skeleton, pose: Pose) -> Array:
    """Return where targets (effectors, 4, 4, to world) have to be for their bones to meet them in a pose of
    one row."""
    rotations, heads = forward(skeleton, pose)
    signs = shown_from_solved(effector_signs(rig, [frame]))[0]
    points = effector_points(rig, rotations, heads)[0]
    places = np.tile(np.eye(4), (len(points), 1, 1))
    for row, (point, shown) in enumerate(zip(points, rotations[0, rig.places] * signs[:, None], strict=True)):
        places[row, :3, 3], places[row, :3, :3] = place_in_world(frame.armature_to_world, point, shown)
    return places


def carry_targets(rig: Rig, ob: Object, rows: Iterable[int], places: Array) -> bool:
    """Put the armature's own targets of these ``rows`` at their places; return whether there are any.

    ``places`` (effectors, 4, 4), to world. The view layer is to be updated afterwards.
    """
    own = own_targets(rig, ob)
    carried = sorted(own.keys() & set(rows))
    for row in carried:
        place_target(own[row], Matrix(places[row].tolist()))
    return bool(carried)


def _stands_free(target: Object) -> bool:
    """Return whether the object is where its own channels have it, and these are free."""
    data = target.animation_data
    curves = [*curves_of(data), *data.drivers] if data else []
    is_placed = any(curve.data_path.removeprefix("delta_").startswith(_TRANSFORMS) for curve in curves)
    is_placed = is_placed or bool(data and data.nla_tracks)
    is_locked = any((*target.lock_location, *target.lock_rotation))
    is_held = any(not constraint.mute for constraint in target.constraints)
    return not (is_placed or is_locked or is_held or target.library)
