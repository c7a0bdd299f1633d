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
