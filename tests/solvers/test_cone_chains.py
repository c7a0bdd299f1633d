# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two facts that chains of cones are fitted by, against dense sampling; and the fit itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limit_checks import directions, outside, unit

from solvers.learning.cone_chains import MOST_CONES, chain_areas, smallest_chain

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25)


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


@FEW
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


@FEW
@given(SEEDS, st.integers(1, 4), st.floats(0, 0.3))
def test_larger_radii_widen_the_region_by_just_that(seed, count, more):
    rng = np.random.default_rng(seed)
    centres, radii = directions(rng, count), rng.uniform(0.02, 1.2, count)
    before = outside(list(zip(centres, radii, strict=True)), sphere(5000))
    after = outside(list(zip(centres, radii + more, strict=True)), sphere(5000))
    assert np.allclose(after[after > 0], before[after > 0] - more, rtol=0, atol=1e-9)
    assert (before[after <= 0] <= more + 1e-9).all()


@FEW
@given(SEEDS, st.integers(1, 200), st.floats(0, 0.2), st.floats(0, 0.5))
def test_the_chain_holds_all_directions_with_the_margin_round_them(seed, count, margin, share):
    rng = np.random.default_rng(seed)
    middle, stretch = directions(rng), rng.uniform(0.01, 1.0, 3)
    x = unit(middle + stretch * rng.normal(size=(count, 3)))
    centres, radii = smallest_chain(x, margin, share)
    assert len(radii) <= MOST_CONES
    assert (radii >= margin).all()
    inner = list(zip(centres, radii - margin, strict=True))
    assert outside(inner, x).max() <= 1e-7


@pytest.mark.parametrize("bend", [0.0, 0.5, 1.0])
def test_a_thin_arc_is_held_by_a_thin_chain(bend):
    """Round a great circle or a smaller one the area is about the length times twice the margin."""
    along = np.linspace(-0.8, 0.8, 400)
    x = np.stack(
        [np.sin(along) * np.cos(bend), np.cos(along) * np.cos(bend), 0 * along + np.sin(bend)], axis=-1
    )
    margin = 0.05
    strip = 1.6 * np.cos(bend) * 2 * margin + np.pi * margin**2
    assert area(*smallest_chain(x, margin)) < 1.5 * strip
