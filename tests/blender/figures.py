# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small figure to set up, and everything in the file that an operator could have changed, to compare."""

import armatures
import bpy
import numpy as np
import pytest

BONES = {  # name: (parent, head, tail)
    "hips": (None, (0, 0, 1.0), (0, 0, 1.2)),
    "chest": ("hips", (0, 0, 1.2), (0, 0, 1.5)),
    "head": ("chest", (0, 0, 1.5), (0, 0, 1.8)),
    "arm.L": ("chest", (0.1, 0, 1.45), (0.4, 0.02, 1.45)),
    "forearm.L": ("arm.L", (0.4, 0.02, 1.45), (0.7, 0, 1.45)),
    "hand.L": ("forearm.L", (0.7, 0, 1.45), (0.8, 0, 1.45)),
    "arm.R": ("chest", (-0.1, 0, 1.45), (-0.4, 0.02, 1.45)),
    "forearm.R": ("arm.R", (-0.4, 0.02, 1.45), (-0.7, 0, 1.45)),
    "hand.R": ("forearm.R", (-0.7, 0, 1.45), (-0.8, 0, 1.45)),
}
EFFECTORS = ("hips", "head", "hand.L", "hand.R")
POSE = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


def figure(name="Figure"):
    """The active object, in object mode, with nothing selected of its bones."""
    ob = armatures.new_object(name, bpy.data.armatures.new(name))
    with armatures.edited(ob) as bones:
        for bone, (parent, head, tail) in BONES.items():
            new = bones.new(bone)
            new.head, new.tail, new.parent = head, tail, bones.get(parent or "")
    make_active(ob)
    select_bones(ob)
    return ob


def ready(name="Figure"):
    """A figure with four effectors and targets of their own."""
    ob = figure(name)
    select_bones(ob, *EFFECTORS)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    return ob


def make_active(ob):
    for other in bpy.context.view_layer.objects:
        other.select_set(other == ob)
    bpy.context.view_layer.objects.active = ob


def select_bones(ob, *names):
    for bone in ob.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names


def active(ob, name):
    ob.data.bones.active = ob.data.bones[name]
    return ob.pose.bones[name]


def refused(operator, match, **properties):
    """Call the operator: one message that matches, and everything as it was."""
    armatures.refresh()
    before = state()
    with pytest.raises(RuntimeError, match=match) as caught:
        operator(**properties)
    assert str(caught.value).count("Error:") <= 1
    assert state() == before


def selected_bones(ob):
    return [bone.name for bone in ob.pose.bones if (bone if hasattr(bone, "select") else bone.bone).select]


def name_no_root(ob):
    ob.superpose.root_bone = "tail"


def cross_limit(ob):
    """Give the chest a limit that allows nothing."""
    limit = ob.pose.bones["chest"].superpose.limit
    limit.kind, limit.hinge_min, limit.hinge_max = 'HINGE', 1, -1


def target_of(ob, bone):
    return ob.pose.bones[bone].superpose.target


def effectors(ob):
    set_up = [bone for bone in ob.pose.bones if bone.is_property_set("superpose")]
    chosen = [(bone.superpose.order, bone.name) for bone in set_up if bone.superpose.is_effector]
    return [name for _, name in sorted(chosen)]


def distance(ob, bone):
    """Distance between the bone and its target as Blender evaluates them, scene units."""
    armatures.refresh()
    return (ob.matrix_world @ ob.pose.bones[bone].head - target_of(ob, bone).matrix_world.translation).length


def turn(ob, bone):
    """Angle between the bone and its target as Blender evaluates them, radians."""
    armatures.refresh()
    apart = (ob.matrix_world @ ob.pose.bones[bone].matrix).to_quaternion()
    return apart.rotation_difference(target_of(ob, bone).matrix_world.to_quaternion()).angle


def curves(action):
    """All F-curves of an action, wherever this Blender keeps them."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    strips = (strip for layer in action.layers for strip in layer.strips)
    return [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]


def keys(action):
    return {
        (curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
        for curve in curves(action)
    }


def pushed_down(owner):
    """The NLA strip that plays from now on what the owner's action has."""
    animation = owner.animation_data
    action, slot = animation.action, getattr(animation, "action_slot", None)
    animation.action = None
    strip = animation.nla_tracks.new().strips.new("Pushed down", 1, action)
    if slot is not None:
        strip.action_slot = slot
    return strip


def stored(owner):
    """Every setting on an object or bone, pointers by name; None where there are none."""
    if not owner.is_property_set("superpose"):
        return None
    return plain(owner.superpose)


def plain(value):
    """A value that outlives what it was read from: groups by their settings, collections by their items."""
    if isinstance(value, bpy.types.ID):
        return value.name
    if isinstance(value, bpy.types.PropertyGroup):
        names = [name for name in value.bl_rna.properties.keys() if name != "rna_type"]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    return tuple(plain(item) for item in value)


def transforms(owner):
    return {name: tuple(getattr(owner, name)) for name in POSE}


def state():
    """What a refused operator must leave, and an undone one bring back."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    return {
        "data": {name: sorted(block.name for block in getattr(bpy.data, name)) for name in COLLECTIONS},
        "frame": (scene.frame_current, scene.frame_subframe),
        "active": layer.objects.active and layer.objects.active.name,
        "selected": sorted(ob.name for ob in layer.objects if ob.select_get()),
        "objects": {ob.name: state_of(ob) for ob in bpy.data.objects},
        "keys": {action.name: keys(action) for action in bpy.data.actions},
        "collections": {group.name: sorted(group.objects.keys()) for group in bpy.data.collections},
    }


COLLECTIONS = ("objects", "collections", "actions", "armatures", "meshes", "scenes", "texts")


def state_of(ob):
    animation = ob.animation_data
    return {
        "mode": ob.mode,
        "transforms": transforms(ob),
        "setup": stored(ob),
        "action": animation.action.name if animation and animation.action else None,
        "bones": {bone.name: state_of_bone(bone) for bone in ob.pose.bones} if ob.pose else None,
        "bones selected": selected_bones(ob) if ob.pose else None,
    }


def state_of_bone(bone):
    own = [name for name in bone.bl_rna.properties.keys() if name.startswith("superpose_")]
    return transforms(bone), stored(bone), {name: plain(getattr(bone, name)) for name in own}


def turned_away(ob):
    """Move the left hand's target to where it can be reached, and turn the head's."""
    target_of(ob, "hand.L").location += armatures.Vector((-0.2, 0.15, 0.2))
    target_of(ob, "head").rotation_euler.x += 0.3
    armatures.refresh()
    return ob


def rotations(ob):
    return np.array([bone.matrix_basis.to_quaternion() for bone in ob.pose.bones])
