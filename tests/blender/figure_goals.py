# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures with goals to test with, and what Blender shows of them."""

import bpy
import figures
import numpy as np


def ready(*effectors):
    """A figure with effectors on some bones, their targets, and nothing selected besides."""
    ob = figures.figure()
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, *effectors)
    bpy.ops.superpose.add_effectors(only_ends=False)
    bpy.ops.superpose.create_targets()
    figures.make_active(ob)
    figures.select_bones(ob)
    return ob


def add(ob, kind, bone=None, *others):
    figures.select_bones(ob, *filter(None, (bone, *others)))
    if bone:
        figures.active(ob, bone)
    assert bpy.ops.superpose.add_goal(kind=kind) == {'FINISHED'}
    return ob.superpose.goals[-1]


def shown(ob):
    bpy.context.view_layer.update()
    return {bone.name: np.array(ob.matrix_world @ bone.matrix) for bone in ob.pose.bones}
