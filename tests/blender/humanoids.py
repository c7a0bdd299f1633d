# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Humanoids of other makers, with other proportions, rest poses and bones' axes, at rest."""

import json

import addon_utils
import armatures
import bpy


def makehuman(folder):
    """The rig that is told by joints and tails in a file."""
    told = json.loads((folder / "rigs" / "mpfb2_rig.default.json").read_text())
    told = told.get("bones", told)
    ob = armatures.new_object("MakeHuman", bpy.data.armatures.new("MakeHuman"))
    with armatures.edited(ob) as bones:
        for name, bone in told.items():
            new = bones.new(name)
            new.head, new.tail = bone["head"]["default_position"], bone["tail"]["default_position"]
        for name, bone in told.items():
            bones[name].parent = bones.get(bone["parent"] or "")
    return ob


def imported(folder):
    bpy.ops.import_scene.gltf(filepath=str(folder / "rigs" / "m2m_human_fingers.glb"))
    ob = next(ob for ob in bpy.context.scene.objects if ob.type == 'ARMATURE')
    ob.animation_data_clear()
    return ob


def captured(folder):
    ob = walking(folder)
    ob.animation_data_clear()
    return ob


def walking(folder):
    addon_utils.enable("io_anim_bvh")
    bpy.ops.import_anim.bvh(filepath=str(folder / "motion" / "cmu_07_01_walk.bvh"))
    return bpy.context.object
