# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each kind of goal measures, worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_goals import aims, balances_at, balances_over, frames_of, group_of, poles, relative_frames
from random_rigs import matrices, quaternions
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from solvers.goals import Aim, Balance, Plane, Pole, RelativeFrame
from solvers.goals.hull import half_planes

seeds = st.integers(0, 2**32 - 1)
UNTURNED = np.eye(3)[None, None, None]


@given(seed=seeds)
def test_a_relative_frame_is_met_where_its_bone_is_carried_along(seed):
    rng = np.random.default_rng(seed)
    (goal,) = relative_frames(rng, count=1)
    points, rotations = frames_of(rng, [goal])
    points[0, 0, 0] = points[0, 0, 1] + rotations[0, 0, 1] @ goal.to_offset[0]
    rotations[0, 0, 0] = rotations[0, 0, 1] @ matrices(goal.to_rotation[0])
    group = group_of([goal])
    assert np.allclose(group.residual(points, rotations), 0, atol=1e-12)
    assert group.met(points, rotations, np.array([1e-9]), 1e-7).all()
    turn, move = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3)
    points[0, 0, 0] += move
    rotations[0, 0, 0] = turn @ rotations[0, 0, 0]
    lengths, angles = group.left(points, rotations)
    assert lengths[0, 0] == pytest.approx(np.linalg.norm(move))
    assert angles[0, 0] == pytest.approx(Rotation.from_matrix(turn).magnitude(), abs=1e-7)


@given(seed=seeds)
def test_the_turn_about_its_axis_costs_an_aim_nothing(seed):
    rng = np.random.default_rng(seed)
    goals = aims(rng, count=2)
    points, rotations = frames_of(rng, goals)
    group = group_of(goals)
    before = group.residual(points, rotations)
    spun = rotations.copy()
    for number, goal in enumerate(goals):
        axis = np.array(goal.axis) / np.linalg.norm(goal.axis)
        spun[0, number] = rotations[0, number] @ Rotation.from_rotvec(rng.uniform(-3, 3) * axis).as_matrix()
    after = group.residual(points, spun)
    assert np.allclose((before**2).sum(axis=-1), (after**2).sum(axis=-1))
    _, by_turn = group.slopes(points, rotations)
    for number, goal in enumerate(goals):
        axis = rotations[0, number, 0] @ goal.axis
        about = by_turn[0, number, :, 0] @ axis / np.linalg.norm(axis)
        # Off the target a turn about the axis turns the residual round, and leaves its length alone.
        assert about @ before[0, number] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.5, 2.0, 3.1, np.pi])
def test_an_aim_counts_the_angle_from_its_target(angle):
    turned = Rotation.from_rotvec([angle, 0, 0]).as_matrix()[None, None, None]
    for values in ({"along": (0, 2, 0)}, {"at": (1, 5, 1)}):
        group = group_of([Aim("head", weight=4.0, **values)], arm=0.3)
        points = np.array([[[[1.0, 2, 1]]]])
        assert np.linalg.norm(group.residual(points, turned)) == pytest.approx(2 * 0.3 * angle)
        assert group.left(points, turned)[1][0, 0] == pytest.approx(angle)
        assert np.isfinite(group.slopes(points, turned)[1]).all()


def test_an_aim_from_behind_has_a_slope():
    group = group_of([Aim("head", along=(0, 1, 0))], arm=1.0)
    behind, points = Rotation.from_rotvec([np.pi, 0, 0]).as_matrix()[None, None, None], np.zeros((1, 1, 1, 3))
    residual, (_, by_turn) = (f(points, behind) for f in (group.residual, group.slopes))
    step = -np.linalg.lstsq(by_turn[0, 0, :, 0], residual[0, 0], rcond=None)[0]
    after = Rotation.from_rotvec(step).as_matrix() @ behind
    assert group.left(points, after)[1][0, 0] < 0.1


def limb(angle, bend=0.3, reach=1.0):
    """Return points of a limb along +Y whose middle is ``angle`` about +Y from +X; (1, 1, 3, 3)."""
    out = bend * np.array([np.cos(angle), 0, -np.sin(angle)])
    return np.array([[[[0.0, 0, 0], np.array([0, 0.5, 0]) + out, [0, reach, 0]]]])


TURNS = np.broadcast_to(np.eye(3), (1, 1, 3, 3, 3))


@given(angle=st.floats(-3.1, 3.1), up=st.floats(-2, 2))
def test_a_pole_counts_the_angle_about_the_limb(angle, up):
    for values in ({"along": (1, 0, 0)}, {"at": (2, up, 0)}):
        group = group_of([Pole("thigh", "shin", "foot", **values)], arm=0.01)
        left = group.left(limb(angle), TURNS)[1][0, 0]
        assert left == pytest.approx(abs(angle), rel=2e-3, abs=1e-9)
        assert group.residual(limb(angle), TURNS)[0, 0, 0] == pytest.approx(0.01 * angle, rel=2e-3, abs=1e-11)


@given(seed=seeds, shift=st.floats(0.1, 5))
def test_a_pole_does_not_feel_how_far_the_end_is(seed, shift):
    rng = np.random.default_rng(seed)
    goals = poles(rng)
    points, rotations = frames_of(rng, goals)
    farther = points.copy()
    farther[:, :, 2] += shift * (points[:, :, 2] - points[:, :, 0])
    group = group_of(goals)
    assert np.allclose(group.residual(points, rotations), group.residual(farther, rotations), atol=1e-12)
    by_point, _ = group.slopes(points, rotations)
    for number in range(len(goals)):
        line = points[0, number, 2] - points[0, number, 0]
        assert by_point[0, number, 0, 2] @ line == pytest.approx(0, abs=1e-9)


def test_a_pole_turns_a_limb_about_the_line_between_its_ends():
    group = group_of([Pole("thigh", "shin", "foot", along=(1, 0, 0))], arm=0.01)
    points = limb(0.7)
    row = group.slopes(points, TURNS)[0][0, 0, 0]
    swing = np.cross([0, 1, 0], points[0, 0])
    about = (row * swing).sum()
    assert about == pytest.approx(0.01, rel=2e-3)


@given(seed=seeds)
def test_swings_meet_poles_and_leave_the_ends_of_limbs(seed):
    rng = np.random.default_rng(seed)
    goals = poles(rng)
    points, rotations = frames_of(rng, goals)
    group = group_of(goals)
    for ways in np.moveaxis(group.swings(points, np.array([0.0, 0.3, 1.0])), 1, 0):
        swung = points.copy()
        for joint in range(2):
            part = points[:, :, joint + 1] - points[:, :, joint]
            swung[:, :, joint + 1] = swung[:, :, joint] + np.einsum("bmij,bmj->bmi", ways[:, :, joint], part)
        assert np.allclose(swung[:, :, 2], points[:, :, 2], atol=1e-9)
        assert np.abs(group.left(swung, rotations)[1]).max() < 1e-9


def test_swings_keep_the_joints_of_bent_limbs_and_the_twist_of_straight_ones():
    group = group_of([Pole("thigh", "shin", "foot", along=(1, 0, 0))], arm=0.01)
    for bend, twist in ((0.3, 1.0), (1e-9, 0.0)):
        own, *_, none, whole = group.swings(limb(2.0, bend), np.array([0.0, 1.0]))[0, :, 0]
        assert np.allclose(own, whole if twist else none, atol=2e-3)
        assert np.allclose(whole[0], whole[1])


def test_a_pole_fades_as_the_limb_straightens_without_a_jump():
    group = group_of([Pole("thigh", "shin", "foot", along=(1, 0, 0))], arm=0.1)
    bends = 10.0 ** -np.arange(8)
    rows = [group.residual(limb(2.0, bend), TURNS)[0, 0, 0] for bend in bends]
    slopes = [np.abs(group.slopes(limb(2.0, bend), TURNS)[0]).max() for bend in bends]
    assert rows[0] == pytest.approx(0.2, rel=1e-3)
    assert (np.diff(rows) < 0).all()
    assert rows[-1] < 1e-9
    assert slopes[-1] == pytest.approx(slopes[-2] / 10, rel=1e-3)
    straight = group.slopes(limb(2.0, 0.0), TURNS)[0]
    assert (straight == 0).all()
    folded = group.slopes(limb(2.0, 0.3, reach=0.0), TURNS)[0]
    assert np.isfinite(folded).all()


def test_a_pole_in_line_with_its_limb_has_no_say():
    for values in ({"along": (0, 1, 0)}, {"at": (0, 2, 0)}, {"at": (0, 0, 0)}):
        group = group_of([Pole("thigh", "shin", "foot", **values)], arm=0.1)
        assert group.residual(limb(1.0), TURNS)[0, 0, 0] == 0
        assert np.isfinite(group.slopes(limb(1.0), TURNS)[0]).all()
        assert group.met(limb(1.0), TURNS, np.array([1e-9]), 1e-9).all()


def test_a_plane_counts_what_is_beyond_it_alone():
    soles = (("foot.L", (0, 0, 0)), ("foot.R", (0, 0, 0)))
    group = group_of([Plane(soles, normals=(0, 0, 2), heights=1.0, weight=9.0)])
    points, turns = np.array([[[[5.0, 5, 0.2], [0, 0, 0.7]]]]), TURNS[:, :, :2]
    assert np.allclose(group.residual(points, turns), [[[0.9, 0]]])
    by_point, by_turn = group.slopes(points, turns)
    assert by_turn is None
    assert np.allclose(by_point[0, 0], [[[0, 0, -3]], [[0, 0, 0]]])  # each by its own point
    assert group.left(points, turns)[0][0, 0] == pytest.approx(0.3)
    assert np.allclose(group.excess(points), [[[0.9, -0.6]]])
    assert np.allclose(group.excess_slopes(points)[0, 0], [[[0, 0, -3]], [[0, 0, -3]]])
    assert not group.met(points, turns, np.array([0.2]), 1.0).any()
    points[0, 0, 0, 2] = 0.4999
    assert group.met(points, turns, np.array([0.02]), 1.0).all()


@given(seed=seeds)
def test_a_balance_is_that_of_the_centre_of_mass(seed):
    rng = np.random.default_rng(seed)
    goals = balances_at(rng)
    points, rotations = frames_of(rng, goals)
    group = group_of(goals)
    lengths, _ = group.left(points, rotations)
    for number, goal in enumerate(goals):
        masses = np.array([mass for _, _, mass in goal.masses])
        centre = (masses[:, None] * points[0, number]).sum(axis=0) / masses.sum()
        away = goal.level[0] @ (centre - goal.at[0])
        assert lengths[0, number] == pytest.approx(np.linalg.norm(away))
    steps = rng.normal(size=points.shape)
    by_point, _ = group.slopes(points, rotations)
    change = group.residual(points + steps, rotations) - group.residual(points, rotations)
    assert np.allclose(change, np.einsum("bmrci,bmci->bmr", by_point, steps))


def test_masses_of_any_unit_are_the_same_balance(rng):
    (goal,) = balances_at(rng, count=1)
    heavy = [(bone, offset, 1e25 * mass) for bone, offset, mass in goal.masses]
    grams = Balance(heavy, goal.at, level=goal.level)
    points, rotations = frames_of(rng, [goal])
    assert np.allclose(*(group_of([own]).residual(points, rotations) for own in (goal, grams)))


def over(polygon, centre):
    """Return how far a centre of mass (3,) is from being over a polygon (c, 3), Z being up."""
    group = group_of([Balance((("hips", (0, 0, 0), 1.0),), polygon=polygon)])
    return group.left(np.array([[[centre]]], float), UNTURNED)[0][0, 0]


def test_a_balance_over_a_point_or_a_line():
    point = [[1.0, 2, 0]]
    assert over(point, (1, 2, 9)) == pytest.approx(0, abs=1e-12)
    assert over(point, (1.5, 2, 0)) == pytest.approx(0.5)
    assert over([*point, *point, *point], (1, 1, 0)) == pytest.approx(1)
    line = [[0.0, 0, 0], [2, 0, 1]]
    assert over(line, (1, 0, 5)) == pytest.approx(0, abs=1e-12)
    assert over([*line, (1.5, 0, 0)], (1, 0, 5)) == pytest.approx(0, abs=1e-12)
    assert over(line, (1, 0.3, 5)) == pytest.approx(0.3)
    assert over(line, (2.4, 0, 5)) == pytest.approx(0.4)
    assert over([(0, 0, 0), (1, 1, 0), (2, 2, 0)], (1.1, 0.9, 0)) == pytest.approx(0.2 / np.sqrt(2))


@given(seed=seeds, corners=st.integers(3, 9))
def test_half_planes_are_those_of_the_convex_hull(seed, corners):
    rng = np.random.default_rng(seed)
    given_ = rng.normal(size=(1, corners, 2))
    normals, heights = half_planes(given_)
    assert normals.shape == (1, max(corners, 4), 2)
    points = 2 * rng.normal(size=(50, 2))
    inside = (points @ normals[0].T <= heights[0] + 1e-12).all(axis=1)
    hull = ConvexHull(given_[0]).equations
    assert (inside == (points @ hull[:, :2].T + hull[:, 2] <= 1e-12).all(axis=1)).all()
    corners_inside = (given_[0] @ normals[0].T <= heights[0] + 1e-12).all()
    assert corners_inside


def test_frames_are_taken_in_the_order_of_the_goals(rng):
    goals = [
        RelativeFrame("a", "b"),
        RelativeFrame("c", "d", to_offset=(0, 0, 1), to_rotation=quaternions(rng)),
    ]
    points, rotations = frames_of(rng, goals)
    both = group_of(goals).residual(points, rotations)
    for number, goal in enumerate(goals):
        own = slice(number, number + 1)
        alone = group_of([goal]).residual(points[:, own], rotations[:, own])
        assert (alone == both[:, own]).all()


def test_balances_over_points_and_polygons_go_together(rng):
    over_a_point, over_a_polygon = balances_at(rng, count=1) + balances_over(rng, count=1)
    points, rotations = frames_of(rng, [over_a_point, over_a_polygon])
    both = group_of([over_a_point, over_a_polygon])
    for number, goal in enumerate([over_a_point, over_a_polygon]):
        own, alone = slice(number, number + 1), group_of([goal])
        given_ = points[:, own], rotations[:, own]
        rows = alone.residual(*given_).shape[-1]
        assert (both.residual(points, rotations)[:, own, :rows] == alone.residual(*given_)).all()
        assert (both.residual(points, rotations)[:, own, rows:] == 0).all()
        assert (both.left(points, rotations)[0][:, own] == alone.left(*given_)[0]).all()
