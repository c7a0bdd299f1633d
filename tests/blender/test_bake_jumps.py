# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake: jumps from frame to frame are told, and frames solved together have none."""

import json
import re

import armatures
import bpy
import figures
import numpy as np
import pytest
from drawn_panels import draw

pytestmark = pytest.mark.usefixtures("blend")


@pytest.fixture
def straight_arm():
    """A chain that is straight at rest; its target passes in front of it, so the elbow changes sides."""
    ob = armatures.chain(3)
    with armatures.edited(ob) as bones:
        for bone in bones:
            bone.head.x = bone.tail.x = 0
    target = armatures.new_object("Target")
    for frame, side in ((1, -0.6), (40, 0.6)):
        target.location = (side, 0, 1.2)
        target.keyframe_insert("location", frame=frame)
    armatures.add_effector(ob, "b2", target, rotation_weight=0)
    ob.superpose.root_location = 'ANCHORED'
    bpy.context.scene.frame_end = 40
    figures.make_active(ob)
    return ob


def turn_into(frame, bone):
    """The angle by which the bone turns from the frame before into this one, radians."""
    turns = []
    for number in (frame - 1, frame):
        bpy.context.scene.frame_set(number)
        turns.append(np.array(bone.matrix_basis.to_quaternion()))
    return 2 * np.arccos(min(abs(turns[0] @ turns[1]), 1))


def test_a_jump_is_told_with_its_bone_angle_and_frame_and_what_to_do(straight_arm, capfd):
    bpy.ops.superpose.bake(frames='ALONE')
    jumps = straight_arm.superpose.jumps
    said = re.fullmatch(
        r"'(b\d)' jumps by (\d+)° at frame (\d+)( and \d others?)?: solve its frames Together", jumps
    )
    turned = turn_into(int(said[3]), straight_arm.pose.bones[said[1]])
    assert np.isclose(np.degrees(turned), int(said[2]), atol=0.6)
    said = "".join(capfd.readouterr()).splitlines()
    assert f"Info: {jumps}" in said
    assert said[-1].startswith("Warning: Baked 40 frames"), "what the status bar shows comes last"
    assert jumps in " ".join(draw())


def test_frames_solved_together_stay_on_one_way(straight_arm, capfd):
    bpy.ops.superpose.bake()
    assert not straight_arm.superpose.jumps
    assert "Baked 40 frames, 0 missed" in "".join(capfd.readouterr())
    bones = straight_arm.pose.bones
    assert max(turn_into(frame, bone) for frame in range(2, 41) for bone in bones) < np.radians(30)


def test_a_jump_is_told_from_the_frame_before_too(straight_arm, rng):
    """Of targets that are all over the place."""
    target = bpy.data.objects["Target"]
    for frame, place in enumerate(rng.uniform(-1.4, 1.4, (24, 3)), start=1):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_end = 24
    bpy.ops.superpose.bake(frames='FOLLOWING')
    jumps = straight_arm.superpose.jumps
    told, cure = jumps.split(": ")
    assert cure == "slow its targets down there, or lower Step"
    said = re.fullmatch(r"'(b\d)' jumps by (\d+)° at frame (\d+)( and \d others?)?", told)
    turned = turn_into(int(said[3]), straight_arm.pose.bones[said[1]])
    assert np.isclose(np.degrees(turned), int(said[2]), atol=0.6)


def test_where_targets_are_cut_the_panel_says_that_the_body_turns_and_where(straight_arm):
    """To the side, with an elbow that bends one way."""
    target = bpy.data.objects["Target"]
    target.animation_data_clear()
    for frame, place in ((1, (-0.9, 0, 0.9)), (20, (-0.9, 0, 0.7)), (21, (0.9, 0, 0.7)), (40, (0.9, 0, 0.9))):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.bake()
    setup = straight_arm.superpose
    said = re.fullmatch(r"'(b\d)' turns by (\d+)° at frame 21: targets leave no other way there", setup.jumps)
    assert np.isclose(np.degrees(turn_into(21, straight_arm.pose.bones[said[1]])), int(said[2]), atol=0.6)
    clip = json.loads(setup.clip_report)
    assert clip["jumps"] == []
    assert [turn["frame"] for turn in clip["sudden_turns"]] == [21]
    assert 21 in clip["worst"]


@pytest.mark.parametrize("smoothness", [0.0, 0.1])
def test_where_a_target_comes_back_into_reach_the_panel_says_that_the_elbow_snaps(straight_arm, smoothness):
    target = bpy.data.objects["Target"]
    target.animation_data_clear()
    for frame, height in ((1, 2.05), (20, 2.02), (21, 1.95), (40, 1.9)):
        target.location = (0.1, 0, height)
        target.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.bake(smoothness=smoothness)
    said = re.fullmatch(
        r"'(b\d)' snaps by (\d+)° at frame (\d+)( and \d others?)?, "
        "where targets come into reach or leave it: Smoothness 0.1 eases that",
        straight_arm.superpose.jumps,
    )
    assert bool(said) == (not smoothness)
    if said:
        turned = turn_into(int(said[3]), straight_arm.pose.bones[said[1]])
        assert np.isclose(np.degrees(turned), int(said[2]), atol=0.6)


@pytest.mark.parametrize("again", ["solve", "bake"])
def test_where_nothing_jumps_nothing_is_said_of_it(straight_arm, again, capfd):
    bpy.ops.superpose.bake(frames='ALONE')
    capfd.readouterr()
    getattr(bpy.ops.superpose, again)()
    assert not straight_arm.superpose.jumps
    assert "jump" not in "".join((*capfd.readouterr(), *draw()))
