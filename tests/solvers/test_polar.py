# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The orthogonal polar factor is what singular values make of it, whichever way it is found."""

import numpy as np
import pytest
from random_rigs import matrices, quaternions

from solvers.geometry import mirrors, polar_factor

COUNT = 60


def by_singular_values(given):
    left, _, right = np.linalg.svd(given)
    return left @ right


@pytest.fixture
def nearly(rng):
    """Rotations, every seventh mirroring, of all sizes, rounded as Blender does."""
    sizes = 10.0 ** rng.uniform(-12, 12, size=(COUNT, 1, 1))
    given = (matrices(quaternions(rng, COUNT)) * sizes).astype(np.float32).astype(np.float64)
    given[::7] *= -1
    return given


@pytest.fixture
def stretched(rng):
    return matrices(quaternions(rng, COUNT)) @ (np.eye(3) + 0.5 * rng.normal(size=(COUNT, 3, 3)))


def test_rotations_that_are_scaled_and_rounded(nearly):
    found = polar_factor(nearly)
    assert np.allclose(found, by_singular_values(nearly), rtol=0, atol=1e-14)
    assert np.allclose(found @ found.swapaxes(-1, -2), np.eye(3), rtol=0, atol=1e-15)


@pytest.mark.parametrize("shear", [1e-7, 1e-6, 1e-5, 1e-4, 1e-2])
def test_the_nearer_to_a_rotation_the_quicker_and_never_less_exact(rng, shear):
    given = matrices(quaternions(rng, COUNT)) @ (np.eye(3) + shear * rng.normal(size=(COUNT, 3, 3)))
    assert np.allclose(polar_factor(given), by_singular_values(given), rtol=0, atol=1e-14)


def test_whatever_is_no_rotation(stretched):
    flat, nothing = np.diag([1.0, 2.0, 0.0]), np.zeros((3, 3))
    given = np.concatenate([stretched, [flat, nothing, 1e-200 * flat, 1e200 * stretched[0]]])
    assert np.array_equal(polar_factor(given), by_singular_values(given))


@pytest.mark.company
def test_each_is_what_it_is_alone(nearly, stretched):
    given = np.concatenate([nearly, stretched])
    alone = np.concatenate([polar_factor(one[None]) for one in given])
    assert np.array_equal(polar_factor(given), alone)


def test_what_is_not_finite_is_refused():
    with pytest.raises(np.linalg.LinAlgError):
        polar_factor(np.full((2, 3, 3), np.nan))


def test_shapes_are_kept(nearly):
    grid = nearly.reshape(5, -1, 3, 3)
    assert np.array_equal(polar_factor(grid).reshape(nearly.shape), polar_factor(nearly))
    assert polar_factor(nearly[0]).shape == (3, 3)
    assert polar_factor(nearly[:0]).shape == (0, 3, 3)


def test_mirrors_are_told_by_the_sign_of_the_volume(nearly, stretched):
    given = np.concatenate([nearly, stretched])
    assert np.array_equal(mirrors(given), np.linalg.det(given) < 0)
