# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live posing of a body that has keys: what is keyed is what frames show."""

import armatures
import bpy
import figures
import pytest
from live_figures import MOVE, apart, channels, live_figure, move


def key_body(ob, frame):
    """What Blender's I does for all bones."""
    for bone in ob.pose.bones:
        for path in ("location", "rotation_quaternion"):
            bone.keyframe_insert(path, frame=frame)


@pytest.fixture(scope="module")
def seen_keyed():
    """What was seen when poses were keyed, by frame."""
    return {}


@pytest.fixture
def keyed(made_once, seen_keyed):
    """The live figure with two keyed poses of its whole body, and what was seen when they were keyed."""
    ob = made_once("keyed body", lambda: key_poses(live_figure(), seen_keyed))
    return ob, dict(seen_keyed)


def key_poses(ob, seen):
    for frame in (10, 20):
        bpy.context.scene.frame_set(frame)
        move(ob, way=MOVE / 2)
        move(ob, "head", way=-MOVE / 4)
        seen[frame] = channels(ob)
        key_body(ob, frame)


def test_a_key_on_the_body_keeps_what_is_seen(keyed):
    ob, seen = keyed
    for frame in (10, 20, 15, 10, 1, 20):
        bpy.context.scene.frame_set(frame)
        if frame in seen:
            assert channels(ob) == seen[frame]


def test_targets_go_with_the_keys_and_the_next_drag_begins_there(keyed):
    ob, _ = keyed
    for frame in (10, 20, 15):
        bpy.context.scene.frame_set(frame)
        assert max(figures.distance(ob, bone) for bone in figures.EFFECTORS) < 1e-4
    bpy.context.scene.frame_set(10)
    hand = ob.pose.bones["hand.R"].head.copy()
    move(ob, way=MOVE / 10)
    assert (ob.pose.bones["hand.R"].head - hand).length < 1e-3
    assert figures.distance(ob, "hand.L") < 1e-4


def test_what_was_missed_in_another_frame_is_not_told_of_targets_that_went_with_the_keys(ob):
    move(ob, way=10 * MOVE)
    assert figures.distance(ob, "head") > 1  # it gave way
    key_body(ob, 1)
    armatures.refresh()
    assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(ob)
    bpy.context.scene.frame_set(2)
    assert figures.distance(ob, "head") < 1e-4
    assert bpy.types.SUPERPOSE_OT_solve.is_outdated(ob)


def test_between_keys_the_body_goes_as_keyed(keyed):
    ob, _ = keyed
    ob.superpose_live = False
    bpy.context.scene.frame_set(15)
    plain = figures.rotations(ob)
    ob.superpose_live = True
    bpy.context.scene.frame_set(10)
    bpy.context.scene.frame_set(15)
    assert apart(figures.rotations(ob), plain) < 1e-3


def test_targets_that_are_animated_are_followed_all_the_same(keyed):
    ob, seen = keyed
    target = figures.target_of(ob, "hand.L")
    for frame, height in ((10, 0.0), (20, -0.05)):
        target.location.z += height
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(10)
    bpy.context.scene.frame_set(20)
    armatures.refresh()
    assert figures.distance(ob, "hand.L") < 1e-4
    assert channels(ob) != seen[20]


def dragged():
    bpy.ops.superpose.pose(bone="hand.R", translation=(0.1, -0.1, 0.1))


def flipped():
    bpy.ops.superpose.flip()


def snapped():
    bpy.ops.superpose.snap_targets()


def pinned():
    figures.select_bones(bpy.context.object, "hand.R")
    bpy.ops.superpose.set_hold(hold='PINNED')


@pytest.mark.usefixtures("only_available")
@pytest.mark.parametrize("act", [dragged, flipped, snapped, pinned])
def test_automatic_keys_of_another_pose_leave_those_that_are_there(keyed, act):
    ob, seen = keyed
    bpy.ops.object.mode_set(mode='POSE')
    bpy.context.scene.frame_set(15)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    act()
    seen[15] = channels(ob)
    for frame in (10, 20, 15):
        bpy.context.scene.frame_set(frame)
        assert channels(ob) == seen[frame], frame


@pytest.mark.usefixtures("only_available")
@pytest.mark.parametrize("act", [dragged, flipped, snapped, pinned])
def test_targets_that_go_along_are_keyed_where_frames_go_by_targets(keyed, act):
    ob, _ = keyed
    figures.target_of(ob, "hand.L").keyframe_insert("location", frame=10)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.context.scene.frame_set(15)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    act()
    assert figures.target_of(ob, "hand.R").animation_data.action


@pytest.mark.usefixtures("only_available")
@pytest.mark.parametrize("animated", ["hand.L", "hand.R"])
def test_a_body_dragged_and_keyed_with_its_targets_comes_back_to_them(keyed, animated):
    ob, _ = keyed
    figures.target_of(ob, animated).keyframe_insert("location", frame=10)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.context.scene.frame_set(15)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    dragged()
    seen = {bone: (ob.pose.bones[bone].head.copy(), figures.distance(ob, bone)) for bone in figures.EFFECTORS}
    for frame in (10, 15):
        bpy.context.scene.frame_set(frame)
    for bone, (place, distance) in seen.items():
        assert (ob.pose.bones[bone].head - place).length < 1e-4
        assert abs(figures.distance(ob, bone) - distance) < 1e-4
    assert figures.distance(ob, "hand.R") < 1e-4
