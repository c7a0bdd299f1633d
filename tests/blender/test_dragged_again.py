# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose that was dragged is the pose one gets back: from Solve, frames that Live plays and bakes."""

from itertools import pairwise

import armatures
import bpy
import figures
import humanoids
import numpy as np
import pytest
import rigify_rigs
from armatures import Matrix

pytestmark = [pytest.mark.usefixtures("blend", "rigify"), pytest.mark.once]

SAME, SEEN, CLOSE = 1e-4, 5e-4, 2e-3  # of the body's size: the same, what is seen, and a little more
LIFTED = "Heel lifted"
# Where hips are dragged, of the body's size, and whether that lifts heels.
WAYS = {"forwards": ((0, -0.06, -0.06), False), "far down": ((0, -0.15, -0.15), True)}


def set_up(ob):
    """A human in Pose Mode, set up with targets, in frame 5."""
    ob.animation_data_clear()
    for bone in ob.pose.bones:
        bone.rotation_mode, bone.matrix_basis = 'QUATERNION', Matrix()
    bpy.ops.object.mode_set(mode='OBJECT')
    figures.make_active(ob)
    figures.select_bones(ob)
    bpy.ops.superpose.set_up_body(use_live=False)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.context.scene.frame_set(5)
    return ob


def shown(ob):
    """Where joints are, of the body's size."""
    armatures.refresh()
    seen = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([ob.matrix_world @ bone.tail for bone in seen.pose.bones]) / size_of(ob)


def size_of(ob):
    return np.ptp([ob.matrix_world @ bone.tail_local for bone in ob.data.bones], axis=0).max()


def drag(ob, way):
    """Drag the hips; return what is shown then."""
    hips = min(figures.effectors(ob), key=lambda name: ob.pose.bones[name].superpose.order)
    return dragged(ob, hips, way)


def dragged(ob, bone, way):
    """Drag a bone so far, of the body's size; return what is shown then."""
    bpy.ops.superpose.pose(bone=bone, translation=tuple(size_of(ob) * np.array(way)))
    return shown(ob)


def key(ob, frame):
    for owner in (*ob.pose.bones, *(figures.target_of(ob, name) for name in figures.effectors(ob))):
        turn = "rotation_quaternion" if owner.rotation_mode == 'QUATERNION' else "rotation_euler"
        for path in ("location", turn):
            owner.keyframe_insert(path, frame=frame)


def apart(before, now):
    return np.linalg.norm(now - before, axis=1).max()


@pytest.mark.parametrize(
    ("make", "way"),
    [
        (None, "forwards"),
        (None, "far down"),
        pytest.param(humanoids.imported, "far down", marks=pytest.mark.slow),
    ],
)
def test_a_pose_that_was_dragged_and_keyed_comes_back(request, make, way):
    ob = set_up(make(request.getfixturevalue("shared_data")) if make else rigify_rigs.metarig("basic_human"))
    moved, lifts = WAYS[way]
    key(ob, 1)
    dragged = drag(ob, moved)
    assert (LIFTED in ob.superpose.notes) == lifts
    bpy.ops.superpose.solve()
    assert apart(dragged, shown(ob)) < SAME
    assert (LIFTED in ob.superpose.notes) == lifts
    assert ob.superpose.message.startswith("Solved 7")
    key(ob, 5)
    ob.superpose_live = True
    assert apart(dragged, seen_again(ob)) < SAME
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=5, step=4, frames='ALONE')
    assert apart(dragged, seen_again(ob)) < SAME


@pytest.mark.parametrize(
    ("make", "way"),
    [pytest.param(humanoids.imported, "far down", marks=pytest.mark.slow), (None, "forwards")],
)
def test_frames_that_keys_meet_stay_where_all_are_baked_together(request, make, way):
    ob = set_up(make(request.getfixturevalue("shared_data")) if make else rigify_rigs.metarig("basic_human"))
    key(ob, 1)
    before, dragged = shown(ob), drag(ob, WAYS[way][0])
    key(ob, 5)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=5, frames='TOGETHER')
    assert apart(dragged, seen_again(ob)) < SAME
    bpy.context.scene.frame_set(1)
    assert apart(before, shown(ob)) < SAME


@pytest.mark.usefixtures("only_available")
@pytest.mark.parametrize("bone", ["spine", "hand.L"])
def test_automatic_keys_of_a_drag_bring_its_pose_back(bone):
    """With Live and without; what is free and has no keys gets none."""
    ob, scene = set_up(rigify_rigs.metarig("basic_human")), bpy.context.scene
    ob.superpose_live = True
    for name in ("spine", "hand.L", "spine.006"):
        for path in ("location", "rotation_euler"):
            figures.target_of(ob, name).keyframe_insert(path, frame=1)
    scene.tool_settings.use_keyframe_insert_auto = True
    bpy.ops.superpose.pose(bone=bone, translation=(0, -0.3, -0.25) if bone == "spine" else (0.2, 0, -0.05))
    dragged = shown(ob)
    assert apart(dragged, seen_again(ob)) < SAME
    assert figures.target_of(ob, "spine.003").animation_data is None
    ob.superpose_live = False
    assert apart(dragged, seen_again(ob)) < SAME


def seen_again(ob):
    """What is shown once another frame has been looked at."""
    for frame in (1, 5):
        bpy.context.scene.frame_set(frame)
    return shown(ob)


def test_heels_that_lifted_come_down_where_hips_come_up_again():
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    target, before = figures.target_of(ob, "spine"), shown(ob)
    ankle = ob.pose.bones.find("shin.L")
    ob.pose.bones["spine.006"].superpose.enabled = False
    target.location.z -= 0.3
    bpy.ops.superpose.solve()
    assert (shown(ob) - before)[ankle][2] > CLOSE
    assert LIFTED in ob.superpose.notes
    target.location.z += 0.28
    bpy.ops.superpose.solve()
    assert np.linalg.norm(shown(ob) - before, axis=1)[ankle] < SEEN
    assert LIFTED not in ob.superpose.notes


def test_what_gave_way_comes_back_no_faster_than_what_is_dragged():
    ob = set_up(rigify_rigs.metarig("basic_human"))
    feet = [ob.pose.bones.find(name) for name in ("shin.L", "shin.R")]
    pull = np.array((-0.3, -0.6, 1.0)) / size_of(ob)
    before = shown(ob)
    poses = [dragged(ob, "hand.R", share * pull) for share in (1.0, 0.0, 0.0, -0.01, -0.1)]
    assert np.linalg.norm(poses[0] - before, axis=1)[feet].min() > CLOSE
    assert max(apart(poses[0], again) for again in poses[1:3]) < SAME
    for share, (one, other) in zip((0.01, 0.1), pairwise(poses[2:]), strict=True):
        by = np.linalg.norm(other - one, axis=1)[feet]
        assert (by < share * np.linalg.norm(pull)).all()
    assert by.min() > 10 * SEEN


@pytest.mark.parametrize("frames", ["TOGETHER", "ALONE"])
def test_in_bakes_heels_lift_where_flat_feet_would_keep_the_hips_up(frames):
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    target, toes = figures.target_of(ob, "spine"), [f"toe.{side}" for side in "LR"]
    before = {name: np.array(ob.pose.bones[name].head) for name in toes}
    for frame, height in ((1, 0.0), (4, -0.3)):
        target.location.z += height
        target.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=4, frames=frames)
    assert ob.superpose.message.startswith("Baked 4 frames")
    assert LIFTED in ob.superpose.notes
    for frame in range(1, 5):
        bpy.context.scene.frame_set(frame)
        assert figures.distance(ob, "spine") < CLOSE * size_of(ob)
        for name, place in before.items():
            np.testing.assert_allclose(np.array(ob.pose.bones[name].head), place, atol=1e-3)


@pytest.mark.parametrize("share", [-0.02, -0.17])
def test_a_second_solve_leaves_a_pose_that_misses(share):
    ob = set_up(rigify_rigs.metarig("basic_human"))
    figures.target_of(ob, "spine").location.z += share * size_of(ob)
    bpy.ops.superpose.solve()
    assert ob.superpose.message.startswith("Missed ")
    once = shown(ob)
    bpy.ops.superpose.solve()
    assert apart(once, shown(ob)) < SAME
