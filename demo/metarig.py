# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigify's human metarig with six effectors."""

from math import radians

import addon_utils
import bpy
import numpy as np
from mathutils import Matrix, Quaternion

# Collarbones turn little, the trunk less willingly than arms and legs.
STIFF = {"shoulder.L": 0.9, "shoulder.R": 0.9, "spine.001": 0.5, "spine.002": 0.5, "spine.003": 0.5}
EFFECTORS = ("spine", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R")

# A solve begins at the pose that it finds, so limbs that begin half bent go on bending that way from frame to
# frame: arms drawn back with the elbows behind, knees in front. Degrees about the bone's X axis.
HALF_BENT = {"upper_arm": -75.0, "forearm": 45.0, "thigh": -10.0, "shin": 20.0}


def add_metarig():
    """Return Rigify's human metarig, new in the scene, its six bones set up as effectors with targets."""
    if addon_utils.enable("rigify", default_set=True) is None:
        raise SystemExit("This Blender has no Rigify: the demo needs its metarig")
    bpy.ops.object.armature_human_metarig_add()
    rig = bpy.context.object
    for order, name in enumerate(EFFECTORS):
        effector = rig.pose.bones[name].superpose
        effector.is_effector, effector.order = True, order
    for name, stiffness in STIFF.items():
        rig.pose.bones[name].superpose.stiffness = stiffness
    bpy.ops.superpose.create_targets()
    bend(rig)
    return rig


def bend(rig):
    """Put the metarig into the pose from which every frame is solved."""
    for name, angle in HALF_BENT.items():
        for side in "LR":
            turn = Quaternion((1.0, 0.0, 0.0), radians(angle))
            rig.pose.bones[f"{name}.{side}"].rotation_quaternion = turn
    bpy.context.view_layer.update()


def rest(rig, name):
    """Return a bone's rest matrix (4, 4) in armature space."""
    return np.array(rig.data.bones[name].matrix_local)


def target(rig, name):
    """Return the object that an effector should meet."""
    return rig.pose.bones[name].superpose.target


def height(rig):
    """Return the distance from the lowest to the highest point of the bones at rest."""
    ends = [end.z for bone in rig.data.bones for end in (bone.head_local, bone.tail_local)]
    return max(ends) - min(ends)


def animate(ob, matrices, frame_start):
    """Key an object's place and rotation (frames, 4, 4 in world space), one key for each frame."""
    ob.rotation_mode = 'QUATERNION'
    previous = None
    for frame, matrix in enumerate(matrices, frame_start):
        ob.location, turn, _ = Matrix(matrix.tolist()).decompose()
        if previous is not None:
            turn.make_compatible(previous)
        ob.rotation_quaternion = previous = turn
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_quaternion", frame=frame)
