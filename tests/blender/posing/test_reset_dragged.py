# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reset Selected takes back what drags have done, also of bones that no solve moves."""

import armatures
import bpy
import figures
import pytest
import rigify_rigs
from handheld import pose_mode


def turned(ob, bone):
    return ob.pose.bones[bone].matrix_basis.to_quaternion().angle


def test_a_tail_that_was_dragged_comes_back(rigify):
    ob = pose_mode(rigify_rigs.metarig("cat"))
    bpy.ops.superpose.set_up_body(use_live=False)
    bpy.ops.object.mode_set(mode='POSE')
    assert bpy.ops.superpose.pose(bone="tail.003", translation=(0.05, 0, 0.05)) == {'FINISHED'}
    others = {bone.name: bone.matrix_basis.copy() for bone in ob.pose.bones}
    bent = [
        bone.name for bone in ob.pose.bones if bone.name.startswith("tail") and turned(ob, bone.name) > 0.01
    ]
    assert bent
    figures.select_bones(ob, *bent)
    assert bpy.ops.superpose.reset(bones='SELECTED') == {'FINISHED'}
    assert max(turned(ob, name) for name in bent) < 1e-6
    assert all(ob.pose.bones[name].matrix_basis == others[name] for name in others.keys() - set(bent))


@pytest.mark.usefixtures("blend")
def test_an_arm_without_effectors_comes_back():
    ob = pose_mode(armatures.chain(4))
    last = ob.pose.bones[-1].name
    assert bpy.ops.superpose.pose(bone=last, translation=(0.3, 0, -0.5)) == {'FINISHED'}
    assert turned(ob, ob.pose.bones[1].name) > 0.01
    figures.select_bones(ob, *ob.pose.bones.keys())
    assert bpy.ops.superpose.reset(bones='SELECTED') == {'FINISHED'}
    assert max(turned(ob, bone.name) for bone in ob.pose.bones) < 1e-6
    figures.select_bones(ob)
    figures.refused(lambda: bpy.ops.superpose.reset(bones='SELECTED'), "No bones of 'Rig' are selected")
