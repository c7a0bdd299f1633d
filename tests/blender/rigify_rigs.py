# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metarigs that come with Blender, and the rigs that Rigify makes of them."""

import bpy
import figures


def metarig(name):
    """The active object, no bones selected: a metarig, "human" or "horse". Tests ask for ``rigify``."""
    getattr(bpy.ops.object, f"armature_{name}_metarig_add")()
    figures.select_bones(bpy.context.object)
    return bpy.context.object


def generated(name):
    """The active object: the control rig that Rigify makes of a metarig."""
    metarig(name)
    bpy.ops.pose.rigify_generate()
    if bpy.context.object.mode != 'OBJECT':
        bpy.ops.object.mode_set(mode='OBJECT')
    figures.make_active(bpy.context.object)
    figures.select_bones(bpy.context.object)
    return bpy.context.object
