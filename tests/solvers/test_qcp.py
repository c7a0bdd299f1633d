# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The quaternion characteristic polynomial: its largest root, however hard, and what is left to others."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_rigs import matrices, quaternions

from solvers import horn_rotation, qcp_rmsd, qcp_rotation
from solvers.superposition import qcp

LEAST_SLOPE = 1 / 32  # what is steeper the iteration has to find by itself: the promise
ROOT = 3e-13  # what the root, of a covariance of Frobenius norm 1, may be off by
UNDETERMINED = 1e-9  # relative distances below this are taken for none
OVER_DISTANCE = 1e-12  # what the rotation may be off by, times how far eigenvalues are apart: the promise
LARGEST = np.finfo(float).max

exponent = st.floats(0, 17)
seeds = st.integers(0, 10**6)
sign = st.sampled_from([-1.0, 1.0])


def singular_values(a, b, mirrored):
    """Return the three of a covariance of norm 1, the least with the sign of the determinant."""
    values = np.array([1.0, 10.0**-a, mirrored * 10.0 ** -(a + b)])
    return values / np.linalg.norm(values)


def slope_of(values):
    """Return the slope (...) of the polynomial at its largest root, from its distances to the others."""
    s, t, u = np.moveaxis(values, -1, 0)
    return 8 * (s + t) * (s + u) * (t + u)


def made_of(rng, values):
    """Return covariances (rows, 3, 3) with these singular values (rows, 3), and their rotations."""
    left, right = (matrices(quaternions(rng, len(values))) for _ in range(2))
    return left * values[:, None] @ np.swapaxes(right, -1, -2), right @ np.swapaxes(left, -1, -2)


def roots_of(values):
    """Return roots and slopes as the kernel finds them, of diagonal covariances."""
    entries = np.zeros((9, len(values)))
    entries[[0, 4, 8]] = values.T
    return qcp._evaluated(qcp._root_and_slope, entries)[:2]


@pytest.mark.parametrize("around", [(1, 1, -1), (1, 1, 1), (1, 0, 0), (1, 1, 0), (1, 0.5, -0.5)])
def test_newton_finds_every_steep_root_to_its_last_digits(rng, around):
    """Close to the worst places at all distances; those just steep enough are reached last."""
    distances = 10.0 ** rng.uniform(-4, 0.3, size=(200_000, 1))
    values = around / np.linalg.norm(around) + distances * rng.normal(size=(200_000, 3))
    mirrored = np.sign(values.prod(axis=1, keepdims=True))
    values = -np.sort(-np.abs(values), axis=1) * np.hstack([np.ones((200_000, 2)), mirrored])
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    steep = slope_of(values) > LEAST_SLOPE
    assert ((slope_of(values) < 1.2 * LEAST_SLOPE) & steep).any() or around in [(1, 1, 1), (1, 1, 0)]
    root, slope = roots_of(values[steep])
    assert np.abs(root - values[steep].astype(np.longdouble).sum(axis=1)).max() < ROOT
    assert np.allclose(slope, slope_of(values[steep]), rtol=1e-10)


def test_only_rows_with_close_roots_are_left_to_the_eigen_decomposition(rng, monkeypatch):
    left = []

    def recorded(covariance):
        left.append(covariance)
        return horn_rotation(covariance)

    monkeypatch.setattr(qcp, "horn_rotation", recorded)
    values = np.array([singular_values(*v) for v in [(0, 0, 1), (0.5, 0.5, 1), (0.3, 1, -1), (0.3, 17, 1)]])
    assert (slope_of(values) > 1).all()
    qcp_rotation(made_of(rng, values)[0])
    assert not left
    close = np.array([singular_values(*v) for v in [(0, 0, -1), (3, 0, 1), (0.1, 0, -1), (9, 0, 1)]])
    assert (slope_of(close) < LEAST_SLOPE).all()
    covariance = made_of(rng, np.concatenate([values, close]))[0]
    qcp_rotation(covariance)
    assert (left[0] == covariance[4:]).all()


@given(a=exponent, b=exponent, mirrored=sign, seed=seeds)
@example(a=0.0, b=0.0, mirrored=-1.0, seed=1)
@example(a=0.0, b=1e-4, mirrored=-1.0, seed=2)
@example(a=4.0, b=0.0, mirrored=-1.0, seed=3)
@example(a=1.2, b=17.0, mirrored=1.0, seed=4)
def test_the_rotation_is_the_one_that_the_covariance_is_made_of(a, b, mirrored, seed):
    values = singular_values(a, b, mirrored)
    distance = 2 * (values[1] + values[2])
    covariance, turn = made_of(np.random.default_rng(seed), values[None])
    found = matrices(qcp_rotation(covariance))
    overlap = np.einsum("rij,rji->r", found, covariance)
    # Where the distance is taken for none, the smallest turn may be worth less by as much.
    assert abs(overlap[0] - values.sum()) <= 1e-14 + distance * (distance <= UNDETERMINED)
    if distance > UNDETERMINED:
        assert np.linalg.norm(found - turn) <= OVER_DISTANCE / distance


@given(
    a=st.floats(0, 6), b=exponent, mirrored=sign, seed=seeds, size=st.floats(-140, 140), rest=st.floats(0, 1)
)
@example(a=0.0, b=0.0, mirrored=-1.0, seed=1, size=0.0, rest=0.0)
@example(a=6.0, b=0.0, mirrored=-1.0, seed=1, size=0.0, rest=0.0)
def test_the_deviation_is_what_the_best_rotation_leaves(a, b, mirrored, seed, size, rest):
    """Of points whose squares are known: twice the overlap, and ``rest`` that no rotation takes away."""
    values = singular_values(a, b, mirrored)
    covariance, _ = made_of(np.random.default_rng(seed), values[None])
    scale = 10.0**size
    squares = scale * (2 * values.sum() + rest)
    found = qcp_rmsd(scale * covariance, np.array([squares]), np.array([2.0]))
    # A difference of squares: what is off by a rounding of them is seen under the root.
    assert np.allclose(found**2, 0.5 * scale * rest, rtol=0, atol=1e-13 * scale)


def test_the_deviation_of_points_is_that_of_points(rng):
    moved, targets = rng.normal(size=(2, 40, 6, 3))
    weights = rng.uniform(0.2, 3, size=(40, 6))
    covariance = np.einsum("re,rei,rej->rij", weights, moved, targets)
    squares = np.einsum("re,rei->r", weights, moved**2 + targets**2)
    turned = np.einsum("rij,rej->rei", matrices(horn_rotation(covariance)), moved)
    expected = np.sqrt(np.einsum("re,rei->r", weights, (turned - targets) ** 2) / weights.sum(axis=1))
    assert np.allclose(qcp_rmsd(covariance, squares, weights.sum(axis=1)), expected, rtol=1e-12)
    shaped = qcp_rmsd(covariance.reshape(4, 10, 3, 3), squares.reshape(4, 10), weights.sum(axis=1)[:10])
    assert shaped.shape == (4, 10)


@pytest.mark.company
@given(rows=st.integers(1, 40), seed=seeds)
def test_rows_are_the_same_to_the_last_bit_in_any_company(rows, seed):
    """Few rows are worked out as numbers, many as arrays, hard ones by others: none of it may show."""
    rng = np.random.default_rng(seed)
    values = [singular_values(*10.0 ** rng.uniform(-3, 1, size=2), rng.choice([-1, 1])) for _ in range(rows)]
    covariance = made_of(rng, np.array(values))[0] * 10.0 ** rng.uniform(-150, 150, size=(rows, 1, 1))
    turns, ones = qcp_rotation(covariance), np.ones(rows)
    left = qcp_rmsd(covariance, np.full(rows, LARGEST), ones)
    for part in (slice(0, 1), slice(0, 7), slice(rows // 2, None), slice(None, None, -1)):
        assert (qcp_rotation(covariance[part]) == turns[part]).all()
        assert (qcp_rmsd(covariance[part], np.full(rows, LARGEST)[part], ones[part]) == left[part]).all()
