# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of the joints of bodies, for chosen bones or for all that can be recognised."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty
from bpy.types import Bone, Context, Object, Operator

from ...armature import RigError
from ...armature.limits.anatomy import Anatomy, anatomy_of
from ...armature.limits.from_action import fitted
from ...armature.limits.of_body import limits_of_joints, why_unknown
from ...armature.limits.outside import outside_as_posed
from ...armature.setup.limits import store_limit
from ...presets.human_joints import HUMAN_JOINTS
from ...reports import count_text, names_text
from ..mixins.rig import RigOperator
from .bones import SCOPES, chosen_bones

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

JOINTS = (
    ('GUESS', "Recognise the Body", "Recognise each bone by its name and its place in the rig"),
    *((key, joint.title, f"Source: {joint.source}") for key, joint in HUMAN_JOINTS.items()),
)


class SUPERPOSE_OT_apply_limit_preset(RigOperator, Operator):
    """Give bones the limits of the joints of a human, a quadruped or a bird, as clinics measure them. The \
rest pose counts as neutral: standing, arms hanging or stretched out"""

    bl_idname = "superpose.apply_limit_preset"
    bl_label = "Body Limits"

    joint: EnumProperty(name="Joint", description="Which joint of the body the bones are", items=JOINTS)
    scope: EnumProperty(
        name="Bones",
        description="Which bones get limits if you choose Recognise the Body; a single joint is for the "
        "selected bones",
        items=SCOPES,
        default='ALL',
    )

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        anatomy = anatomy_of(ob)
        joints = self.joints(context, ob, anatomy)
        named = {bone.name: joint for bone, joint in joints.items()}
        kept, astray = limits_of_joints(anatomy, joints, anatomy.joints if self.joint == 'GUESS' else named)
        if not kept:
            name = astray[0]
            raise RigError(f"The rest pose of bone '{name}' does not fit that joint: give it a limit by hand")
        kept = fitted(context, ob, kept, named)
        posed = outside_as_posed(ob, kept)
        for limit in kept:
            store_limit(ob.pose.bones[limit.bone], limit)
        context.scene.superpose_show_limits = True
        kind = anatomy.kind if self.joint == 'GUESS' and anatomy.kind != "unknown" else "human"
        self.tell(kind, len(kept), astray, [limit.bone for limit in kept if limit.bone in posed])
        return {'FINISHED'}

    def joints(self, context: Context, ob: Object, anatomy: Anatomy) -> dict[Bone, str]:
        """Return which joint each of the bones is that are to be limited; raises RigError."""
        if self.joint != 'GUESS':
            return {bone.bone: self.joint for bone in chosen_bones(context, ob)}
        chosen = [bone.bone for bone in chosen_bones(context, ob, self.scope)]
        joints = {bone: anatomy.joints[bone.name] for bone in chosen if bone.name in anatomy.joints}
        why = why_unknown(ob.name, anatomy)
        if why or not joints:
            none = f"None of these bones of '{ob.name}' is a known joint: choose joints one by one"
            raise RigError(why or none)
        return joints

    def tell(self, kind: str, count: int, astray: list[str], posed: list[str]) -> None:
        """Report how many were limited, which were left out, and which a solve will turn at once."""
        words = [f"Limited {count_text(count, 'bone')} as {kind} joints"]
        if astray:
            words.append(f"left out, as their rest pose does not fit such joints: {names_text(astray)}")
        if posed:
            words.append(f"outside their new limits as they are posed: {names_text(posed)}")
        self.report({'WARNING' if len(words) > 1 else 'INFO'}, "; ".join(words))


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_apply_limit_preset,))
