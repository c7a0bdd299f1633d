# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever makes Blender show something else than the solved channels say: known cases, each a function.

Each is given an armature object, a bone that is solved, ``link``, and an effector below it, ``tip``: of the
figure of ``figures`` by default. Those that are animated are harmless in frame 4, where the solve begins.
"""

import armatures
import bpy

FRAMES = (1, 9)
NOW = 4
FROM = 6  # the obstacles of keys and strips act from here on


def copied(ob, bone):
    """A Copy Rotation on the bone, of an empty that is turned."""
    constraint = ob.pose.bones[bone].constraints.new('COPY_ROTATION')
    constraint.target = armatures.new_object("Turned")
    constraint.target.rotation_euler = (0.5, 0.7, -0.4)
    return constraint


def key(owner, prop, off, on):
    """Key a property to be off at first, and on later."""
    for frame, value in ((1, off), (FROM - 1, off), (FROM, on), (9, on)):
        setattr(owner, prop, value)
        owner.keyframe_insert(prop, frame=frame)
    setattr(owner, prop, off)


def into_strip(ob):
    """Push the action of an ID into the NLA."""
    animation = ob.animation_data
    track = animation.nla_tracks.new()
    track.name = "Pushed"
    track.strips.new("Strip", 1, animation.action)
    animation.action = None


def keyed_mute(ob, link="forearm.L", tip="hand.L"):
    key(copied(ob, link), "mute", True, False)


def keyed_enabled(ob, link="forearm.L", tip="hand.L"):
    key(copied(ob, link), "enabled", False, True)


def driven_mute(ob, link="forearm.L", tip="hand.L"):
    constraint = copied(ob, link)
    curve = constraint.driver_add("mute")
    curve.driver.type = 'SCRIPTED'
    variable = curve.driver.variables.new()
    variable.targets[0].id_type, variable.targets[0].id = 'SCENE', bpy.context.scene
    variable.targets[0].data_path, variable.name = "frame_current", "frame"
    curve.driver.expression = f"frame < {FROM}"


def influence_in_nla(ob, link="forearm.L", tip="hand.L"):
    constraint = copied(ob, link)
    key(constraint, "influence", 0.0, 1.0)
    into_strip(ob)


def mode_in_nla(ob, link="forearm.L", tip="hand.L"):
    bone = ob.pose.bones[link]
    bone.rotation_mode = 'XYZ'
    key(bone, "rotation_mode", 'XYZ', 'ZYX')
    into_strip(ob)


def keyed_inheritance(ob, link="forearm.L", tip="hand.L"):
    key(ob.data.bones[link], "use_inherit_rotation", True, False)


def limit_in_nla(ob, link="forearm.L", tip="hand.L"):
    constraint = ob.pose.bones[link].constraints.new('LIMIT_ROTATION')
    constraint.owner_space = 'LOCAL'
    for axis in "xyz":
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", -3.1)
    for axis in "xyz":
        key(constraint, f"max_{axis}", 1.5, -0.5)
    into_strip(ob)


ANIMATED = (
    keyed_mute,
    keyed_enabled,
    driven_mute,
    influence_in_nla,
    mode_in_nla,
    keyed_inheritance,
    limit_in_nla,
)


def hooked_curve(ob, link):
    """A curve that goes up and whose end hangs on the forearm."""
    curve = bpy.data.curves.new("Path", 'CURVE')
    curve.dimensions, curve.use_path = '3D', True
    spline = curve.splines.new('POLY')
    spline.points.add(2)
    for point, place in zip(spline.points, ((0.3, 0.1, 1.3), (0.5, 0.1, 1.4), (0.7, 0.1, 1.5)), strict=True):
        point.co = (*place, 1)
    thing = armatures.new_object("Path", curve)
    hook = thing.modifiers.new("Hook", 'HOOK')
    hook.object, hook.subtarget = ob, link
    hook.vertex_indices_set([1, 2])
    hook.matrix_inverse = (ob.matrix_world @ ob.pose.bones[link].matrix).inverted()
    return thing


def target(ob, bone):
    return ob.pose.bones[bone].superpose.target


def follow_path(ob, link="forearm.L", tip="hand.L"):
    constraint = target(ob, tip).constraints.new('FOLLOW_PATH')
    constraint.target = hooked_curve(ob, link)
    constraint.use_fixed_location, constraint.offset_factor = True, 0.8


def clamp_to(ob, link="forearm.L", tip="hand.L"):
    constraint = target(ob, tip).constraints.new('CLAMP_TO')
    constraint.target = hooked_curve(ob, link)


def drive(owner, path, index, source, data_path, expression="value"):
    curve = owner.driver_add(path, index) if index is not None else owner.driver_add(path)
    curve.driver.type = 'SCRIPTED'
    variable = curve.driver.variables.new()
    kind = {bpy.types.Armature: 'ARMATURE', bpy.types.Scene: 'SCENE', bpy.types.Object: 'OBJECT'}
    variable.name, variable.targets[0].id_type = "value", kind[type(source)]
    variable.targets[0].id, variable.targets[0].data_path = source, data_path
    curve.driver.expression = expression


def driver_reads_tail(ob, link="forearm.L", tip="hand.L"):
    drive(target(ob, tip), "location", 0, ob, f'pose.bones["{link}"].tail[0]', "value - 0.1")


def driver_reads_head(ob, link="forearm.L", tip="hand.L"):
    drive(target(ob, tip), "location", 2, ob, f'pose.bones["{tip}"].head[2]', "value + 0.1")


def driver_reads_matrix(ob, link="forearm.L", tip="hand.L"):
    drive(target(ob, tip), "location", 1, ob, f'pose.bones["{tip}"].matrix[3][1]', "value + 0.1")


def driver_through(ob, owner, link, tip):
    owner["drawn"] = 0.0
    drive(owner, '["drawn"]', None, ob, f'pose.bones["{link}"].rotation_quaternion[3]')
    drive(target(ob, tip), "location", 1, owner, '["drawn"]', "value + 0.1")


def driver_through_data(ob, link="arm.L", tip="hand.L"):
    driver_through(ob, ob.data, link, tip)


def driver_through_scene(ob, link="arm.L", tip="hand.L"):
    driver_through(ob, bpy.context.scene, link, tip)


def shape_of_nodes(ob, link):
    """A mesh whose nodes move it with an empty that hangs on the forearm."""
    empty = armatures.new_object("On Forearm")
    empty.parent, empty.parent_type, empty.parent_bone = ob, 'BONE', link
    group = bpy.data.node_groups.new("Follow", 'GeometryNodeTree')
    for way in ('INPUT', 'OUTPUT'):
        group.interface.new_socket("Geometry", in_out=way, socket_type='NodeSocketGeometry')
    kinds = ("NodeGroupInput", "GeometryNodeObjectInfo", "GeometryNodeSetPosition", "NodeGroupOutput")
    begin, info, moved, end = (group.nodes.new(kind) for kind in kinds)
    info.transform_space, info.inputs["Object"].default_value = 'RELATIVE', empty
    group.links.new(begin.outputs[0], moved.inputs["Geometry"])
    group.links.new(info.outputs["Location"], moved.inputs["Position"])
    group.links.new(moved.outputs[0], end.inputs[0])
    mesh = bpy.data.meshes.new("Shape")
    mesh.from_pydata([(0, 0, 0)], [], [])
    thing = armatures.new_object("Shape", mesh)
    thing.modifiers.new("Nodes", 'NODES').node_group = group
    return thing


def vertex_of_nodes(ob, link="forearm.L", tip="hand.L"):
    target(ob, tip).parent, target(ob, tip).parent_type = shape_of_nodes(ob, link), 'VERTEX'
    target(ob, tip).location = (0.05, 0, 0.1)


def scale_of_driven(ob, link="arm.L", tip="hand.L"):
    empty = armatures.new_object("Size")
    for axis in range(3):
        drive(empty, "scale", axis, ob, f'pose.bones["{link}"].rotation_quaternion[3]', "1 + value")
    constraint = ob.pose.bones[link].constraints.new('COPY_SCALE')
    constraint.target = empty


HANGING = (
    follow_path,
    clamp_to,
    driver_reads_tail,
    driver_reads_head,
    driver_reads_matrix,
    driver_through_data,
    driver_through_scene,
    vertex_of_nodes,
    scale_of_driven,
)
