# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set up a whole body, all of it at once."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator

from ...armature import RigError
from ...armature.by_role.preset import shipped_presets
from .roles import RolesOperator, SUPERPOSE_PG_role
from .whole import WholeBodyOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_set_up_body(RolesOperator, WholeBodyOperator, Operator):
    """Recognise the body and set all of it up: effectors at hips, chest, head, hands and feet, their targets,
    limits and stiffness. What has been set before stays"""

    bl_idname = "superpose.set_up_body"
    bl_label = "Set Up Body"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        body = self.body_of(ob)
        preset = shipped_presets().get(body.kind)
        if preset is None:
            raise RigError(f"What body '{ob.name}' is was not recognised: say its kind")
        self.set_up(context, ob, body, preset)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PG_role, SUPERPOSE_OT_set_up_body))
