# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Live does once an edit of Blender's own has ended is in the step of undo of that edit."""

import sys
from types import SimpleNamespace

import armatures
import bpy
import figures
import numpy as np
import pytest
from armatures import Vector
from live_figures import MOVE, channels, move

FAR = Vector((-2.2, 1.4, -0.3))


@pytest.mark.parametrize("seen", ["hasty", "rested", "nothing"])
def test_undo_of_the_next_step_shows_the_pose_that_was_seen(ob, mouse, seen):
    """The step of Blender's move has what was posed until then; the body is posed anew, or at all, after."""
    name, target = ob.name, figures.target_of(ob, "hand.L")
    figures.make_active(target)
    bpy.ops.ed.undo_push(message="Before")
    before = channels(ob)
    mouse.is_dragging = seen != "nothing"
    if mouse.is_dragging:
        move(ob, way=FAR, steps=5)
    if seen == "rested":
        mouse.rest()
    posed = channels(ob)
    way = (0.0, 0.0, 0.0) if mouse.is_dragging else FAR
    bpy.ops.transform.translate('EXEC_DEFAULT', True, value=way)
    mouse.let_go(target)
    found = channels(ob)
    assert (seen == "rested") == (found == posed)
    bpy.ops.ed.undo_push(message="Next")
    bpy.ops.ed.undo()
    assert channels(bpy.data.objects[name]) == found
    bpy.ops.ed.undo()
    assert channels(bpy.data.objects[name]) == before


def test_a_move_is_noticed_though_one_of_another_file_had_its_address(addon):
    has_move_ended = sys.modules[f"{addon.name}.live.undo_step"].has_move_ended
    move_at_1 = SimpleNamespace(bl_idname="TRANSFORM_OT_translate", as_pointer=lambda: 1)

    def is_noticed(*done):
        return has_move_ended(SimpleNamespace(window_manager=SimpleNamespace(operators=done)))

    assert is_noticed(move_at_1)
    assert not is_noticed(move_at_1)
    assert not is_noticed()
    assert is_noticed(move_at_1)


PASTE = "pose.paste" if bpy.app.version >= (4, 3) else "superpose.paste_pose"


@pytest.mark.parametrize("edit", [PASTE, "pose.rot_clear", "pose.transforms_clear"])
def test_undo_of_what_blender_has_posed_at_once_brings_bones_and_targets_back(ob, mouse, edit):
    """Targets go along after Blender has made its step of undo."""
    name = ob.name
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.pose.select_all(action='SELECT')
    bpy.ops.pose.copy()
    move(ob, way=MOVE)
    mouse.let_go(figures.target_of(ob, "hand.L"))
    bpy.ops.ed.undo_push(message="Before")

    def seen():
        at = bpy.data.objects[name]
        armatures.refresh()
        return channels(at), [tuple(figures.target_of(at, bone).location) for bone in figures.EFFECTORS]

    before = seen()
    room, _, operator = edit.partition(".")
    getattr(getattr(bpy.ops, room), operator)('EXEC_DEFAULT', True)
    mouse.let_go(ob)
    after = seen()
    assert after[0] != before[0]
    assert after[1] != before[1]
    bpy.ops.ed.undo_push(message="Next")
    bpy.ops.ed.undo()
    assert seen() == after
    bpy.ops.ed.undo()
    assert seen() == before
    bpy.ops.ed.redo()
    assert seen() == after


def test_undo_of_a_bake_shows_the_pose_that_was_seen_though_keys_have_another(ob):
    """Blender evaluates the action that comes back, of which only some bones have keys."""
    name, target = ob.name, figures.target_of(ob, "hand.L")
    for bone in ("chest", "arm.L"):
        ob.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=1)
    for frame, way in ((1, Vector()), (20, MOVE)):
        target.location += way
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(12)
    bpy.ops.ed.undo_push(message="Before")
    before = channels(ob)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=20)
    baked = channels(ob)
    bpy.ops.ed.undo_push(message="Baked")
    for step, expected in ((bpy.ops.ed.undo, before), (bpy.ops.ed.redo, baked), (bpy.ops.ed.undo, before)):
        step()
        armatures.refresh()
        assert channels(bpy.data.objects[name]) == expected
    assert bpy.data.objects[name].superpose_live


def test_what_joins_a_step_of_undo_has_the_name_of_blenders_operator(addon):
    steps = sys.modules[f"{addon.name}.live.undo_step"]._STEPS
    for kind, label in steps.items():
        room, _, operator = kind.partition("_OT_")
        if kind == "SUPERPOSE_OT_paste_pose" and bpy.app.version >= (4, 3):
            continue
        assert getattr(getattr(bpy.ops, room.lower()), operator).get_rna_type().name == label


def test_undo_back_into_another_frame_brings_back_body_and_targets_together(ob, addon):
    """Blender makes a step of undo of a frame's number before it evaluates the frame, and *Live* is told."""
    live = sys.modules[f"{addon.name}.live.handlers"]._live
    scene, name = bpy.context.scene, ob.name
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    ob.pose.bones["hand.R"].superpose.hold = 'PINNED'
    for number, way in ((1, (0, 0, 0)), (20, (-0.3, -0.2, -0.2))):
        scene.frame_set(number)
        bpy.ops.superpose.pose(bone="hand.L", translation=way)
        for bone in ob.pose.bones:
            bone.keyframe_insert("rotation_quaternion")
            bone.keyframe_insert("location")

    def seen():
        armatures.refresh()
        at = bpy.data.objects[name]
        places = [figures.target_of(at, bone).matrix_world.translation for bone in figures.EFFECTORS]
        return channels(at), np.array(places)

    scene.frame_set(20)
    before = seen()
    bpy.ops.ed.undo_push(message="Select")
    live.is_at_work = True
    scene.frame_current = 10
    bpy.ops.ed.undo_push(message="Current Frame")
    live.is_at_work = False
    scene.frame_set(10)
    entered = seen()
    bpy.ops.ed.undo_push(message="Select")
    bpy.ops.superpose.pose(bone="hand.L", translation=(0, -0.1, 0.1))
    bpy.ops.ed.undo_push(message="Pose")
    for expected in (entered, entered, before):
        bpy.ops.ed.undo()
        posed, places = seen()
        assert posed == expected[0]
        np.testing.assert_allclose(places, expected[1], atol=1e-6)


def test_undo_of_the_next_step_shows_what_was_seen_after_an_operator(ob):
    """The step of undo that Blender makes of the operator has what Live made of it."""
    bpy.ops.ed.undo_push(message="Before")
    move(ob, way=FAR)
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, "forearm.L")
    bpy.ops.superpose.add_limit('EXEC_DEFAULT', True)
    armatures.refresh()
    seen = channels(ob)
    bpy.ops.ed.undo_push(message="Next")
    bpy.ops.ed.undo()
    armatures.refresh()
    assert channels(bpy.context.object) == seen
