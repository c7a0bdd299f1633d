# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs nobody here made: tips reach where random poses had them, and undo takes it back."""

import bpy
import numpy as np
import pytest
from mathutils import Euler

from solvers.geometry.rotations import nearest_rotation

pytestmark = pytest.mark.once

RIGS = ("m2m_human_fingers", "m2m_spider", "m2m_dragon", "quaternius_horse", "khronos_CesiumMan")
BENDS = (0.2, 0.5)  # radians, standard deviation per component


def imported(path):
    """The rig's armature object, alone in the selection, at rest and without its actions."""
    bpy.ops.import_scene.gltf(filepath=str(path))
    ob = next(candidate for candidate in bpy.context.scene.objects if candidate.type == 'ARMATURE')
    bpy.ops.object.select_all(action='DESELECT')
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    ob.animation_data_clear()
    return ob


def pose(ob, rng, bend):
    """Turn every bone at random, in its own rotation mode; a bend of 0 is the rest pose."""
    for bone in ob.pose.bones:
        bone.location, bone.scale = (0, 0, 0), (1, 1, 1)
        turn = Euler(rng.normal(0, bend, 3) if bend else (0, 0, 0)).to_quaternion()
        if bone.rotation_mode == 'QUATERNION':
            bone.rotation_quaternion = turn
        elif bone.rotation_mode == 'AXIS_ANGLE':
            axis, angle = turn.to_axis_angle()
            bone.rotation_axis_angle = (angle, *axis)
        else:
            bone.rotation_euler = turn.to_euler(bone.rotation_mode)
    bpy.context.view_layer.update()


def world_matrices(ob, bones):
    return np.array([ob.matrix_world @ ob.pose.bones[name].matrix for name in bones])


def turns_of(matrices):
    """The rotations in matrices that may scale."""
    return [nearest_rotation(m[:3, :3] / np.linalg.norm(m[:3, :3], axis=0)) for m in matrices]


def basis(ob):
    return np.array([bone.matrix_basis for bone in ob.pose.bones])


@pytest.mark.parametrize("name", RIGS)
@pytest.mark.parametrize("bend", BENDS)
def test_tips_reach_where_a_random_pose_had_them(blend, shared_data, rng, name, bend):
    ob = imported(shared_data / "rigs" / f"{name}.glb")
    ob_name = ob.name
    tips = [bone.name for bone in ob.pose.bones if not bone.children]
    for order, tip in enumerate(tips):
        ob.pose.bones[tip].superpose.is_effector = True
        ob.pose.bones[tip].superpose.order = order
    pose(ob, rng, bend)
    wanted = world_matrices(ob, tips)
    size = np.ptp(world_matrices(ob, ob.pose.bones.keys())[:, :3, 3], axis=0).max()
    bpy.ops.superpose.create_targets()
    pose(ob, rng, 0)
    before = basis(ob)
    bpy.ops.ed.undo_push(message="Before")
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    bpy.ops.ed.undo_push(message="Solve")
    bpy.context.view_layer.update()
    found = world_matrices(ob, tips)
    assert np.linalg.norm(found[:, :3, 3] - wanted[:, :3, 3], axis=1).max() < 1e-3 * size
    there, asked = (turns_of(matrices) for matrices in (found, wanted))
    turns = [a.T @ b for a, b in zip(there, asked, strict=True)]
    assert max(np.linalg.norm(turn - np.eye(3)) for turn in turns) < np.sqrt(2) * np.radians(0.1)
    bpy.ops.ed.undo()
    assert np.array_equal(basis(bpy.data.objects[ob_name]), before)
