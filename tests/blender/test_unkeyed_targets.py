# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Beside targets that are animated others do not pull: what is free goes along, what follows gives way."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest
from armatures import Vector
from live_figures import apart, live_figure

pytestmark = pytest.mark.once

HIPS, CHEST, HEAD, HAND, PINNED = "hips", "chest", "head", "hand.L", "hand.R"
LAST = 5
MET, SEEN = 1e-4, 0.01  # metres


def key(ob, frame, hips=(0, 0, 0), hand=(0, 0, 0)):
    """Drag the targets of hips and hand at a frame, and key them as automatic keyframing would."""
    bpy.context.scene.frame_set(frame)
    for bone, way in ((HIPS, hips), (HAND, hand)):
        target = figures.target_of(ob, bone)
        target.location += Vector(way)
        armatures.refresh()
        for path in ("location", "rotation_euler"):
            target.keyframe_insert(path)


@pytest.fixture
def clip(made_once):
    """A live figure at rest in its first frame; later its hips go down and aside, and a hand moves."""
    yield made_once("others unkeyed", animated)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def animated():
    ob = live_figure()
    figures.select_bones(ob, CHEST)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    figures.select_bones(ob, *figures.BONES)
    bpy.ops.superpose.set_comfort()  # so that a frame does not hang on the pose that was left in another
    for bone, hold in ((HIPS, 'FREE'), (CHEST, 'FREE'), (PINNED, 'PINNED')):
        ob.pose.bones[bone].superpose.hold = hold
    armatures.refresh()
    key(ob, 1)
    key(ob, 3, hips=(0, 0, -0.05), hand=(-0.1, -0.2, 0.1))
    key(ob, LAST, hips=(-0.05, 0, 0), hand=(0, -0.1, 0))
    bpy.context.scene.frame_set(1)


def notes(ob):
    return ob.superpose.notes


def test_a_frame_is_as_it_was_keyed_whatever_was_dragged_in_others(clip):
    pose = figures.rotations(clip)
    key(clip, LAST, hips=(0.05, 0.1, -0.1), hand=(0, 0.1, 0.1))
    bpy.context.scene.frame_set(1)
    assert apart(figures.rotations(clip), pose) < 1e-3
    for bone in (CHEST, HEAD, PINNED):
        assert (clip.pose.bones[bone].head - clip.data.bones[bone].head_local).length < SEEN
    assert clip.superpose.message.startswith("Solved")


def test_the_target_of_what_is_free_is_where_its_bone_is_in_every_frame(clip):
    for frame in (3, 1, LAST):  # in any order
        bpy.context.scene.frame_set(frame)
        armatures.refresh()
        assert figures.distance(clip, CHEST) < MET
        assert figures.distance(clip, HIPS) < MET
        assert not clip.superpose.is_missed
        assert f"'{CHEST}' goes with the body" in notes(clip)


def test_what_follows_gives_way_to_what_is_keyed_and_is_not_missed(clip):
    bpy.context.scene.frame_set(3)
    head = clip.pose.bones[HEAD].superpose
    assert head.gave_way
    assert not head.is_missed
    assert head.position_residual > SEEN
    assert f"Gave way: '{HEAD}'" in notes(clip)


@pytest.mark.parametrize("frames", ["TOGETHER", "ALONE"])
def test_a_bake_meets_what_is_keyed_and_says_what_is_not_asked(clip, frames):
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=LAST, frames=frames)
    assert clip.superpose.message.startswith(f"Baked {LAST} frames")
    assert f"'{CHEST}' goes with the body" in notes(clip)
    assert clip.pose.bones[CHEST].superpose.is_along
    assert not clip.pose.bones[HIPS].superpose.is_along
    for frame in (1, 3, LAST):
        bpy.context.scene.frame_set(frame)
        assert figures.distance(clip, HIPS) < MET
        assert figures.distance(clip, HAND) < MET


def test_where_the_chest_was_left_makes_no_difference_to_a_solve(clip):
    clip.superpose_live = False
    poses = []
    for away in (0.0, 0.3):
        bpy.ops.superpose.reset()
        figures.target_of(clip, CHEST).location.y += away
        armatures.refresh()
        bpy.ops.superpose.solve()
        poses.append(figures.rotations(clip))
    assert (poses[0] == poses[1]).all()


def test_without_any_keys_what_is_free_is_asked_for_where_its_target_is(clip):
    clip.superpose_live = False
    for bone in (HIPS, HAND):
        figures.target_of(clip, bone).animation_data_clear()
    figures.target_of(clip, CHEST).rotation_euler.z += 0.3
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert figures.turn(clip, CHEST) < 0.1
    assert "goes with the body" not in notes(clip)


def test_a_key_on_the_influence_asks_as_one_on_the_target_does(clip):
    bone = clip.pose.bones[CHEST]
    bone.keyframe_insert("superpose_influence", frame=1)
    bpy.context.scene.frame_set(3)
    assert "goes with the body" not in notes(clip)


def keyed(thing, path):
    thing.keyframe_insert(path, frame=1)
    return figures.curves(thing.animation_data.action)


def deleted_key(target):
    keyed(target, "location")
    target.keyframe_delete("location", frame=1)


def key_elsewhere(target):
    target["own"] = 1.0
    keyed(target, '["own"]')
    keyed(target, "hide_viewport")


def muted_curves(target):
    for curve in keyed(target, "location"):
        curve.mute = True


def muted_driver(target):
    target.driver_add("location", 0).mute = True


def empty_track(target):
    target.animation_data_create()
    target.animation_data.nla_tracks.new()


def pushed_down(target, is_muted=False):
    keyed(target, "location")
    figures.pushed_down(target).mute = is_muted


def muted_strip(target):
    pushed_down(target, is_muted=True)


def constraint_on(target):
    return target.constraints.new('LIMIT_LOCATION')


def muted_constraint(target):
    constraint_on(target).mute = True


def constraint_switched_on_later(target):
    muted_constraint(target)
    keyed(target, target.constraints[0].path_from_id("mute"))


def turned(target):
    target.rotation_mode = 'QUATERNION'
    keyed(target, "rotation_quaternion")


def moved_beside(target):
    keyed(target, "delta_location")


def on_a_vertex(target):
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 0)], [], [])
    skin = armatures.new_object("Skin", mesh)
    target.parent, target.parent_type = skin, 'VERTEX'
    skin.modifiers.new("Smooth", 'SUBSURF')
    return skin


def on_a_vertex_of_animated_shape_keys(target):
    skin = on_a_vertex(target)
    skin.shape_key_add()
    skin.shape_key_add().keyframe_insert("value", frame=1)


def on_a_vertex_that_a_moving_object_deforms(target):
    hook = on_a_vertex(target).modifiers.new("Hook", 'HOOK')
    hook.object = armatures.new_object("Hook")
    keyed(hook.object, "location")


def on_a_vertex_that_an_animated_armature_deforms(target):
    other = figures.figure("Other")
    on_a_vertex(target).modifiers.new("Armature", 'ARMATURE').object = other
    keyed(other, 'pose.bones["hips"].location')


def on_an_animated_path(target):
    target.parent = armatures.new_object("Path", bpy.data.curves.new("Path", 'CURVE'))
    keyed(target.parent.data, "eval_time")


STILL = (
    *(deleted_key, key_elsewhere, muted_curves, muted_driver, empty_track, muted_strip, muted_constraint),
    on_a_vertex,
)
MOVED = (
    *(pushed_down, constraint_on, constraint_switched_on_later, turned, moved_beside),
    *(on_a_vertex_of_animated_shape_keys, on_a_vertex_that_a_moving_object_deforms),
    *(on_a_vertex_that_an_animated_armature_deforms, on_an_animated_path),
)


@pytest.mark.parametrize("animate", [*STILL, *MOVED])
def test_only_what_can_place_a_target_makes_it_an_animated_one(blend, animate):
    ob = figures.ready()
    ob.pose.bones[HIPS].superpose.hold = 'FREE'
    armatures.refresh()
    animate(figures.target_of(ob, HAND))
    figures.make_active(ob)
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert ("goes with the body" in notes(ob)) == (animate in MOVED)


@pytest.mark.parametrize("away", [0.0, 1.0])
def test_the_report_of_a_bake_leads_to_frames_that_miss_not_to_those_where_somebody_gave_way(
    clip, addon, away
):
    key(clip, LAST, hand=(away, 0, 0))
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=LAST)
    report = import_module(f"{addon.name}.reports").clip_report_of(clip)
    misses = [frame for frame, row in zip(report.frames, report.missed, strict=True) if row.any()]
    assert f"Gave way: '{HEAD}'" in notes(clip)
    assert bool(misses) == bool(away) == bool(report.worst)
    assert set(report.worst) <= set(misses)
    if away:
        assert f" {report.worst[0]}, " in clip.superpose.message
        looks = bpy.types.SUPERPOSE_OT_mark_worst_frames.looks(bpy.context, clip)
        assert all(words.startswith(f"'{HAND}' ") for _, words in looks)


def test_the_report_of_a_bake_tells_what_is_left_of_what_gave_way(clip, addon):
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=LAST)
    report = import_module(f"{addon.name}.reports").clip_report_of(clip)
    column = report.names.index(f"'{HEAD}'")
    left = []
    for frame in report.frames:
        bpy.context.scene.frame_set(frame)
        left.append(figures.distance(clip, HEAD))
    assert max(left) > SEEN
    assert report.distances[:, column] == pytest.approx(left, abs=MET)
    assert not report.missed[:, column].any()
    assert (report.gave_way[:, column] == (np.array(left) > report.visible[:, 0])).all()


def test_a_body_does_not_stand_on_targets_that_go_with_it(clip):
    """Where these are hangs on the frame that was shown before."""
    clip.superpose_live = False
    figures.active(clip, HIPS)
    bpy.ops.superpose.add_goal(kind='BALANCE')
    poses = []
    for way in ((0, 0, 0), (1, 0, -2)):
        figures.target_of(clip, CHEST).location += Vector(way)
        armatures.refresh()
        bpy.ops.superpose.reset()
        bpy.ops.superpose.solve()
        poses.append(figures.rotations(clip))
    assert apart(*poses) < 1e-3
