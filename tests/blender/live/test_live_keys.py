# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live posing of a body that has keys: what is keyed is what frames show."""

import armatures
import bpy
import figures
import pytest
from live_figures import MOVE, apart, channels, move


def key_body(ob, frame):
    """What Blender's I does for all bones."""
    for bone in ob.pose.bones:
        for path in ("location", "rotation_quaternion"):
            bone.keyframe_insert(path, frame=frame)


@pytest.fixture
def keyed(ob):
    """The figure with two keyed poses of its whole body, and what was seen when they were keyed."""
    seen = {}
    for frame in (10, 20):
        bpy.context.scene.frame_set(frame)
        move(ob, way=MOVE / 2)
        move(ob, "head", way=-MOVE / 4)
        seen[frame] = channels(ob)
        key_body(ob, frame)
    return ob, seen


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
        assert max(figures.gap(ob, bone) for bone in figures.EFFECTORS) < 1e-4
    bpy.context.scene.frame_set(10)
    hand = ob.pose.bones["hand.R"].head.copy()
    move(ob, way=MOVE / 10)
    assert (ob.pose.bones["hand.R"].head - hand).length < 1e-3
    assert figures.gap(ob, "hand.L") < 1e-4


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
    assert figures.gap(ob, "hand.L") < 1e-4
    assert channels(ob) != seen[20]
