# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is dragged stays under the mouse."""

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from limit_checks import directions
from pure_overlay import pure

dials = pure("dials")
X, Y, Z = np.eye(3)
DEGREE = np.pi / 180
seeds = st.integers(0, 10**6)


def ray_through(rng, point, distance=5.0):
    """A ray from somewhere outside through the point."""
    origin = distance * directions(rng)
    return dials.Ray(origin, (point - origin) / np.linalg.norm(point - origin))


@given(seeds)
def test_a_point_of_the_sphere_is_found_again(seed):
    rng = np.random.default_rng(seed)
    point = directions(rng)
    ray = ray_through(rng, point)
    if abs(ray.direction @ point) > 0.01:  # at the silhouette both sides are one
        np.testing.assert_allclose(ray.on_sphere(point), point, atol=1e-9)


@given(seeds)
def test_what_is_at_the_back_stays_at_the_back(seed):
    rng = np.random.default_rng(seed)
    ray = ray_through(rng, 0.5 * directions(rng))
    for side in (1, -1):
        met = ray.on_sphere(side * ray.direction)
        assert side * (met @ ray.direction) > 0
        assert ray.distances(met) < 1e-9


def test_beside_the_sphere_the_silhouette_is_nearest():
    ray = dials.Ray(np.array([3.0, 0.0, 10.0]), -Z)
    np.testing.assert_allclose(ray.on_sphere(Z), X, atol=1e-12)


def random_dial(rng):
    axis = directions(rng)
    start = np.cross(axis, directions(rng))
    return dials.Dial(axis, start / np.linalg.norm(start), rng.normal(size=3), rng.uniform(0.2, 2))


@given(seeds, st.floats(-6, 6), st.floats(-0.9, 0.9))
def test_an_angle_is_found_again(seed, angle, off):
    rng = np.random.default_rng(seed)
    dial = random_dial(rng)
    ray = ray_through(rng, dial.at(angle))
    found = dial.angle(ray, angle + off)
    assert ray.distances(dial.at(found)) < 1e-6
    if abs(ray.direction @ dial.axis) > 0.5:  # where the circle is seen as one
        assert found == pytest.approx(angle, abs=1e-5)


@few
@given(seeds)
def test_an_angle_goes_on_round(seed):
    """Twice around, a few degrees at a time, is two turns."""
    rng = np.random.default_rng(seed)
    dial, found = random_dial(rng), 0.0
    for angle in np.arange(0, 720, 7) * DEGREE:
        origin = dial.centre + 6 * dial.axis + 0.5 * directions(rng)
        towards = dial.at(angle) - origin
        found = dial.angle(dials.Ray(origin, towards / np.linalg.norm(towards)), found)
        assert found == pytest.approx(angle, abs=1e-5)


def test_steps_are_of_five_degrees():
    assert dials.snapped(43 * DEGREE) == pytest.approx(45 * DEGREE)
    assert dials.snapped(-2.4 * DEGREE) == 0


@given(seeds)
def test_directions_snap_to_a_grid_of_leans(seed):
    direction = directions(np.random.default_rng(seed))
    found = dials.snapped_direction(direction)
    assert np.linalg.norm(found) == pytest.approx(1)
    lean = np.degrees(np.arccos(np.clip(found[1], -1, 1)))
    assert lean == pytest.approx(5 * round(lean / 5), abs=1e-5)
    assert np.degrees(np.arccos(np.clip(found @ direction, -1, 1))) < 5


def test_straight_up_snaps_to_itself():
    np.testing.assert_array_equal(dials.snapped_direction(Y), Y)
