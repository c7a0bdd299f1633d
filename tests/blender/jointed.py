# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig whose joints follow controls, and its body."""

from math import tau

import armatures
import bpy
import figures
import rigify_rigs
from mathutils import Vector


def jointed():
    """A human of joints, each of which copies a control beside it."""
    ob = rigify_rigs.metarig("basic_human")
    with armatures.edited(ob) as bones:
        joints = list(bones)
        for bone in joints:
            bone.name = f"ORG-{bone.name}"
        controls = {bone: bones.new(bone.name.replace("ORG-", "move_")) for bone in joints}
        for bone, control in controls.items():
            control.head, control.tail, control.roll = bone.head, bone.tail, bone.roll
            control.parent, control.use_deform = controls.get(bone.parent), False
    for bone in ob.pose.bones:
        if bone.name.startswith("ORG-"):
            constraint = bone.constraints.new('COPY_TRANSFORMS')
            constraint.target, constraint.subtarget = ob, bone.name.replace("ORG-", "move_")
    ob.name = "Rig"
    figures.make_active(ob)
    armatures.refresh()
    return ob


def made_body(rig, **options):
    bpy.ops.superpose.make_body(use_live=False, **options)
    return bpy.data.objects[f"{rig.name} body"]


def drag(body, bone, by):
    """Solve with a target moved, the body active."""
    figures.target_of(body, bone).location += Vector(by)
    figures.make_active(body)
    armatures.refresh()
    bpy.ops.superpose.solve()
    armatures.refresh()


def apart(body, rig):
    """How far joints are from the body's bones at most, as Blender shows both: metres, and radians."""
    pairs = [
        (body.matrix_world @ bone.matrix, rig.matrix_world @ rig.pose.bones[f"ORG-{bone.name}"].matrix)
        for bone in body.pose.bones
    ]
    turns = [one.to_quaternion().rotation_difference(other.to_quaternion()).angle for one, other in pairs]
    distances = [(one.translation - other.translation).length for one, other in pairs]
    return max(distances), max(min(turn, tau - turn) for turn in turns)
