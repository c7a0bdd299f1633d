# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics on a rig small enough to check by hand: two legs of a hips bone, one unit per bone."""

import numpy as np

from benchmarks import metrics
from benchmarks.kinematics import forward, own_transforms, rotation_from_vector, vector_from_rotation
from benchmarks.problems import basis_from, reachable_poses, smooth_poses, targets_of
from benchmarks.rigs import Rig


def legs():
    """Hips at 0; one leg's heads at 0, 1, 2, 3, the other's at 0, 0, 1; effectors at the ends."""
    rest = np.tile(np.eye(4), (8, 1, 1))
    rest[:, 1, 3] = [0, 0, 1, 2, 3, 0, 0, 1]
    parents = np.array([-1, 0, 1, 2, 3, 0, 5, 6])
    return Rig(tuple("habcdxyz"), parents, rest, np.ones(8), np.array([0, 4, 7]), scale=2.0)


def test_free_joints_leave_out_what_targets_carry():
    """Free are heads 1 and 2 of the first leg; the other's knee lies on the hips."""
    assert metrics.free_joints(legs()) == [2, 3]


def test_solved_bones_are_the_paths():
    """Every bone here lies on a path."""
    assert metrics.solved_bones(legs()) == list(range(8))


def test_residuals_are_metres_and_degrees():
    """One effector moved by 0.001 units is 2 mm off at scale 2; one turned by 0.2 degrees is 0.2 off."""
    poses = reachable_poses(legs(), 0.4, count=3)
    targets = targets_of(legs(), poses).copy()
    targets[1, 1, 0, 3] += 1e-3
    targets[2, 2, :3, :3] = targets[2, 2, :3, :3] @ rotation_from_vector(np.radians([0, 0.2, 0]))
    metres, degrees = metrics.residuals(legs(), poses, targets)
    assert np.allclose(metres, [[0, 0, 0], [0, 2e-3, 0], [0, 0, 0]])
    assert np.allclose(degrees, [[0, 0, 0], [0, 0, 0], [0, 0, 0.2]])
    assert metrics.solved(legs(), poses, targets).tolist() == [True, False, False]


def test_joint_distance_is_the_mean_of_free_joints():
    """One of two free joints 0.1 units away is 0.1 m on average at scale 2."""
    reference = reachable_poses(legs(), 0.4, count=4)
    poses = reference.copy()
    poses[:, 3, 2, 3] += 0.1
    assert np.allclose(metrics.joint_distance(legs(), poses, reference), 0.1)


def test_angular_acceleration_of_a_steady_and_a_quickening_turn():
    """A steady turn has none; the hips turning by t^2 rad have 2 rad/s^2, an eighth of it on average."""
    seconds = np.arange(20) / 30
    for angle, expected in ((seconds, 0), (seconds**2, 2 / 8)):
        vectors = np.zeros((20, 8, 3))
        vectors[:, 0, 2] = angle
        poses = forward(legs(), basis_from(vectors, np.zeros((20, 3))))
        assert np.isclose(metrics.angular_acceleration(legs(), poses, 30), expected, atol=1e-9)


def test_roughness_of_a_clip_against_itself():
    """One by definition."""
    clip = smooth_poses(legs(), frames=40)
    assert np.isclose(metrics.roughness(legs(), clip, clip, 30), 1)


def test_forward_and_back():
    """Own transforms of a pose give the pose; rotation vectors survive the round trip."""
    vectors = np.random.default_rng(0).normal(0, 0.5, (5, 8, 3))
    basis = basis_from(vectors, np.ones((5, 3)))
    assert np.allclose(own_transforms(legs(), forward(legs(), basis)), basis)
    assert np.allclose(vector_from_rotation(rotation_from_vector(vectors)), vectors)
