# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Swing ellipses against dense sampling, and against turns worked out by scipy."""

import numpy as np
import pytest
from limit_checks import UP, angle_between, directions, outside_ellipse
from scipy.spatial.transform import Rotation

from solvers import Ellipse
from solvers.limits.ellipses import LARGEST_RADIUS as ALL
from solvers.limits.ellipses import boundary, chart_faces, from_chart, nearest_in_ellipse, to_chart
from solvers.limits.groups import group_limits

PI = np.pi
NEAR = 1e-8


def nearest_of(radii, x):
    return nearest_in_ellipse(np.array([radii], float), x[:, None])[:, 0]


def rim(radii, count=20001):
    """The boundary, by turning +Y."""
    around = np.linspace(0, 2 * PI, count)
    x = np.cos(around) * np.where(np.cos(around) > 0, radii[0], radii[1])
    z = np.sin(around) * np.where(np.sin(around) > 0, radii[2], radii[3])
    return Rotation.from_rotvec(np.stack([x, 0 * x, z], axis=-1)).apply(UP)


def assert_nearest(radii, x):
    found, edge = nearest_of(radii, x), rim(radii)
    rounding = 1e-12 / np.maximum(np.min(radii), 1e-3)
    assert (outside_ellipse(radii, found) <= rounding).all(), "not allowed"
    assert np.allclose(np.linalg.norm(found, axis=-1), 1, rtol=0, atol=1e-12)
    inside = outside_ellipse(radii, x) <= 0
    assert (found[inside] == x[inside]).all(), "allowed directions changed"
    found_apart = angle_between(found, x)[~inside]
    sampled = angle_between(edge[np.argmax(x @ edge.T, axis=1)], x)[~inside]
    assert (found_apart <= sampled + NEAR).all(), "something allowed is nearer"
    assert np.allclose(nearest_of(radii, found), found, rtol=0, atol=NEAR), "not idempotent"


def test_the_nearest_direction_is_exact(rng):
    for _ in range(40):
        assert_nearest(rng.uniform(0.0, PI, size=4), directions(rng, 100))


def test_the_nearest_direction_is_exact_for_slender_ellipses(rng):
    for _ in range(40):
        assert_nearest(10 ** rng.uniform(-4, 0.49, size=4), directions(rng, 100))


DEGENERATE = {
    "a point": (0, 0, 0, 0),
    "a line about X": (1.0, 0.4, 0, 0),
    "a line about Z": (0, 0, 0.3, 2.5),
    "half a line": (0, 0, 0, 1.2),
    "half an ellipse": (1.0, 0, 0.5, 0.7),
    "a quarter": (0, 1.5, 0.8, 0),
    "a circle": (0.8, 0.8, 0.8, 0.8),
    "half the sphere": (PI / 2, PI / 2, PI / 2, PI / 2),
    "all": (ALL, ALL, ALL, ALL),
    "all about X": (ALL, ALL, 0.2, 0.2),
    "a whole line": (ALL, ALL, 0, 0),
    "a needle": (1.0, 1.0, 1e-7, 1e-7),
    "a quarter of all": (ALL, 0, ALL, 0),
}


@pytest.mark.parametrize("radii", DEGENERATE.values(), ids=list(DEGENERATE))
def test_the_nearest_direction_is_exact_for(rng, radii):
    near_rim = rim(radii, 41) + rng.normal(scale=1e-3, size=(41, 3))
    near_rim /= np.linalg.norm(near_rim, axis=-1, keepdims=True)
    assert_nearest(radii, np.concatenate([directions(rng, 200), near_rim, np.eye(3), -np.eye(3)]))


def test_a_circle_is_a_cone(rng):
    """The nearest direction lies on the way to +Y."""
    x = directions(rng, 200)
    found = nearest_of((0.7,) * 4, x)
    assert np.allclose(angle_between(UP, found), np.minimum(angle_between(UP, x), 0.7), rtol=0, atol=1e-9)
    assert np.allclose(np.einsum("ni,ni->n", np.cross(x, UP), found), 0, rtol=0, atol=1e-9)


def test_radii_are_of_turns_about_their_axes():
    """A turn of 0.5 about each axis is allowed by a radius of 0.6 on that side, and cut by one of 0.4."""
    for side, turn in enumerate(([1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1])):
        x = Rotation.from_rotvec(0.5 * np.array([turn], float)).apply(UP)[None]
        for radius, expected in ((0.6, 0.5), (0.4, 0.4)):
            radii = np.full(4, 0.01)
            radii[side] = radius
            found = nearest_of(radii, x.reshape(1, 3))
            assert np.allclose(angle_between(UP, found), expected, rtol=0, atol=1e-9)


def test_charts_turn_up_to_directions_and_back(rng):
    chart = rng.normal(size=(200, 2))
    turned = Rotation.from_rotvec(np.stack([chart[:, 0], 0 * chart[:, 0], chart[:, 1]], axis=-1)).apply(UP)
    assert np.allclose(from_chart(chart), turned, rtol=0, atol=1e-12)
    short = np.linalg.norm(chart, axis=-1) < PI
    assert np.allclose(to_chart(turned)[short], chart[short], rtol=0, atol=1e-9)


def test_the_boundary_is_where_inside_ends(rng):
    radii, around = rng.uniform(0.1, 1.5, size=4), rng.uniform(0, 2 * PI, size=100)
    found = from_chart(boundary(radii, around))
    assert np.allclose(outside_ellipse(radii, found), 0, rtol=0, atol=1e-9)


def random_ellipses(rng, count):
    """Four radii each, some of nothing, and chart points inside."""
    radii = np.where(rng.random((count, 4)) < 0.2, 0.0, rng.uniform(0.01, 3.0, size=(count, 4)))
    inside = boundary(radii, rng.uniform(0, 2 * PI, size=count)) * np.sqrt(rng.random((count, 1)))
    return radii, inside


def turned_to(rng, chart):
    """Rotations (N, 3, 3) whose +Y points where the chart points say, with any twist."""
    swing = Rotation.from_rotvec(np.stack([chart[:, 0], 0 * chart[:, 0], chart[:, 1]], axis=-1))
    return (swing * Rotation.from_rotvec(rng.uniform(-3, 3, size=(len(chart), 1)) * UP)).as_matrix()


def flat_faces(radii, local):
    """Normals (N, 4, 2) in the chart, read off what small turns do to the chart point, and room (N, 4)."""
    normals, room = chart_faces(radii, local)
    rates = np.stack([chart_rate(local, turn, 1e-6) for turn in np.eye(3)], axis=-1)
    return normals @ np.linalg.pinv(rates), room


def test_chart_faces_support_the_ellipse_on_four_sides(rng):
    radii, inside = random_ellipses(rng, 200)
    normals, room = flat_faces(radii, turned_to(rng, inside))
    assert np.allclose(np.linalg.norm(normals, axis=-1), 1, rtol=0, atol=1e-6)
    assert np.allclose(normals[:, 0], -normals[:, 1], rtol=0, atol=1e-6)
    assert np.allclose(np.einsum("ni,ni->n", normals[:, 0], normals[:, 2]), 0, rtol=0, atol=1e-6)
    edge = boundary(radii[:, None], np.linspace(0, 2 * PI, 2001))
    reach = np.einsum("nki,nfi->nfk", edge - inside[:, None], normals).max(axis=-1)
    assert np.allclose(reach, room, rtol=0, atol=1e-5), "a face cuts off what is allowed, or touches nothing"


def test_the_first_face_is_the_boundary_itself_on_it(rng):
    radii, around = rng.uniform(0.1, 2.5, size=(100, 4)), rng.uniform(0, 2 * PI, size=100)
    edge = boundary(radii, around)
    normals, room = flat_faces(radii, turned_to(rng, edge))
    assert np.allclose(room[:, 0], 0, rtol=0, atol=1e-9)
    along = boundary(radii, around + 1e-6) - edge
    assert np.allclose(np.einsum("ni,ni->n", normals[:, 0], along / 1e-6), 0, rtol=0, atol=1e-4)
    assert (np.einsum("ni,ni->n", normals[:, 0], edge) > 0).all()


def test_a_side_of_no_radius_is_locked(rng):
    """Somewhere in what is left no way leads across, and every way along it does."""
    x_side = Ellipse("joint", (0, 0, 0.5, 0.8))
    group = group_limits((x_side,), {"joint": 0})[0]
    local = turned_to(rng, np.stack([np.zeros(20), rng.uniform(-0.7, 0.4, size=20)], axis=-1))
    normals, room = flat_faces(group.radii, local)
    assert (np.abs(normals[..., 0])[room < 1e-9] > 1 - 1e-6).all()
    assert ((room < 1e-9).sum(axis=1) == 2).all()
    assert (room[room > 1e-9] > 0.09).all()


def chart_rate(local, turn, step):
    there = [to_chart((local @ Rotation.from_rotvec(s * step * turn).as_matrix())[..., 1]) for s in (1, -1)]
    return (there[0] - there[1]) / (2 * step)
