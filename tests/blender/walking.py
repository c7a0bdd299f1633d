# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A human that walks a little, another one that is to follow, and what is seen of both."""

import armatures
import bpy
import figures
import numpy as np
import rigify_rigs
from mathutils import Euler, Matrix, Quaternion, Vector

LAST = 12
PARTS = ("spine", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R")
TURNED = {"thigh.L": 0.4, "shin.L": -0.5, "upper_arm.R": 0.6, "forearm.R": 0.4, "spine.004": 0.2}


def walker(turned=TURNED):
    """A human that walks a little, twice as large, turned round and not where the world begins.

    ``turned``: how far bones turn about their X axes, there and back.
    """
    ob = rigify_rigs.metarig("human")
    ob.name = "Walk"
    for frame in range(1, LAST + 1):
        share = (frame - 1) / (LAST - 1)
        for name, angle in turned.items():
            bone = ob.pose.bones[name]
            bone.rotation_quaternion = Quaternion((1, 0, 0), angle * np.sin(np.pi * share))
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        hips = ob.pose.bones["spine"]
        hips.location = hips.bone.matrix_local.to_3x3().inverted() @ Vector((0, -0.3 * share, 0))
        hips.keyframe_insert("location", frame=frame)
    ob.matrix_world = Matrix.LocRotScale(Vector((3, -2, 1)), Euler((0, 0, 2)), Vector((2, 2, 2)))
    return ob


def stander():
    """The same human, which stands elsewhere and is to follow."""
    ob = rigify_rigs.metarig("human")
    ob.location, ob.rotation_euler = (-1, 1, 0.5), (0, 0, -0.7)
    armatures.refresh()
    bpy.ops.superpose.set_up_body(use_live=False, use_limits=False)
    bpy.context.scene.frame_set(1)
    return ob


def places(ob, of, parts=PARTS):
    """What is at ``of(name)`` in each frame (frames, parts, 4, 4), in the armature object's space."""
    found = []
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(ob.matrix_world.inverted() @ of(name)) for name in parts])
    found = np.array(found)
    found[..., :3, :3] /= np.linalg.norm(found[..., :3, :3], axis=-2, keepdims=True)
    return found


def bones_of(ob, parts=PARTS):
    return places(ob, lambda name: ob.matrix_world @ ob.pose.bones[name].matrix, parts)


def contacts_of(ob):
    keys = figures.keys(ob.animation_data.action)
    return {place: found for place, found in keys.items() if place[0].endswith("contact")}


def targets_of(ob):
    return places(ob, lambda name: figures.target_of(ob, name).matrix_world)


def lifted(leader, ob):
    """The leader's bones, moved as a whole to begin over the follower's rest and stand on its floor."""
    wanted, made = bones_of(leader), targets_of(ob)
    wanted[..., :3, 3] += (made - wanted)[0, 0, :3, 3]
    return wanted


def curves_of(ob):
    return figures.curves(ob.animation_data.action)


def levelled(curves):
    for curve in curves:
        for key in curve.keyframe_points:
            key.co.y = 0
        curve.update()
