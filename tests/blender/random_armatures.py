# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random rigs with what may show them elsewhere than they were solved: a rig, its sways and what is seen."""

import armatures
import bpy
import figures
import numpy as np
import swayed
from mathutils import Matrix, Vector

OBJECTS = ('PLAIN', 'MOVED', 'SCALED')
SCALINGS = ('NONE', 'UNIFORM', 'MIRRORED')


def random_rig(rng):
    """The active armature object, posed, keyed in frames 1 and 9 at times, with one to three effectors."""
    ob = armatures.random_tree(rng, count=int(rng.integers(4, 9)))
    armatures.pose_at_random(ob, rng, scaling=SCALINGS[rng.integers(3)])
    armatures.transform_at_random(ob, rng, OBJECTS[rng.integers(3)])
    tips = armatures.tips(ob)
    for tip in rng.permutation(tips)[: rng.integers(1, 4)]:
        thing = armatures.new_object(f"Target {tip}")
        armatures.add_effector(ob, str(tip), thing, offset=rng.normal(size=3) * rng.integers(2))
    ob.superpose.root_location = ('FREE', 'ANCHORED')[rng.integers(2)]
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = swayed.FRAMES
    if rng.random() < 0.5:
        key_poses(ob, rng)
    bpy.context.scene.frame_set(swayed.NOW)
    figures.make_active(ob)
    return ob


def key_poses(ob, rng):
    for frame in swayed.FRAMES:
        for bone in ob.pose.bones:
            armatures.turn_at_random(bone, rng)
            bone.keyframe_insert(path_of(bone), frame=frame)


def path_of(bone):
    return {'QUATERNION': "rotation_quaternion", 'AXIS_ANGLE': "rotation_axis_angle"}.get(
        bone.rotation_mode, "rotation_euler"
    )


def place_targets(ob, rng):
    """Put each target near its effector, turned a little; some move over the frames."""
    armatures.refresh()
    for bone in figures.effectors(ob):
        thing = figures.target_of(ob, bone)
        point, axes = shown_place(ob, bone)
        turn = Matrix(facing(axes).tolist()).to_quaternion()
        thing.rotation_mode = 'QUATERNION'
        for frame in swayed.FRAMES if rng.random() < 0.5 else swayed.FRAMES[:1]:
            thing.rotation_quaternion = turn @ armatures.Euler(rng.normal(size=3) * 0.3).to_quaternion()
            thing.location = Vector(point) + Vector(rng.normal(size=3)) * 0.2 * size_of(ob)
            thing.keyframe_insert("location", frame=frame)
            thing.keyframe_insert("rotation_quaternion", frame=frame)
    armatures.refresh()


def facing(axes):
    """The rotation with the Y and Z of the axes (3, 3)."""
    return np.stack([np.cross(axes[:, 1], axes[:, 2]), axes[:, 1], axes[:, 2]], axis=1)


def size_of(ob):
    return armatures.size_of(ob) * abs(np.linalg.det(armatures.array(ob.matrix_world)[:3, :3])) ** (1 / 3)


def shown_place(ob, bone):
    """Point (3,) and unit axes (3, 3) of an effector in the world, from Blender's own matrices."""
    pose_bone, to_world = ob.pose.bones[bone], armatures.array(ob.matrix_world)
    axes = armatures.array(pose_bone.matrix)[:3, :3]
    point = np.array(pose_bone.head) + unit(axes) @ np.array(pose_bone.superpose_offset)
    return to_world[:3, :3] @ point + to_world[:3, 3], unit(to_world[:3, :3] @ axes)


def unit(axes):
    return axes / np.linalg.norm(axes, axis=0)


def shown_residuals(ob):
    """The distance and the angle between each effector and its target, (effectors, 2)."""
    armatures.refresh()
    found = []
    for bone in figures.effectors(ob):
        wanted = armatures.array(figures.target_of(ob, bone).matrix_world)
        point, axes = shown_place(ob, bone)
        turns = facing(axes).T @ unit(wanted[:3, :3])
        sine = np.linalg.norm(turns - turns.T) / np.sqrt(8)
        angle = np.arctan2(sine, (np.trace(turns) - 1) / 2)
        found.append((np.linalg.norm(wanted[:3, 3] - point), angle))
    return np.array(found)


def told_residuals(ob):
    """What the panel says of each effector, (effectors, 2), and whether it counts as missed."""
    told = [ob.pose.bones[bone].superpose for bone in figures.effectors(ob)]
    distances = [(effector.position_residual, effector.rotation_residual) for effector in told]
    return np.array(distances), np.array([effector.is_missed for effector in told])
