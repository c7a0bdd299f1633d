# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comfort that few samples taught, mixed with what was known before."""

import numpy as np
import pytest

from solvers import Comfort, learn_comforts
from solvers.geometry import angle_between, quaternion_to_matrix, rotation_vector_to_quaternion
from solvers.learning import mixed_comfort


def around(rng, mean, spread, count):
    """Quaternions (count, 1, 4) of turns by that much about a mean rotation vector."""
    return rotation_vector_to_quaternion(mean + rng.normal(scale=spread, size=(count, 1, 3)))


def comfort(rng, mean, spread=0.2, count=400):
    (learned,) = learn_comforts(["bone"], around(rng, np.array(mean), spread, count), outliers=0.0)
    return learned.comfort


def away(one, other):
    return angle_between(quaternion_to_matrix(one.rotation), quaternion_to_matrix(other.rotation))


def test_many_samples_leave_nothing_of_what_was_known_and_none_all_of_it(rng):
    learned, before = comfort(rng, (0.5, 0, 0)), comfort(rng, (-0.3, 0.2, 0), 0.4)
    for found, wanted in (
        (mixed_comfort(learned, before, 1e9, 20), learned),
        (mixed_comfort(learned, before, 1e-6, 20), before),
        (mixed_comfort(learned, before, 100, 0), learned),
    ):
        assert away(found, wanted) < 1e-6
        assert np.allclose(found.spread, wanted.spread, rtol=0, atol=1e-6)


@pytest.mark.parametrize("counts_as", [100, 400, 1600])
def test_mixing_is_as_if_the_samples_of_both_were_learned_from_together(rng, counts_as):
    """Up to the curvature of rotations, which small turns do not feel."""
    samples = around(rng, np.array([0.002, 0.0, 0.001]), 0.002, 400)
    others = around(rng, np.array([-0.001, 0.002, 0.0]), 0.004, counts_as)
    (learned,), (before,) = (learn_comforts(["bone"], rows, outliers=0.0) for rows in (samples, others))
    (both,) = learn_comforts(["bone"], np.concatenate([samples, others]), outliers=0.0)
    found = mixed_comfort(learned.comfort, before.comfort, len(samples), counts_as)
    assert away(found, both.comfort) < 1e-6
    assert np.allclose(found.spread, both.comfort.spread, rtol=0.02, atol=2e-8)


def test_a_half_and_half_mixture_lies_half_way(rng):
    learned, before = comfort(rng, (0.8, 0, 0)), Comfort("bone", (1, 0, 0, 0), 0.3)
    found = mixed_comfort(learned, before, 50, 50)
    assert np.isclose(away(found, learned), away(found, before))
    # It strays as far as both do and, along the way between them, as far as they are apart.
    assert found.spread[0, 0] > learned.spread[0, 0] + 0.15


@pytest.mark.parametrize(("samples", "left"), [(1e-6, 1.0), (60, 0.25), (1e9, 0.0)])
def test_so_much_of_what_joints_have_in_common_is_left_as_was_known_of_the_joints(rng, samples, left):
    """Samples of each joint alone tell nothing of it."""
    learned, ties = comfort(rng, (0.5, 0, 0)), rng.uniform(-0.2, 0.2, size=(2, 3, 8))
    known = [Comfort("bone", (1, 0, 0, 0), 0.3, ties=own) for own in ties]
    one, other = (mixed_comfort(learned, before, samples, 20) for before in known)
    assert np.allclose(one.ties @ other.ties.T, left * ties[0] @ ties[1].T, atol=1e-6)
