# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the nearest allowed end jumps, it jumps steadily; elsewhere it is the nearest."""

from functools import partial

import numpy as np
import pytest
from limit_checks import RANDOM, angle_between, directions, outside, unit
from random_rigs import matrices, quaternions
from scipy.spatial.transform import Rotation
from test_kusudama import DEGENERATE, nearest_of, random_cones, region

from solvers import Hinge
from solvers.limits.angle_ranges import clamped
from solvers.limits.ellipses import nearest_in_ellipse
from solvers.limits.groups import group_limits
from solvers.limits.kusudama import nearest

DEGREE = np.pi / 180
JUMP = 30 * DEGREE
BAND = 1.1


def way_round(start, axis, count=721):
    """Directions once round an axis, there and back."""
    angles = np.linspace(0, 2 * np.pi, count)
    there = Rotation.from_rotvec(angles[:, None] * axis).apply(start)
    return np.concatenate([there, there[::-1]])


def followed(step, x):
    """What ``step(x, previous)`` gives (S, N, 3) from one to the next of directions (S, N, 3), in N rows."""
    found = [step(x[0], None)]
    for direction in x[1:]:
        found.append(step(direction, found[-1]))
    return np.array(found)


def in_cones(cones):
    regions = region(cones)
    return lambda x, previous: nearest(regions, x[:, None], None if previous is None else previous[:, None])[
        :, 0
    ]


def in_ellipse(radii):
    radii = np.array([radii])
    return lambda x, previous: nearest_in_ellipse(
        radii, x[:, None], None if previous is None else previous[:, None]
    )[:, 0]


def jumps(found):
    """How often each row (S, N, 3) jumps."""
    return (angle_between(found[1:], found[:-1]) > JUMP).sum(axis=0)


BANDS = {
    "a corridor": [((1, 0.2, 0), 0.3), ((-1, 0.2, 0), 0.4)],
    "a long corridor": [((1, 0, 0), 0.2), ((0, 0, 1), 0.3), ((-1, 0.1, 0), 0.2)],
    "points": [((1, 0.5, 0), 0.0), ((-1, 0.5, 0), 0.0)],
    "opposite cones": [((0, 1, 0), 0.5), ((0, -1, 0), 0.5)],
}


@pytest.mark.parametrize("ends", ["opposite cones", "points"])
def test_across_a_forbidden_side_there_is_one_switch_each_way(rng, ends):
    """From one end of the region to the other, over the side where both are nearly as near, and back."""
    cones = BANDS[ends]
    first, last = (unit(centre) for centre, _ in (cones[0], cones[-1]))
    sides = unit(rng.normal(size=(20, 3)) + 1e-9)
    over = unit(sides - np.outer(sides @ first, first))
    x = np.stack([unit(first + t * over + t * last) for t in np.geomspace(1e-3, 1e3, 300)])
    x = np.concatenate([x, x[::-1]])
    found, half = followed(in_cones(cones), x), len(x) // 2
    assert (jumps(found[:half]) <= 1).all()
    assert (jumps(found[half:]) <= 1).all()


def trembling(step, x, rng, share=0.002):
    """How directions (N, 3) tremble by a share of their distance: jumps when steady, and when not."""
    size = share * angle_between(x, step(x, None))[:, None]
    near = unit(x + size * rng.uniform(-0.5, 0.5, size=(60, *x.shape)))
    return jumps(followed(step, near)), jumps(np.stack([step(direction, None) for direction in near]))


def between_jumps(step, one, other):
    """Where, between directions (N, 3), the nearest end jumps; not where it only wanders fast."""
    for _ in range(30):
        middle = unit(one + other)
        at_one, here = step(one, None), step(middle, None)
        here_too = (angle_between(here, at_one) < 0.5 * angle_between(step(other, None), at_one))[:, None]
        one, other = np.where(here_too, middle, one), np.where(here_too, other, middle)
    return one[angle_between(step(one, None), step(other, None)) > JUMP]


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_trembling_direction_does_not_flip_between_cones(rng, count):
    flipped = 0
    for _ in range(6):
        step = in_cones(random_cones(rng, count))
        ways = np.concatenate([way_round(*np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]) for _ in range(6)])
        found = step(ways, None)
        jumped = angle_between(found[1:], found[:-1]) > JUMP
        beside = between_jumps(step, ways[:-1][jumped], ways[1:][jumped])
        if len(beside):
            steady, plain = trembling(step, beside, rng)
            assert steady.max() <= 1
            flipped += (plain > 5).sum()
    assert flipped > 10


def test_a_trembling_direction_does_not_flip_between_the_ends_of_an_ellipse(rng):
    """Behind the bone, half-way between one end and the other."""
    step, behind = in_ellipse((1.2, 1.1, 0.2, 0.3)), np.pi + 0.05 + 0.01 * rng.normal(size=20)
    x = Rotation.from_rotvec(behind[:, None] * np.array([1.0, 0, 0])).apply([0, 1, 0])
    steady, plain = trembling(step, x, rng, share=0.05)
    assert steady.max() <= 1
    assert plain.max() > 5


@pytest.mark.parametrize("cones", [*DEGENERATE.values(), *BANDS.values()], ids=[*DEGENERATE, *BANDS])
def test_a_steady_end_is_allowed_and_nearly_the_nearest(rng, cones):
    x, previous = directions(rng, 300), nearest_of(cones, directions(rng, 300))
    best, found = nearest_of(cones, x), nearest(region(cones), x[:, None], previous[:, None])[:, 0]
    assert (outside(cones, found) <= 1e-7).all()
    apart, least = angle_between(found, x), angle_between(best, x)
    assert (apart <= BAND * least + 1e-7).all()
    other = angle_between(found, best) > 1e-6
    nearer = angle_between(found, previous) <= angle_between(best, previous) + 1e-7
    assert nearer[other].all(), "neither the nearest nor nearer to where it was"


def test_ranges_are_left_and_entered_steadily():
    """Over the back of a range of a quarter turn, there and back, and trembling there."""
    lower, upper = np.array(-0.5), np.array(1.0)
    round_it = np.linspace(0.25, 0.25 + 2 * np.pi, 400)
    trembling = 0.25 + np.pi + 0.05 * np.sin(np.arange(200))
    for angles, most in ((round_it, 1), (round_it[::-1], 1), (trembling, 1)):
        found = [0.25]
        for angle in angles:
            before = np.array(found[-1])
            found.append(float(clamped(np.array(angle), lower, upper, partial(np.copy, before))))
        assert (np.abs(np.diff(found)) > 1).sum() <= most
    plain = clamped(trembling, lower, upper)
    assert (np.abs(np.diff(plain)) > 1).sum() > 20


@pytest.mark.parametrize("kind", RANDOM)
def test_ends_nearer_than_any_other_do_not_depend_on_where_the_joint_was(rng, kind):
    for _ in range(20):
        (group,) = group_limits((RANDOM[kind](rng),), {"joint": 0})
        allowed = np.stack([group.sampled(rng.random((1, 3))) for _ in range(20)])
        near = allowed @ matrices(quaternions(rng, 20, 1, spread=0.01))
        elsewhere = allowed[rng.permutation(20)]
        assert np.allclose(group.nearest(near, elsewhere), group.nearest(near), rtol=0, atol=1e-9)


def test_a_hinge_beyond_its_back_stays_at_its_end():
    (group,) = group_limits((Hinge("joint", (1, 0, 0), 0.0, 1.0),), {"joint": 0})
    turned = Rotation.from_rotvec([[0.5 + np.pi - 0.05, 0, 0], [0.5 + np.pi + 0.05, 0, 0]]).as_matrix()
    for end in (0.0, 1.0):
        before = Rotation.from_rotvec([[end, 0, 0]]).as_matrix()
        found = Rotation.from_matrix(group.nearest(turned[:, None], before[None])[:, 0]).as_rotvec()
        assert np.allclose(found, [[end, 0, 0]] * 2, rtol=0, atol=1e-9)
