# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""With automatic keyframing the body is keyed after what the user moves by Blender's own means."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import channels, followers, move

pytestmark = pytest.mark.usefixtures("only_available")


@pytest.fixture
def recording(ob):
    """A figure that is live while the user records, with nothing keyed."""
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    yield ob
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False


def moved_by_blender(ob, mouse):
    """Move a target as Blender does, which keys it as the move ends."""
    move(ob, steps=4)
    target = figures.target_of(ob, "hand.L")
    target.keyframe_insert("location")
    mouse.let_go(target)


def keyed_bones(ob):
    data = ob.animation_data
    action = data.action if data else None
    return {curve.data_path.split('"')[1] for curve in figures.curves(action)} if action else set()


def heads(ob):
    return np.array([bone.head for bone in ob.pose.bones])


def test_the_body_is_keyed_so_that_the_frame_comes_back(recording, mouse):
    moved_by_blender(recording, mouse)
    assert keyed_bones(recording) == set(figures.BONES)
    posed = heads(recording)
    bpy.context.scene.frame_set(20)
    moved_by_blender(recording, mouse)
    for frame in (9, 1):
        bpy.context.scene.frame_set(frame)
    assert np.abs(heads(recording) - posed).max() < 1e-5


def test_a_target_that_stands_stays_there_whatever_is_keyed_later(recording, mouse):
    target = figures.target_of(recording, "hand.R")
    recording.pose.bones["hand.R"].superpose.hold = 'PINNED'
    target.keyframe_insert("location")
    place = target.location.copy()
    bpy.context.scene.frame_set(20)
    moved_by_blender(recording, mouse)
    bpy.context.scene.frame_set(40)
    target.location.z += 0.2
    target.keyframe_insert("location")
    bpy.context.scene.frame_set(20)
    assert (target.location - place).length < 1e-6


@pytest.mark.parametrize("of_body", [True, False])
def test_keys_that_are_moved_in_time_key_nothing(recording, mouse, of_body):
    """As in the dope sheet, where Blender's operator is one of those that move things."""
    moved_by_blender(recording, mouse)
    bpy.context.scene.frame_set(20)
    mouse.is_dragging = True
    moved_by_blender(recording, mouse)
    bpy.context.scene.frame_set(10)
    owner = recording if of_body else figures.target_of(recording, "hand.L")
    mouse.is_dragging = True
    for _ in range(3):
        for curve in figures.curves(owner.animation_data.action):
            for key in curve.keyframe_points:
                key.co.x += 2 * (key.co.x > 1)
            curve.update()
        owner.animation_data.action.update_tag()
        armatures.refresh()
    mouse.let_go(owner)
    action = recording.animation_data.action
    times = {key.co.x for curve in figures.curves(action) for key in curve.keyframe_points}
    assert times == {1, 26 if of_body else 20}


@pytest.mark.parametrize(
    ("act", "given"), [("translate", {"value": (0.1, 0.0, 0.2)}), ("rotate", {"value": 0.3})]
)
def test_it_is_one_step_of_undo_with_what_the_user_moved(recording, mouse, act, given):
    target, name = figures.target_of(recording, "hand.L"), recording.name
    figures.make_active(target)
    place = target.matrix_world.copy()
    bpy.ops.ed.undo_push(message="Before")
    getattr(bpy.ops.transform, act)('EXEC_DEFAULT', True, **given)
    armatures.refresh()
    mouse.let_go(target)

    def found():
        ob = bpy.data.objects[name]
        return keyed_bones(ob), figures.target_of(ob, "hand.L").matrix_world.copy()

    assert found()[0] == set(figures.BONES)
    moved = found()[1]
    assert moved != place
    bpy.ops.ed.undo()
    assert found() == (set(), place)
    bpy.ops.ed.redo()
    assert found() == (set(figures.BONES), moved)


def test_undo_and_redo_show_what_went_along_without_keys_where_it_was(recording, mouse):
    recording.pose.bones["head"].superpose.hold = 'FREE'
    move(recording, steps=4)
    figures.make_active(figures.target_of(recording, "hand.L"))
    bpy.ops.ed.undo_push(message="Before")
    name = recording.name

    def shown():
        armatures.refresh()
        return figures.target_of(bpy.data.objects[name], "head").matrix_world.copy()

    before = shown()
    move(recording, steps=4)
    mouse.rest()
    bpy.ops.transform.translate('EXEC_DEFAULT', True)  # the mouse lets go: Blender makes its step of undo
    mouse.let_go(figures.target_of(recording, "hand.L"))
    moved = shown()
    assert moved != before
    bpy.ops.ed.undo()
    assert shown() == before
    bpy.ops.ed.redo()
    assert shown() == moved


def test_after_anything_else_it_is_a_step_of_undo_of_its_own(recording, mouse):
    bpy.ops.object.select_all('EXEC_DEFAULT', True, action='DESELECT')
    bpy.ops.ed.undo_push(message="Before")
    move(recording, steps=4)
    target, name = figures.target_of(recording, "hand.L"), recording.name
    target.keyframe_insert("location")
    bpy.ops.ed.undo_push(message="Other")
    mouse.let_go(target)
    bpy.ops.ed.undo()
    ob = bpy.data.objects[name]
    assert not keyed_bones(ob)
    assert figures.keys(figures.target_of(ob, "hand.L").animation_data.action)
    bpy.ops.ed.redo()
    assert keyed_bones(bpy.data.objects[name]) == set(figures.BONES)


def test_what_is_taken_back_is_not_keyed(recording, mouse):
    target = figures.target_of(recording, "hand.L")
    before, posed = target.location.copy(), channels(recording)
    move(recording, steps=4)
    target.location = before
    mouse.let_go(target)
    assert channels(recording) == posed
    assert recording.animation_data is None
    assert target.animation_data is None


def test_who_does_not_record_gets_no_keys(ob, mouse, addon):
    move(ob, steps=4)
    mouse.let_go(figures.target_of(ob, "hand.L"))
    assert ob.animation_data is None
    assert not any(follower.grabbed for follower in followers(addon).values())


def test_what_was_begun_in_another_frame_is_not_keyed_in_this_one(recording, mouse):
    move(recording, steps=4)
    bpy.context.scene.frame_set(7)
    mouse.let_go(recording)
    assert recording.animation_data is None


def test_of_a_bone_that_is_turned_only_what_changed_is_keyed(recording, mouse):
    bone = recording.pose.bones["forearm.L"]
    for turned in (0.1, 0.3):
        bone.rotation_quaternion = (1, turned, 0, 0)
        armatures.refresh()
    mouse.let_go(recording)
    assert keyed_bones(recording) == {"forearm.L"}


def test_pins_below_a_bone_that_is_turned_are_keyed_with_what_holds_them(recording, mouse):
    recording.pose.bones["hand.L"].superpose.hold = 'PINNED'
    armatures.refresh()
    bone = recording.pose.bones["arm.L"]
    for turned in (0.1, 0.2):
        bone.rotation_quaternion = (1, turned, 0, 0.1)
        armatures.refresh()
    posed = heads(recording)
    mouse.let_go(recording)
    assert {"arm.L", "forearm.L"} <= keyed_bones(recording)
    assert np.abs(heads(recording) - posed).max() < 1e-5


def test_what_is_keyed_later_than_others_is_as_it_was_in_their_frames(recording, mouse):
    recording.pose.bones["forearm.R"].keyframe_insert("rotation_quaternion", frame=1)
    posed = heads(recording)
    bpy.context.scene.frame_set(20)
    bone = recording.pose.bones["forearm.L"]
    for turned in (0.1, 0.3):
        bone.rotation_quaternion = (1, turned, 0, 0)
        armatures.refresh()
    mouse.let_go(recording)
    turned = heads(recording)
    assert np.abs(turned - posed).max() > 0.01
    for frame, expected in ((1, posed), (20, turned)):
        bpy.context.scene.frame_set(frame)
        assert np.abs(heads(recording) - expected).max() < 1e-5


@pytest.mark.parametrize("only_available", [True], indirect=True)
def test_it_is_said_that_nothing_could_be_keyed_and_no_step_of_undo_is_made(recording, mouse):
    bpy.ops.ed.undo_push(message="Before")
    move(recording, steps=4)
    name, moved = recording.name, figures.target_of(recording, "hand.L").location.copy()
    bpy.ops.ed.undo_push(message="Move")
    mouse.let_go(recording)
    assert recording.animation_data is None
    assert recording.superpose.notes.startswith("Nothing was keyed: Only Insert Available is on")
    bpy.ops.ed.undo()
    assert (figures.target_of(bpy.data.objects[name], "hand.L").location - moved).length > 1e-3


@pytest.mark.parametrize("only_available", [True], indirect=True)
def test_the_panel_is_drawn_again_once_it_is_said(recording, mouse, monkeypatch):
    said = []
    monkeypatch.setattr(mouse.handlers, "redraw", lambda: said.append(recording.superpose.notes))
    move(recording, steps=4)
    mouse.let_go(recording)
    assert said == [recording.superpose.notes]


def test_a_curve_that_takes_no_keys_is_told_and_hinders_nothing_else(recording, mouse):
    recording.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=1)
    figures.curves(recording.animation_data.action)[0].lock = True
    armatures.refresh()
    move(recording, steps=4)
    mouse.let_go(recording)
    assert "The body was not keyed" in recording.superpose.notes
    assert keyed_bones(recording) == {"forearm.L"}
