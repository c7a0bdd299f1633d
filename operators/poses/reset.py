# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring the solved bones back to rest."""

from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import EnumProperty
from bpy.types import Context, Object, Operator

from ...armature import (
    Batch,
    Grab,
    Rig,
    RigError,
    effectors_of,
    is_selected,
    read_frame,
    read_rig,
    selected_bones,
)
from ...armature.autokey import report_on_keys, write_and_key
from ...reports import forget_pose
from ...solvers import Pose, rest_pose
from ..mixins.rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_reset(RigOperator, Operator):
    """Turn the solved bones back to rest, and move the root back"""

    bl_idname = "superpose.reset"
    bl_label = "Reset"

    bones: EnumProperty(
        name="Bones",
        description="Which bones are brought back, of those that a solve or a drag moves",
        items=(
            ('ALL', "All", "All of them"),
            ('SELECTED', "Selected", "The selected bones; the others keep their rotations"),
        ),
        options={'SKIP_SAVE'},
    )

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        rig = read_rig(ob) if self.bones == 'ALL' else rig_of_selected(ob)
        batch = Batch(rig, [read_frame(rig, ob, context.evaluated_depsgraph_get())])
        pose = self.partly(rig, ob, batch.pose, rest_pose(batch.skeleton))
        report_on_keys(self, context, write_and_key(context, ob, rig, pose))
        forget_pose(ob)
        return {'FINISHED'}

    def partly(self, rig: Rig, ob: Object, pose: Pose, rest: Pose) -> Pose:
        """Return the pose with the chosen bones at rest."""
        if self.bones == 'ALL':
            return rest
        chosen = np.array([is_selected(ob.pose.bones[name]) for name in rig.names])[:, None]
        rotations = np.where(chosen, rest.rotations, pose.rotations)
        return Pose(rotations, np.where(chosen, rest.translations, pose.translations))


def rig_of_selected(ob: Object) -> Rig:
    """Return the rig whose bones a solve moves or, where none of them is selected, a drag of those that are.

    Raises RigError where no bone is selected, or these cannot be moved.
    """
    selected = selected_bones(ob)
    if not selected:
        raise RigError(f"No bones of '{ob.name}' are selected")
    rig = read_rig(ob) if effectors_of(ob) else None
    if rig is not None and not rig.rows_by_name.keys().isdisjoint(bone.name for bone in selected):
        return rig
    return read_rig(ob, [Grab(bone.name) for bone in selected])


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_reset,))
