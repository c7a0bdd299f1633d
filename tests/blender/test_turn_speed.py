# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A greatest turning speed of bones, in bakes and while Live plays frames."""

from itertools import pairwise
from math import radians

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import apart

pytestmark = pytest.mark.usefixtures("blend")

LAST, SPEED = 13, radians(240)


@pytest.fixture
def ob():
    """A figure whose forearm is slow, and the target of whose hand jumps at frame 4 and then stays."""
    ob = figures.ready()
    for bone in ob.pose.bones:
        bone.rotation_mode = 'QUATERNION'
    ob.pose.bones["forearm.L"].superpose.turn_speed = SPEED
    target = figures.target_of(ob, "hand.L")
    for frame, shift in ((1, (0, 0, 0)), (3, (0, 0, 0)), (4, (-0.25, -0.3, 0.2)), (LAST, (-0.25, -0.3, 0.2))):
        target.location = armatures.Vector((0.7, 0, 1.45)) + armatures.Vector(shift)
        target.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    scene.render.fps, scene.render.fps_base = 24, 1.0
    return ob


def seen(ob, frames):
    """The pose, turns of the slow bone from frame to frame, and the hand's distances, frame by frame."""
    poses, distances = [], []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        distances.append(figures.distance(ob, "hand.L"))
        poses.append(figures.rotations(ob))
    forearm = list(ob.pose.bones.keys()).index("forearm.L")
    turned = [apart(before[forearm], after[forearm]) for before, after in pairwise(poses)]
    return np.array(poses), np.radians(turned), np.array(distances)


@pytest.mark.parametrize("frames", ["TOGETHER", "FOLLOWING", "ALONE"])
def test_a_bake_turns_no_faster_and_what_comes_late_is_missed_by_that(ob, frames):
    span = {"range": 'CUSTOM', "frame_start": 1, "frame_end": LAST}
    assert bpy.ops.superpose.bake(frames=frames, **span) == {'FINISHED'}
    _, turned, distances = seen(ob, range(1, LAST + 1))
    assert turned.max() < SPEED / 24 + 1e-5
    assert turned.max() > 0.99 * SPEED / 24
    late, result = distances > 1e-3, ob.pose.bones["hand.L"].superpose
    assert late.any()
    assert not late[-1]  # it catches up
    assert np.isclose(result.position_residual, distances.max(), atol=1e-4)
    assert f"Missed in {late.sum()} of {LAST} frames: " in ob.superpose.message
    assert [(reason.kind, reason.about) for reason in result.reasons] == [('SPEED', "forearm.L")]


def test_live_plays_frames_as_a_bake_of_each_alone_has_them_and_leaves_others_alone(ob):
    bpy.ops.superpose.bake(frames='ALONE', range='CUSTOM', frame_start=1, frame_end=LAST)
    baked = seen(ob, range(1, LAST + 1))[0]
    ob.animation_data_clear()
    for bone in ob.pose.bones:
        bone.rotation_quaternion, bone.location = (1, 0, 0, 0), (0, 0, 0)
    ob.superpose_live = True
    played, turned, _ = seen(ob, range(1, LAST + 1))
    assert turned.max() < SPEED / 24 + 1e-5
    again = seen(ob, range(1, LAST + 1))[0]
    assert np.array_equal(played, again)
    one, twice = (seen(ob, frames)[0][-1] for frames in ((9, 6), (3, 6, 6)))
    assert np.array_equal(one, twice)  # not right after the frame before: as it was solved
    assert figures.distance(ob, "hand.L") < 1e-4
    assert max(apart(a, b) for a, b in zip(played, baked, strict=True)) < 1e-2


def test_a_solve_and_a_drag_know_no_time(ob):
    bpy.context.scene.frame_set(LAST)
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < 1e-4
    bpy.ops.superpose.pose(bone="hand.L", translation=(0.1, 0, 0.1))
    assert figures.distance(ob, "hand.L") < 1e-4


@pytest.mark.once
@pytest.mark.usefixtures("rigify")
def test_speeds_are_kept_in_files_by_role_and_taken_back(tmp_path):
    bpy.ops.object.armature_human_metarig_add()
    ob, path = bpy.context.object, str(tmp_path / "set-up.json")
    options = {"use_limits": False, "use_comfort": False, "use_targets": False, "use_live": False}
    bpy.ops.superpose.set_up_body(**options)
    ob.pose.bones["forearm.L"].superpose.turn_speed = SPEED
    bpy.ops.superpose.save_set_up(filepath=path)
    bpy.ops.superpose.remove_setup()
    bpy.ops.superpose.remove_setup()
    assert not any(bone.is_property_set("superpose") for bone in ob.pose.bones)
    bpy.ops.superpose.load_set_up(filepath=path, **options)
    assert np.isclose(ob.pose.bones["forearm.L"].superpose.turn_speed, SPEED)
    assert ob.pose.bones["forearm.R"].superpose.turn_speed == 0
    bpy.ops.superpose.remove_setup()
    assert not any(bone.is_property_set("superpose") for bone in ob.pose.bones)
