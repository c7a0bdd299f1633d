# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures to test with, regular and random, and what Blender sees of them."""

from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

MODES = ('QUATERNION', 'AXIS_ANGLE', 'XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX')
INHERIT_SCALE = ('FULL', 'FIX_SHEAR', 'ALIGNED', 'AVERAGE', 'NONE', 'NONE_LEGACY')


def empty_file():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@contextmanager
def edited(ob):
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode='EDIT')
    yield ob.data.edit_bones
    bpy.ops.object.mode_set(mode='OBJECT')


def new_object(name, data=None):
    ob = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(ob)
    return ob


def chain(count=3, length=1.0, name="Rig"):
    """An armature object of connected bones b0, b1, ... that go up, bent a little."""
    ob = new_object(name, bpy.data.armatures.new(name))
    with edited(ob) as bones:
        for index in range(count):
            bone = bones.new(f"b{index}")
            bone.head = (0.1 * length * (index % 2), 0, index * length)
            bone.tail = (0.1 * length * ((index + 1) % 2), 0, (index + 1) * length)
            if index:
                bone.parent, bone.use_connect = bones[f"b{index - 1}"], True
    return ob


def random_tree(rng, count=8, size=1.0, flags=True):
    """Random branches, rolls, bones that do not touch and, with ``flags``, ways of inheriting."""
    ob = new_object("Rig", bpy.data.armatures.new("Rig"))
    with edited(ob) as bones:
        for index in range(count):
            bone = bones.new(f"b{index}")
            parent = bones[f"b{rng.integers(max(0, index - 3), index)}"] if index else None
            connected = parent is not None and rng.random() < 0.5
            start = parent.tail if parent else Vector((0, 0, 0))
            bone.head = start if connected else start + size * Vector(rng.normal(size=3) * 0.3)
            bone.tail = bone.head + size * Vector(rng.normal(size=3) * 0.5)
            bone.roll = rng.uniform(-3, 3)
            bone.parent, bone.use_connect = parent, connected
    for bone in ob.data.bones if flags else ():
        bone.use_inherit_rotation = rng.random() < 0.8
        bone.use_local_location = rng.random() < 0.7
        bone.inherit_scale = INHERIT_SCALE[rng.integers(6)]
    return ob


def pose_at_random(ob, rng, size=1.0, scaling='UNIFORM', angle=0.6):
    """Give every bone a rotation mode, rotation, location and scale."""
    for bone in ob.pose.bones:
        bone.rotation_mode = MODES[rng.integers(8)]
        turn_at_random(bone, rng, angle)
        bone.location = size * rng.normal(size=3) * 0.2
        bone.scale = {
            'NONE': np.ones(3),
            'UNIFORM': np.full(3, rng.uniform(0.5, 2)),
            'MIRRORED': rng.uniform(0.5, 2) * rng.choice([-1, 1], size=3),
            'ANY': rng.uniform(0.5, 2, size=3),
        }[scaling]


def turn_at_random(bone, rng, angle=0.6):
    if bone.rotation_mode == 'QUATERNION':
        bone.rotation_quaternion = rng.normal(size=4)
    elif bone.rotation_mode == 'AXIS_ANGLE':
        bone.rotation_axis_angle = rng.normal(size=4)
    else:
        bone.rotation_euler = rng.normal(size=3) * angle * 3


OBJECTS = ('PLAIN', 'MOVED', 'SCALED', 'UNEVEN', 'MIRRORED', 'PARENTED')


def transform_at_random(ob, rng, kind):
    """Move the object; 'PARENTED' puts it, sheared, under an unevenly scaled and turned parent."""
    if kind == 'PLAIN':
        return
    scale = {
        'MOVED': np.ones(3),
        'SCALED': np.full(3, 100.0),
        'UNEVEN': rng.uniform(0.3, 3, 3),
        'MIRRORED': rng.uniform(0.5, 2, 3) * [-1, 1, 1],
        'PARENTED': rng.uniform(0.5, 2, 3),
    }[kind]
    place, turn = Vector(rng.normal(size=3) * 5), Euler(rng.normal(size=3))
    ob.matrix_basis = Matrix.LocRotScale(place, turn, Vector(scale))
    if kind == 'PARENTED':
        ob.parent = new_object("Parent")
        transform_at_random(ob.parent, rng, 'UNEVEN')
        turn = Quaternion((1, 2, 3, 4)).normalized()
        ob.matrix_parent_inverse = Matrix.LocRotScale(Vector((1, 2, 3)), turn, None)


def reaching_chain():
    """Bones b0 to b3, anchored; the effector b3 has a target."""
    ob = chain(4)
    target = new_object("Target")
    target.location = (1.5, -1, 1)
    add_effector(ob, "b3", target, rotation_weight=0)
    ob.superpose.root_location = 'ANCHORED'
    return ob


def chain_with_target():
    """Bones b0 to b3 with an effector on b2 and a target for it."""
    ob = chain(4)
    add_effector(ob, "b2", new_object("Target"))
    return ob


def add_effector(ob, bone, target=None, target_bone="", **settings):
    effector = ob.pose.bones[bone].superpose
    effector.is_effector, effector.target, effector.target_bone = True, target, target_bone
    if not ob.superpose.is_property_set("root_location"):
        ob.superpose.root_location = 'FREE'  # or it would stay where there is but one effector
    for name, value in settings.items():
        setattr(*keeping(ob.pose.bones[bone], name), value)
    return effector


def keeping(bone, name):
    """What keeps a setting of an effector, and under which name: what can be keyed the bone itself."""
    own = f"superpose_{name}"
    return (bone, own) if hasattr(bone, own) else (bone.superpose, name)


def tips(ob):
    return [bone.name for bone in ob.pose.bones if not bone.children]


def refresh():
    bpy.context.view_layer.update()
    return bpy.context.evaluated_depsgraph_get()


def read(armature, ob):
    """The rig, its present frame and the frame's arrays."""
    depsgraph = refresh()
    rig = armature.read_rig(ob)
    frame = armature.read_frame(rig, ob, depsgraph)
    request = armature.stack(rig, [frame], armature.settings_of(ob))
    return rig, frame, (request.skeleton, request.pose, request.targets)


def array(matrix):
    return np.array(matrix, dtype=np.float64)


def blenders_heads(ob, names):
    return np.array([ob.pose.bones[name].head for name in names], np.float64)


def blenders_linear(ob, names):
    return np.array([ob.pose.bones[name].matrix.to_3x3() for name in names], np.float64)


def size_of(ob):
    heads = np.array([bone.head_local for bone in ob.data.bones])
    return max(np.ptp(heads, axis=0).max(), 1e-12)


def symmetrize_from_the_left(ob):
    """Make the right side of the body a copy of the left one, as Blender's users do."""
    with edited(ob) as bones:
        for bone in [bone for bone in bones if bone.name.endswith(".R")]:
            bones.remove(bone)
        bpy.ops.armature.select_all(action='SELECT')
        bpy.ops.armature.symmetrize(direction='POSITIVE_X')
