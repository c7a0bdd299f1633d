# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nothing changes that is asked of a body for some frames of a clip the body is still, too."""

import bpy
import figures
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("blend")

WAYS = {"hips": (0.03, 0.0, -0.05), "hand.L": (-0.3, 0.15, 0.3), "hand.R": (0.3, -0.15, 0.2)}
# How far the targets are on their way, frame by frame: still, there, still, back, still.
WAY = np.linspace(0, 1, 10), np.ones(12), np.linspace(1, 0.2, 6)
SHARES = np.concatenate([np.zeros(8), *WAY, np.full(5, 0.2)])
HOLDS = slice(0, 9), slice(17, 31), slice(35, 41)


def led(ob, shares=SHARES):
    """Key the targets on their ways, frame by frame."""
    for name, way in WAYS.items():
        target = figures.target_of(ob, name)
        home = np.array(target.location)
        for frame, share in enumerate(shares, start=1):
            target.location = home + share * np.array(way)
            target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, len(shares)


def shown(ob):
    """All bones' matrices in each frame of the scene, (frames, bones, 4, 4)."""
    scene, found = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        found.append([np.array(bone.matrix) for bone in ob.pose.bones])
    return np.array(found)


def moved(matrices):
    """How much the matrices of frames (frames, bones, 4, 4) differ at most."""
    return np.ptp(matrices, axis=0).max()


@pytest.mark.parametrize("more", [{}, {"use_clean": True}])
def test_the_body_is_still_and_meets_its_targets(more):
    """Elbows swung into a hold, through it and out of it."""
    ob = figures.ready()
    led(ob)
    bpy.ops.superpose.bake(**more)
    found = shown(ob)
    assert max(moved(found[hold]) for hold in HOLDS) < 1e-6
    assert moved(found) > 0.1
    assert not ob.superpose.is_missed


def test_so_it_is_where_targets_are_out_of_reach():
    ob = figures.ready()
    led(ob, 3 * SHARES)
    bpy.ops.superpose.bake()
    found = shown(ob)
    assert ob.superpose.is_missed
    assert max(moved(found[hold]) for hold in HOLDS) < 1e-6


def test_frames_between_come_to_rest_without_a_jump():
    ob = figures.ready()
    led(ob)
    bpy.ops.superpose.bake()
    steps = np.linalg.norm(np.diff(shown(ob)[..., :3, 3], axis=0), axis=-1).max(axis=1)
    far = np.linalg.norm(WAYS["hand.L"])
    assert steps[[16, 17]].max() < far / 8  # of a ninth that the hand goes in a frame
    assert steps[[30, 31]].max() < far / 5  # of a sixth


@pytest.mark.parametrize("part", [(1, 41), (12, 25), (20, 28)])
def test_a_second_bake_of_a_part_leaves_them(part):
    ob = figures.ready()
    led(ob)
    bpy.ops.superpose.bake()
    once = shown(ob)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=part[0], frame_end=part[1])
    assert np.abs(shown(ob) - once).max() < 1e-5


def test_a_loop_may_begin_and_end_in_one():
    ob = figures.ready()
    led(ob, np.concatenate([np.zeros(6), np.sin(np.linspace(0, np.pi, 24)), np.zeros(6)]))
    bpy.ops.superpose.bake()
    found = shown(ob)
    assert np.abs(found[-1] - found[0]).max() < 1e-5
    assert max(moved(found[:6]), moved(found[-6:])) < 1e-6


def test_a_body_that_is_animated_under_targets_that_stand_moves():
    ob = figures.ready()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 12
    for frame in range(1, 13):
        arm = ob.pose.bones["arm.L"]
        arm.rotation_mode = 'XYZ'
        arm.rotation_euler.y = 0.1 * frame
        arm.keyframe_insert("rotation_euler", frame=frame)
    ob.pose.bones["hand.L"].superpose.rotation_weight = 0
    bpy.ops.superpose.bake(action='CURRENT')
    assert moved(shown(ob)[:, ob.pose.bones.find("arm.L")]) > 1e-3


def test_smoothness_leads_on_through_them():
    ob = figures.ready()
    led(ob)
    bpy.ops.superpose.bake(smoothness=0.5)
    assert max(moved(shown(ob)[hold]) for hold in HOLDS) > 1e-4
