# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo of what writes keys shows what was posed and placed and not keyed, though Blender evaluates keys."""

import armatures
import bpy
import figures
import pytest
from armatures import Quaternion, Vector

NAME = "Figure"
RANGE = {"frame_start": 1, "frame_end": 20}
WRITERS = {
    "bake": lambda: bpy.ops.superpose.bake(range='CUSTOM', action='CURRENT', **RANGE),
    "bake_new": lambda: bpy.ops.superpose.bake(range='CUSTOM', action='NEW', **RANGE),
    "mark_frames": lambda: bpy.ops.superpose.mark_frames(kind='superpose_mask', use_mark=True, **RANGE),
}


def partly_keyed():
    """A figure of which some is keyed, in a frame in which it is posed and a target placed otherwise."""
    ob = figures.ready(NAME)
    hand, head = (figures.target_of(ob, bone) for bone in ("hand.L", "head"))
    for frame, way in ((1, Vector()), (20, Vector((-0.2, 0.15, 0.2)))):
        hand.location += way
        hand.keyframe_insert("location", frame=frame)
    head.keyframe_insert("location", frame=1)
    ob.pose.bones["chest"].keyframe_insert("rotation_quaternion", frame=1)
    figures.select_bones(ob, "hand.L")
    bpy.context.scene.frame_set(12)
    ob.pose.bones["chest"].rotation_quaternion = Quaternion((1, 0, 0), 0.3)
    ob.pose.bones["hips"].location = (0.0, 0.1, 0.0)
    head.location.z += 0.05
    armatures.refresh()


def shown():
    armatures.refresh()
    return figures.state()


@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_what_is_not_keyed_is_there_again(write):
    partly_keyed()
    bpy.ops.ed.undo_push(message="Before")
    before = shown()
    write()
    bpy.ops.ed.undo_push(message="Written")
    after = shown()
    assert after != before
    for step, expected in ((bpy.ops.ed.undo, before), (bpy.ops.ed.redo, after), (bpy.ops.ed.undo, before)):
        step()
        assert shown() == expected


@pytest.mark.usefixtures("blend")
def test_what_was_placed_since_stays():
    """The pose is the one that was remembered, but not where the target is."""
    partly_keyed()
    WRITERS["mark_frames"]()
    bpy.ops.ed.undo_push(message="Written")
    figures.target_of(bpy.data.objects[NAME], "head").location.z += 0.05
    armatures.refresh()
    bpy.ops.ed.undo_push(message="Placed")
    before = shown()
    bpy.context.scene.frame_end = 30
    bpy.ops.ed.undo_push(message="Other")
    bpy.ops.ed.undo()
    assert shown() == before


@pytest.mark.usefixtures("blend")
def test_blender_calls_once_after_undo_and_no_more():
    handlers = bpy.app.handlers.depsgraph_update_post
    partly_keyed()
    bpy.ops.ed.undo_push(message="Before")
    WRITERS["mark_frames"]()
    bpy.ops.ed.undo_push(message="Written")
    before = list(handlers)
    bpy.ops.ed.undo()
    armatures.refresh()
    assert list(handlers) == before
