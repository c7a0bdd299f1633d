# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring the solved bones back to rest."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator

from ...armature import read_frame, read_rig, stack
from ...reports import forget
from ...solvers import rest_pose
from ..autokey import write_and_key
from ..mixins.rig import RigOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_reset(RigOperator, Operator):
    """Turn the solved bones back to rest, and move the root back"""

    bl_idname = "superpose.reset"
    bl_label = "Reset"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        rig = read_rig(ob)
        skeleton, *_ = stack(rig, [read_frame(rig, ob, context.evaluated_depsgraph_get())])
        write_and_key(context, ob, rig, rest_pose(skeleton))
        forget(ob)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_reset,))
