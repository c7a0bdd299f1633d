# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of human joints, for chosen bones or for all that can be recognised."""

from collections import Counter
from math import radians
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import EnumProperty
from bpy.types import Bone, Context, Object, Operator

from ...armature import RigError
from ...armature.limits.anatomical import anatomical_limit, strays
from ...armature.limits.anatomy import Body, body_of
from ...armature.limits.making import shown_turn
from ...armature.setup.limits import store_limit
from ...presets.human_joints import HUMAN_JOINTS
from ...solvers.limits.kinds import Limit
from ...solvers.limits.outside import angles_outside
from ...solvers.rotation import Array
from ..kinds.rig import RigOperator
from .bones import SCOPES, chosen_bones

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

# Parts of the body that may be made of several bones, which then share what it does.
SHARED = {"NECK", "THORACIC", "LUMBAR", "TRUNK"}
# What only a limb has: a rig without any has mere names in common with a human.
LIMBS = {"ELBOW", "KNEE", "FINGER_BASE"}
AT_REST = (1.0, 0.0, 0.0, 0.0)
NOTICEABLE = radians(1.0)
SHOWN = 4  # names in a message
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
        body = body_of(ob)
        joints = self.joints(ob, body)
        limits = {
            bone: anatomical_limit(body, bone, HUMAN_JOINTS[joint], self.share(body, joints, bone))
            for bone, joint in joints.items()
        }
        astray = {bone for bone, joint in joints.items() if strays(body, bone, HUMAN_JOINTS[joint])}
        astray |= outside(limits, {bone: AT_REST for bone in limits})
        kept = {bone: limit for bone, limit in limits.items() if bone not in astray}
        if not kept:
            name = next(iter(joints)).name
            raise RigError(f"Bone '{name}' does not lie at rest as that joint does: give it a limit by hand")
        posed = outside(kept, {bone: shown_turn(ob, ob.pose.bones[bone.name]) for bone in kept})
        for bone, limit in kept.items():
            store_limit(ob.pose.bones[bone.name], limit)
        self.tell(len(kept), [bone for bone in joints if bone in astray], [b for b in kept if b in posed])
        return {'FINISHED'}

    def joints(self, ob: Object, body: Body) -> dict[Bone, str]:
        """Return which joint each of the bones is that are to be limited; raises RigError."""
        if self.joint != 'GUESS':
            return {bone.bone: self.joint for bone in chosen_bones(ob)}
        chosen = [bone.bone for bone in chosen_bones(ob, self.scope)]
        joints = {bone: body.joints[bone.name] for bone in chosen if bone.name in body.joints}
        if not (joints and LIMBS & set(body.joints.values())):
            raise RigError(f"No human joints were recognised in '{ob.name}': choose joints one by one")
        if not body.stands:
            raise RigError(f"'{ob.name}' does not stand as humans do at rest: choose joints one by one")
        return joints

    def share(self, body: Body, joints: dict[Bone, str], bone: Bone) -> float:
        """Return which part of its joint the bone is: guessed, of all such bones, else of those chosen."""
        joint = joints[bone]
        counts = Counter(body.joints.values() if self.joint == 'GUESS' else joints.values())
        return 1.0 / counts[joint] if joint in SHARED else 1.0

    def tell(self, count: int, astray: list[Bone], posed: list[Bone]) -> None:
        """Report how many were limited, which were left out, and which a solve will turn at once."""
        words = [f"Limited {count} bone{'s' * (count > 1)} as human joints"]
        if astray:
            words.append(f"left out, as they do not lie at rest as such joints do: {listed(astray)}")
        if posed:
            words.append(f"outside their new limits as they are posed: {listed(posed)}")
        self.report({'WARNING' if len(words) > 1 else 'INFO'}, "; ".join(words))


def outside(limits: dict[Bone, Limit], turns: dict[Bone, Array]) -> set[Bone]:
    """Return the bones whose turns, quaternions relative to rest, can be seen to lie outside their limits."""
    angles = angles_outside(list(limits.values()), np.array([turns[bone] for bone in limits]).reshape(-1, 4))
    return {bone for bone, angle in zip(limits, angles, strict=True) if angle > NOTICEABLE}


def listed(bones: list[Bone]) -> str:
    """Return the first names, and how many more there are."""
    names, more = ", ".join(f"'{bone.name}'" for bone in bones[:SHOWN]), len(bones) - SHOWN
    return f"{names} and {more} more" if more > 0 else names


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_apply_limit_preset,))
