# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outlines of directions whose hulls are known."""

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from limit_checks import angle_between, directions, unit
from scipy.spatial.transform import Rotation

from solvers.learning.outlines import outlined

SEEDS = st.integers(0, 2**32 - 1)


def cap(radius):
    return 2 * np.pi * (1 - np.cos(radius))


def disc(rng, radius, count=3000):
    """Directions all over a cone, its rim among them, and its centre."""
    centre = directions(rng)
    lean = np.append(np.arccos(rng.uniform(np.cos(radius), 1, count)), np.full(500, radius))
    axis = unit(np.cross(centre, directions(rng, len(lean))))
    return Rotation.from_rotvec(axis * lean[:, None]).apply(centre), centre


@few
@given(SEEDS, st.floats(0.05, 1.4), st.floats(0, 0.2))
def test_the_area_of_a_disc_grows_with_the_square_of_the_stretch(seed, radius, stretch):
    x, _ = disc(np.random.default_rng(seed), radius)
    wanted = min((1 + 2 * stretch) ** 2 * cap(radius), 4 * np.pi)
    assert outlined(x, 0.0, stretch).area == pytest.approx(wanted, rel=0.01)


@few
@given(SEEDS, st.floats(0.05, 0.8), st.floats(0.0, 0.5))
def test_the_margin_is_the_least(seed, radius, margin):
    x, _ = disc(np.random.default_rng(seed), radius)
    assert outlined(x, margin, 0.0).area == pytest.approx(cap(radius + margin), rel=0.03)


@few
@given(SEEDS, st.floats(0.05, 0.8), st.floats(0.0, 0.3))
def test_the_rim_of_a_disc_is_the_stretched_circle(seed, radius, stretch):
    """In the map the distance from the centre is twice the sine of half the angle."""
    x, centre = disc(np.random.default_rng(seed), radius)
    rim = angle_between(outlined(x, 0.0, stretch).rim, centre)
    assert np.allclose(2 * np.sin(rim / 2), 2 * (1 + 2 * stretch) * np.sin(radius / 2), rtol=0.03, atol=0)


@few
@given(SEEDS, st.floats(0.01, 1.5), st.floats(0.0, 0.3))
def test_the_outline_of_an_arc_is_longer_on_both_sides_and_nothing_across(seed, half, stretch):
    turn = Rotation.random(rng=np.random.default_rng(seed))
    along = np.linspace(-half, half, 101)
    x = turn.apply(np.stack([np.sin(along), np.cos(along), 0 * along], axis=-1))
    outline = outlined(x, 0.0, stretch)
    assert outline.area == pytest.approx(0, abs=1e-9)
    assert np.ptp(outline.flat, axis=0) == pytest.approx(
        [4 * (1 + 2 * stretch) * np.sin(half / 2), 0], abs=1e-9
    )


@few
@given(SEEDS, st.integers(1, 60))
def test_the_outline_turns_with_the_directions_and_their_order_and_number_mean_nothing(seed, count):
    rng = np.random.default_rng(seed)
    x = unit(directions(rng) + 0.4 * rng.normal(size=(count, 3)))
    turn = Rotation.random(rng=rng)
    before, after = outlined(x, 0.01, 0.1), outlined(turn.apply(rng.permutation(x)), 0.01, 0.1)
    assert after.area == pytest.approx(before.area, rel=1e-6)
    assert np.allclose(turn.apply(before.rim), after.rim, rtol=0, atol=1e-6)
