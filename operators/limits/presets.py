# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of human joints, for chosen bones or for all that can be recognised."""

from collections import Counter
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty
from bpy.types import Bone, Context, Object, Operator

from ...armature import RigError
from ...armature.limits.anatomical import anatomical_limit, strays
from ...armature.limits.anatomy import Body, body_of
from ...armature.setup.limits import store_limit
from ...presets.human_joints import HUMAN_JOINTS
from ..kinds.rig import RigOperator
from .bones import SCOPES, chosen_bones

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

# Parts of the body that may be made of several bones, which then share what it does.
SHARED = {"NECK", "THORACIC", "LUMBAR", "TRUNK"}
LIMBS = {"SHOULDER", "ELBOW", "HIP", "KNEE", "FINGER_BASE"}
JOINTS = (
    ('GUESS', "Guess from Names", "Recognise each bone by its name and its place in the rig"),
    *((key, joint.title, f"Source: {joint.source}") for key, joint in HUMAN_JOINTS.items()),
)


class SUPERPOSE_OT_apply_limit_preset(RigOperator, Operator):
    """Give bones the limits of human joints, as clinics measure them. The rest pose counts as neutral:
    standing, arms hanging or stretched out"""

    bl_idname = "superpose.apply_limit_preset"
    bl_label = "Human Limits"

    joint: EnumProperty(name="Joint", description="Which joint of the body the bones are", items=JOINTS)
    scope: EnumProperty(
        name="Bones",
        description="Which bones get limits where joints are guessed from names; others only if selected",
        items=SCOPES,
        default='ALL',
    )

    def run(self, _context: Context, ob: Object) -> "set[OperatorReturnItems]":
        guess = self.joint == 'GUESS'
        body = body_of(ob)
        chosen = [bone.bone for bone in chosen_bones(ob, self.scope if guess else 'SELECTED')]
        joints = {bone.name: body.joints.get(bone.name) if guess else self.joint for bone in chosen}
        chosen = [bone for bone in chosen if joints[bone.name]]
        if guess and not (chosen and LIMBS & set(body.joints.values())):
            raise RigError(f"No human joints were recognised in '{ob.name}': choose joints one by one")
        astray = [bone for bone in chosen if strays(body, bone, HUMAN_JOINTS[joints[bone.name]])]
        limits = {
            bone: anatomical_limit(
                body, bone, HUMAN_JOINTS[joints[bone.name]], self.share(body, joints, bone)
            )
            for bone in chosen
            if bone not in astray
        }
        if not limits:
            raise RigError(f"Bone '{astray[0].name}' does not point along its limb: give it a limit by hand")
        for bone, limit in limits.items():
            store_limit(ob.pose.bones[bone.name], limit)
        self.tell(len(limits), astray)
        return {'FINISHED'}

    def share(self, body: Body, joints: dict[str, str], bone: Bone) -> float:
        """Return which part of its joint the bone is: guessed, of all such bones, else of those chosen."""
        joint = joints[bone.name]
        counts = Counter(body.joints.values() if self.joint == 'GUESS' else joints.values())
        return 1.0 / counts[joint] if joint in SHARED else 1.0

    def tell(self, count: int, astray: list[Bone]) -> None:
        """Report how many were limited, and which were left out."""
        words = f"Limited {count} bone{'s' * (count > 1)} as human joints"
        if astray:
            names = ", ".join(f"'{bone.name}'" for bone in astray)
            self.report({'WARNING'}, f"{words}; left out, as they do not point along their limbs: {names}")
        else:
            self.report({'INFO'}, words)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_apply_limit_preset,))
