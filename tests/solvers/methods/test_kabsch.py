# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Superposition by singular values says the same as by quaternions, wherever there is only one answer."""

import numpy as np
import pytest
from random_rigs import (
    FREE,
    HUMAN_EFFECTORS,
    human,
    matrices,
    quaternions,
    random_pose,
    reachable,
    rotations_apart,
)

from solvers import Settings, solve
from solvers.superposition.kabsch import kabsch_rotation
from solvers.superposition.qcp import qcp_rotation


def same(a, b):
    return np.allclose(np.abs(np.sum(a * b, axis=-1)), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("noise", [0.0, 0.1, 3.0])
def test_it_is_the_rotation_of_quaternions(rng, noise):
    """Turned clouds, and clouds that have nothing to do with each other; those that mirror come up too."""
    moved = rng.normal(size=(500, 8, 3))
    turned = np.einsum("nij,nkj->nki", matrices(quaternions(rng, 500)), moved)
    covariance = np.einsum("nki,nkj->nij", moved, turned + noise * rng.normal(size=moved.shape))
    sizes = np.linalg.svd(covariance, compute_uv=False)
    signs = np.sign(np.linalg.det(covariance))
    unique = sizes[:, 1] + signs * sizes[:, 2] > 1e-2 * sizes[:, 0]
    assert unique.mean() > 0.9
    assert same(kabsch_rotation(covariance[unique]), qcp_rotation(covariance[unique]))
    if noise > 1:
        assert (signs < 0).any()


def test_nothing_gives_no_turn():
    assert np.allclose(kabsch_rotation(np.zeros((3, 3))), [1, 0, 0, 0], rtol=0, atol=1e-15)


def test_of_one_point_it_is_one_of_the_best(rng):
    a, b = rng.normal(size=(2, 50, 3))
    covariance = a[:, :, None] * b[:, None]
    turned = np.einsum("nij,nj->ni", matrices(kabsch_rotation(covariance)), a)
    assert np.allclose(
        np.sum(turned * b, axis=-1),
        np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1),
        rtol=1e-12,
    )


@pytest.mark.parametrize("method", ["SWEEP", "SUPERPOSE"])
def test_sweeps_of_it_lead_to_the_same_pose(rng, method):
    """With rotation targets every covariance has full rank, so no turn is left to chance."""
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton, 10)
    targets = reachable(rng, skeleton, HUMAN_EFFECTORS, 10)
    poses = [
        solve(
            skeleton,
            pose,
            HUMAN_EFFECTORS,
            targets,
            Settings(method=method, sweeps=2, iterations=2, kernel=kernel),
        ).pose
        for kernel in ("QCP", "KABSCH")
    ]
    assert rotations_apart(*poses) < 1e-6
