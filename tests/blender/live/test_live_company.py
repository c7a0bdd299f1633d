# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live armatures that hang on each other, while frames change: a rider on a horse."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import MOVE, apart, channels

pytestmark = pytest.mark.once

FRAMES = (1, 4, 7, 10)


@pytest.fixture(params=["leader first", "follower first"])
def follower(request):
    """The active figure, live, with hands that follow the hand of another live one, which is animated."""
    names = ["Leader", "Follower"]
    made = {name: figures.ready(name) for name in (names if request.param == "leader first" else names[::-1])}
    leader, follower = (made[name] for name in names)
    follower.location.x = 0.3
    armatures.refresh()
    target = figures.target_of(leader, "hand.L")
    target.keyframe_insert("location", frame=1)
    target.location += MOVE
    target.keyframe_insert("location", frame=10)
    armatures.refresh()
    for hand in ("hand.L", "hand.R"):
        hang(figures.target_of(follower, hand), leader)
    for ob in made.values():
        ob.superpose_live = True
    armatures.refresh()
    figures.make_active(follower)
    return follower


def hang(target, leader):
    """Have the leader's hand carry a target from where it is."""
    place = target.matrix_world.copy()
    target.parent, target.parent_type, target.parent_bone = leader, 'BONE', "hand.L"
    armatures.refresh()
    target.matrix_world = place
    armatures.refresh()


def poses_of(follower, frames):
    poses = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        poses[frame] = channels(follower)
    return poses


def test_frames_do_not_depend_on_the_order_they_are_visited_in(follower):
    there = poses_of(follower, FRAMES)
    assert there == poses_of(follower, (7, 1, 10, 4))
    assert there == poses_of(follower, (10, 10, 7, 4, 1))
    assert len({str(pose) for pose in there.values()}) == len(FRAMES)


def test_a_frame_is_posed_as_it_is_baked(follower):
    live = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        live[frame] = figures.rotations(follower)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=10, frames='ALONE')
    for frame, pose in live.items():
        bpy.context.scene.frame_set(frame)
        assert apart(figures.rotations(follower), pose) < 0.02


def test_targets_that_go_along_hide_no_others_that_move(follower):
    """The hips are free: their target goes with the body in each frame, before the leader is posed."""
    follower.pose.bones["hips"].superpose.hold = 'FREE'
    hips = figures.target_of(follower, "hips")
    there = {}
    for frame in (*FRAMES, 7, 1, 10, 4):
        bpy.context.scene.frame_set(frame)
        for hand in ("hand.L", "hand.R"):
            assert figures.distance(follower, hand) < 1e-4
        assert figures.distance(follower, "hips") < 1e-4
        place = np.array(hips.matrix_world.translation)
        assert np.abs(there.setdefault(frame, place) - place).max() < 1e-6
