# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Twist, then swing: what was put together comes apart again, and the swing is the shortest."""

import numpy as np
import pytest

from solvers.geometry import (
    angle_between,
    matrix_to_quaternion,
    quaternion_to_matrix,
    rotation_vector_to_matrix,
    swing_to,
    twist_about,
    twist_angles,
    twisted,
    untwisted,
)

Y = np.array([0.0, 1.0, 0.0])


@pytest.fixture
def parts(rng):
    """Directions (60, 3) that are not straight back, and angles (60,) within half a turn."""
    directions = rng.normal(size=(60, 3))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    return directions[directions[:, 1] > -0.99], rng.uniform(-np.pi, np.pi, 60)[directions[:, 1] > -0.99]


def test_what_is_put_together_comes_apart(parts):
    directions, angles = parts
    whole = twisted(swing_to(directions), angles)
    np.testing.assert_allclose(whole[..., 1], directions, atol=1e-14)
    np.testing.assert_allclose(twist_angles(whole), angles, atol=1e-12)
    np.testing.assert_allclose(untwisted(whole), quaternion_to_matrix(swing_to(directions)), atol=1e-12)


def test_the_twist_comes_first(parts):
    directions, angles = parts
    twist = rotation_vector_to_matrix(angles[:, None] * Y)
    np.testing.assert_allclose(
        twisted(swing_to(directions), angles), quaternion_to_matrix(swing_to(directions)) @ twist, atol=1e-14
    )


def test_no_swing_is_shorter(parts):
    swings = quaternion_to_matrix(swing_to(parts[0]))
    np.testing.assert_allclose(angle_between(swings, np.eye(3)), np.arccos(parts[0][:, 1]), atol=1e-7)


def test_a_swing_straight_back_goes_about_x():
    np.testing.assert_allclose(quaternion_to_matrix(swing_to(-Y)), np.diag([1.0, -1.0, -1.0]), atol=1e-14)


def test_the_twist_about_an_axis_is_the_nearest_turn_about_it(rng):
    axis = np.array([2.0, -1.0, 2.0]) / 3
    turns = rotation_vector_to_matrix(rng.normal(size=(40, 3)))
    angles = twist_about(matrix_to_quaternion(turns), axis)
    apart = angle_between(turns, rotation_vector_to_matrix(angles[:, None] * axis))
    for other in angles + np.linspace(0.1, 6.1, 25)[:, None]:
        assert (apart <= angle_between(turns, rotation_vector_to_matrix(other[:, None] * axis)) + 1e-9).all()


def test_matrices_and_quaternions_have_one_twist(rng):
    matrices = rotation_vector_to_matrix(rng.normal(size=(40, 3)))
    off = twist_angles(matrices) - twist_about(matrix_to_quaternion(matrices), Y)
    np.testing.assert_allclose(off - 2 * np.pi * np.round(off / (2 * np.pi)), 0, atol=1e-12)


def test_a_single_rotation_has_a_single_twist():
    turn = rotation_vector_to_matrix(0.5 * Y)
    assert twist_angles(turn).shape == twist_about(matrix_to_quaternion(turn), Y).shape == ()
    assert untwisted(turn).shape == (3, 3)
