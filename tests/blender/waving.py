# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure that waves, to learn limits from."""

import bpy
import figures
import numpy as np
from mathutils import Quaternion, Vector

FRAMES = range(1, 21)


def waving(ob=None, seed=0, bones=("arm.L", "chest"), forearm=(0, 1.4)):
    """A figure whose forearm bends like a hinge and whose other bones go anyhow, in frames 1 to 20."""
    ob, rng = ob or figures.figure(), np.random.default_rng(seed)
    axis = Vector((1, 0, 2)).normalized()
    for bone in ob.pose.bones:
        bone.rotation_mode = 'QUATERNION'
    for frame in FRAMES:
        share = (frame - 1) / 19
        turns = {name: Quaternion(rng.normal(size=3), rng.uniform(-0.6, 0.6)) for name in bones}
        turns["forearm.L"] = Quaternion(axis, forearm[0] + share * (forearm[1] - forearm[0]))
        for name, turn in turns.items():
            ob.pose.bones[name].rotation_quaternion = turn
            ob.pose.bones[name].keyframe_insert("rotation_quaternion", frame=frame)
    return ob


def learn(stretch=0.0, **options):
    return bpy.ops.superpose.limits_from_animation(stretch=stretch, **options)


def kinds(ob):
    set_up = [bone for bone in ob.pose.bones if bone.is_property_set("superpose")]
    return {bone.name: bone.superpose.limit.kind for bone in set_up}
