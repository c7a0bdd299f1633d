# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever makes Blender show something else than the solved channels say: known cases, each a function.

Each is given the figure of ``figures`` and is harmless in frame 4, where the solve begins.
"""

import armatures
import bpy

FRAMES = (1, 9)
NOW = 4
FROM = 6  # the obstacles of keys and strips act from here on


def copied(ob, bone="forearm.L"):
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


def keyed_mute(ob):
    key(copied(ob), "mute", True, False)


def keyed_enabled(ob):
    key(copied(ob), "enabled", False, True)


def driven_mute(ob):
    constraint = copied(ob)
    curve = constraint.driver_add("mute")
    curve.driver.type = 'SCRIPTED'
    variable = curve.driver.variables.new()
    variable.targets[0].id_type, variable.targets[0].id = 'SCENE', bpy.context.scene
    variable.targets[0].data_path, variable.name = "frame_current", "frame"
    curve.driver.expression = f"frame < {FROM}"


def influence_in_nla(ob):
    constraint = copied(ob)
    key(constraint, "influence", 0.0, 1.0)
    into_strip(ob)


def mode_in_nla(ob):
    bone = ob.pose.bones["forearm.L"]
    bone.rotation_mode = 'XYZ'
    key(bone, "rotation_mode", 'XYZ', 'ZYX')
    into_strip(ob)


def keyed_inheritance(ob):
    key(ob.data.bones["forearm.L"], "use_inherit_rotation", True, False)


def limit_in_nla(ob):
    constraint = ob.pose.bones["forearm.L"].constraints.new('LIMIT_ROTATION')
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


def hooked_curve(ob):
    """A curve that goes up and whose end hangs on the forearm."""
    curve = bpy.data.curves.new("Path", 'CURVE')
    curve.dimensions, curve.use_path = '3D', True
    spline = curve.splines.new('POLY')
    spline.points.add(2)
    for point, place in zip(spline.points, ((0.3, 0.1, 1.3), (0.5, 0.1, 1.4), (0.7, 0.1, 1.5)), strict=True):
        point.co = (*place, 1)
    thing = armatures.new_object("Path", curve)
    hook = thing.modifiers.new("Hook", 'HOOK')
    hook.object, hook.subtarget = ob, "forearm.L"
    hook.vertex_indices_set([1, 2])
    hook.matrix_inverse = (ob.matrix_world @ ob.pose.bones["forearm.L"].matrix).inverted()
    return thing


def target(ob):
    return ob.pose.bones["hand.L"].superpose.target


def follow_path(ob):
    constraint = target(ob).constraints.new('FOLLOW_PATH')
    constraint.target, constraint.use_fixed_location, constraint.offset_factor = hooked_curve(ob), True, 0.8


def clamp_to(ob):
    constraint = target(ob).constraints.new('CLAMP_TO')
    constraint.target = hooked_curve(ob)


def drive(owner, path, index, source, data_path, expression="value"):
    curve = owner.driver_add(path, index) if index is not None else owner.driver_add(path)
    curve.driver.type = 'SCRIPTED'
    variable = curve.driver.variables.new()
    kind = {bpy.types.Armature: 'ARMATURE', bpy.types.Scene: 'SCENE', bpy.types.Object: 'OBJECT'}
    variable.name, variable.targets[0].id_type = "value", kind[type(source)]
    variable.targets[0].id, variable.targets[0].data_path = source, data_path
    curve.driver.expression = expression


def driver_reads_tail(ob):
    drive(target(ob), "location", 0, ob, 'pose.bones["forearm.L"].tail[0]', "value - 0.1")


def driver_reads_head(ob):
    drive(target(ob), "location", 2, ob, 'pose.bones["hand.L"].head[2]', "value + 0.1")


def driver_reads_matrix(ob):
    drive(target(ob), "location", 1, ob, 'pose.bones["hand.L"].matrix[3][1]', "value + 0.1")


def driver_through(ob, owner):
    owner["drawn"] = 0.0
    drive(owner, '["drawn"]', None, ob, 'pose.bones["arm.L"].rotation_quaternion[3]')
    drive(target(ob), "location", 1, owner, '["drawn"]', "value + 0.1")


def driver_through_data(ob):
    driver_through(ob, ob.data)


def driver_through_scene(ob):
    driver_through(ob, bpy.context.scene)


def shape_of_nodes(ob):
    """A mesh whose nodes move it with an empty that hangs on the forearm."""
    empty = armatures.new_object("On Forearm")
    empty.parent, empty.parent_type, empty.parent_bone = ob, 'BONE', "forearm.L"
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


def vertex_of_nodes(ob):
    target(ob).parent, target(ob).parent_type = shape_of_nodes(ob), 'VERTEX'
    target(ob).location = (0.05, 0, 0.1)


def scale_of_driven(ob):
    empty = armatures.new_object("Size")
    for axis in range(3):
        drive(empty, "scale", axis, ob, 'pose.bones["arm.L"].rotation_quaternion[3]', "1 + value")
    constraint = ob.pose.bones["arm.L"].constraints.new('COPY_SCALE')
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
