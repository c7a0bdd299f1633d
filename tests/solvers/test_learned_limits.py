# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is learned from rotations: laws over random motions, and motions whose limits are known."""

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from limit_checks import angle_between, directions, outside, unit, violation
from random_rigs import scipy_of
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from solvers import Cones, Hinge, LimitError, SettingsError, learn_comforts, learn_limits
from solvers.learning.learned_comforts import STILL
from solvers.learning.learned_limits import HINGE_TOLERANCE

Y = np.array([0.0, 1.0, 0.0])
ROUNDING = 1e-7
SEEDS = st.integers(0, 2**32 - 1)


def wxyz(rotations):
    return np.roll(rotations.as_quat(), 1, axis=-1)


def learn(samples, stretch=0.0, **options):
    """What is learned of one bone called "joint" from samples (n, 4)."""
    return learn_limits(["joint"], samples[:, None], stretch=stretch, **options)[0]


def about(axis, angles):
    return wxyz(Rotation.from_rotvec(np.outer(angles, unit(axis))))


def joint_motion(rng, count=200):
    """A ball joint's samples (count, 4), wxyz: a stretched cloud of turns about some middle."""
    turns = rng.normal(size=(count, 3)) * rng.uniform(0.01, 0.5, 3) @ Rotation.random(rng=rng).as_matrix()
    return wxyz(Rotation.from_rotvec(rng.normal(scale=0.6, size=3)) * Rotation.from_rotvec(turns))


def sphere(count=10000):
    number = np.arange(count) + 0.5
    height, around = 1 - 2 * number / count, np.pi * (1 + 5**0.5) * number
    flat = np.sqrt(1 - height**2)
    return np.stack([flat * np.cos(around), height, flat * np.sin(around)], axis=-1)


def area(limit, count=10000):
    """Steradians of the region of directions, counted on an even sampling."""
    return 4 * np.pi * np.mean(outside(limit.cones, sphere(count)) <= 0)


def apart(limit, rotations):
    """How far rotations are outside, radians, a hinge's tolerance let pass."""
    return violation(limit, rotations) - (HINGE_TOLERANCE if isinstance(limit, Hinge) else 0.0)


@few
@given(SEEDS, st.integers(1, 60), st.floats(0, 0.3), st.floats(0, 0.3))
def test_every_sample_is_inside_and_so_is_the_margin_round_it(seed, count, margin, stretch):
    rng = np.random.default_rng(seed)
    samples = joint_motion(rng, count)
    limit = learn(samples, margin=margin, stretch=stretch, outliers=0).limit
    nudge = Rotation.from_rotvec(margin * 0.99 * directions(rng, count))
    tilted = (nudge * scipy_of(samples)).apply(Y)
    assert apart(limit, samples).max() <= ROUNDING
    assert isinstance(limit, Cones) or count > 1
    if isinstance(limit, Cones):
        assert outside(limit.cones, tilted).max() <= ROUNDING


@few
@given(SEEDS, st.integers(3, 80), st.sampled_from([0.02, 0.05, 0.1]))
def test_no_more_than_the_share_of_outliers_is_left_out(seed, count, share):
    samples = joint_motion(np.random.default_rng(seed), count)
    learned = learn(samples, margin=0.0, outliers=share)
    assert learned.left_out == int(share * count)
    assert np.sum(apart(learned.limit, samples) > ROUNDING) <= learned.left_out


def test_a_flip_is_an_outlier(rng):
    samples = joint_motion(rng, 400)
    flipped = np.concatenate([samples, wxyz(scipy_of(samples[:1]) * Rotation.from_rotvec([0, 3.0, 0]))])
    assert violation(learn(flipped, outliers=0.005).limit, flipped[-1:]) > 0.5


@few
@given(SEEDS, st.floats(0.1, 5.5), st.floats(-np.pi, np.pi))
def test_turns_about_one_axis_become_its_hinge(seed, extent, lower):
    """Any axis, any range, past half a turn too."""
    rng = np.random.default_rng(seed)
    axis = directions(rng)
    angles = np.linspace(lower, lower + extent, 100)
    limit = learn(about(axis, rng.permutation(angles)), margin=0.05, outliers=0).limit
    assert isinstance(limit, Hinge)
    assert angle_between(axis, np.array(limit.axis) * np.sign(axis @ limit.axis)) < 1e-6
    assert limit.upper - limit.lower == pytest.approx(extent + 0.1, abs=1e-6)
    middle = about(limit.axis, [0.5 * (limit.lower + limit.upper)])
    assert abs(about(axis, [lower + 0.5 * extent]) @ middle.T) == pytest.approx(1, abs=1e-9)


@few
@given(SEEDS, st.floats(0.1, 1.5), st.floats(0, 0.3))
def test_ranges_are_stretched_by_a_share_on_either_side_but_by_the_margin_at_least(seed, extent, stretch):
    axis = directions(np.random.default_rng(seed))
    angles = np.linspace(-0.3 * extent, 0.7 * extent, 60)
    stretched = extent + 2 * max(stretch * extent, 0.02)
    hinge = learn(about(axis, angles), margin=0.02, stretch=stretch, outliers=0).limit
    assert hinge.upper - hinge.lower == pytest.approx(stretched, abs=1e-6)
    swing = scipy_of(about([1, 0, 0], np.linspace(0, 0.5, 60)))
    cones = learn(wxyz(swing * scipy_of(about(Y, angles))), margin=0.02, stretch=stretch, outliers=0).limit
    assert cones.upper - cones.lower == pytest.approx(stretched, abs=1e-6)


@few
@given(SEEDS, st.floats(0.02, 0.2))
def test_a_stretch_leaves_room_along_a_motion_and_little_across(seed, stretch):
    """A bone that goes to and fro on an arc: beyond its ends, not beside it."""
    turn = Rotation.random(rng=np.random.default_rng(seed))

    def on_arc(angle, aside=0.0):
        bend = Rotation.from_rotvec([angle, 0, 0]) * Rotation.from_rotvec([0, 0, aside])
        return (turn * bend).apply(Y)[None]

    samples = wxyz(turn * Rotation.from_rotvec(np.linspace(-0.5, 0.5, 90)[:, None] * [1, 0, 0]))
    cones = learn(samples, margin=0.01, stretch=stretch, outliers=0).limit.cones
    for side in (-1, 1):
        assert outside(cones, on_arc(side * (0.5 + 0.9 * stretch))) <= ROUNDING
        assert outside(cones, on_arc(side * (0.5 + stretch + 0.03))) > 0
        assert outside(cones, on_arc(0.2, side * 0.02)) > 0


def test_a_whole_turn_is_a_free_hinge():
    limit = learn(about([1, 2, 3], np.linspace(0, 2 * np.pi, 300)), margin=0.05).limit
    assert isinstance(limit, Hinge)
    assert (limit.lower, limit.upper) == (-np.pi, np.pi)


def test_a_wobble_beyond_the_tolerance_is_no_hinge(rng):
    wobble = Rotation.from_rotvec(0.02 * rng.uniform(-1, 1, size=(200, 3)))
    samples = wxyz(wobble * scipy_of(about([1, 0, 1], np.linspace(0.1, 1.5, 200))))
    assert isinstance(learn(samples).limit, Cones)
    assert isinstance(learn(samples, hinge_tolerance=0.05).limit, Hinge)


def test_turns_about_one_axis_from_an_offset_pose_are_no_hinge():
    """A hinge passes through rest."""
    samples = wxyz(scipy_of(about([1, 0, 0], np.linspace(0, 1, 50))) * Rotation.from_rotvec([0, 0, 0.5]))
    assert isinstance(learn(samples).limit, Cones)


@pytest.mark.parametrize("radius", [0.1, 0.5, 1.2])
def test_directions_all_over_a_cone_give_about_that_cone(rng, radius):
    centre = unit([0.3, 1.0, -0.2])
    lean = np.arccos(rng.uniform(np.cos(radius), 1, 3000))
    axis = np.cross(centre, directions(rng, 3000))
    swing = Rotation.from_rotvec(unit(axis) * lean[:, None]) * Rotation.align_vectors([centre], [Y])[0]
    limit = learn(wxyz(swing), margin=0.0, outliers=0).limit
    assert area(limit) == pytest.approx(2 * np.pi * (1 - np.cos(radius)), rel=0.12)


@few
@given(SEEDS)
def test_the_region_is_not_much_larger_than_a_stretched_cloud(seed):
    """An ellipse of directions: a chain of cones wastes little."""
    rng = np.random.default_rng(seed)
    long, wide = rng.uniform(0.3, 0.9), rng.uniform(0.2, 1.0)
    around = np.linspace(0, 2 * np.pi, 500)
    flat = np.stack([np.cos(around), np.zeros(500), wide * np.sin(around)], axis=-1)
    samples = wxyz(Rotation.from_rotvec(long * flat))
    limit = learn(samples, margin=0.0, outliers=0).limit
    dense = np.concatenate([share * long * flat for share in np.linspace(0, 1, 30)])
    assert outside(limit.cones, Rotation.from_rotvec(dense).apply(Y)).max() <= 0.02
    assert area(limit) <= 1.3 * 2 * np.pi * wide * (1 - np.cos(long))


@pytest.mark.parametrize("wide", [0.3, 0.6, 1.0])
def test_as_it_is_learned_by_default_the_region_is_at_most_half_larger_than_the_motion(wide):
    """Directions all over an ellipse."""
    around, inward = np.meshgrid(np.linspace(0, 2 * np.pi, 60), np.sqrt(np.linspace(0, 1, 15)))
    flat = 0.6 * inward * np.stack([np.cos(around), 0 * around, wide * np.sin(around)])
    samples = wxyz(Rotation.from_rotvec(flat.reshape(3, -1).T))
    limit = learn_limits(["joint"], samples[:, None])[0].limit
    assert area(limit) <= 1.5 * 2 * np.pi * wide * (1 - np.cos(0.6))


def test_so_it_is_of_most_smooth_motions(rng):
    """Sums of swings in the map in which areas are true. A few have corners that chains hardly fit."""
    time, ratios = np.linspace(0, 1, 200)[:, None], []
    for _ in range(12):
        speeds, phases, sizes = rng.uniform(1, 20, 5), rng.uniform(0, 6, 5), rng.uniform(0, 0.2, (2, 5))
        flat = np.sin(time * speeds + phases) @ sizes.T * [1, rng.uniform(0.2, 1)]
        lean = np.insert(flat, 1, 0, axis=-1)
        size = np.linalg.norm(lean, axis=-1, keepdims=True)
        samples = wxyz(Rotation.from_rotvec(lean / size * 2 * np.arcsin(size / 2)))
        ratios.append(
            area(learn_limits(["joint"], samples[:, None])[0].limit, 100000) / ConvexHull(flat).volume
        )
    assert np.median(ratios) <= 1.5
    assert max(ratios) <= 1.6


@few
@given(SEEDS, st.floats(-np.pi, np.pi))
def test_turning_the_rest_frame_about_the_bone_turns_the_region(seed, angle):
    samples = joint_motion(np.random.default_rng(seed))
    turn = Rotation.from_rotvec(angle * Y)
    before, after = learn(samples), learn(wxyz(turn * scipy_of(samples) * turn.inv()))
    assert len(before.limit.cones) == len(after.limit.cones)
    turned = [(turn.apply(centre), radius) for centre, radius in before.limit.cones]
    x = sphere(4000)
    assert np.allclose(outside(turned, x), outside(after.limit.cones, x), rtol=0, atol=1e-6)
    assert after.limit.lower == pytest.approx(before.limit.lower, abs=1e-6)
    spreads = [np.linalg.eigvalsh(learned.comfort.spread) for learned in (before, after)]
    assert np.allclose(*spreads, atol=1e-9)


@few
@given(SEEDS)
def test_order_signs_and_lengths_of_samples_mean_nothing(seed):
    rng = np.random.default_rng(seed)
    samples = joint_motion(rng, 50)
    other = rng.permutation(
        samples * np.exp2(rng.integers(-2, 3, size=(50, 1))) * rng.choice([-1, 1], (50, 1))
    )
    first, second = learn(samples), learn(other)
    assert first.limit == second.limit
    assert (first.comfort.rotation == second.comfort.rotation).all()
    assert (first.comfort.spread == second.comfort.spread).all()


def test_bones_are_learned_one_by_one(rng):
    samples = np.stack([joint_motion(rng), about([1, 0, 0], np.linspace(0, 1, 200))], axis=1)
    together = learn_limits(["a", "b"], samples)
    assert [type(learned.limit) for learned in together] == [Cones, Hinge]
    assert together[1].limit == learn_limits(["b"], samples[:, 1:])[0].limit


@pytest.mark.parametrize("count", [1, 2, 50])
def test_a_bone_that_stays_gets_the_margin_round_it(count):
    stays = np.repeat(about([1, 1, 0], [0.7]), count, axis=0)
    limit = learn(stays, margin=0.1).limit
    assert isinstance(limit, Cones)
    (centre, radius), *more = limit.cones
    assert not more
    assert radius == pytest.approx(0.1, abs=1e-9)
    assert np.allclose(unit(centre), scipy_of(stays[0]).apply(Y))
    twist = 2 * np.arctan2(stays[0, 2], stays[0, 0])
    assert (limit.lower, limit.upper) == pytest.approx((twist - 0.1, twist + 0.1), abs=1e-9)


def test_rounding_is_no_motion(rng):
    samples = about([1, 1, 0], [0.7]) + rng.normal(scale=1e-9, size=(50, 4))
    assert isinstance(learn(samples).limit, Cones)
    assert learn(samples).is_still


@few
@given(SEEDS, st.floats(0.001, 0.3))
def test_how_far_samples_stray_is_told_and_decides_what_is_still(seed, extent):
    """Of a bend to and fro, its half."""
    samples = about(directions(np.random.default_rng(seed)), np.linspace(-extent, extent, 41) + 0.4)
    learned = learn(samples, outliers=0)
    assert learned.strays == pytest.approx(extent, rel=1e-6)
    assert learned.is_still == (extent <= STILL)


@few
@given(SEEDS)
def test_comfort_is_the_same_with_limits_and_without(seed):
    samples = joint_motion(np.random.default_rng(seed), 50)[:, None]
    (alone,), (beside,) = learn_comforts(["joint"], samples), learn_limits(["joint"], samples)
    assert (alone.strays, alone.left_out) == (beside.strays, beside.left_out)
    assert (alone.comfort.rotation == beside.comfort.rotation).all()
    assert (alone.comfort.spread == beside.comfort.spread).all()


@few
@given(SEEDS, st.integers(2, 6))
def test_motion_all_round_and_straight_back_is_held(seed, count):
    rng = np.random.default_rng(seed)
    samples = np.concatenate(
        [wxyz(Rotation.random(count, rng=rng)), [[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]]
    )
    limit = learn(samples, outliers=0).limit
    back = scipy_of(samples).apply(Y)[:, 1] < -1 + 1e-9
    assert violation(limit, samples[~back]).max() <= ROUNDING
    assert outside(limit.cones, scipy_of(samples).apply(Y)).max() <= ROUNDING


def test_the_comfort_pose_is_the_mean_and_the_spread_its_covariance(rng):
    middle = Rotation.from_rotvec([0.4, -0.8, 0.3])
    turns = rng.normal(size=(20000, 3)) * [0.2, 0.05, 0.1]
    learned = learn(wxyz(middle * Rotation.from_rotvec(turns)), outliers=0)
    assert (scipy_of(learned.comfort.rotation).inv() * middle).magnitude() < 0.005
    assert np.allclose(learned.comfort.spread, np.diag([0.04, 0.0025, 0.01]), rtol=0, atol=1e-3)


@few
@given(SEEDS)
def test_the_mean_minimises_the_frobenius_distance(seed):
    rng = np.random.default_rng(seed)
    samples = joint_motion(rng, 30)
    mean = scipy_of(learn(samples, outliers=0).comfort.rotation)

    def distance(rotation):
        return np.sum((scipy_of(samples).as_matrix() - rotation.as_matrix()) ** 2)

    nearby = [mean * Rotation.from_rotvec(0.01 * step) for step in directions(rng, 20)]
    assert distance(mean) <= min(map(distance, nearby))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.0])
def test_samples_that_are_no_rotations_are_refused_by_bone(wrong):
    samples = np.tile([1.0, 0, 0, 0], (5, 2, 1))
    samples[3, 1] = wrong
    with pytest.raises(LimitError, match="'knee'"):
        learn_limits(["hip", "knee"], samples)


@pytest.mark.parametrize("shape", [(0, 1, 4), (5, 2, 4), (5, 1, 3), (5, 4)])
def test_samples_of_the_wrong_shape_are_refused(shape):
    with pytest.raises(LimitError, match="otations"):
        learn_limits(["joint"], np.ones(shape))


@pytest.mark.parametrize(
    "options",
    [
        {"margin": -0.1},
        {"margin": np.nan},
        {"outliers": 1.0},
        {"outliers": -0.1},
        {"hinge_tolerance": -1},
        {"stretch": -0.1},
    ],
)
def test_settings_out_of_range_are_refused(options):
    with pytest.raises(SettingsError):
        learn(about(Y, [0.0, 1.0]), **options)
