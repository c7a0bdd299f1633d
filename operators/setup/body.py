# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set up a whole body, all of it at once."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator

from ...armature import RigError
from ...armature.by_role.preset import shipped_presets
from ...bodies import Body
from ..mixins.selection import select_object
from .create_targets import has_own_target
from .roles import RolesOperator, SUPERPOSE_PG_role
from .whole import WholeBodyOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

# What is dragged first, the best first.
HANDS = ("hand.L", "hand.R", "forefoot.L", "wing.L", "tip", "leg1.L")


def select_target_of_hand(context: Context, ob: Object, body: Body) -> None:
    """Select the target of a hand, if it is to be seen, so that it can be moved at once."""
    bones = [ob.pose.bones[body.bone(name)] for name in HANDS if body.bone(name)]
    target = next((bone.superpose.target for bone in bones if has_own_target(bone)), None)
    if target is not None and target.visible_get():
        select_object(context, target)


class SUPERPOSE_OT_set_up_body(RolesOperator, WholeBodyOperator, Operator):
    """Recognise the body and set all of it up: effectors at hips, chest, head, hands and feet, their \
targets, limits and stiffness. Settings that are there already stay"""

    bl_idname = "superpose.set_up_body"
    bl_label = "Set Up Body"

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        self.cancel(context)
        body = self.body_of(ob)
        preset = shipped_presets().get(body.kind)
        if preset is None:
            raise RigError(f"The body of '{ob.name}' was not recognised: choose its kind")
        self.set_up(context, ob, body, preset)
        if self.recognised and ob.mode == 'OBJECT':
            select_target_of_hand(context, ob, body)
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PG_role, SUPERPOSE_OT_set_up_body))
