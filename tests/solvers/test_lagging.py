# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that turn no faster than they may: against a clock in one dimension, and by what they promise."""

from dataclasses import replace

import numpy as np
import pytest
from limit_checks import violation
from random_rigs import chain, end_of, random_pose, targets_at, unturned, wxyz
from scipy.spatial.transform import Rotation

from solvers import (
    Cones,
    EulerLimit,
    Hinge,
    Pose,
    Request,
    SkeletonError,
    SolverError,
    Twist,
    forward,
    solve,
    with_lag,
)
from solvers.finish import lagged
from solvers.geometry import angle_between, quaternion_to_matrix

FPS = 24.0


def turning(angles, axis=(1.0, 0.0, 0.0), bones=2):
    """Poses (frames) of a chain whose second bone is turned about an axis by angles (frames,)."""
    rotations = np.array(unturned(len(angles), bones))
    rotations[:, 1] = wxyz(Rotation.from_rotvec(np.outer(angles, axis)))
    return Pose(rotations, np.zeros((len(angles), bones, 3)))


def angles_of(pose, bone=1):
    return 2 * np.arctan2(pose.rotations[:, bone, 1], pose.rotations[:, bone, 0])


def steps_of(rotations):
    matrices = quaternion_to_matrix(rotations)
    return angle_between(matrices[1:], matrices[:-1])


def wandering(rng, seconds, rate, size):
    """Smooth random rotations (frames, 4), up to ``size`` radians from rest, at so many frames a second."""
    times = np.arange(round(seconds * rate) + 1)[:, None] / rate
    waves = [(rng.normal(size=3), rng.uniform(0.3, 3.0), rng.uniform(0, 6, 3)) for _ in range(4)]
    vectors = sum(w * np.sin(2 * np.pi * f * times + phase) for w, f, phase in waves)
    return wxyz(Rotation.from_rotvec(vectors * size / np.linalg.norm(vectors, axis=1).max()))


def test_a_jump_is_made_up_for_at_the_speed_of_the_bone():
    angles = np.where(np.arange(12) < 3, 0.0, 1.0)
    pose, behind = lagged(chain(2), turning(angles), np.array([0.0, 6.0]), 1 / FPS)
    wanted = np.clip((np.arange(12) - 2) * 6.0 / FPS, 0.0, 1.0)
    assert np.allclose(angles_of(pose), wanted, rtol=0, atol=1e-12)
    assert np.allclose(behind[:, 1], angles - wanted, rtol=0, atol=1e-12)
    assert not behind[:, 0].any()


def test_no_bone_turns_faster_and_slow_motion_is_left_as_it_is(rng):
    skeleton = chain(5)
    rotations = np.stack([wandering(rng, 2, FPS, 1.2) for _ in range(5)], axis=1)
    pose = Pose(rotations, np.zeros((len(rotations), 5, 3)))
    speeds = np.array([0.0, 1.0, 3.0, 1e3, 2.0])
    found, behind = lagged(skeleton, pose, speeds, 1 / FPS)
    for bone, speed in enumerate(speeds):
        turned, asked = (steps_of(one.rotations[:, bone]) for one in (found, pose))
        if speed in (0.0, 1e3):
            assert np.array_equal(found.rotations[:, bone], pose.rotations[:, bone])
            assert not behind[:, bone].any()
        else:
            assert turned.max() < speed / FPS + 1e-9
            assert asked.max() > 2 * speed / FPS
    assert behind[:, 1].max() > 0.3


@pytest.mark.parametrize("speed", [0.3, 1.0, 3.0])
def test_twice_the_frames_are_the_same_motion_to_one_frames_turn(rng, speed):
    for _ in range(20):
        fine, found = wandering(rng, 3, 2 * FPS, 0.7)[:, None], []
        for rotations, seconds in ((fine, 0.5 / FPS), (fine[::2], 1 / FPS)):
            pose = Pose(rotations, np.zeros((len(rotations), 1, 3)))
            lag, behind = lagged(chain(1), pose, np.array([speed]), seconds)
            found.append(quaternion_to_matrix(lag.rotations))
        assert 0 < behind.max() < np.pi / 2
        assert angle_between(found[0][::2], found[1]).max() <= speed / FPS


LIMITS = [
    Hinge("bone.000", (1, 0, 0), -0.5, 1.0),
    Cones("bone.001", (((0, 1, 0), 0.3), ((0.9, 0.2, 0.4), 0.2), ((0, 0.1, 1), 0.4)), -0.3, 0.3),
    EulerLimit("bone.002", "XYZ", (-0.2, -1.0, -0.1), (1.0, 0.2, 0.9)),
]


def test_limits_are_kept_on_the_way(rng):
    """Of a chain of cones the straight way between two directions leads outside."""
    skeleton = replace(chain(3), limits=tuple(LIMITS))
    ends = skeleton_within(skeleton, random_pose(rng, skeleton, 40, spread=1.5))
    found, _ = lagged(skeleton, ends, np.full(3, 4.0), 1 / FPS)
    straight, _ = lagged(replace(skeleton, limits=()), ends, np.full(3, 4.0), 1 / FPS)
    assert violation(LIMITS[1], straight.rotations[:, 1]).max() > 1e-2
    for bone, limit in enumerate(LIMITS):
        assert violation(limit, found.rotations[:, bone]).max() < 2e-6
        assert steps_of(found.rotations[:, bone]).max() < 4.0 / FPS + 1e-6


def skeleton_within(skeleton, pose):
    """The pose with every bone at its nearest allowed rotation."""
    found = solve(skeleton, pose, [end_of(3)], targets_at(skeleton, pose, [end_of(3)]))
    return found.pose


def test_rows_in_parts_go_on_where_the_one_before_ended(rng):
    pose = Pose(wandering(rng, 2, FPS, 1.2)[:, None], np.zeros((round(2 * FPS) + 1, 1, 3)))
    speeds = np.array([1.5])
    whole, _ = lagged(chain(1), pose, speeds, 1 / FPS)
    first, _ = lagged(chain(1), pose.rows(slice(0, 20)), speeds, 1 / FPS)
    last, _ = lagged(chain(1), pose.rows(slice(20, None)), speeds, 1 / FPS, first.rows(slice(19, 20)))
    assert np.allclose(np.concatenate([first.rotations, last.rotations]), whole.rotations, atol=1e-14)


def test_what_comes_late_is_missed_by_that_and_says_which_bone_is_slow(rng):
    skeleton, effectors = chain(4), (end_of(4),)
    start = random_pose(rng, skeleton, 30, spread=0.4)
    request = Request(skeleton, start, effectors, targets_at(skeleton, start, effectors))
    found = solve(skeleton, start, effectors, request.targets)
    slow = with_lag(request, found, np.array([0.0, 0.0, 1.0, 0.0]), 1 / FPS)
    rotations, heads = forward(skeleton, slow.pose)
    points = heads[:, 3] + rotations[:, 3] @ effectors[0].offset
    left = np.linalg.norm(points - request.targets.positions[:, 0], axis=-1)
    assert np.allclose(slow.position_residuals[:, 0], left, rtol=0, atol=1e-9)
    assert found.converged.all()
    assert slow.converged[0]
    late = ~slow.converged
    assert late.sum() > 20
    assert (slow.stopped[late] == "LAGGED").all()
    assert (slow.lagged_by[late] == 2).all()
    assert with_lag(request, found, np.zeros(4), 1 / FPS) is found


def test_bones_beside_a_limb_go_with_what_lags():
    twist = Twist("bone.002", 0.5, "bone.000", "bone.001")
    skeleton = replace(chain(3), parents=[-1, 0, 0], twists=(twist,))
    pose = turning(np.where(np.arange(6) < 1, 0.0, 1.0), axis=(0.0, 1.0, 0.0), bones=3)
    found, _ = lagged(skeleton, pose, np.array([0.0, 2.4, 0.0]), 1 / FPS)
    turned = 2 * np.arctan2(found.rotations[:, 2, 2], found.rotations[:, 2, 0])
    assert np.allclose(turned, 0.05 * np.arange(6), rtol=0, atol=1e-12)


@pytest.mark.parametrize("speed", [-1.0, np.nan])
def test_speeds_that_are_none_are_refused_by_name(rng, speed):
    skeleton, effectors = chain(2), (end_of(2),)
    start = random_pose(rng, skeleton, 3)
    request = Request(skeleton, start, effectors, targets_at(skeleton, start, effectors))
    found = solve(skeleton, start, effectors, request.targets)
    with pytest.raises(SkeletonError, match=r"'bone.001' has a speed"):
        with_lag(request, found, np.array([0.0, speed]), 1 / FPS)


@pytest.mark.parametrize(
    ("speeds", "seconds", "complaint"),
    [
        (np.zeros(3), 1 / FPS, r"There are 2 bones, but speeds of shape \(3,\)"),
        (np.ones(2), 0.0, "above zero, not 0.0"),
        (np.ones(2), -1.0, "above zero, not -1.0"),
        (np.ones(2), np.nan, "above zero, not nan"),
    ],
)
def test_speeds_of_other_bones_and_no_time_are_refused(rng, speeds, seconds, complaint):
    skeleton, effectors = chain(2), (end_of(2),)
    start = random_pose(rng, skeleton, 3)
    request = Request(skeleton, start, effectors, targets_at(skeleton, start, effectors))
    found = solve(skeleton, start, effectors, request.targets)
    with pytest.raises(SolverError, match=complaint):
        with_lag(request, found, speeds, seconds)
