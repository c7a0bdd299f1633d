# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that were made for an armature, which go along with its bones, and what keeps targets from that."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np
from bpy.types import Object, PoseBone, PropertyGroup
from mathutils import Matrix

from ...solvers import Pose, Skeleton, forward
from ...solvers.geometry import Array
from ..fcurves.actions import curves_of
from ..frames.frame_snapshot import FrameSnapshot
from ..rig.effectors import has_made_target, has_target
from ..rig.mirrors import shown_from_solved
from ..rig.rig import Rig
from .places import place_targets
from .spaces import place_in_world
from .targets import effector_points, effector_signs
from .varying import offsets_in

_TRANSFORMS = ("location", "rotation")
_BEARS = "carrying targets that stay"
_Key = TypeVar("_Key", bound=Hashable)


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


def unmovable_words(bones: Iterable[PoseBone], bearers: Collection[str] = ()) -> list[str]:
    """Return which targets of the bones, all of which have one, are not to be moved and why, in words.

    ``bearers``: bones whose targets carry others that stay.
    """
    reasons = ((bone, why_unmovable(bone) or (bone.name in bearers and _BEARS)) for bone in bones)
    return [f"{_name_of(bone.superpose)} is {why}" for bone, why in reasons if why]


def _name_of(settings: PropertyGroup) -> str:
    """Return how messages call a target: an object, or a bone of one."""
    name, bone = settings.target.name, settings.target_bone
    return f"'{bone}' of '{name}'" if bone else f"'{name}'"


def borne_targets(rig: Rig, ob: Object) -> dict[int, frozenset[int]]:
    """Return, for each target of an effector or a goal, which others hang on it by parents or constraints.

    All by their ids in this session.
    """
    goals = (ob.superpose.goals[goal.index] for goal in rig.goals)
    asking = (*(bone.superpose for bone in rig.effector_bones(ob) if has_target(bone)), *goals)
    targets = {settings.target for settings in asking if settings.target}
    hanging = {ob.session_uid: _carriers(ob) for ob in targets if ob.parent or ob.constraints}
    ids = (target.session_uid for target in targets)
    return {uid: frozenset(other for other, carriers in hanging.items() if uid in carriers) for uid in ids}


def _carriers(target: Object) -> frozenset[int]:
    """Return what an object hangs on, by ids."""
    waiting, found = [target], set()
    while waiting:
        ob = waiting.pop()
        aims = [getattr(constraint, "target", None) for constraint in ob.constraints if not constraint.mute]
        carriers = {carrier for carrier in (ob.parent, *aims) if carrier} - found
        waiting += carriers
        found |= carriers
    return frozenset(carrier.session_uid for carrier in found)


def bearers(borne: Mapping[int, frozenset[int]], going: Mapping[_Key, Object]) -> set[_Key]:
    """Return which of the targets that should be ``going`` along carry others that are not."""
    ids = {target.session_uid for target in going.values()}
    return {key for key, target in going.items() if borne.get(target.session_uid, frozenset()) - ids}


def made_targets(rig: Rig, ob: Object, rows: Collection[int] | None = None) -> dict[int, PoseBone]:
    """Return, by the row of the effector, the bones whose targets were made for the armature.

    Of these ``rows``, or of all.
    """
    bones = rig.effector_bones(ob)
    aimed = [row for row in np.flatnonzero(~rig.targetless).tolist() if rows is None or row in rows]
    return {row: bones[row] for row in aimed if has_made_target(bones[row])}


def own_targets(rig: Rig, ob: Object, rows: Collection[int] | None = None) -> dict[int, Object]:
    """Return, by the row of the effector, the targets that were made for the armature and can be moved.

    Of these ``rows``, or of all. Those that something else places stay: constraints, drivers, keys, locks, a
    library.
    """
    made = made_targets(rig, ob, rows).items()
    stands_free = {row: bone.superpose.target for row, bone in made if not why_unmovable(bone)}
    return {row: target for row, target in stands_free.items() if not _is_keyed(target)}


def places_in_pose(rig: Rig, frame: FrameSnapshot, skeleton: Skeleton, pose: Pose) -> Array:
    """Return where targets (effectors, 4, 4, to world) have to be for their bones to meet them in a pose of
    one row."""
    rotations, heads = forward(skeleton, pose)
    signs = shown_from_solved(effector_signs(rig, [frame]))[0]
    points = effector_points(rig, offsets_in(rig, [frame]), rotations, heads)[0]
    places, shown = np.tile(np.eye(4), (len(points), 1, 1)), rotations[0, rig.places] * signs[:, None]
    places[:, :3, 3], places[:, :3, :3] = place_in_world(frame.armature_to_world, points, shown)
    return places


def carry_targets(rig: Rig, ob: Object, rows: Collection[int], places: Array) -> bool:
    """Put the armature's own targets of these ``rows`` at their places; return whether any was elsewhere.

    A target stays if others hang on it that are not among them: it would take those away from their bones.
    ``places`` (effectors, 4, 4), to world. The view layer is to be updated afterwards.
    """
    going = own_targets(rig, ob, rows)
    if not going:
        return False
    stay = bearers(borne_targets(rig, ob), going)
    moves = {target: Matrix(places[row].tolist()) for row, target in going.items() if row not in stay}
    return place_targets(moves)


def carried_frame(frame: FrameSnapshot, rig: Rig, ob: Object, rows: Iterable[int]) -> FrameSnapshot | None:
    """Return the frame with the armature's own targets of these ``rows`` where their channels have them.

    That is as after ``carry_targets``. None if parents have a say, so that Blender has to evaluate that
    first. The caller has to know that nothing but parents carries the armature object and its targets.
    """
    by_row = {row: bone.superpose.target for row, bone in made_targets(rig, ob).items()}
    carried = {by_row[row] for row in by_row.keys() & set(rows)}
    ids, borne = {target.session_uid for target in carried}, borne_targets(rig, ob)
    if _carriers(ob) & ids or any(borne[uid] for uid in ids) or any(target.parent for target in carried):
        return None
    goals = dict(enumerate(ob.superpose.goals[goal.index].target for goal in rig.goals))
    targets, goal_targets = frame.targets.copy(), frame.goal_targets.copy()
    for places, asked in ((targets, by_row), (goal_targets, goals)):
        for row, target in asked.items():
            if target in carried:
                places[row] = target.matrix_basis
    return replace(frame, targets=targets, goal_targets=goal_targets)


def _is_keyed(target: Object) -> bool:
    """Return whether keys, or strips, place the object."""
    data = target.animation_data
    return bool(data and (data.nla_tracks or any(_places(curve.data_path) for curve in curves_of(data))))


def _places(path: str) -> bool:
    """Return whether a data path of an object, as of a curve or a driver, says where that is."""
    return path.removeprefix("delta_").startswith(_TRANSFORMS)
