# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the body that a rig's joints are, to be posed in place of its controls."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator

from ...armature import RigError
from ...armature.by_role.preset import shipped_presets
from ...armature.by_role.recognised import check_sure, whole_body
from ...armature.controls import body_of, check_has_controls, make_body, pose_as_joints, remove_body
from ..setup.body import select_target_of_hand
from ..setup.whole import WholeBodyOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_make_body(WholeBodyOperator, Operator):
    """Make an armature of the joints of a rig with controls, and set it up as a body, to which the rig's \
controls can be fitted. A body that is there takes the rig's present pose"""

    bl_idname = "superpose.make_body"
    bl_label = "Make Body"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        check_has_controls(ob)
        body = body_of(context.scene, ob)
        if body is not None:
            pose_as_joints(body, ob)
            self.report({'INFO'}, f"Posed '{body.name}' as '{ob.name}' is")
            return {'FINISHED'}
        parts = whole_body(ob)
        check_sure(ob, parts)
        preset = shipped_presets().get(parts.kind)
        if preset is None:
            raise RigError(f"There is no set-up for a body like '{ob.name}' ({parts.kind})")
        if ob.mode != 'OBJECT':
            bpy.ops.object.mode_set(mode='OBJECT')
        body = make_body(context, ob)
        try:
            self.set_up(context, body, whole_body(body), preset)
        except RigError:
            remove_body(context, body, ob)
            raise
        select_target_of_hand(context, body, whole_body(body))
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_make_body,))
