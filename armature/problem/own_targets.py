# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that were made for an armature, which go along with its bones, and what keeps targets from that."""

from collections.abc import Iterable

import numpy as np
from bpy.types import Object, PoseBone, PropertyGroup
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


def why_unmovable(bone: PoseBone) -> str:
    """Return why the target of an effector is not to be moved, or nothing."""
    return why_fixed(bone.superpose)


def why_fixed(settings: PropertyGroup) -> str:
    """Return why the target of an effector's or a goal's settings is not to be moved, or nothing."""
    target = settings.target
    drivers = target.animation_data.drivers if target.animation_data else ()
    reasons = {
        "a bone": settings.target_bone,
        "linked": target.library,
        "constrained": any(not constraint.mute for constraint in target.constraints),
        "driven": any(_places(driver.data_path) for driver in drivers),
        "locked": any((*target.lock_location, *target.lock_rotation)),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def unmovable_words(bones: Iterable[PoseBone]) -> list[str]:
    """Return which targets of the bones, all of which have one, are not to be moved and why, in words."""
    reasons = ((bone.superpose.target.name, why_unmovable(bone)) for bone in bones)
    return [f"'{name}' is {why}" for name, why in reasons if why]


def made_targets(rig: Rig, ob: Object) -> dict[int, PoseBone]:
    """Return, by the row of the effector, the bones whose targets were made for the armature."""
    bones = {
        int(row): ob.pose.bones[int(rig.indices[rig.places[row]])] for row in np.flatnonzero(~rig.targetless)
    }
    return {row: bone for row, bone in bones.items() if bone.superpose.target.superpose.rig == ob}


def own_targets(rig: Rig, ob: Object) -> dict[int, Object]:
    """Return, by the row of the effector, the targets that were made for the armature and can be moved.

    Those that something else places stay: constraints, drivers, keys, locks, a library.
    """
    made = made_targets(rig, ob).items()
    stands_free = {row: bone.superpose.target for row, bone in made if not why_unmovable(bone)}
    return {row: target for row, target in stands_free.items() if not _is_keyed(target)}


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
    """Put the armature's own targets of these ``rows`` at their places; return whether any was elsewhere.

    ``places`` (effectors, 4, 4), to world. The view layer is to be updated afterwards.
    """
    own = own_targets(rig, ob)
    carried = sorted(own.keys() & set(rows))
    return any([place_target(own[row], Matrix(places[row].tolist())) for row in carried])


def _is_keyed(target: Object) -> bool:
    """Return whether keys, or strips, place the object."""
    data = target.animation_data
    return bool(data and (data.nla_tracks or any(_places(curve.data_path) for curve in curves_of(data))))


def _places(path: str) -> bool:
    """Return whether a data path of an object, as of a curve or a driver, says where that is."""
    return path.removeprefix("delta_").startswith(_TRANSFORMS)
