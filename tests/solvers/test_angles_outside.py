# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far rotations are outside limits: nothing within, and by as much as they were turned beyond."""

import limit_checks
import numpy as np
import pytest

from solvers import Hinge
from solvers.geometry.rotations import rotation_vector_to_quaternion
from solvers.limits.outside import angles_outside

RANDOM = [
    limit_checks.random_hinge,
    limit_checks.random_cones,
    limit_checks.random_ellipse,
    limit_checks.random_euler,
]


def test_hinges_are_left_by_as_much_as_they_are_turned_beyond():
    limits = [Hinge(f"bone {place}", (1, 0, 0), -0.5, 0.5) for place in range(4)]
    turns = rotation_vector_to_quaternion(np.outer([0.2, 0.7, -1.5, 0.5], (1, 0, 0)))
    np.testing.assert_allclose(angles_outside(limits, turns), [0, 0.2, 1.0, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_outside_where_nothing_is_violated(seed):
    rng = np.random.default_rng(seed)
    limits = [RANDOM[place % 4](rng, f"bone {place}") for place in range(24)]
    turns = rotation_vector_to_quaternion(rng.normal(scale=0.6, size=(24, 3)))
    found = angles_outside(limits, turns)
    violated = np.array(
        [limit_checks.violation(limit, turn[None])[0] for limit, turn in zip(limits, turns, strict=True)]
    )
    assert np.array_equal(found > 1e-6, violated > 1e-6)
    assert (found > 1e-6).any()
    assert (found <= 1e-6).any()


@pytest.mark.parametrize("count", [0, 24])
def test_many_frames_at_once_are_outside_as_each_is(count):
    rng = np.random.default_rng(3)
    limits = [RANDOM[place % 4](rng, f"bone {place}") for place in range(count)]
    turns = rotation_vector_to_quaternion(rng.normal(scale=0.6, size=(7, count, 3)))
    each = np.array([angles_outside(limits, row) for row in turns])
    assert np.array_equal(angles_outside(limits, turns), each)
