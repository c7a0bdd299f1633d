# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors whose weights change from frame to frame: by keys, drivers and strips."""

from importlib import import_module
from itertools import pairwise

import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from figure_goals import ready, shown
from keyed_frames import FRAMES, at, baked_alone, in_strip, key, live, solved_alone
from mathutils import Vector

pytestmark = pytest.mark.usefixtures("blend")

PLACE, TURN = "superpose_position_weight", "superpose_rotation_weight"


def pulled():
    """A figure whose head is asked to be where its upright hips do not let it, in all frames."""
    ob = ready("hips", "head")
    figures.target_of(ob, "head").location += Vector((0.4, 0.1, 0.1))
    for bone in ("hips", "head"):
        figures.target_of(ob, bone).keyframe_insert("location", frame=1)
    bpy.context.scene.frame_end = FRAMES[-1]
    return ob, ob.pose.bones["head"]


def key_weights(places=(0.0, 0.5, 4.0), turns=(1.0, 0.0, 2.0)):
    ob, head = pulled()
    key(head, PLACE, *places)
    key(head, TURN, *turns)
    return ob


def drive_weight():
    ob, head = pulled()
    head.driver_add(PLACE).driver.expression = "frame - 1"
    return ob


def strip_weights():
    return in_strip(key_weights())


@pytest.mark.parametrize("animate", [key_weights, drive_weight, strip_weights])
def test_frames_baked_alone_are_what_solve_makes_of_them(animate):
    ob = animate()
    wanted = solved_alone(ob)
    assert all(np.abs(a["head"] - b["head"]).max() > 1e-2 for a, b in pairwise(wanted))
    assert baked_alone(ob, wanted)


@pytest.mark.once
def test_baked_together_each_frame_has_its_weight():
    ob = key_weights((0.1, 0.5, 4.0), (1.0, 0.1, 2.0))
    wanted = solved_alone(ob)
    assert bpy.ops.superpose.bake(frames='TOGETHER') == {'FINISHED'}
    for frame, there in zip(FRAMES, wanted, strict=True):
        at(frame)
        assert np.abs(shown(ob)["head"] - there["head"]).max() < 2e-3


def test_live_shows_each_frame_as_solve_has_it():
    ob = key_weights()
    wanted = solved_alone(ob)
    assert live(ob, wanted)


@pytest.mark.once
def test_keys_that_change_nothing_make_no_other_pose():
    ob, head = pulled()
    head.superpose_position_weight, head.superpose_rotation_weight = 3.0, 0.25
    at(2)
    (plain, *_) = solved_alone(ob)
    for name in (PLACE, TURN):
        head.keyframe_insert(name, frame=1)
    (keyed, *_) = solved_alone(ob)
    assert all((matrix == plain[name]).all() for name, matrix in keyed.items())


@pytest.mark.once
def test_without_weight_in_a_frame_a_target_asks_for_nothing_there():
    ob, head = pulled()
    key(head, PLACE, 0.0, 0.0, 1.0)
    at(1)
    bpy.ops.superpose.solve()
    assert not head.superpose.is_missed
    assert figures.distance(ob, "hips") < 1e-3
    assert "met" in ob.superpose.message
    at(3)
    bpy.ops.superpose.solve()
    assert head.superpose.is_missed


@pytest.mark.once
@pytest.mark.parametrize("frames", ['ALONE', 'TOGETHER'])
def test_what_has_no_weight_in_the_first_frame_counts_in_the_others(frames):
    ob, head = pulled()
    head.superpose_rotation_weight = ob.pose.bones["hips"].superpose_rotation_weight = 0.0
    figures.target_of(ob, "head").location.z -= 0.4  # within reach
    figures.target_of(ob, "head").keyframe_insert("location", frame=1)
    key(head, PLACE, 0.0, 1.0, 1.0)
    assert bpy.ops.superpose.bake(frames=frames) == {'FINISHED'}
    assert not head.superpose.is_missed
    for frame in FRAMES[1:]:
        at(frame)
        assert figures.distance(ob, "head") < 1e-3
    at(1)
    assert figures.distance(ob, "head") > 2e-3


def has_let_go(ob):
    """In which frames the hand is not at its target, and in which the hips are at theirs."""
    far = {bone: [] for bone in ("hand.L", "hips")}
    for frame in FRAMES:
        at(frame)
        for bone, away in far.items():
            away.append(figures.distance(ob, bone) > 1e-4)
    return far["hand.L"] == [False, True, False] and far["hips"] == [True, False, True]


@pytest.mark.once
@pytest.mark.parametrize("frames", ['LIVE', 'ALONE', 'TOGETHER'])
def test_a_pin_lets_go_in_frames_without_weight(frames):
    ob = ready("hips", "hand.L")
    hand = ob.pose.bones["hand.L"]
    hand.superpose.hold = 'PINNED'
    hips = figures.target_of(ob, "hips")
    hips.location.x -= 0.6  # out of reach of the hand
    hips.keyframe_insert("location", frame=1)
    bpy.context.scene.frame_end = FRAMES[-1]
    for name in (PLACE, TURN):
        key(hand, name, 1.0, 0.0, 1.0)
    if frames == 'LIVE':
        ob.superpose_live = True
    else:
        bpy.ops.superpose.bake(frames=frames)
    assert has_let_go(ob)


@pytest.mark.once
def test_a_far_target_hinders_no_frame_in_which_its_place_has_no_weight():
    ob, head = pulled()
    target = figures.target_of(ob, "head")
    key(target, "location", (0, 0, 1e12), (0, 0, 1.5), (0, 0, 1.5))
    key(head, PLACE, 0.0, 1.0, 1.0)
    assert bpy.ops.superpose.bake(frames='ALONE') == {'FINISHED'}
    key(head, PLACE, 1.0, 1.0, 1.0)
    with pytest.raises(RuntimeError, match=r"Frame 1: The target .*head.* is more than a million times"):
        bpy.ops.superpose.bake(frames='ALONE')


@pytest.mark.once
def test_keys_below_zero_count_as_zero():
    ob, head = pulled()
    key(head, PLACE, 1.0, 1.0, 1.0)
    for point in figures.curves(ob.animation_data.action)[0].keyframe_points:
        point.co.y = -5.0
    at(2)
    assert head.superpose_position_weight == 0.0
    bpy.ops.superpose.solve()
    assert not head.superpose.is_missed


@pytest.mark.parametrize("name", [PLACE, TURN, "superpose_influence"])
def test_keys_that_are_not_finite_are_refused_by_name(name):
    ob, head = pulled()
    head.keyframe_insert(name, frame=1)
    key(head, name, 1.0, 1.0, 1.0)
    figures.curves(ob.animation_data.action)[-1].keyframe_points[1].co.y = np.nan
    at(1)
    before = shown(ob)
    with pytest.raises(RuntimeError, match="Frame 2: The effector on 'head' has a value that is not finite"):
        bpy.ops.superpose.bake(frames='ALONE')
    assert all((matrix == before[bone]).all() for bone, matrix in shown(ob).items())


@pytest.mark.once
def test_frames_with_keys_of_weights_are_existing_keys():
    ob = key_weights()
    bpy.context.scene.frame_end = 6
    assert bpy.ops.superpose.bake(keys='EXISTING') == {'FINISHED'}
    path = ob.pose.bones["head"].path_from_id("rotation_quaternion")
    curve = next(curve for curve in figures.curves(ob.animation_data.action) if curve.data_path == path)
    assert [key.co.x for key in curve.keyframe_points] == [*FRAMES, 6]  # and the end of the range


@pytest.mark.once
def test_an_edited_weight_is_no_report_of_the_pose_any_more(addon):
    ob, head = pulled()
    bpy.ops.superpose.solve()
    is_outdated = import_module(f"{addon.name}.reports").is_outdated
    assert not is_outdated(ob)
    head.superpose_position_weight = 2.0
    assert is_outdated(ob)


@pytest.mark.once
def test_live_follows_a_weight_that_is_edited_as_much_as_a_target():
    ob, head = pulled()
    ob.animation_data_clear()
    ob.superpose_live = True
    bpy.context.view_layer.update()
    before = shown(ob)["head"]
    head.superpose_position_weight = 20.0
    assert np.abs(shown(ob)["head"] - before).max() > 1e-2


@pytest.mark.once
def test_a_pinned_foot_holds_by_its_sole_in_frames_in_which_it_counts(rigify):
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    for bone in ob.pose.bones:
        bone.rotation_mode = 'QUATERNION'
    foot = ob.pose.bones["foot.L"]
    foot.superpose.hold, foot.superpose_position_weight = 'PINNED', 4.0
    for bone in ("spine", "foot.L", "foot.R", "hand.L", "hand.R", "spine.006"):
        target = ob.pose.bones[bone].superpose.target
        target.location.z += {"spine": -0.3, "spine.006": -0.3}.get(bone, 0.0)
        target.location.y += {"foot.L": 0.2}.get(bone, 0.0)
        target.keyframe_insert("location", frame=1)
    (plain,) = solved_alone(ob, [1])
    foot.keyframe_insert(PLACE, frame=1)
    (keyed,) = solved_alone(ob, [1])
    assert all((matrix == plain[name]).all() for name, matrix in keyed.items())
    key(foot, PLACE, 4.0, 0.0, 4.0)
    at(2)
    bpy.ops.superpose.solve()
    assert not foot.superpose.is_missed
    assert figures.distance(ob, "foot.L") > 0.1
    at(3)
    bpy.ops.superpose.solve()
    assert not foot.superpose.is_missed
    assert figures.distance(ob, "foot.L") < 0.1  # the heel has lifted
