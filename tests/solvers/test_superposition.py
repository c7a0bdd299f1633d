# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both kernels of superposition against singular values, scipy, and the quartic that one is named after."""

import numpy as np
import pytest
from random_rigs import matrices, quaternions
from scipy.spatial.transform import Rotation

from solvers import SolverError, horn_rotation, qcp_rmsd, qcp_rotation
from solvers.geometry.rotations import key_matrix

ROWS = 100
SHARE_OF_E0 = 1e-12  # what the residual may differ by, as a share of E0: the promise
OVER_DISTANCE = 1e-12  # what the rotation may differ by, times how far eigenvalues are apart: the promise
UNDETERMINED = 1e-9  # relative distances below this are taken for none

every_kernel = pytest.mark.parametrize("kernel", [qcp_rotation, horn_rotation])


def cloud(rng, kind):
    """Return moved points, targets (rows, points, 3) and weights of one kind of data."""
    moved = rng.normal(size=(ROWS, 6, 3))
    if kind == "planar":
        moved[..., 2] = 0
    if kind == "collinear":
        moved = rng.normal(size=(ROWS, 6, 1)) * rng.normal(size=(ROWS, 1, 3))
    if kind == "single point":
        moved = moved[:, :1]
    turns = matrices(quaternions(rng, ROWS))
    if kind == "half turn":
        axes = rng.normal(size=(ROWS, 3))
        turns = Rotation.from_rotvec(np.pi * axes / np.linalg.norm(axes, axis=1, keepdims=True)).as_matrix()
    mirror = np.diag([1.0, 1.0, -1.0]) if kind == "mirrored" else np.eye(3)
    targets = moved @ mirror @ np.swapaxes(turns, -1, -2)
    if kind == "random":
        targets = targets + rng.normal(size=targets.shape)
    size = {"tiny": 1e-6, "huge": 1e6}.get(kind, 1.0)
    return size * moved, size * targets, rng.uniform(0.2, 3, size=moved.shape[:2])


KINDS = ["random", "exact", "planar", "collinear", "single point", "mirrored", "half turn", "tiny", "huge"]


def covariance_of(moved, targets, weights):
    return np.einsum("re,rei,rej->rij", weights, moved, targets)


def e0_of(moved, targets, weights):
    return 0.5 * np.einsum("re,rei->r", weights, moved**2 + targets**2)


def kabsch(covariance):
    """Return the rotations by singular value decomposition, with the sign of the determinant put right."""
    u, _, vt = np.linalg.svd(covariance)
    signs = np.ones((len(u), 3))
    signs[:, 2] = np.sign(np.linalg.det(u @ vt))
    return np.swapaxes(vt, -1, -2) * signs[:, None] @ np.swapaxes(u, -1, -2)


def residual(turns, moved, targets, weights):
    away = moved @ np.swapaxes(turns, -1, -2) - targets
    return np.einsum("re,rei->r", weights, away**2)


def eigenvalue_distance(covariance):
    values = np.linalg.eigvalsh(key_matrix(covariance))
    return (values[:, 3] - values[:, 2]) / np.linalg.norm(covariance, axis=(1, 2))


@every_kernel
@pytest.mark.parametrize("kind", KINDS)
def test_the_residual_is_that_of_the_singular_value_decomposition(rng, kind, kernel):
    data = cloud(rng, kind)
    covariance = covariance_of(*data)
    found = residual(matrices(kernel(covariance)), *data)
    expected = residual(kabsch(covariance), *data)
    assert (np.abs(found - expected) <= SHARE_OF_E0 * e0_of(*data)).all()


@every_kernel
@pytest.mark.parametrize("kind", KINDS)
def test_the_rotation_is_that_of_the_singular_value_decomposition_where_there_is_one(rng, kind, kernel):
    covariance = covariance_of(*cloud(rng, kind))
    distance = eigenvalue_distance(covariance)
    unique = distance > UNDETERMINED
    assert unique.any() == (kind not in ("collinear", "single point"))
    found, expected = matrices(kernel(covariance)), kabsch(covariance)
    apart = np.linalg.norm(found - expected, axis=(1, 2))
    assert (apart[unique] <= OVER_DISTANCE / distance[unique]).all()


@every_kernel
@pytest.mark.parametrize("kind", ["random", "exact", "planar", "half turn", "tiny", "huge"])
def test_scipy_finds_the_same_rotation(rng, kind, kernel):
    moved, targets, weights = cloud(rng, kind)
    covariance = covariance_of(moved, targets, weights)
    found, distance = matrices(kernel(covariance)), eigenvalue_distance(covariance)
    for row in range(0, ROWS, 4):
        expected, _ = Rotation.align_vectors(targets[row], moved[row], weights=weights[row])
        assert np.linalg.norm(found[row] - expected.as_matrix()) <= OVER_DISTANCE / distance[row]


def newtons_root(covariance):
    """Return the largest root of ``x^4 + c2 x^2 + c1 x + c0``, which belongs to the key matrix."""
    c2, c1 = -2 * np.sum(covariance**2), -8 * np.linalg.det(covariance)
    c0 = np.linalg.det(key_matrix(covariance))
    root = np.sqrt(3.0)  # no smaller than any root for a covariance of Frobenius norm 1
    for _ in range(100):
        slope = 4 * root**3 + 2 * c2 * root + c1
        step = (root**4 + c2 * root**2 + c1 * root + c0) / slope if slope else 0.0
        root -= step
        if abs(step) <= 1e-16 * root:
            break
    return root


@every_kernel
@pytest.mark.parametrize("kind", KINDS)
def test_newton_on_the_characteristic_quartic_finds_the_same_overlap(rng, kind, kernel):
    """The QCP of the literature as oracle: the rotation found is worth its largest root."""
    covariance = covariance_of(*cloud(rng, kind))
    covariance /= np.linalg.norm(covariance, axis=(1, 2), keepdims=True)
    worth = np.einsum("rij,rji->r", matrices(kernel(covariance)), covariance)
    roots = np.array([newtons_root(matrix) for matrix in covariance])
    # Newton's iteration loses half the digits at a double root, which only the oracle has to bear.
    tolerance = np.where(eigenvalue_distance(covariance) > 1e-3, 1e-11, 1e-6)
    assert (np.abs(worth - roots) <= tolerance).all()


@every_kernel
@pytest.mark.parametrize("share", [1e-2, 1e-4, 1e-6, 1e-8])
def test_a_second_point_of_small_weight_still_decides_the_turn_about_the_first(rng, share, kernel):
    turns = matrices(quaternions(rng, 50))
    moved = np.diag([1.0, share, 0.0])
    found = matrices(kernel(moved @ np.swapaxes(turns, -1, -2)))
    # The distance is twice the share here.
    assert np.abs(found - turns).max() <= OVER_DISTANCE / share


@every_kernel
def test_no_other_rotation_is_worth_more(rng, kernel):
    covariance = rng.normal(size=(200, 3, 3))
    worth = np.einsum("rij,rji->r", matrices(kernel(covariance)), covariance)
    others = np.einsum("oij,rji->ro", matrices(quaternions(rng, 300)), covariance)
    assert (others <= worth[:, None] + 1e-12).all()


@every_kernel
@pytest.mark.parametrize("degrees", [0, 1e-9, 1e-3, 30, 90, 179, 179.999])
def test_one_point_is_turned_along_the_shortest_arc(rng, degrees, kernel):
    a = rng.normal(size=(50, 3))
    axis = np.cross(a, rng.normal(size=(50, 3)))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    arc = Rotation.from_rotvec(np.radians(degrees) * axis).as_matrix()
    b = 2.5 * np.einsum("rij,rj->ri", arc, a)
    found = matrices(kernel(np.einsum("ri,rj->rij", a, b)))
    # Rounding over the cosine of half the angle, which is what the identity has in the eigenspace.
    tolerance = 1e-14 / np.cos(np.radians(degrees) / 2)
    assert np.allclose(found, arc, rtol=0, atol=tolerance)


@every_kernel
def test_an_undetermined_turn_is_the_smallest(rng, kernel):
    """Collinear points leave the turn about their line open; no turn about it makes the found one smaller."""
    moved, targets, weights = cloud(rng, "collinear")
    found = kernel(covariance_of(moved, targets, weights))
    lines = targets[:, 0] / np.linalg.norm(targets[:, 0], axis=1, keepdims=True)
    for angle in np.linspace(-3, 3, 40):
        other = (Rotation.from_rotvec(angle * lines) * Rotation.from_matrix(matrices(found))).magnitude()
        assert (Rotation.from_matrix(matrices(found)).magnitude() <= other + 1e-12).all()


@every_kernel
@pytest.mark.parametrize(
    ("covariance", "axis"),
    [
        (-np.diag([1.0, 0, 0]), [0, 1, 0]),
        (-np.diag([0, 1.0, 0]), [1, 0, 0]),
        (-np.diag([0, 0, 1.0]), [1, 0, 0]),
        (np.diag([1.0, -1.0, -1.0]), [1, 0, 0]),
        (np.diag([-1.0, -1.0, 1.0]), [0, 0, 1]),
    ],
)
def test_a_half_turn_takes_the_first_axis_that_serves(covariance, axis, kernel):
    assert np.allclose(kernel(covariance), [0, *axis], rtol=0, atol=1e-15)


@every_kernel
def test_a_fully_mirrored_cloud_is_turned_half_round_x(kernel):
    """Every half turn is as good as any other there, and better than none."""
    assert np.allclose(kernel(-np.eye(3)), [0, 1, 0, 0], rtol=0, atol=1e-15)


@every_kernel
def test_nothing_to_go_by_is_no_turn(kernel):
    assert (kernel(np.zeros((4, 3, 3))) == [1, 0, 0, 0]).all()


@every_kernel
@pytest.mark.parametrize("size", [1e-290, 1e-150, 1e-60, 1e-12, 1e12, 1e60, 1e150, 1e290])
@pytest.mark.parametrize("kind", KINDS)
def test_the_size_of_the_data_does_not_matter(rng, kind, size, kernel):
    covariance = covariance_of(*cloud(rng, kind))
    unique = eigenvalue_distance(covariance) > 1e-6
    chosen = unique if unique.any() else ~unique
    found, scaled = kernel(covariance[chosen]), kernel(size * covariance[chosen])
    assert np.allclose(np.abs(np.sum(found * scaled, axis=1)), 1, rtol=0, atol=1e-12)


@every_kernel
def test_the_quaternion_is_of_unit_length_with_w_not_negative(rng, kernel):
    for kind in KINDS:
        found = kernel(covariance_of(*cloud(rng, kind)))
        assert np.allclose(np.linalg.norm(found, axis=1), 1, rtol=0, atol=1e-14)
        assert (found[:, 0] >= 0).all()


@pytest.mark.company
@every_kernel
def test_each_row_is_found_as_if_alone(rng, kernel):
    covariance = np.concatenate([covariance_of(*cloud(rng, kind))[:5] for kind in KINDS])
    together = kernel(covariance)
    alone = np.stack([kernel(matrix) for matrix in covariance])
    assert (together == alone).all()
    assert (together[3:20] == kernel(covariance[3:20])).all()
    assert (together == kernel(covariance.reshape(9, 5, 3, 3)).reshape(-1, 4)).all()


@every_kernel
def test_no_rows_have_no_rotations(kernel):
    assert kernel(np.empty((2, 0, 3, 3))).shape == (2, 0, 4)


@every_kernel
@pytest.mark.parametrize("rows", [1, 5, 50])
def test_what_is_given_is_left_as_it_is(rng, kernel, rows):
    covariance = rng.normal(size=(rows, 3, 3))
    given = covariance.copy()
    kernel(covariance)
    assert (covariance == given).all()


@every_kernel
def test_other_numbers_count_as_their_values_in_any_company(kernel, rng):
    single = rng.normal(size=(ROWS, 3, 3)).astype(np.float32)
    turns = kernel(single)
    np.testing.assert_array_equal(turns, kernel(single.astype(np.float64)))
    np.testing.assert_array_equal(turns[:3], kernel(single[:3].tolist()))


def deviation(covariance):
    return qcp_rmsd(covariance, 1.0, 1.0)


@pytest.mark.parametrize("function", [qcp_rotation, horn_rotation, deviation])
@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (np.full((4, 3, 3), np.nan), "A covariance is not finite"),
        (np.diag([np.inf, 1, 1]), "A covariance is not finite"),
        (np.ones((9, 2, 2)), r"the shape \(9, 2, 2\), not \(..., 3, 3\)"),
        (np.ones(9), "shape"),
        ([[1, 2], [3]], "must be numbers"),
        ("covariance", "must be numbers"),
    ],
)
def test_what_is_no_covariance_is_refused(function, values, complaint):
    with pytest.raises(SolverError, match=complaint):
        function(values)
