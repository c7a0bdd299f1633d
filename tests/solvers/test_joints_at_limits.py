# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints are at their limits at the ends of what they may do, and nowhere else."""

import numpy as np
import pytest
from limit_checks import ORDERS, directions, random_cones, random_hinge, unit, violation
from random_rigs import scipy_of

from solvers import Cones, Ellipse, EulerLimit, Hinge, Pose, Skeleton, joints_at_limits
from solvers.geometry.rotations import (
    matrix_to_quaternion,
    multiply,
    quaternion_to_rotation_vector,
    rotation_vector_to_quaternion,
)
from solvers.limits.groups import group_limits

DEGREE = np.radians(1.0)
Y = (0.0, 1.0, 0.0)


def touched(limit, vectors):
    """Of one bone, for each of its rotation vectors (N, 3)."""
    vectors = np.atleast_2d(np.asarray(vectors, float))
    count = len(vectors)
    skeleton = Skeleton(["joint"], [-1], np.zeros((1, 1, 3)), [[[1, 0, 0, 0]]], limits=(limit,))
    rotations = rotation_vector_to_quaternion(vectors)[:, None]
    return joints_at_limits(skeleton, Pose(rotations, np.zeros((count, 1, 3))))[:, 0].tolist()


LIMITS = {
    "hinge": Hinge("joint", (1, 0, 0), 0, 1),
    "cone": Cones("joint", ((Y, 1.0),)),
    "ellipse": Ellipse("joint", (1.0, 0.8, 0.6, 0.4)),
    "euler": EulerLimit("joint", "XYZ", (-1, -0.5, -0.5), (1, 0.5, 0.5)),
    "locked": EulerLimit("joint", "YXZ", (-1, 0, 0), (1, 0, 0)),
}


@pytest.mark.parametrize("name", LIMITS)
def test_at_the_end_and_within(name):
    ends = [[1, 0, 0], [1 - DEGREE, 0, 0], [0.5, 0, 0]]
    assert touched(LIMITS[name], ends) == [True, False, False]


def test_twist_counts():
    limit = Cones("joint", ((Y, 1.0),), -0.5, 0.5)
    assert touched(limit, [[0, 0.5, 0], [0, -0.5, 0], [0, 0.4, 0]]) == [True, True, False]


def test_locked_axes_and_free_joints_are_at_no_limit():
    assert touched(EulerLimit("joint", "XYZ", (0, 0, 0), (0, 0, 0)), [0, 0, 0]) == [False]
    assert touched(EulerLimit("joint", "XYZ", (-4, 0, 0), (4, 0, 0)), [1, 0, 0]) == [False]
    assert touched(Hinge("joint", (1, 0, 0)), [2, 0, 0]) == [False]


def open_euler(rng):
    """No locked axis, and away from gimbal lock."""
    lower = rng.uniform(-1.0, 0.2, size=3)
    return EulerLimit("joint", ORDERS[int(rng.integers(6))], lower, lower + rng.uniform(0.2, 0.8, size=3))


def turns(limit, rng, size):
    """Small turns (200, 4) in every direction that the joint has."""
    axes = directions(rng, 200)
    if isinstance(limit, Hinge):
        axes = unit(limit.axis) * rng.choice([-1, 1], size=(200, 1))
    return rotation_vector_to_quaternion(size * axes)


@pytest.mark.parametrize("make", [random_hinge, random_cones, open_euler])
def test_a_joint_is_at_its_limit_if_and_only_if_a_small_turn_leaves_it(make, rng):
    seen = set()
    for _ in range(40):
        limit = make(rng)
        (group,) = group_limits((limit,), {"joint": 0})
        start = matrix_to_quaternion(group.nearest(scipy_of(rng.normal(size=(5, 4))).as_matrix()[:, None]))
        inside = rng.uniform(0.1, 0.9, size=(5, 3))
        start = [*start[:, 0], *(matrix_to_quaternion(group.sampled(point[None]))[0] for point in inside)]
        for turn in start:
            found = touched(limit, quaternion_to_rotation_vector(turn))[0]
            size = 0.02 if found else 0.0005  # radians; touched means within 0.001
            leaves = violation(limit, multiply(turn, turns(limit, rng, size))).max() > 1e-7
            assert leaves == found
            seen.add(found)
    assert seen == {True, False}
