# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring the targets to where the pose has the effectors."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator, PoseBone
from mathutils import Matrix

from ...armature import (
    Grab,
    RigError,
    effectors_of,
    left_as_posed,
    place_target,
    read_rig,
    unmovable_words,
    why_unmovable,
)
from ...armature.autokey import channels_along, check_keys, is_on, key_channels, report_on_keys
from ...armature.joints.turns import placing_channels
from ...reports import forget_pose, stay_text
from ...solvers import SolverError
from ..mixins.rig import RigOperator
from ..mixins.stand import store_stand
from .belongings import effector_places

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


def depth(target: Object) -> int:
    return 1 + depth(target.parent) if target.parent else 0


def move(context: Context, targets: list[Object], places: list[Matrix]) -> list[str]:
    """Put the targets at the places (target_to_world); return why some could not be."""
    complaints = []
    pairs = zip(targets, places, strict=True)
    for target, place in sorted(pairs, key=lambda pair: depth(pair[0])):
        try:
            place_target(target, place)
        except RigError as error:
            complaints.append(str(error))
        context.view_layer.update()  # a child of this target is moved next
    return complaints


def snap(operator: Operator, context: Context, ob: Object, bones: list[PoseBone]) -> list[str]:
    """Move the targets of effectors, as far as they may be, to their bones; return why some could not be.

    Keyed where the user records, with *Live* on like targets that go along with the body; the operator says
    where none takes a key. Raises RigError, with nothing changed, where keys would do nothing or what is live
    cannot be read.
    """
    movable = [bone for bone in bones if bone.superpose.target and not why_unmovable(bone)]
    targets = [bone.superpose.target for bone in movable]
    channels = [channel for target in targets for channel in placing_channels(target)]
    if movable and ob.superpose_live and is_on(context):
        rig = read_rig(ob, [Grab(bone.name) for bone in movable])
        channels = channels_along(rig, ob, channels)
    check_keys(context, channels)
    with left_as_posed(ob):  # else Live would follow each of them before the next is moved
        complaints = move(context, targets, effector_places(context, ob, movable))
        key_channels(context, channels, holds=channels)
    report_on_keys(operator, context, channels)
    return complaints


class SUPERPOSE_OT_snap_targets(RigOperator, Operator):
    """Move the targets to where their bones are now"""

    bl_idname = "superpose.snap_targets"
    bl_label = "Snap Targets to Pose"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bones = [bone for bone in effectors_of(ob) if bone.superpose.enabled and bone.superpose.target]
        if not bones:
            raise RigError(f"No enabled effector of '{ob.name}' has a target")
        movable = [bone for bone in bones if not why_unmovable(bone)]
        fixed = unmovable_words(bones)
        if not movable:
            raise RigError(f"No target can be moved: {', '.join(fixed)}")
        fixed += snap(self, context, ob, movable)
        forget_pose(ob)
        self.tell_stand(context, ob)
        if fixed:
            self.report({'WARNING'}, stay_text(fixed))
        return {'FINISHED'}

    def tell_stand(self, context: Context, ob: Object) -> None:
        """Have the panel show how the pose stands, unless it shows a bake, or warn why that is not known."""
        try:
            if not ob.superpose.clip_report:
                store_stand(context, ob)
        except (RigError, SolverError) as error:
            self.report({'WARNING'}, f"This cannot be solved yet: {error}")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_snap_targets,))
