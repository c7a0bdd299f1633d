# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of every kind: what is nearest, how much room is left, and what is refused."""

from dataclasses import replace
from itertools import permutations, product
from math import inf, pi

import numpy as np
import pytest
from limit_checks import RANDOM, angle_between, euler_lock, outside, unit, violation
from random_rigs import matrices, quaternions, wxyz
from scipy.spatial.transform import Rotation

from solvers import Cones, Ellipse, EulerLimit, Hinge, LimitError
from solvers.geometry.rotations import euler_to_matrix, matrix_to_euler
from solvers.limits.groups import group_limits

ORDERS = ["".join(order) for order in permutations("XYZ")]
LOCKS = [lock for lock in product((False, True), repeat=3) if any(lock)]
UP = ((0.0, 1.0, 0.0), 1.0)
HELD = 1e-9  # radians, for what is exact but for rounding
every_kind = pytest.mark.parametrize("kind", RANDOM)


def group_of(*limits):
    (group,) = group_limits(limits, {limit.bone: place for place, limit in enumerate(limits)})
    return group


def nearest_of(limit, local):
    return group_of(limit).nearest(local[:, None])[:, 0]


def turns(rng, count=60, spread=None):
    return matrices(quaternions(rng, count, spread=spread))


def quaternion(local):
    return wxyz(Rotation.from_matrix(local))


def same_angle(a, b, tolerance):
    return np.abs((a - b + pi) % (2 * pi) - pi) <= tolerance


def triples(local, order):
    """Both triples of Euler angles that make a rotation."""
    first = matrix_to_euler(local, order)
    second = first + pi
    middle = "XYZ".index(order[1])
    second[..., middle] = pi - first[..., middle]
    return first, second


@every_kind
def test_the_nearest_rotation_is_allowed_and_stays(rng, kind):
    for _ in range(30):
        limit = RANDOM[kind](rng)
        found = nearest_of(limit, turns(rng))
        assert violation(limit, quaternion(found)).max() < HELD
        assert np.allclose(nearest_of(limit, found), found, rtol=0, atol=HELD)


@every_kind
def test_an_allowed_rotation_is_its_own_nearest(rng, kind):
    for _ in range(30):
        limit = RANDOM[kind](rng)
        allowed = np.stack([group_of(limit).sampled(rng.random((1, 3)))[0] for _ in range(20)])
        assert violation(limit, quaternion(allowed)).max() < HELD
        assert np.allclose(nearest_of(limit, allowed), allowed, rtol=0, atol=HELD)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("order", ORDERS)
def test_in_gimbal_lock_an_allowed_rotation_is_its_own_nearest(rng, order, sign):
    """First and last angle share one turn there, which has to be split as their ranges have room for."""
    for _ in range(30):
        lower = rng.uniform(-2.0, 1.0, size=3)
        upper = lower + rng.choice([0.0, 0.3, 2.0], size=3)
        middle = "XYZ".index(order[1])
        lower[middle], upper[middle] = sorted((0.0, sign * pi / 2))
        limit = EulerLimit("joint", order, lower, upper)
        angles = rng.uniform(lower, upper, size=(20, 3))
        angles[:, middle] = sign * pi / 2
        allowed = euler_to_matrix(angles, order)
        found = nearest_of(limit, allowed)
        assert angle_between(found, allowed).max() < 1e-6
        assert violation(limit, quaternion(found)).max() < 1e-6


def test_a_hinge_goes_to_the_nearest_of_all_its_turns(rng):
    for _ in range(30):
        limit = RANDOM["hinge"](rng)
        local = turns(rng)
        every = Rotation.from_rotvec(np.linspace(limit.lower, limit.upper, 2001)[:, None] * unit(limit.axis))
        overlap = np.einsum("nij,mij->nm", local, every.as_matrix())
        found = np.einsum("nij,nij->n", local, nearest_of(limit, local))
        assert (found >= overlap.max(axis=1) - 1e-9).all()
        assert (found <= overlap.max(axis=1) + 1e-5).all()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("axis", "XYZ")
def test_one_euler_angle_goes_to_its_nearer_end(rng, order, axis):
    lower, upper, place = np.zeros(3), np.zeros(3), "XYZ".index(axis)
    lower[place], upper[place] = -0.7, 2.1
    angles = np.linspace(-3.1, 3.1, 63)
    local = Rotation.from_rotvec(angles[:, None] * np.eye(3)[place]).as_matrix()
    nearest = nearest_of(EulerLimit("joint", order, lower, upper), local)
    turned_back = 2 * np.arccos(np.clip(np.abs(np.cos((angles - 2.1) / 2)), 0, 1))
    expected = np.where((angles >= -0.7) & (angles <= 2.1), angles, np.where(angles > 2.1, 2.1, -0.7))
    round_the_back = (angles < -0.7) & (turned_back < -0.7 - angles)
    expected = np.where(round_the_back, 2.1, expected)
    wanted = Rotation.from_rotvec(expected[:, None] * np.eye(3)[place]).as_matrix()
    assert np.allclose(nearest, wanted, rtol=0, atol=1e-9)


def test_a_cone_keeps_direction_and_twist_apart(rng):
    """Leaving a cone the bone swings back the shortest way; its twist is cut to the range."""
    limit = Cones("joint", (((0.2, 1.0, 0.1), 0.5),), -0.4, 0.3)
    local = turns(rng, 500)
    direction, centre = local[..., 1], unit([0.2, 1.0, 0.1])
    found = nearest_of(limit, local)[..., 1]
    swung = np.maximum(angle_between(centre, direction) - 0.5, 0)
    assert np.allclose(angle_between(found, direction), swung, rtol=0, atol=1e-9)
    assert outside(limit.cones, found).max() < HELD


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("locked", LOCKS)
def test_the_nearest_allowed_rotation_has_the_locked_angles_and_stays(rng, order, locked):
    lock = euler_lock("hinge", order, locked, [0.3, -0.4, 0.5])
    nearest = nearest_of(lock, turns(rng, 20))
    held = [
        same_angle(angles, [0.3, -0.4, 0.5], 1e-12)[:, np.array(locked)].all(axis=1)
        for angles in triples(nearest, order)
    ]
    assert np.any(held, axis=0).all()
    assert np.allclose(nearest_of(lock, nearest), nearest, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_a_turn_about_the_free_middle_axis_is_its_own_nearest(rng, order):
    first, middle, last = ("XYZ".index(axis) for axis in order)
    angles = np.zeros((20, 3))
    angles[:, first], angles[:, last] = 0.3, -0.2
    angles[:, middle] = rng.uniform(-3.1, 3.1, size=20)
    locked = [axis != order[1] for axis in "XYZ"]
    lock, allowed = euler_lock("hinge", order, locked, angles[0]), euler_to_matrix(angles, order)
    # Near 90 degrees the angles come back with the root of what rounding does to their sine.
    assert np.allclose(nearest_of(lock, allowed), allowed, rtol=0, atol=1e-7)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("locked", LOCKS)
def test_free_directions_are_those_the_free_angles_turn_about(rng, order, locked):
    """Turning a free angle a little is a turn, in the bone's own frame, across no normal."""
    step, locked = 1e-6, np.array(locked)
    angles = rng.uniform(-1, 1, size=(10, 3))
    here = euler_to_matrix(angles, order)
    lock = EulerLimit("hinge", order, np.where(locked, angles, -pi), np.where(locked, angles, pi))
    normals, room = group_of(lock).room(here[:, None])
    held = np.abs(room[:, 0]) < 1e-9
    assert (held.sum(axis=-1) == 2 * sum(locked)).all()
    normals = normals[:, 0] * held[..., None]
    assert (np.linalg.matrix_rank(normals) == sum(locked)).all()
    for axis in np.flatnonzero(~locked):
        there = euler_to_matrix(angles + step * np.eye(3)[axis], order)
        turn = Rotation.from_matrix(np.swapaxes(here, -1, -2) @ there).as_rotvec() / step
        # First differences: an error of the size of the step.
        assert np.allclose(np.einsum("bci,bi->bc", normals, turn), 0, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", sorted(set(RANDOM) - {"ellipse"}))
def test_normals_are_how_fast_the_room_shrinks(rng, kind):
    step, checked = 1e-6, 0
    for _ in range(40):
        group = group_of(RANDOM[kind](rng))
        local = group.sampled(0.1 + 0.8 * rng.random((1, 3)))[None]
        normals, room = group.room(local)
        for axis in np.eye(3):
            ends = [
                group.room(local @ Rotation.from_rotvec(sign * step * axis).as_matrix())[1]
                for sign in (1, -1)
            ]
            with np.errstate(invalid="ignore"):
                shrinks = -(ends[0] - ends[1]) / (2 * step)
                kink = np.abs(ends[0] + ends[1] - 2 * room) > 1e-9
            smooth = np.isfinite(room) & ~kink
            if kind == "loose hinge":  # the faces of its play are planes, as those of an ellipse
                smooth[..., :-2] = False
            assert np.allclose((normals @ axis)[smooth], shrinks[smooth], rtol=0, atol=1e-5)
            checked += smooth.sum()
    assert checked > 100


def test_hinges_alone_turn_about_one_axis_only(rng):
    for kind, make in RANDOM.items():
        limit = make(rng)
        axes = group_of(limit).only_axes()
        if kind == "hinge":
            assert np.allclose(axes, [unit(limit.axis)], rtol=0, atol=1e-15)
        else:
            assert axes is None


@every_kind
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_comfortable_rotations_are_allowed(rng, kind, share):
    for _ in range(30):
        limit = RANDOM[kind](rng)
        local = nearest_of(limit, turns(rng))
        eased = group_of(limit).comfortable(local[:, None], np.full((len(local), 1), share))[:, 0]
        assert violation(limit, quaternion(eased)).max() < HELD
        if share == 0:
            assert np.allclose(eased, local, rtol=0, atol=HELD)


def test_a_hinge_with_play_stands_beside_a_cone_that_is_a_point():
    hinge = Hinge("limb", (1, 0, 0), -2, 2, play=0.05)
    point = Cones("beside", (((0, 1, 0), 0.0), ((1, 1, 0), 0.5)), -1, 1)
    groups = group_limits((hinge, point), {"limb": 0, "beside": 1})
    local = np.broadcast_to(np.eye(3), (1, 2, 3, 3))
    with np.errstate(all="raise"):
        rooms = [group.room(local.take(group.bones, axis=1))[1] for group in groups]
    assert all((room > -1e-9).all() for room in rooms)


def test_no_turn_leaves_the_play_of_a_hinge_but_through_a_face(rng):
    """From anywhere within, its middle and its edge above all: one face alone lets turns pass beside it."""
    hinge = Hinge("limb", (1, 0, 0), -2, 2, play=0.05)
    group = group_of(hinge)
    lean = np.repeat([0.0, 0.03, 0.05], 100)[:, None] * unit(rng.normal(size=(300, 3)) * (0, 1, 1))
    local = (
        Rotation.from_rotvec(rng.uniform(-1, 1, (300, 1)) * (1, 0, 0)) * Rotation.from_rotvec(lean)
    ).as_matrix()
    turns = unit(rng.normal(size=(300, 3)) * (0, 1, 1)) * rng.uniform(0, 0.3, (300, 1))
    normals, room = group.room(local[:, None])
    crossed = (np.einsum("bmci,bi->bmc", normals, turns) > room + 1e-9).any(axis=(1, 2))
    far_out = hinge.tilts(local @ Rotation.from_rotvec(turns).as_matrix()) > 1.5 * hinge.play
    assert far_out.any()
    assert crossed[far_out].all()


@every_kind
def test_cushions_go_with_their_bones(rng, kind):
    cushions = {f"joint {number}": 0.1 * number for number in range(5)}
    limits = [replace(RANDOM[kind](rng), bone=bone, cushion=width) for bone, width in cushions.items()]
    place = {bone: number for number, bone in enumerate(cushions)}
    for group in group_limits(limits[::-1], place):
        assert (group.cushions == 0.1 * group.bones).all()
        last = np.array([len(group.bones) - 1])
        assert (group.members(last).cushions == 0.1 * group.bones[last]).all()
        assert (group.rows(np.array([0])).cushions == group.cushions).all()


def test_a_comfortable_hinge_is_off_its_ends():
    group = group_of(Hinge("knee", (1, 0, 0), 0.0, 2.0))
    straight = group.comfortable(np.eye(3)[None, None], np.ones((1, 1)))
    assert group.room(straight)[1][0, 0, :2].min() > 0.5


@pytest.mark.parametrize(("lower", "upper"), [(-pi, pi), (0.0, 2 * pi), (-4.0, 3.0), (-20.0, 20.0)])
def test_ranges_of_a_turn_or_more_are_free(rng, lower, upper):
    local = turns(rng)
    everywhere = (((0.0, 1.0, 0.0), pi),)
    for limit in (
        Cones("joint", everywhere, lower, upper),
        EulerLimit("joint", "YXZ", [lower] * 3, [upper] * 3),
    ):
        assert np.allclose(nearest_of(limit, local), local, rtol=0, atol=HELD)
        room = group_of(limit).room(local[:, None])[1]
        assert (room[..., 1:] == inf).all()
    angles = np.linspace(-3.1, 3.1, 50)
    about = Rotation.from_rotvec(angles[:, None] * unit([1, 2, 3])).as_matrix()
    hinge = Hinge("joint", (1, 2, 3), lower, upper)
    assert np.allclose(nearest_of(hinge, about), about, rtol=0, atol=HELD)
    assert (group_of(hinge).room(about[:, None])[1][:, 0, :2] == inf).all()


@pytest.mark.parametrize(("lower", "upper"), [(2.0, 5.0), (-5.0, -1.0), (3.0, 3.5), (-0.1, 6.1), (7.0, 8.0)])
def test_ranges_may_pass_half_a_turn(lower, upper):
    angles = np.linspace(lower, upper, 40)
    about = Rotation.from_rotvec(angles[:, None] * np.array([0, 0, 1.0])).as_matrix()
    for limit in (
        Hinge("joint", (0, 0, 1), lower, upper),
        EulerLimit("joint", "XYZ", [0, 0, lower], [0, 0, upper]),
        EulerLimit("joint", "XZY", [0, 0, lower], [0, 0, upper]),
    ):
        assert np.allclose(nearest_of(limit, about), about, rtol=0, atol=1e-7)


@every_kind
def test_limits_side_by_side_do_not_influence_each_other(rng, kind):
    limits = [replace(RANDOM[kind](rng), bone=f"joint {number}") for number in range(12)]
    place = {limit.bone: number for number, limit in enumerate(limits)}
    local = turns(rng, 12 * 5).reshape(5, 12, 3, 3)
    for group in group_limits(limits, place):
        together = group.nearest(local[:, group.bones])
        for member, bone in enumerate(group.bones):
            alone = nearest_of(limits[bone], local[:, bone])
            assert np.allclose(together[:, member], alone, rtol=0, atol=1e-12)
            picked = group.members(np.array([member])).nearest(local[:, [bone]])
            assert np.allclose(picked[:, 0], alone, rtol=0, atol=1e-12)


REFUSED = {
    "a reversed hinge": lambda: Hinge("elbow", (1, 0, 0), 1.0, 0.0),
    "a hinge about nothing": lambda: Hinge("elbow", (0, 0, 0)),
    "a hinge about next to nothing": lambda: Hinge("elbow", (1e-300, 0, 0)),
    "a hinge about what is too long to reckon with": lambda: Hinge("elbow", (1e300, 0, 0)),
    "a hinge about no direction": lambda: Hinge("elbow", (1, 0)),
    "a hinge about no number": lambda: Hinge("elbow", (1, np.nan, 0)),
    "a hinge to no number": lambda: Hinge("elbow", (1, 0, 0), 0, np.nan),
    "a hinge without end": lambda: Hinge("elbow", (1, 0, 0), 0, inf),
    "no cones": lambda: Cones("elbow", ()),
    "thousands of cones": lambda: Cones("elbow", (((0, 1, 0), 0.1),) * 10_000),
    "a cone of negative radius": lambda: Cones("elbow", (((0, 1, 0), -0.1),)),
    "a cone of more than everything": lambda: Cones("elbow", (((0, 1, 0), 3.2),)),
    "a cone of no radius": lambda: Cones("elbow", (((0, 1, 0), np.nan),)),
    "a cone about nothing": lambda: Cones("elbow", (UP, ((0, 0, 0), 1.0))),
    "too few radii": lambda: Ellipse("elbow", (1, 1, 1)),
    "a negative radius": lambda: Ellipse("elbow", (1, 1, -0.1, 1)),
    "a radius of more than half a turn": lambda: Ellipse("elbow", (1, 1, 3.2, 1)),
    "a radius of no number": lambda: Ellipse("elbow", (1, np.nan, 1, 1)),
    "a reversed twist of an ellipse": lambda: Ellipse("elbow", (1, 1, 1, 1), 1.0, 0.0),
    "a negative cushion": lambda: Hinge("elbow", (1, 0, 0), cushion=-0.1),
    "a cushion of no number": lambda: Cones("elbow", (UP,), cushion=np.nan),
    "a cushion without end": lambda: Ellipse("elbow", (1, 1, 1, 1), cushion=inf),
    "a negative cushion of angles": lambda: EulerLimit("elbow", "XYZ", [0] * 3, [1] * 3, cushion=-1.0),
    "a reversed twist": lambda: Cones("elbow", (UP,), 0.1, 0.0),
    "a twist of no number": lambda: Cones("elbow", (UP,), np.nan, 0.0),
    "an order that is none": lambda: EulerLimit("elbow", "XYX", [0, 0, 0], [1, 1, 1]),
    "no order": lambda: EulerLimit("elbow", "", [0, 0, 0], [1, 1, 1]),
    "a reversed angle": lambda: EulerLimit("elbow", "XYZ", [0, 2, 0], [1, 1, 1]),
    "a reversed angle in one row": lambda: EulerLimit("elbow", "XYZ", [0, 0, 0], [[1, 1, 1], [1, -1, 1]]),
    "angles of no number": lambda: EulerLimit("elbow", "XYZ", [0, np.nan, 0], [1, 1, 1]),
    "too many angles": lambda: EulerLimit("elbow", "XYZ", [0, 0, 0, 0], [1, 1, 1, 1]),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=list(REFUSED))
def test_a_limit_that_cannot_be_is_refused_with_the_name_of_its_bone(make):
    with pytest.raises(LimitError, match="elbow"):
        make()
