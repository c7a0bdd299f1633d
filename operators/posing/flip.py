# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flip a body with all that belongs to its pose: targets, and what is pinned."""

from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.types import Context, Object, Operator
from mathutils import Matrix

from ...armature import (
    VISIBLE_TURN,
    Rig,
    RigError,
    effectors_of,
    left_as_posed,
    mirrored_place,
    read_frame,
    read_rig,
    unmovable_words,
    why_unmovable,
)
from ...armature.autokey import channels_along, check_keys, key_channels, report_on_keys, write_changes
from ...armature.joints.turns import placing_channels
from ...armature.problem.goals_posed import goals_left_as_posed
from ...armature.problem.spaces import check_transforms
from ...armature.rig.effectors import has_target
from ...armature.rig.usable_targets import target_place
from ...armature.setup.effectors import make_effectors
from ...armature.solution.flipped_goals import flipped_goal_targets
from ...armature.solution.flipping import counterpart, flipped_pose, stayed
from ...reports import forget_pose, is_told, names_text, stay_text, visible_distance
from ...solvers import SolverError
from ..mixins.rig import RigOperator
from ..mixins.stand import store_stand
from ..setup.snap_targets import move

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_flip(RigOperator, Operator):
    """Give each side of the body the mirrored pose, targets and pins of the other side"""

    bl_idname = "superpose.flip"
    bl_label = "Flip Pose, Targets and Pins"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        is_asked = bool(effectors_of(ob) or ob.superpose.goals)
        rig, places = read_rig(ob) if is_asked else None, flipped_places(ob)
        changes, without_image = flipped_pose(ob)
        bones = [ob.pose.bones[name] for name in places if not why_unmovable(ob.pose.bones[name])]
        moves = flipped_goal_targets(ob) | {bone.superpose.target: places[bone.name] for bone in bones}
        targeted = [bone for bone in effectors_of(ob) if has_target(bone)]
        channels = [channel for target in moves for channel in placing_channels(target)]
        stay = {bone.name for bone in targeted if bone not in bones}
        unmet, yielding = unmet_goals(context, ob, rig), opposite_of_yielding(ob) - stay
        with left_as_posed(ob):
            check_keys(context, channels)
            written = write_changes(context, ob, changes, rig)
            held = stayed(changes)
            complaints = move(context, list(moves), list(moves.values()))
            along = channels_along(rig, ob, channels) if rig else []
            key_channels(context, along, holds=along)
            flip_holds(ob)
            spoiled = told_stand(context, ob, rig, unmet, yielding)
        report_on_keys(self, context, [*written, *along])
        self.tell(
            {
                "locks or drivers hold": held,
                "there is no mirror image at rest of": without_image,
                "no opposite bone has a target for that of": [
                    bone.name for bone in targeted if bone.name not in places
                ],
            },
            [
                *spoiled,
                *filter(None, [stay_text(unmovable_words(targeted))]),
                *complaints,
            ],
        )
        return {'FINISHED'}

    def tell(self, stayed: dict[str, list[str]], complaints: list[str]) -> None:
        """Say which bones, by reason, and which targets stayed."""
        words = [f"{reason} {names_text(names)}" for reason, names in stayed.items() if names]
        if words or complaints:
            self.report({'WARNING'}, f"Not all was flipped: {'; '.join(words + complaints)}")


def flipped_places(ob: Object) -> dict[str, Matrix]:
    """Return where the targets of effectors have to be, world, by bone: the image of their counterparts'.

    Raises RigError naming a target that has no place or size.
    """
    targets = {bone.name: bone.superpose for bone in effectors_of(ob) if has_target(bone)}
    world = {name: np.array(target_place(settings)) for name, settings in targets.items()}
    words = [f"'{settings.target.name}'" for settings in targets.values()]
    check_transforms(words, np.reshape([*world.values()], (1, -1, 4, 4)))
    pairs = ((name, counterpart(ob, name)) for name in targets)
    return {
        name: Matrix(mirrored_place(ob, other, name, world[other]).tolist())
        for name, other in pairs
        if other in targets
    }


def unmet_goals(context: Context, ob: Object, rig: Rig | None) -> set[int]:
    """Return the rows of the goals besides effectors that the pose misses by what can be seen."""
    if rig is None or not rig.goals:
        return set()
    frame = read_frame(rig, ob, context.evaluated_depsgraph_get())
    lengths, angles = goals_left_as_posed(rig, frame)
    off = (lengths > visible_distance([frame])[0]) | (angles > VISIBLE_TURN)
    return set(np.flatnonzero(off).tolist())


def opposite_of_yielding(ob: Object) -> set[str]:
    """Return the counterparts of the effectors that have given way, as the panel shows."""
    bones = effectors_of(ob) if is_told(ob) else ()
    return {counterpart(ob, bone.name) for bone in bones if bone.superpose.gave_way}


def told_stand(
    context: Context, ob: Object, rig: Rig | None, unmet: set[int], yielding: set[str]
) -> list[str]:
    """Leave for the panel what the flipped pose misses, unless it shows a bake.

    ``yielding``: effectors that may give way. Returns which goals are missed besides those that were
    ``unmet`` before, or why that is not known.
    """
    if rig is None:
        return []
    forget_pose(ob)
    try:
        missed = unmet_goals(context, ob, rig) - unmet
        if not ob.superpose.clip_report:
            store_stand(context, ob, yielding)
    except (RigError, SolverError) as error:  # what inherits no scale on one side may be sheared on the other
        return [f"the flipped pose cannot be measured: {error}"]
    return [f"the flipped pose misses {rig.goals[row].words}" for row in sorted(missed)]


def flip_holds(ob: Object) -> None:
    """Have both sides hold what the other one held; a pin without an effector opposite makes one there."""
    holds = {bone.name: bone.superpose.hold for bone in effectors_of(ob)}
    opposite = {counterpart(ob, name) for name, hold in holds.items() if hold == 'PINNED'}
    added = [bone for bone in ob.pose.bones if bone.name in opposite - holds.keys()]
    make_effectors(ob, added)
    holds |= {bone.name: 'FREE' for bone in added}  # what is no effector goes with the body
    for name, hold in holds.items():
        other = counterpart(ob, name)
        if holds.get(other, hold) != hold:
            ob.pose.bones[other].superpose.hold = hold


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_flip,))
