# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the body that a rig's joints are, to be posed in place of its controls."""

from typing import TYPE_CHECKING

import bpy
from bpy.types import Context, Object, Operator

from ...armature import RigError, effectors_of
from ...armature.by_role.preset import shipped_presets
from ...armature.by_role.recognised import check_sure, whole_body
from ...armature.controls import (
    away_from_joints,
    body_of,
    check_has_controls,
    control_rig_of,
    make_body,
    only_if_set_up,
    pose_as_joints,
)
from ...reports import forget_pose, length_text, stay_text
from ..setup.body import select_target_of_hand
from ..setup.snap_targets import snap
from ..setup.whole import WholeBodyOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_make_body(WholeBodyOperator, Operator):
    """Make an armature of the joints of a rig with controls, and set it up as a body, to which the rig's \
controls can be fitted. A body that is there takes the rig's present pose"""

    bl_idname = "superpose.make_body"
    bl_label = "Make Body"

    @staticmethod
    def body_of(context: Context, ob: Object) -> Object | None:
        """Return the body of a rig with controls, where the armature object is one of the two."""
        return ob if control_rig_of(ob) else body_of(context.scene, ob)

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        ob = control_rig_of(ob) or ob
        check_has_controls(ob)
        body = body_of(context.scene, ob)
        if body is None:
            self.make(context, ob)
        else:
            self.pose(context, body, ob)
        return {'FINISHED'}

    def make(self, context: Context, ob: Object) -> None:
        """Make the body of a rig and set it up; may refuse, and leaves all as it was then."""
        parts = whole_body(ob)
        check_sure(ob, parts)
        preset = shipped_presets().get(parts.kind)
        if preset is None:
            raise RigError(f"There is no set-up for a body like '{ob.name}' ({parts.kind})")
        with only_if_set_up(context, ob):
            if ob.mode != 'OBJECT':
                bpy.ops.object.mode_set(mode='OBJECT')
            body = make_body(context, ob)
            self.compare(context, body, ob)
            self.set_up(context, body, whole_body(body), preset)
        select_target_of_hand(context, body, whole_body(body))

    def pose(self, context: Context, body: Object, ob: Object) -> None:
        """Pose the body as the rig is, and its targets where that has them."""
        pose_as_joints(body, ob)
        self.compare(context, body, ob)
        stay = snap(self, context, body, [bone for bone in effectors_of(body) if bone.superpose.enabled])
        forget_pose(body)
        words = (f"Posed '{body.name}' as '{ob.name}' is", stay_text(stay))
        self.report({'INFO'}, "; ".join(filter(None, words)))

    def compare(self, context: Context, body: Object, ob: Object) -> None:
        """Warn where the body cannot be posed as the rig is, by what can be seen."""
        context.view_layer.update()
        name, away = away_from_joints(body, ob)
        if away:
            self.report(
                {'WARNING'},
                f"'{body.name}' cannot be posed as '{ob.name}' is, whose joints are stretched or sheared: "
                f"'{name}' is {length_text(context.scene, away)} off",
            )


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_make_body,))
