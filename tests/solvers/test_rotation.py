# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations obey the laws of their group and agree with scipy's."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_rigs import matrices, quaternions, scipy_of, wxyz
from scipy.spatial.transform import Rotation

from solvers.geometry import rotations as rotation

ORDERS = ["".join(order) for order in permutations("XYZ")]
ROUNDING = 1e-14  # a handful of operations on numbers of size one

component = st.floats(-1, 1, allow_subnormal=False)
vectors = st.tuples(component, component, component).map(lambda v: np.array(v) * np.pi / np.sqrt(3))
quaternion = st.tuples(component, component, component, component).filter(
    lambda q: sum(c * c for c in q) > 1e-6
)
quaternion = quaternion.map(lambda q: np.array(q) / np.linalg.norm(q))
angle = st.floats(-3, 3)


def same_turn(a, b, tolerance=ROUNDING):
    """Whether quaternions are equal up to their sign."""
    return np.allclose(np.abs(np.sum(a * b, axis=-1)), 1, rtol=0, atol=tolerance)


def test_products_and_lengths_are_those_of_numpy_whatever_the_leading_axes(rng):
    a, b = rng.normal(size=(5, 1, 3)), rng.normal(size=(4, 3))
    assert np.allclose(rotation.cross(a, b), np.cross(a, b), rtol=0, atol=ROUNDING)
    assert np.allclose(rotation.norm(a), np.linalg.norm(a, axis=-1), rtol=0, atol=ROUNDING)


@given(quaternion, quaternion, quaternion)
def test_quaternions_form_a_group(a, b, c):
    product = rotation.multiply(rotation.multiply(a, b), c)
    assert np.allclose(product, rotation.multiply(a, rotation.multiply(b, c)), rtol=0, atol=ROUNDING)
    assert np.allclose(rotation.multiply(a, rotation.conjugate(a)), [1, 0, 0, 0], rtol=0, atol=ROUNDING)
    assert np.isclose(np.linalg.norm(product), 1, rtol=0, atol=ROUNDING)


@given(quaternion, quaternion)
def test_the_product_turns_by_the_second_and_then_by_the_first(a, b):
    product = rotation.quaternion_to_matrix(rotation.multiply(a, b))
    expected = rotation.quaternion_to_matrix(a) @ rotation.quaternion_to_matrix(b)
    assert np.allclose(product, expected, rtol=0, atol=ROUNDING)


@given(quaternion)
def test_matrices_agree_with_scipy_and_are_rotations(q):
    matrix = rotation.quaternion_to_matrix(q)
    assert np.allclose(matrix, matrices(q), rtol=0, atol=ROUNDING)
    assert np.allclose(matrix @ matrix.T, np.eye(3), rtol=0, atol=ROUNDING)
    assert np.isclose(np.linalg.det(matrix), 1, rtol=0, atol=ROUNDING)


@given(quaternion)
@example(np.array([0.0, 1.0, 0.0, 0.0]))
@example(np.array([0.0, 0.6, 0.0, -0.8]))
@example(np.array([0.5, -0.5, 0.5, -0.5]))
@example(np.array([1e-12, 0.0, 0.0, 1.0]))
def test_a_matrix_gives_its_quaternion_back_with_w_not_negative(q):
    back = rotation.matrix_to_quaternion(rotation.quaternion_to_matrix(q))
    assert same_turn(back, q)
    assert back[0] >= 0


@given(vectors)
@example(np.zeros(3))
@example(np.array([1e-200, 0, 0]))
@example(np.array([0, 1e-9, 0]))
@example(np.array([np.pi, 0, 0]))
def test_rotation_vectors_agree_with_scipy_both_ways(v):
    expected = Rotation.from_rotvec(v)
    assert np.allclose(rotation.rotation_vector_to_matrix(v), expected.as_matrix(), rtol=0, atol=ROUNDING)
    q = rotation.rotation_vector_to_quaternion(v)
    assert same_turn(q, wxyz(expected))
    assert np.allclose(rotation.quaternion_to_rotation_vector(q), v, rtol=ROUNDING, atol=ROUNDING)


@given(quaternion)
def test_the_angle_of_a_rotation_vector_is_at_most_half_a_turn(q):
    assert np.linalg.norm(rotation.quaternion_to_rotation_vector(q)) <= np.pi + ROUNDING


@given(vectors, vectors)
def test_the_cross_matrix_takes_the_cross_product(u, v):
    assert np.allclose(rotation.cross_matrix(u) @ v, np.cross(u, v), rtol=0, atol=ROUNDING)


@given(vectors, quaternion)
def test_the_key_matrix_measures_overlap_with_the_turned_points(seed, q):
    covariance = np.outer(seed, seed[::-1]) + rotation.cross_matrix(seed)
    overlap = np.trace(matrices(q) @ covariance)
    assert np.isclose(q @ rotation.key_matrix(covariance) @ q, overlap, rtol=0, atol=1e-12)
    assert np.isclose(np.trace(rotation.key_matrix(covariance)), 0, atol=ROUNDING * 10)


@pytest.mark.parametrize("order", ORDERS)
@given(st.tuples(angle, angle, angle).map(np.array))
def test_euler_angles_turn_in_the_order_scipy_turns(order, angles):
    by_letter = [angles["XYZ".index(letter)] for letter in order]
    expected = Rotation.from_euler(order.lower(), by_letter).as_matrix()
    assert np.allclose(rotation.euler_to_matrix(angles, order), expected, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("order", ORDERS)
@given(quaternion)
def test_every_rotation_has_euler_angles_in_every_order(order, q):
    matrix = rotation.quaternion_to_matrix(q)
    angles = rotation.matrix_to_euler(matrix, order)
    # Within 1e-7 of gimbal lock one angle is left out, at most that far wrong.
    assert np.allclose(rotation.euler_to_matrix(angles, order), matrix, rtol=0, atol=2e-7)
    assert abs(angles["XYZ".index(order[1])]) <= np.pi / 2 + ROUNDING


@pytest.mark.parametrize("order", ORDERS)
@given(st.tuples(angle, st.floats(-1.5, 1.5), angle))
def test_euler_angles_come_back_where_they_are_unique(order, by_letter):
    angles = np.empty(3)
    for letter, value in zip(order, by_letter, strict=True):
        angles["XYZ".index(letter)] = value
    back = rotation.matrix_to_euler(rotation.euler_to_matrix(angles, order), order)
    # cos 1.5 = 0.07: the outer angles lose that factor of their digits.
    assert np.allclose(back, angles, rtol=0, atol=1e-13)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("order", ORDERS)
@given(angle, angle)
def test_gimbal_lock_keeps_the_rotation_and_the_last_angle_at_zero(order, sign, first, last):
    angles = np.empty(3)
    for letter, value in zip(order, (first, sign * np.pi / 2, last), strict=True):
        angles["XYZ".index(letter)] = value
    matrix = rotation.euler_to_matrix(angles, order)
    back = rotation.matrix_to_euler(matrix, order)
    assert np.allclose(rotation.euler_to_matrix(back, order), matrix, rtol=0, atol=1e-13)
    assert back["XYZ".index(order[2])] == 0


@given(quaternion, quaternion, st.floats(0, 1))
def test_slerp_goes_a_share_of_the_short_way(a, b, share):
    part = rotation.slerp(a, b, share)
    whole = rotation.angle_between(matrices(a), matrices(b))
    assert np.isclose(rotation.angle_between(matrices(a), matrices(part)), share * whole, rtol=0, atol=1e-13)
    rest = rotation.angle_between(matrices(part), matrices(b))
    assert np.isclose(rest, (1 - share) * whole, rtol=0, atol=1e-13)


@given(quaternion, quaternion)
def test_slerp_begins_at_the_first_and_ends_at_the_second(a, b):
    assert same_turn(rotation.slerp(a, b, 0.0), a)
    assert same_turn(rotation.slerp(a, b, 1.0), b)
    assert np.allclose(rotation.slerp(a, -a, 0.5), a, rtol=0, atol=ROUNDING)


def test_slerp_agrees_with_scipy_over_a_batch(rng):
    from scipy.spatial.transform import Slerp

    a, b = quaternions(rng, 2)
    shares = np.linspace(0, 1, 7)
    expected = wxyz(Slerp([0, 1], scipy_of(np.stack([a, b])))(shares))
    assert same_turn(rotation.slerp(np.tile(a, (7, 1)), np.tile(b, (7, 1)), shares), expected)


def test_the_nearest_rotation_is_the_nearest(rng):
    """Of all rotations none is nearer: what scipy's Procrustes solution finds is as near."""
    matrix = matrices(quaternions(rng, 200)) @ (np.eye(3) + 0.3 * rng.normal(size=(200, 3, 3)))
    matrix = matrix[np.linalg.det(matrix) > 0.05]
    nearest = rotation.nearest_rotation(matrix)
    for given_, found in zip(matrix, nearest, strict=True):
        expected, _ = Rotation.align_vectors(given_.T, np.eye(3))
        # The distance of singular values, which the oracle divides by, is above 1e-4 here.
        assert np.allclose(found, expected.as_matrix(), rtol=0, atol=1e-10)


def test_the_nearest_rotation_undoes_itself_with_mirrors(rng):
    """Into a mirrored frame and back again: the same rotation as at the start."""
    turns = matrices(quaternions(rng, 50))
    frame = matrices(quaternions(rng, 50)) @ np.diag([2.0, 2.0, -2.0])
    inside = rotation.nearest_rotation(frame @ turns)
    assert np.allclose(np.linalg.det(inside), 1, rtol=0, atol=ROUNDING)
    back = rotation.nearest_rotation(np.linalg.inv(frame) @ inside)
    assert np.allclose(back, turns, rtol=0, atol=1e-13)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-8, 1e-3, 1.0, 3.0, np.pi - 1e-3, np.pi - 1e-9, np.pi])
def test_angles_are_exact_even_near_none_and_half_a_turn(rng, size):
    axis = rng.normal(size=(20, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    turns = matrices(quaternions(rng, 20))
    turned = Rotation.from_rotvec(size * axis).as_matrix() @ turns
    # Rounding in the matrices themselves is an angle of some 1e-16.
    assert np.allclose(rotation.angle_between(turned, turns), size, rtol=0, atol=2e-15)


def test_the_shortest_arc_turns_one_direction_onto_the_other_by_the_angle_between(rng):
    start, end = rng.normal(size=(2, 200, 3))
    arc = scipy_of(rotation.shortest_arc(start, end))
    turned = arc.apply(start)
    directions = end / np.linalg.norm(end, axis=-1, keepdims=True)
    lengths = np.linalg.norm(start, axis=-1, keepdims=True)
    assert np.allclose(turned, lengths * directions, rtol=0, atol=1e-12)
    cosines = np.sum(start * end, axis=-1) / lengths[:, 0] / np.linalg.norm(end, axis=-1)
    assert np.allclose(arc.magnitude(), np.arccos(cosines), rtol=0, atol=1e-9)


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 2, 0), (0.95, 0.1, -0.2), (-3, 4, 5)])
def test_the_shortest_arc_of_opposite_directions_is_a_half_turn_across(direction):
    quaternion = rotation.shortest_arc(np.array(direction, float), -np.array(direction, float))
    assert np.allclose(scipy_of(quaternion).apply(direction)[0], np.negative(direction), rtol=0, atol=1e-12)


def test_there_is_no_arc_to_or_from_nothing():
    nothing, something = np.zeros(3), np.array([0.0, 0.0, 1.0])
    assert (rotation.shortest_arc(nothing, something) == (1, 0, 0, 0)).all()
    assert (rotation.shortest_arc(something, nothing) == (1, 0, 0, 0)).all()
