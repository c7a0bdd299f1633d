# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames with keys of their own, and what Solve makes of each."""

import bpy
import numpy as np
from figure_goals import shown

FRAMES = (1, 2, 3)


def key(owner, name, *values):
    """Key a property of a goal, a bone or an object in each of the frames."""
    for frame, value in zip(FRAMES, values, strict=True):
        setattr(owner, name, value)
        assert owner.keyframe_insert(name, frame=frame)


def in_strip(ob):
    """The object, its keys in a strip of the NLA instead of its action."""
    animation = ob.animation_data
    animation.nla_tracks.new().strips.new("Strip", 1, animation.action)
    animation.action = None
    return ob


def channels(ob):
    return {bone.name: (*bone.location, *bone.rotation_quaternion) for bone in ob.pose.bones}


def at(frame):
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()


def solved_alone(ob, frames=FRAMES):
    """What Solve makes of each frame, from the pose that the figure has before any of them."""
    before, found = channels(ob), []
    for frame in frames:
        at(frame)
        bpy.ops.superpose.solve()
        found.append(shown(ob))
        for bone in ob.pose.bones:
            bone.location, bone.rotation_quaternion = before[bone.name][:3], before[bone.name][3:]
    return found


def baked_alone(ob, wanted):
    """Whether frames that are baked alone are as ``wanted``."""
    assert bpy.ops.superpose.bake(frames='ALONE') == {'FINISHED'}
    return all(shows_in(ob, frame, wanted, 1e-9) for frame in FRAMES)


def live(ob, wanted):
    """Whether frames in any order are as ``wanted`` while the figure is live."""
    at(1)
    ob.superpose_live = True
    return all(shows_in(ob, frame, wanted, 1e-6) for frame in reversed(FRAMES))


def shows_in(ob, frame, wanted, within):
    """Whether the figure is shown in the frame as ``wanted``, a row of matrices by bone for each frame."""
    at(frame)
    there = wanted[FRAMES.index(frame)]
    return all(np.abs(matrix - there[name]).max() < within for name, matrix in shown(ob).items())
