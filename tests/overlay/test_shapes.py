# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn is what the solver enforces: rims lie on its limits, areas hold what it allows, no more."""

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from limit_checks import (
    RANDOM,
    directions,
    outside,
    random_cones,
    random_ellipse,
    random_euler,
    random_loose_hinge,
)
from pure_overlay import pure

from solvers import Cones, Ellipse, EulerLimit, Hinge
from solvers.geometry.rotations import euler_to_matrix, rotation_vector_to_matrix
from solvers.limits.kinds import LONGEST_CHAIN

shapes, limit_kinds = pure("shapes"), pure("limit_kinds")
X, Y, Z = np.eye(3)
DEGREE = np.pi / 180
seeds = st.integers(0, 10**6)

# Cones of bones that lie across their limbs are shown from the limb's frame, where they are plain ones.
SHOWN = sorted(set(RANDOM) - {"across"})


def wide_ellipse(_rng):
    return Ellipse("joint", (0.5, 0.4, 0.3, 0.2), -1, 1)


DEGENERATE = {
    "one": [(Y, 0.7)],
    "touching": [(Y, 0.5), (X, np.pi / 2 - 0.5)],
    "nested": [(Y, 0.9), (Y + 0.1 * X, 0.3)],
    "coincident": [(Y, 0.5), (Y, 0.5)],
    "antipodal": [(X, 0.5), (-X, 0.4)],
    "point": [(Y, 0.0), (X, 0.3)],
    "nearly coincident": [(Y, 0.8), (Y + 0.02 * X, 0.8)],
    "corridor of points": [(Y, 0.0), (Y + X, 0.0)],
    "all but nothing": [(Y, 3.0)],
    "round the back": [(Y, 0.4), (X, 0.3), (-Y + 0.2 * Z, 0.3), (-X, 0.3)],
}


def cones_of(chain):
    return Cones("joint", tuple((tuple(centre), float(radius)) for centre, radius in chain))


def rim_points(limit, depth=0.0):
    """All corners of the rim's polylines."""
    found = limit_kinds.drawn_kind(limit).region(limit, depth)
    return np.concatenate([np.empty((0, 3)), *found.rims, *found.lines])


def room(limit, local):
    """The least room that the solver itself leaves at local rotations (n, 3, 3)."""
    return shapes.group_of(limit).room(local[:, None])[1][:, 0]


def allowed(limit, points):
    """Whether the solver allows the directions (n, 3): the swing's room, any twist."""
    leans = np.arctan2(np.linalg.norm(np.cross(Y, points), axis=-1), points @ Y)
    axes = np.cross(Y, points)
    axes /= np.maximum(np.linalg.norm(axes, axis=-1, keepdims=True), 1e-12)
    twist = rotation_vector_to_matrix(0.5 * (limit.lower + limit.upper) * Y)
    return room(limit, rotation_vector_to_matrix(leans[:, None] * axes) @ twist)[:, :-2].min(axis=-1) >= 0


def within_box(limit, points, steps=1500):
    """How far the box of angles is from allowing the directions (n, 3) with the best of many twists."""
    around = np.linspace(-np.pi, np.pi, steps)
    to_points = np.stack([np.stack([p, q, r], axis=-1) for p, q, r in map(_frame, points)])
    turned = to_points[:, None] @ rotation_vector_to_matrix(around[:, None] * Y)
    left = shapes.group_of(limit).room(turned.reshape(-1, 1, 3, 3))[1]
    return -left[:, 0].min(axis=-1).reshape(len(points), steps).max(axis=1)


def _frame(direction):
    across = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
    across /= np.linalg.norm(across)
    return across, direction, np.cross(across, direction)


def area(triangles):
    sides = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return 0.5 * np.linalg.norm(np.cross(*sides), axis=-1).sum()


def crossings(rng, low, inside):
    """Directions on the rim, between ``low`` ones, which are inside, and random ones outside."""
    high = directions(rng, len(low))
    low, high = low[~inside(high)], high[~inside(high)]
    for _ in range(50):
        middle = low + high
        middle /= np.linalg.norm(middle, axis=-1, keepdims=True)
        held = inside(middle)[:, None]
        low, high = np.where(held, middle, low), np.where(held, high, middle)
    assert len(low) > 10
    return low


def allowed_directions(limit, rng, count=100):
    """Directions that the solver gives as allowed."""
    sampled = shapes.group_of(limit).sampled
    return np.concatenate([sampled(rng.random((1, 3)))[..., 1] for _ in range(count)])


def distance_to_rim(limit, points):
    return np.arccos(np.clip((points @ rim_points(limit).T).max(axis=1), -1, 1))


@pytest.mark.parametrize("name", DEGENERATE)
def test_the_rim_of_degenerate_cones_is_the_solvers(name):
    chain = DEGENERATE[name]
    points = rim_points(cones_of(chain))
    assert np.abs(outside(chain, points)).max() < 1e-6


@pytest.mark.parametrize("name", sorted(DEGENERATE.keys() - {"corridor of points"}))
def test_the_rim_of_degenerate_cones_has_no_break(name, rng):
    chain = DEGENERATE[name]
    limit = cones_of(chain)
    middles = [centre / np.linalg.norm(centre) for centre, _ in chain]
    points = crossings(
        rng, np.array(middles)[np.arange(4000) % len(middles)], lambda x: outside(chain, x) <= 0
    )
    assert distance_to_rim(limit, points).max() < 1.1 * DEGREE


@given(seeds)
def test_the_rim_of_cones_is_the_solvers(seed):
    limit = random_cones(np.random.default_rng(seed))
    points = rim_points(limit)
    assert len(points) > 10
    assert np.abs(outside(limit.cones, points)).max() < 1e-6


@few
@given(seeds)
def test_the_rim_of_cones_has_no_break(seed):
    rng = np.random.default_rng(seed)
    limit = random_cones(rng)
    points = crossings(rng, allowed_directions(limit, rng), lambda x: outside(limit.cones, x) <= 0)
    assert distance_to_rim(limit, points).max() < 1.1 * DEGREE


@few
@given(seeds, st.floats(0.02, 0.3))
def test_the_soft_rim_is_as_deep_inside_as_the_cushion_is_wide(seed, depth):
    limit = random_cones(np.random.default_rng(seed))
    points = rim_points(limit, depth)
    if len(points):
        left = room(limit, np.stack([np.stack([p, q, r], axis=-1) for p, q, r in map(_frame, points)]))
        np.testing.assert_allclose(left[:, 0], depth, atol=1e-6)


@few
@given(seeds)
def test_the_rim_of_ellipses_is_the_solvers(seed):
    rng = np.random.default_rng(seed)
    limit = random_ellipse(rng)
    points = crossings(rng, allowed_directions(limit, rng), lambda x: allowed(limit, x))
    assert distance_to_rim(limit, points).max() < 2.1 * DEGREE


@few
@given(seeds)
def test_the_rim_of_angles_is_where_the_solver_stops(seed):
    """Just inside of it the box of angles holds the direction with some twist, just outside with none."""
    limit = wide_euler(np.random.default_rng(seed))
    found = limit_kinds.drawn_kind(limit).region(limit)
    assert len(found.rims) >= 3
    for line in (line for line in found.rims if len(line) > 6):  # on short ones a corner is near
        middle = line[len(line) // 2]
        along = line[len(line) // 2] - line[len(line) // 2 - 1]
        beside = np.cross(middle, along)
        beside *= 0.02 / np.linalg.norm(beside)
        missing = within_box(limit, np.stack([middle + beside, middle - beside]))
        assert missing.min() < 0.01
        assert missing.max() > 1e-4


@few
@given(seeds)
def test_directions_that_angles_reach_are_inside(seed):
    rng = np.random.default_rng(seed)
    limit = random_euler(rng)
    free = limit.upper - limit.lower >= 2 * np.pi
    angles = limit.lower + rng.random((200, 3)) * (limit.upper - limit.lower)
    angles[:100] = np.where(rng.random((100, 3)) < 0.5, limit.lower, limit.upper)  # and from the corners
    found = limit_kinds.drawn_kind(limit).region(limit)
    points = euler_to_matrix(np.where(free, rng.uniform(-np.pi, np.pi, (200, 3)), angles), limit.order)[
        ..., 1
    ]
    if found.rims:
        assert found.inside(points).all()
    elif found.lines:
        assert distance_to_rim(limit, points).max() < 1.1 * DEGREE


@few
@given(seeds)
def test_directions_that_no_angles_reach_are_outside(seed):
    rng = np.random.default_rng(seed)
    limit = wide_euler(rng)
    points = directions(rng, 40)
    missing = within_box(limit, points)
    inside = limit_kinds.drawn_kind(limit).region(limit).inside(points)
    assert not inside[missing > 0.01].any()
    assert inside[missing < 0].all()


@few
@given(seeds)
def test_the_area_of_cones_is_filled_and_no_more(seed):
    rng = np.random.default_rng(seed)
    limit = random_cones(rng)
    fill = shapes.swing_shape(limit).fill
    np.testing.assert_allclose(np.linalg.norm(fill, axis=-1), 1, atol=1e-6)
    middles = fill.mean(axis=1)
    middles /= np.linalg.norm(middles, axis=-1, keepdims=True)
    assert outside(limit.cones, middles).max() < 0.25 * DEGREE  # corners are cut by half a cell at most
    share = (outside(limit.cones, directions(rng, 40000)) <= 0).mean()
    error = 4 * np.sqrt(share * (1 - share) / 40000)
    assert area(fill) / (4 * np.pi) == pytest.approx(share, abs=error + 1e-3)


@pytest.mark.parametrize("radius", [0.004, 0.02, 0.3, 1.5, 3.0])
def test_caps_have_the_area_of_caps(radius):
    fill = shapes.swing_shape(cones_of([(Y + 0.3 * X, radius)])).fill
    assert area(fill) == pytest.approx(2 * np.pi * (1 - np.cos(radius)), rel=3e-3, abs=3e-4)


def test_a_hinge_is_a_fan_in_its_plane():
    shape = shapes.swing_shape(Hinge("elbow", (1, 0, 0), -0.1, 2.4))
    assert np.abs(shape.fill[..., 0]).max() < 1e-12
    assert area(shape.fill) == pytest.approx(2.5 / 2, rel=1e-3)
    ends = shape.rim[-2:, 1]
    np.testing.assert_allclose(ends, [rotation_vector_to_matrix(a * X) @ Y for a in (-0.1, 2.4)], atol=1e-12)


def test_a_hinge_askew_is_a_cone_of_lines():
    """The bone stays at one angle to the axis."""
    axis = np.array([1.0, 1.0, 0.0]) / 2**0.5
    shape = shapes.swing_shape(Hinge("joint", tuple(axis), -1, 1))
    np.testing.assert_allclose(shape.fill[:, 1:] @ axis, np.sqrt(0.5), atol=1e-12)


def test_a_hinge_about_the_bone_is_a_twist():
    limit = Hinge("joint", (0, -2, 0), -0.2, 0.5)
    assert not len(shapes.swing_shape(limit).fill)
    assert limit_kinds.drawn_kind(limit).twist(limit, np.eye(3))[1] == ((-0.5, 0.2),)


@pytest.mark.parametrize("order", ["XYZ", "YXZ", "ZYX"])
def test_one_free_angle_is_a_hinge(order):
    lower, upper = np.array([-0.1, 0, 0]), np.array([2.4, 0, 0])
    angles = shapes.swing_shape(EulerLimit("joint", order, lower, upper))
    hinge = shapes.swing_shape(Hinge("joint", (1, 0, 0), -0.1, 2.4))
    np.testing.assert_allclose(area(angles.fill), area(hinge.fill), rtol=1e-6)
    np.testing.assert_allclose(angles.fill.min(axis=0), hinge.fill.min(axis=0), atol=1e-3)


def test_without_a_limit_nothing_is_drawn():
    everything = EulerLimit("joint", "XYZ", np.full(3, -np.pi), np.full(3, np.pi))
    shape = shapes.swing_shape(everything)
    assert not len(shape.rim)
    assert not len(shape.fill)
    assert limit_kinds.drawn_kind(everything).twist(everything, np.eye(3))[1] == ()


@few
@given(seeds, st.sampled_from(SHOWN))
def test_the_fan_ends_where_the_solver_stops_the_twist(seed, kind):
    rng = np.random.default_rng(seed)
    limit = RANDOM[kind](rng)
    local = shapes.group_of(limit).sampled(rng.random((1, 3)))[0]
    frame, ranges = limit_kinds.drawn_kind(limit).twist(limit, local)
    for low, high in ranges:
        for angle, out in ((low, -1), (high, 1)):
            turns = np.array([angle, angle + out * 2e-5])[:, None] * Y
            at, past = room(limit, frame @ rotation_vector_to_matrix(turns)).min(axis=-1)
            assert at > -3e-6
            assert past < at


@given(seeds, st.floats(-1, 1))
def test_the_needle_turns_with_the_twist(seed, twist):
    """From the fan's zero, which swings with the bone, the bone's Z is as far as it is twisted."""
    rng = np.random.default_rng(seed)
    limit = random_cones(rng)
    lean = rotation_vector_to_matrix(np.array([rng.uniform(-1, 1), 0, rng.uniform(-1, 1)]))
    local = lean @ rotation_vector_to_matrix(twist * Y)
    frame, _ = limit_kinds.drawn_kind(limit).twist(limit, local)
    np.testing.assert_allclose(frame, lean, atol=1e-9)


@given(seeds, st.sampled_from([random_cones, random_loose_hinge, wide_ellipse]))
def test_what_was_put_at_the_limit_is_at_it(seed, make):
    check_at_limit(make, np.random.default_rng(seed))


@few
@given(seeds)
def test_what_was_put_at_the_limits_of_angles_is_at_them(seed):
    check_at_limit(wide_euler, np.random.default_rng(seed))


def check_at_limit(make, rng):
    limit = make(rng)
    local = rotation_vector_to_matrix(rng.normal(size=(20, 3)))
    for past in local[room(limit, local).min(axis=-1) < -0.05]:
        near = shapes.group_of(limit).nearest(past[None, None])[0, 0]
        assert any(shapes.at_limit(limit, near))
        assert any(shapes.at_limit(limit, past))


def test_a_bone_amid_its_limits_is_at_none():
    for limit in (
        Hinge("elbow", (1, 0, 0), -1, 2),
        Hinge("elbow", (1, 0, 0), -1, 2, play=0.3),
        cones_of([(Y, 0.5)]),
        Ellipse("joint", (0.5, 0.4, 0.3, 0.2), -1, 1),
        Ellipse("knee", (0.5, 0.4, 0.0, 0.0), 0, 0),
        EulerLimit("joint", "YXZ", np.array([-1, 0, -1]), np.array([1, 0, 1])),
    ):
        assert shapes.at_limit(limit, np.eye(3)) == (False, False)


def test_swing_and_twist_are_told_apart():
    limit = Cones("joint", (((0, 1, 0), 0.5),), -0.3, 0.3)
    assert shapes.at_limit(limit, rotation_vector_to_matrix(0.5 * X)) == (True, False)
    assert shapes.at_limit(limit, rotation_vector_to_matrix(-0.3 * Y)) == (False, True)


def test_limits_of_the_same_values_share_a_shape():
    for make in (
        lambda bone, x: Hinge(bone, (1, 0, 0), -x, 2),
        lambda bone, x: Cones(bone, (((0, 1, 0), x),)),
        lambda bone, x: EulerLimit(bone, "XYZ", np.full(3, -x), np.full(3, x)),
    ):
        assert shapes.swing_shape(make("a", 0.3)) is shapes.swing_shape(make("b", 0.3))
        assert shapes.swing_shape(make("a", 0.3)) is not shapes.swing_shape(make("a", 0.4))


def test_the_longest_chain_of_cones_is_drawn(rng):
    limit = Cones("joint", tuple((tuple(direction), 0.3) for direction in directions(rng, LONGEST_CHAIN)))
    assert len(shapes.swing_shape(limit).fill)


def wide_euler(rng):
    """Ranges of some width about every axis, so that sampled twists find the box."""
    lower = rng.uniform(-1.3, 0, size=3)
    order = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"][int(rng.integers(6))]
    return EulerLimit("joint", order, lower, lower + rng.uniform(0.2, 1.3, size=3))
