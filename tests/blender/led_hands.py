# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips in which a hand is led away and back, and where joints are in them."""

import bpy
import numpy as np
from armatures import Vector


def lead(target, way, last):
    """Key the target in frames 1 to ``last``, which are the scene's then: by ``way`` in the middle one."""
    place = target.location.copy()
    for frame in range(1, last + 1):
        target.location = place + float(np.sin(np.pi * (frame - 1) / (last - 1)) ** 2) * Vector(way)
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, last


def heads(ob):
    """Where the joints of all bones are in each frame of the scene, (frames, bones, 3)."""
    scene, places = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        places.append([tuple(bone.head) for bone in ob.pose.bones])
    return np.array(places)
