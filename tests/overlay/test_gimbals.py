# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dials of Euler angles show where each angle alone brings the bone, as the solver turns it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pure_overlay import pure

from solvers import EulerLimit
from solvers.geometry.rotations import euler_to_matrix

gimbals, limit_kinds, shapes = pure("gimbals"), pure("limit_kinds"), pure("shapes")
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
Y, Z = np.eye(3)[1:]
seeds = st.integers(0, 10**6)
orders = st.sampled_from(ORDERS)


def random_box(rng):
    """Ranges of some width, some of them beside rest."""
    lower = rng.uniform(-1.3, 0.6, size=3)
    return lower, lower + rng.uniform(0.05, 1.3, size=3)


def turned_alone(order, lower, upper, axis, angle):
    """The rotation by one angle, the others as near to rest as they may be."""
    angles = np.clip(0.0, lower, upper)
    angles[axis] = angle
    return euler_to_matrix(angles, order)


def room(order, lower, upper, rotation):
    limit = EulerLimit("joint", order, lower, upper)
    return shapes.group_of(limit).room(rotation[None, None])[1].min()


@given(seeds, orders)
def test_an_end_is_where_the_solver_stops_the_angle(seed, order):
    rng = np.random.default_rng(seed)
    lower, upper = random_box(rng)
    dials = gimbals.gimbal_dials(order, lower, upper, np.eye(3))
    for axis, dial in enumerate(dials):
        for end, out in ((lower[axis], -1e-3), (upper[axis], 1e-3)):
            at, past = (turned_alone(order, lower, upper, axis, end + off) for off in (0, out))
            assert room(order, lower, upper, at) > -1e-9
            assert room(order, lower, upper, past) < -1e-4
            if dial.size > shapes.FAN:
                np.testing.assert_allclose(dial.at(end), at @ Y, atol=1e-9)


@given(seeds, orders, st.floats(-3, 3))
def test_small_dials_show_the_twist_about_their_axis(seed, order, angle):
    """Where the angle leaves the tip where it is, the dial is the bone's own Z about it."""
    rng = np.random.default_rng(seed)
    lower, upper = -rng.uniform(0, 1, 3), rng.uniform(0, 1, 3)
    dial = gimbals.gimbal_dials(order, lower, upper, np.eye(3))[1]
    turned = turned_alone(order, lower, upper, 1, angle)
    np.testing.assert_allclose(dial.at(angle), turned @ (Y + shapes.FAN * Z), atol=1e-9)


@given(seeds, st.sampled_from(["YXZ", "YZX"]))
def test_a_twist_before_all_else_is_shown_on_the_bones_own_fan(seed, order):
    rng = np.random.default_rng(seed)
    lower, upper = random_box(rng)
    angles = lower + rng.random(3) * (upper - lower)
    local = euler_to_matrix(angles, order)
    dial = gimbals.gimbal_dials(order, lower, upper, local)[1]
    np.testing.assert_allclose(dial.at(angles[1]), local @ (Y + shapes.FAN * Z), atol=1e-9)
    limit = EulerLimit("joint", order, lower, upper)
    frame, ranges = limit_kinds.drawn_kind(limit).twist(limit, local)
    ends = frame @ (shapes.FAN * np.array([np.sin(ranges), 0 * np.array(ranges), np.cos(ranges)])).reshape(
        3, -1
    )
    for end in (lower[1], upper[1]):
        distances = np.linalg.norm(ends.T + local @ Y - dial.at(end), axis=-1)
        assert distances.min() < 1e-5


@given(seeds, st.sampled_from(["YXZ", "YZX"]))
def test_ends_are_on_the_rim_where_the_twist_comes_first(seed, order):
    rng = np.random.default_rng(seed)
    lower, upper = -rng.uniform(0.05, 1.2, 3), rng.uniform(0.05, 1.2, 3)
    limit = EulerLimit("joint", order, lower, upper)
    rim = np.concatenate(limit_kinds.drawn_kind(limit).region(limit).rims)
    dials = gimbals.gimbal_dials(order, lower, upper, np.eye(3))
    for axis in (0, 2):
        for end in (lower[axis], upper[axis]):
            assert np.linalg.norm(rim - dials[axis].at(end), axis=-1).min() < 0.01


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("width", [0.0, -0.5, 7.0])
def test_locked_reversed_and_free_ranges_have_dials_too(order, width):
    lower = np.array([0.2, -0.3, 1.5])
    for dial in gimbals.gimbal_dials(order, lower, lower + width, euler_to_matrix(lower, order)):
        assert np.isfinite(dial.at(np.array([0.0, 1.0]))).all()
        assert dial.size >= shapes.FAN
        assert abs(dial.axis @ dial.start) < 1e-9


@given(seeds, st.floats(-3, 3), st.sampled_from([-1, 1]))
def test_arrows_point_along_the_dial(seed, angle, side):
    rng = np.random.default_rng(seed)
    dial = gimbals.gimbal_dials("XYZ", *random_box(rng), np.eye(3))[int(rng.integers(3))]
    step = (dial.at(angle + side * 1e-6) - dial.at(angle)) / (1e-6 * dial.size)
    np.testing.assert_allclose(dial.outwards(angle, side), step, atol=1e-5)
