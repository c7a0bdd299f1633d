# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo of what writes keys shows what was posed and placed and not keyed, though Blender evaluates keys."""

import sys

import armatures
import bpy
import figures
import pytest
from _bpy import ops
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


evaluated_later = pytest.mark.skipif(
    not hasattr(ops, "call"), reason="this Blender evaluates before and after all that scripts call"
)


def in_one_go(operator, **values):
    """Call one of Blender's as its window does: what was changed is evaluated later."""
    ops.call(operator, values, 'EXEC_DEFAULT', False)


def written():
    """What is shown before marks are written, and after."""
    bpy.ops.ed.undo_push(message="Before")
    before = shown()
    WRITERS["mark_frames"]()
    bpy.ops.ed.undo_push(message="Written")
    return before, shown()


@evaluated_later
@pytest.mark.usefixtures("blend")
def test_of_steps_that_are_taken_back_together_the_last_is_shown():
    partly_keyed()
    seen = written()
    bpy.data.objects[NAME].pose.bones["hips"].location.y += 0.2
    armatures.refresh()
    seen += written()
    for count, way, expected in ((2, "UNDO", 1), (2, "REDO", 3), (3, "UNDO", 0)):
        for _ in range(count):
            in_one_go(f"ED_OT_{way.lower()}")
        assert shown() == seen[expected]


def edit_value(point):
    point.co.y += 0.1


def edit_interpolation(point):
    point.interpolation = 'CONSTANT'


def edit_handle(point):
    """Of a key that no other is near: the curve comes to the same."""
    point.handle_right_type = 'FREE'
    point.handle_right.y += 0.1


@evaluated_later
@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("edit", [edit_value, edit_interpolation, edit_handle])
def test_keys_win_that_were_edited_since(edit):
    """The step of Blender's editors is made before what they changed is evaluated: it has an older pose."""
    partly_keyed()
    written()
    for curve in figures.curves(bpy.data.objects[NAME].animation_data.action):
        edit(curve.keyframe_points[0])
    check_that_edits_win()


def mute_strip(animation):
    animation.nla_tracks[0].strips[0].mute = True


def move_strip(animation):
    animation.nla_tracks[0].strips[0].frame_end += 5


def mute_track(animation):
    animation.nla_tracks[0].mute = True


def remove_track(animation):
    animation.nla_tracks.remove(animation.nla_tracks[0])


def switch_off_strips(animation):
    animation.use_nla = False


def blend_action(animation):
    animation.action_blend_type = 'COMBINE'


def lessen_action(animation):
    animation.action_influence = 0.5


NLA_EDITS = [
    *(mute_strip, move_strip, mute_track, remove_track),
    *(switch_off_strips, blend_action, lessen_action),
]


def posed_over_a_strip():
    """The figure that is partly keyed, with a strip below its keys."""
    partly_keyed()
    animation = bpy.data.objects[NAME].animation_data
    animation.nla_tracks.new().strips.new("Strip", 1, animation.action.copy())
    armatures.refresh()
    bpy.data.objects[NAME].pose.bones["chest"].rotation_quaternion = Quaternion((1, 0, 0), 0.3)
    armatures.refresh()
    return animation.nla_tracks[0].strips[0]


@pytest.mark.usefixtures("blend")
def test_a_strip_that_is_only_selected_makes_no_difference():
    posed_over_a_strip().select = True
    before, after = written()
    animation = bpy.data.objects[NAME].animation_data
    animation.nla_tracks[0].strips[0].select = False
    bpy.ops.ed.undo_push(message="Selected")
    for curve in figures.curves(animation.action):
        edit_value(curve.keyframe_points[0])
    bpy.ops.ed.undo_push(message="Edited")
    for expected in (after, after, before):
        bpy.ops.ed.undo()
        assert shown() == expected


@evaluated_later
@pytest.mark.usefixtures("blend")
@pytest.mark.parametrize("edit", NLA_EDITS)
def test_strips_win_that_were_edited_since(edit):
    posed_over_a_strip()
    written()
    edit(bpy.data.objects[NAME].animation_data)
    check_that_edits_win()


def check_that_edits_win():
    """Undo brings back what was seen after they were made."""
    in_one_go("ED_OT_undo_push", message="Edited")
    before = shown()
    bpy.context.scene.frame_end = 30
    bpy.ops.ed.undo_push(message="Other")
    bpy.ops.ed.undo()
    assert shown() == before


@pytest.mark.usefixtures("blend")
def test_all_that_blender_calls_after_undo_is_called(addon):
    """Also where what was seen is there as it is."""
    handlers, calls = bpy.app.handlers.depsgraph_update_post, []

    def called(*_):
        calls.append(True)

    partly_keyed()
    written()
    bpy.context.scene.frame_end = 30
    bpy.ops.ed.undo_push(message="Other")
    before = list(handlers)
    handlers.append(called)
    bpy.ops.ed.undo()
    armatures.refresh()
    handlers.remove(called)
    assert calls
    leave = sys.modules[f"{addon.name}.undone"]._leave
    assert bpy.app.timers.is_registered(leave)
    bpy.app.timers.unregister(leave)
    leave()
    assert list(handlers) == before
