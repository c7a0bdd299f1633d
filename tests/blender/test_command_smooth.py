# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise that is taken out of motion without a window, of bodies with effectors and of those without."""

import json
from functools import partial

import bpy
import figures
import numpy as np
import pytest
from command_line import answer
from rigify_rigs import metarig

FRAMES = 60
MOVED = ("arm", "spine", "chest", "head")


@pytest.fixture
def smooth(blend, addon, capfd):
    return partial(answer, addon, capfd, "smooth")


def trembling(ob, rng, ends):
    """Have the body wave its arms, trembling; return where bones are without (frames, ends, 3)."""
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
    for bone in ob.pose.bones:
        bone.rotation_mode = 'QUATERNION'
        for frame in range(1, FRAMES + 1) if any(part in bone.name for part in MOVED) else ():
            swing = 0.3 * np.sin(2 * np.pi * frame / FRAMES) if "arm" in bone.name else 0.0
            bone.rotation_quaternion = (1, swing, 0, 0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    truth = tracks(ob, ends)
    for curve in figures.curves(ob.animation_data.action):
        for point in curve.keyframe_points if curve.array_index else ():
            point.co.y += rng.normal(scale=0.01)
        curve.update()
    return truth


def tracks(ob, ends):
    """Where the ends of the body are, (frames, ends, 3)."""
    found = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        found.append([ob.pose.bones[name].head.copy() for name in ends])
    return np.array(found)


def test_a_bone_that_is_nowhere_is_named(smooth, tmp_path):
    ob = figures.ready()
    ob.pose.bones["arm.R"].location.x = np.nan
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "nowhere.blend"))
    before = sorted(tmp_path.iterdir())
    code, told, error = smooth("--output", str(tmp_path / "smooth.blend"))
    assert (code, json.loads(told)["failed"], sorted(tmp_path.iterdir())) == (1, 1, before)
    assert error.count("Frame 1: The bone 'arm.R' is nowhere: its location, rotation or scale is") == 1


def jolts(track):
    return np.linalg.norm(np.diff(track, 2, axis=0), axis=-1).mean()


def human():
    return metarig("human")


@pytest.mark.once
@pytest.mark.parametrize(("figure", "head"), [(figures.ready, "head"), (human, "spine.006")])
def test_noise_is_taken_out_and_nothing_else_is_changed(smooth, rigify, tmp_path, rng, figure, head):
    """Also of a body that has no effectors of its own."""
    ob, ends = figure(), (head, "hand.L", "hand.R")
    truth = trembling(ob, rng, ends)
    noisy, name, before = tracks(ob, ends), ob.name, ob.animation_data.action.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "noisy.blend"))
    setup = {bone.name: figures.stored(bone) for bone in ob.pose.bones}
    objects = sorted(bpy.data.objects.keys())
    code, told, error = smooth("--output", str(tmp_path / "smooth.blend"))
    assert (code, json.loads(told)["done"]) == (0, 1), error
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "smooth.blend"))
    ob = bpy.data.objects[name]
    smoothed = tracks(ob, ends)
    assert jolts(smoothed) < 0.5 * jolts(noisy)
    assert np.abs(smoothed - truth).mean() < 0.8 * np.abs(noisy - truth).mean()
    assert before in bpy.data.actions
    assert ob.animation_data.action.name != before
    assert sorted(bpy.data.objects.keys()) == objects
    kept = {bone: settings and settings["target"] for bone, settings in setup.items()}
    assert {bone.name: (figures.stored(bone) or {}).get("target") for bone in ob.pose.bones} == kept
