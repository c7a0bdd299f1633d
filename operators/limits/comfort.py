# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say how joints would rather be."""

from math import pi, radians
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatProperty
from bpy.types import Context, Object, Operator

from ...armature import RigError
from ...armature.limits.making import shown_turns
from ...armature.setup.body import recognised_body
from ...armature.setup.body_comfort import give_comfort
from ...armature.setup.comfort import read_comfort, store_comfort
from ...solvers import Comfort
from ..mixins.rig import RigOperator
from .bones import SCOPES, chosen_bones, names_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_set_comfort(RigOperator, Operator):
    """Make the present pose of the selected bones their comfort pose, to which they are drawn where targets \
leave a choice"""

    bl_idname = "superpose.set_comfort"
    bl_label = "Set Comfort from Pose"

    spread: FloatProperty(
        name="Spread",
        description="How far joints usually stray from there, the same about all axes; a small spread "
        "pulls harder, a very large one does not pull at all",
        default=radians(20.0),
        min=0.0,
        max=pi,
        subtype='ANGLE',
    )

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        bones = chosen_bones(context, ob)
        turns = shown_turns(ob, bones)
        for bone, turn in zip(bones, turns, strict=True):
            store_comfort(bone, Comfort(bone.name, turn, self.spread))
        self.report({'INFO'}, f"Comfort pose set for {names_of(bones)}")
        return {'FINISHED'}


class SUPERPOSE_OT_clear_comfort(RigOperator, Operator):
    """Remove the comfort poses from the bones"""

    bl_idname = "superpose.clear_comfort"
    bl_label = "Clear Comfort"

    scope: EnumProperty(name="Bones", description="Which bones lose their comfort poses", items=SCOPES)

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        eased = [bone for bone in chosen_bones(context, ob, self.scope) if read_comfort(bone)]
        if not eased:
            which = "selected bone" if self.scope == 'SELECTED' else f"bone of '{ob.name}'"
            raise RigError(f"No {which} has a comfort pose")
        for bone in eased:
            store_comfort(bone, None)
        self.report({'INFO'}, f"Comfort pose removed from {names_of(eased)}")
        return {'FINISHED'}


class SUPERPOSE_OT_human_comfort(RigOperator, Operator):
    """Give all bones of a human the comfort poses of human joints, learned from motion capture, in place of \
their own"""

    bl_idname = "superpose.human_comfort"
    bl_label = "Human Comfort"

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        body = recognised_body(ob)
        if body.kind != "human":
            raise RigError(f"'{ob.name}' is no human ({body.kind}): learn comfort from its own animation")
        if not body.is_sure:
            raise RigError(f"'{ob.name}' is not surely a human: set comfort poses by hand")
        eased = give_comfort(ob, body)
        if not eased:
            raise RigError(f"'{ob.name}' has no bones that are surely a human's")
        self.report({'INFO'}, f"{len(eased)} bones got the comfort poses of a human")
        return {'FINISHED'}


register, unregister = bpy.utils.register_classes_factory(
    (SUPERPOSE_OT_set_comfort, SUPERPOSE_OT_clear_comfort, SUPERPOSE_OT_human_comfort)
)
