# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two facts that chains of cones are fitted by, against dense sampling; and the fit itself."""

import numpy as np
import pytest
from examples import few
from hypothesis import example, given
from hypothesis import strategies as st
from limit_checks import angle_between, directions, outside, unit

from solvers.learning.cone_chains import MOST_CONES, chain_areas, fitted_chain
from solvers.learning.outlines import outlined

SEEDS = st.integers(0, 2**32 - 1)


def sphere(count):
    number = np.arange(count) + 0.5
    height, around = 1 - 2 * number / count, np.pi * (1 + 5**0.5) * number
    flat = np.sqrt(1 - height**2)
    return np.stack([flat * np.cos(around), height, flat * np.sin(around)], axis=-1)


def area(centres, radii):
    return float(chain_areas(np.array([centres]), np.array([radii]))[0])


def counted(centres, radii, count=200000):
    """Steradians inside, counted on an even sampling."""
    cones = list(zip(centres, radii, strict=True))
    return 4 * np.pi * np.mean(outside(cones, sphere(count)) <= 0)


@few
@given(SEEDS)
def test_the_area_of_two_cones_and_their_corridor_is_exact(seed):
    """Apart, overlapping or one in the other, as long as they are less than the sphere together."""
    rng = np.random.default_rng(seed)
    centres, radii = directions(rng, 2), rng.uniform(0.05, 1.5, 2)
    assert area(centres, radii) == pytest.approx(counted(centres, radii), rel=0.01, abs=1e-3)


def test_the_area_of_a_chain_whose_corridors_do_not_overlap():
    angles, radii = np.radians([-50, 0, 60]), [0.3, 0.1, 0.4]
    centres = np.stack([np.sin(angles), np.cos(angles), 0 * angles], axis=-1)
    assert area(centres, radii) == pytest.approx(counted(centres, radii), rel=0.005)


@few
@given(SEEDS, st.integers(1, 4), st.floats(0, 0.3))
def test_larger_radii_widen_the_region_by_just_that(seed, count, more):
    rng = np.random.default_rng(seed)
    centres, radii = directions(rng, count), rng.uniform(0.02, 1.2, count)
    before = outside(list(zip(centres, radii, strict=True)), sphere(5000))
    after = outside(list(zip(centres, radii + more, strict=True)), sphere(5000))
    assert np.allclose(after[after > 0], before[after > 0] - more, rtol=0, atol=1e-9)
    assert (before[after <= 0] <= more + 1e-9).all()


@few
@given(SEEDS, st.integers(1, 200), st.floats(0, 0.2), st.floats(0, 0.5))
@example(113, 113, 2.040009353192427e-81, 0.07771964086266527)  # a margin that rounding may lose
def test_the_chain_holds_all_directions_with_the_margin_round_them(seed, count, margin, share):
    rng = np.random.default_rng(seed)
    middle, stretch = directions(rng), rng.uniform(0.01, 1.0, 3)
    x = unit(middle + stretch * rng.normal(size=(count, 3)))
    centres, radii = fitted_chain(x, margin, share)
    assert len(radii) <= MOST_CONES
    assert (radii >= margin).all()
    inner = list(zip(centres, radii - margin, strict=True))
    assert outside(inner, x).max() <= 1e-7


@few
@given(SEEDS, st.integers(3, 200), st.floats(0, 0.1), st.floats(0, 0.3))
def test_the_chain_has_the_outlines_area_unless_directions_and_margin_need_more(seed, count, margin, stretch):
    rng = np.random.default_rng(seed)
    x = unit(directions(rng) + rng.uniform(0.05, 0.5, 3) * rng.normal(size=(count, 3)))
    centres, radii = fitted_chain(x, margin, stretch)
    beyond = area(centres, radii) - outlined(x, margin, stretch).area
    just_held = abs(outside(list(zip(centres, radii - margin, strict=True)), x).max()) < 1e-6
    assert beyond >= -1e-6
    assert beyond < 1e-6 or just_held or radii.min() == pytest.approx(margin, abs=1e-9)


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0])
def test_a_thin_arc_of_a_great_circle_is_held_by_a_thin_chain(slope):
    along, margin = np.linspace(-0.8, 0.8, 400), 0.05
    x = np.sin(along)[:, None] * [np.cos(slope), 0, np.sin(slope)] + np.cos(along)[:, None] * [0, 1, 0]
    assert area(*fitted_chain(x, margin)) < 1.05 * (1.6 * 2 * margin + np.pi * margin**2)


@pytest.mark.parametrize("bend", [0.0, 0.5, 1.0])
def test_a_bent_arc_is_held_by_hardly_more_than_its_hull(bend):
    """Between an arc of a smaller circle and its chord, with the margin all round."""
    along, margin = np.linspace(-0.8, 0.8, 400), 0.05
    flat = np.stack([np.sin(along), np.cos(along)], axis=-1) * np.cos(bend)
    x = np.insert(flat, 2, np.sin(bend), axis=-1)
    hull, length = polygon(x)
    widened = 2 * np.pi - (2 * np.pi - hull) * np.cos(margin) + length * np.sin(margin)
    assert area(*fitted_chain(x, margin)) < 1.1 * widened


def polygon(corners):
    """Area and length of a convex polygon of great arcs (Girard)."""
    after = np.roll(corners, -1, axis=0)
    edges = unit(np.cross(corners, after))
    turns = angle_between(edges, np.roll(edges, 1, axis=0)).sum()
    return 2 * np.pi - turns, angle_between(corners, after).sum()
