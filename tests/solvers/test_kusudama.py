# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions of directions against dense sampling of what limit_checks.py allows."""

import numpy as np
import pytest
from limit_checks import angle_between, corridors, directions, outside, unit

from solvers.limits.kusudama import kusudamas, nearest, slack, with_caps

NEAR = 1e-7  # radians: rounding where a corridor is about to vanish
X, Y, Z = np.eye(3)
DEGREE = np.pi / 180


def region(cones):
    centres = np.array([[unit(centre) for centre, _ in cones]])
    return with_caps(kusudamas(centres, np.array([[float(radius) for _, radius in cones]])))


def nearest_of(cones, x):
    return nearest(region(cones), x[:, None])[:, 0]


def rim(centre, radius, count=4000):
    around = np.linspace(0, 2 * np.pi, count)[:, None]
    across, other = np.linalg.svd(np.array(centre, float)[None])[2][1:]
    side = np.cos(around) * across + np.sin(around) * other
    return np.cos(radius) * unit(centre) + np.sin(radius) * side


def fibonacci(count=20000):
    number = np.arange(count) + 0.5
    height, around = 1 - 2 * number / count, np.pi * (1 + 5**0.5) * number
    flat = np.sqrt(1 - height**2)
    return np.stack([flat * np.cos(around), flat * np.sin(around), height], axis=-1)


def samples(cones):
    """Allowed directions: everywhere, and densely on the rims, one of which the nearest lies on."""
    found = [fibonacci(), *(rim(centre, radius) for centre, radius in cones)]
    found += [rim(circle, t) for _, _, circle, t in corridors(cones)]
    found = np.concatenate(found)
    return found[outside(cones, found) <= 1e-12]


def assert_nearest(cones, x):
    found = nearest_of(cones, x)
    assert (outside(cones, found) <= NEAR).all(), "not allowed"
    assert np.allclose(np.linalg.norm(found, axis=-1), 1, rtol=0, atol=1e-12)
    sampled = np.arccos(np.clip((x @ samples(cones).T).max(axis=1), -1, 1))
    apart = angle_between(found, x)
    assert (apart <= sampled + NEAR).all(), "something allowed is nearer"
    within = outside(cones, x) < -NEAR
    assert (found[within] == x[within]).all(), "allowed directions changed"
    again = nearest_of(cones, found)
    assert np.allclose(again, found, rtol=0, atol=NEAR), "not idempotent"


def random_cones(rng, count):
    return [(c, r) for c, r in zip(directions(rng, count), rng.uniform(0.02, 1.2, count), strict=True)]


@pytest.mark.parametrize("count", range(1, 6))
def test_the_nearest_direction_is_exact(rng, count):
    for _ in range(12):
        assert_nearest(random_cones(rng, count), directions(rng, 150))


def at(angle):
    """The direction at an angle, degrees, from +Y towards +X."""
    return np.cos(angle * DEGREE) * Y + np.sin(angle * DEGREE) * X


DEGENERATE = {
    "touching from outside": [(at(0), 0.3), (at(50), 50 * DEGREE - 0.3)],
    "touching from inside": [(at(0), 0.7), (at(20), 0.7 - 20 * DEGREE)],
    "nearly touching from inside": [(at(0), 0.7), (at(20), 0.7 - 20 * DEGREE + 1e-7)],
    "overlapping": [(at(0), 0.5), (at(30), 0.4)],
    "nested": [(at(0), 1.0), (at(10), 0.2)],
    "nested the other way round": [(at(10), 0.2), (at(0), 1.0)],
    "coincident": [(at(0), 0.4), (at(0), 0.4)],
    "coincident centres": [(at(0), 0.4), (at(0), 0.7)],
    "nearly coincident": [(at(0), 0.4), (at(1e-6), 0.4)],
    "antipodal": [(Y, 0.4), (-Y, 0.3)],
    "less nearly coincident": [(at(0), 0.4), (at(1e-4), 0.4)],
    "nearly antipodal": [(at(0), 0.4), (at(179.9), 0.3)],
    "one point": [(at(20), 0.0)],
    "points": [(at(0), 0.0), (at(70), 0.0)],
    "a point and a cone": [(at(0), 0.0), (at(70), 0.5)],
    "an arc round a corner": [(Y, 0.0), (X, 0.0), (Z, 0.0)],
    "all": [(at(0), np.pi)],
    "all but a point and more": [(at(0), np.pi), (at(70), 0.3)],
    "half": [(at(0), np.pi / 2)],
    "two halves": [(at(0), np.pi / 2), (at(90), np.pi / 2)],
    "more than half together": [(at(0), 2.0), (at(100), 1.3)],
    "just half together": [(at(0), 1.0), (at(100), np.pi - 1.0)],
    "nearly half together": [(at(0), 1.0), (at(100), np.pi - 1.0 - 1e-6)],
    "a ring": [(at(angle), 0.2) for angle in (0, 90, 180.5, 270, 0)],
    "a last cone repeated": [(at(0), 0.2), (at(60), 0.4), (at(60), 0.4), (at(60), 0.4)],
    "there and back": [(at(0), 0.2), (at(60), 0.4), (at(0), 0.2)],
}


@pytest.mark.parametrize("cones", DEGENERATE.values(), ids=list(DEGENERATE))
def test_the_nearest_direction_is_exact_for(rng, cones):
    special = np.concatenate([[unit(c), -unit(c)] for c, _ in cones] + [np.eye(3), -np.eye(3)])
    assert_nearest(cones, np.concatenate([directions(rng, 300), special]))


@pytest.mark.parametrize("count", range(1, 6))
def test_the_slack_is_nothing_on_the_boundary(rng, count):
    for _ in range(10):
        cones, x = random_cones(rng, count), directions(rng, 100)
        found = nearest_of(cones, x)[outside(cones, x) > 1e-6]
        assert np.allclose(slack(region(cones), found[:, None])[0], 0, rtol=0, atol=NEAR)


@pytest.mark.parametrize("count", range(1, 6))
def test_the_slack_has_the_sign_of_being_inside(rng, count):
    cones, x = random_cones(rng, count), directions(rng, 1000)
    assert np.allclose(slack(region(cones), x[:, None])[0][:, 0], -outside(cones, x), rtol=0, atol=1e-9)


@pytest.mark.parametrize("count", range(1, 6))
def test_the_way_out_is_where_the_slack_shrinks_fastest(rng, count):
    step, checked = 1e-6, 0
    for _ in range(10):
        cones, x = random_cones(rng, count), directions(rng, 100)
        here, way = (value[:, 0] for value in slack(region(cones), x[:, None]))
        side = np.cross(x, way)
        there = [[-outside(cones, unit(x + s * v)) for s in (step, -step)] for v in (way, side)]
        # Where another shape takes over, or at its centre, the slack has a kink.
        smooth = np.abs(np.add(*there[0]) + np.add(*there[1]) - 4 * here) < 1e-10
        out, across = [(a - b) / (2 * step) for a, b in there]
        assert np.allclose(out[smooth], -1, rtol=0, atol=1e-4)
        assert np.allclose(across[smooth], 0, rtol=0, atol=1e-4)
        checked += smooth.sum()
    assert checked > 800


def test_caps_are_within_the_region_and_hold_most_of_its_corridors(rng):
    """Up to their very rims; where cones are of like size, as those of joints are."""
    for _ in range(40):
        cones = random_cones(rng, 3)
        shape = region(cones)
        for centre, least in zip(shape.caps[0], shape.least[0], strict=True):
            if least <= 1:
                assert (outside(cones, rim(centre, np.arccos(least), 200)) <= NEAR).all()
    cones, x = [(at(0), 0.4), (at(60), 0.5)], fibonacci()
    alone = np.min([angle_between(x, centre) - radius for centre, radius in cones], axis=0)
    between, shape = x[(outside(cones, x) < 0) & (alone > 0)], region(cones)
    held = (between @ shape.caps[0].T > shape.least[0]).any(axis=1)
    assert held.mean() > 0.5


def test_regions_side_by_side_do_not_influence_each_other(rng):
    both = [random_cones(rng, 3), random_cones(rng, 3)]
    together = kusudamas(
        np.array([[c for c, _ in cones] for cones in both]),
        np.array([[r for _, r in cones] for cones in both]),
    )
    x = directions(rng, 50, 2)
    found = nearest(together, x)
    for number, cones in enumerate(both):
        assert np.allclose(found[:, number], nearest_of(cones, x[:, number]), rtol=0, atol=1e-12)
