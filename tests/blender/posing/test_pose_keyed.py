# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""With automatic keyframing a drag keys what it moves, and says where nothing could be keyed."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from armatures import Vector
from test_pose_by_values import WAY, pose

# What has keys before the body is recorded: bone, property, frames.
KEYED = (
    ("hips", "location", (1,)),
    ("forearm.L", "rotation_quaternion", (1, 20)),
    ("arm.L", "rotation_quaternion", (1,)),
    ("chest", "rotation_quaternion", (20,)),
)
UNKEYED = "Nothing was keyed: Only Insert Available is on: key all bones first"


@pytest.mark.parametrize("only_available", [False], indirect=True)
@pytest.mark.parametrize("animated", [None, "hand.L", "head"])
def test_automatic_keyframing_keys_the_body_and_where_targets_are_animated_its_own(
    ob, only_available, animated
):
    bpy.ops.superpose.create_targets()
    target = figures.target_of(ob, "hand.L")
    if animated:
        figures.target_of(ob, animated).keyframe_insert("location", frame=5)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    pose("hand.L", WAY)
    keyed = figures.keys(ob.animation_data.action)
    assert ('pose.bones["forearm.L"].rotation_quaternion', 0) in keyed
    assert is_keyed(target, "location", 1) == bool(animated)


@pytest.mark.parametrize("only_available", [True, False], indirect=True)
@pytest.mark.parametrize("action", ["pose", "solve"])
def test_it_is_said_that_only_what_has_curves_is_keyed(ob, only_available, action):
    def act():
        if action == "pose":
            return pose("hand.L", WAY)
        figures.target_of(ob, "hand.L").location += Vector(WAY)
        armatures.refresh()
        return bpy.ops.superpose.solve()

    bpy.ops.superpose.create_targets()
    act()
    assert UNKEYED not in ob.superpose.notes
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    act()
    assert ob.superpose.notes.startswith(UNKEYED) == (UNKEYED in ob.superpose.notes), "first"
    assert (UNKEYED in ob.superpose.notes) == (not (ob.animation_data and ob.animation_data.action))
    assert (UNKEYED in ob.superpose.notes) == bpy.context.preferences.edit.use_keyframe_insert_available
    ob.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=1)
    act()
    assert UNKEYED not in ob.superpose.notes


@pytest.mark.parametrize("only_available", [True, False], indirect=True)
def test_it_is_said_which_bones_got_no_keys_where_some_did(ob, only_available):
    ob.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=1)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    pose("hand.L", WAY)
    is_on = bpy.context.preferences.edit.use_keyframe_insert_available
    assert ("more: Only Insert Available is on" in ob.superpose.notes) == is_on
    for bone in ob.pose.bones:
        bone.keyframe_insert("location", frame=1)
        bone.keyframe_insert("rotation_quaternion", frame=1)
    pose("hand.L", WAY)
    assert "Not keyed" not in ob.superpose.notes


@pytest.mark.parametrize("only_available", [False], indirect=True)
@pytest.mark.parametrize(("step", "is_told"), [(1, True), (2, False)])
@pytest.mark.parametrize("is_imported", [False, True])
def test_it_is_said_where_the_frames_beside_have_keys_of_their_own(
    ob, only_available, step, is_told, is_imported
):
    """As those of a bake: a pose among them is gone in the next frame."""
    if is_imported:
        with_muted_track(ob)
    for frame in range(0, 10, step):
        ob.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=frame)
    scene = bpy.context.scene
    scene.frame_set(4)
    pose("hand.L", WAY)
    told = "Seen in this frame alone: there are keys in the frames beside, of '"
    assert told not in ob.superpose.notes
    scene.tool_settings.use_keyframe_insert_auto = True
    for frame, is_between in ((4, True), (0, False)):
        scene.frame_set(frame)
        pose("hand.L", WAY)
        assert (told in ob.superpose.notes) == (is_told and is_between)


@pytest.mark.parametrize("only_available", [True], indirect=True)
def test_the_status_bar_says_it_after_a_drag(ob, only_available, capfd):
    """The sidebar may be closed. What is said last is shown."""
    for recorded in (False, True):
        bpy.context.scene.tool_settings.use_keyframe_insert_auto = recorded
        pose("hand.L", WAY)
        last = [line for line in capfd.readouterr().out.splitlines() if line][-1:]
        assert [UNKEYED in line for line in last] == [True] * recorded


@pytest.mark.parametrize("only_available", [True], indirect=True)
@pytest.mark.parametrize("name", ["reset", "flip", "snap_targets", "set_hold"])
def test_other_operators_report_it_too(ob, only_available, name, capfd):
    bpy.ops.superpose.create_targets()
    for recorded in (False, True):
        bpy.context.scene.tool_settings.use_keyframe_insert_auto = recorded
        pose("hand.L", WAY)
        figures.select_bones(ob, "hand.L")
        ob.pose.bones["hand.L"].superpose.hold = 'FOLLOWS'
        capfd.readouterr()
        getattr(bpy.ops.superpose, name)()
        assert (UNKEYED in capfd.readouterr().out) == recorded


@pytest.mark.parametrize("only_available", [False], indirect=True)
@pytest.mark.parametrize("mode", ['ADD_REPLACE_KEYS', 'REPLACE_KEYS'])
@pytest.mark.parametrize("needed", [True, False])
def test_it_keys_what_blender_keys_and_has_it_warn_of_nothing(ob, only_available, mode, needed, capfd):
    """The oracle is Blender, told to key every channel, which warns of those that it leaves out."""
    scene, edit = bpy.context.scene, bpy.context.preferences.edit
    before = edit.use_auto_keyframe_insert_needed
    edit.use_auto_keyframe_insert_needed = needed
    try:
        for bone, path, frames in KEYED:
            for frame in frames:
                ob.pose.bones[bone].keyframe_insert(path, frame=frame)
        scene.tool_settings.use_keyframe_insert_auto = True
        scene.tool_settings.auto_keying_mode = mode
        scene.frame_set(20)
        action = ob.animation_data.action.copy()
        pose("hips", (0, 0, -0.1))
        pose("hand.L", WAY)
        ours, warned = keys_of(ob), "".join(capfd.readouterr())
        posed = [tuple(getattr(ob.pose.bones[bone], path)) for bone, path, _ in KEYED]
        ob.animation_data.action = action
        armatures.refresh()
        options = ({'INSERTKEY_NEEDED'} if needed else set()) | (
            {'INSERTKEY_REPLACE'} if mode == 'REPLACE_KEYS' else set()
        )
        for (bone, path, _), value in zip(KEYED, posed, strict=True):
            setattr(ob.pose.bones[bone], path, value)
            ob.pose.bones[bone].keyframe_insert(path, options=options)
    finally:
        edit.use_auto_keyframe_insert_needed = before
        scene.tool_settings.auto_keying_mode = 'ADD_REPLACE_KEYS'
    for channel, keys in keys_of(ob).items():
        here, blenders = ([key for key in some if key[0] == 20] for some in (ours[channel], keys))
        assert len(here) == len(blenders), channel
        assert np.allclose(here, blenders, rtol=0, atol=1e-6), channel
    assert "FCurve" not in warned


def keys_of(ob):
    """The frames and values of all keys, by path and index."""
    return {
        (curve.data_path, curve.array_index): [tuple(point.co) for point in curve.keyframe_points]
        for curve in figures.curves(ob.animation_data.action)
    }


def is_keyed(target, path, frame):
    """Whether all three channels have a key in the frame."""
    data = target.animation_data
    curves = figures.curves(data.action) if data and data.action else []
    frames = [{point.co.x for point in curve.keyframe_points} for curve in curves if curve.data_path == path]
    return len(frames) == 3 and all(frame in found for found in frames)


def with_muted_track(ob):
    """As importers leave motions beside the one that plays."""
    ob.animation_data_create()
    action = bpy.data.actions.new("Other motion")
    track = ob.animation_data.nla_tracks.new()
    track.strips.new("Other motion", 1, action)
    track.mute = True


@pytest.mark.parametrize("only_available", [False], indirect=True)
@pytest.mark.parametrize("is_imported", [False, True])
def test_a_bone_that_is_keyed_later_than_others_is_as_it_was_in_their_frames(ob, only_available, is_imported):
    """Its first key would count in all of them."""
    scene, turned = bpy.context.scene, [0.2, 0.1, 0.4]
    if is_imported:
        with_muted_track(ob)
    scene.tool_settings.use_keyframe_insert_auto = True
    posed = {}
    for frame, way in ((1, (0.1, 0, 0)), (40, (0, 0.1, 0))):
        scene.frame_set(frame)
        pose("hips", way)
    curves = figures.keys(ob.animation_data.action)
    assert not any("hips" in path and "rotation" in path for path, _ in curves)
    for frame in (1, 20, 40):
        scene.frame_set(frame)
        posed[frame] = figures.rotations(ob)
    scene.frame_set(20)
    bpy.ops.superpose.pose(bone="hips", rotation=turned)
    assert abs(figures.rotations(ob) - posed[20]).max() > 0.1
    for frame in (1, 40):
        scene.frame_set(frame)
        np.testing.assert_allclose(figures.rotations(ob), posed[frame], atol=1e-5)


@pytest.mark.parametrize("only_available", [False, True], indirect=True)
@pytest.mark.parametrize("order", [(24, 48, 12), (48, 12, 24)])
def test_frames_that_are_keyed_stay_whatever_is_keyed_in_others(ob, only_available, order):
    """Also in channels that have keys, but none in that frame, where they did not change."""
    scene = bpy.context.scene
    for bone in ob.pose.bones:
        for path in ("location", "rotation_quaternion"):
            bone.keyframe_insert(path, frame=1)
    scene.tool_settings.use_keyframe_insert_auto = True
    drags = [
        {"bone": "hips", "translation": (0.1, 0, -0.1)},
        {"bone": "hips", "rotation": (0.2, 0.1, 0.4)},
        {"bone": "hand.L", "translation": WAY},
    ]
    posed = {1: figures.rotations(ob)}
    for frame, drag in zip(order, drags, strict=True):
        scene.frame_set(frame)
        bpy.ops.superpose.pose(**drag)
        posed[frame] = figures.rotations(ob)
    for frame, rotations in posed.items():
        scene.frame_set(frame)
        np.testing.assert_allclose(figures.rotations(ob), rotations, atol=1e-5, err_msg=str(frame))
