# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is promised of every method, the default among them."""

from dataclasses import fields, replace

import numpy as np
import pytest
from limit_checks import random_cones, random_euler, random_hinge, violation
from method_cases import PUBLISHED, bent_chain, only_about_z, reach_targets
from random_rigs import (
    ANCHORED,
    FREE,
    HUMAN_EFFECTORS,
    SAME,
    chain,
    end_of,
    human,
    objective,
    places,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    reachable,
    started,
    targets_at,
    unturned,
)

from solvers import METHODS, PARAMETERS, Effector, Pose, Settings, Targets, rest_pose, solve
from solvers.methods.published import STEPS
from solvers.settings import UNSUPPORTED

every_method = pytest.mark.parametrize("method", METHODS)


def solved(method, skeleton, pose, effectors, targets, **values):
    return solve(skeleton, pose, effectors, targets, Settings(method=method, **values))


def assert_sound(solution, skeleton, pose, effectors, targets):
    """Finite unit rotations, and what is told of the result is true of it."""
    assert np.isfinite(solution.pose.rotations).all()
    assert np.allclose(np.linalg.norm(solution.pose.rotations, axis=-1), 1, rtol=0, atol=1e-9)
    counted = [bool(effector.position_weight) for effector in effectors]
    distances = np.linalg.norm(places(skeleton, solution.pose, effectors)[1] - targets.positions, axis=-1)
    assert np.allclose(solution.position_residuals, distances * counted, rtol=0, atol=1e-9)


def energy(skeleton, pose, effectors, targets):
    return objective(
        skeleton, pose, effectors, targets, started(skeleton, pose, effectors, targets)[0].length
    )


def without_rotations(effectors):
    return tuple(replace(effector, rotation_weight=0.0) for effector in effectors)


def test_the_lists_of_methods_agree():
    assert set(METHODS) - {"SUPERPOSE"} == set(STEPS)
    assert set(UNSUPPORTED) == set(METHODS)
    assert not UNSUPPORTED["SUPERPOSE"]
    names = {field.name for field in fields(Settings)}
    told = {name for parameters in PARAMETERS.values() for name in parameters}
    # Drags alone are in haste, and clips alone say what a step is worth: no user sets these.
    of_all = {"method", "tolerance", "angle_tolerance"}
    assert told | of_all | {"haste", "worth", "gradual"} == names


@every_method
def test_targets_that_are_met_need_no_step(rng, method):
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton, 3)
    targets = targets_at(skeleton, pose, HUMAN_EFFECTORS)
    solution = solved(method, skeleton, pose, HUMAN_EFFECTORS, targets)
    assert solution.converged.all()
    assert not solution.iterations.any()


@every_method
@pytest.mark.parametrize("freedom", [FREE, ANCHORED], ids=["free", "anchored"])
def test_a_human_ends_no_worse_than_it_began(rng, method, freedom):
    skeleton = human(freedom)
    effectors = without_rotations(HUMAN_EFFECTORS)
    pose, targets = random_pose(rng, skeleton, 10), random_targets(rng, effectors, 10)
    solution = solved(method, skeleton, pose, effectors, targets, iterations=30)
    assert_sound(solution, skeleton, pose, effectors, targets)
    after, before = (energy(skeleton, p, effectors, targets) for p in (solution.pose, pose))
    assert (after <= before * (1 + 1e-12)).all()
    assert (after < 0.9 * before).mean() > 0.9


@every_method
def test_a_human_gets_near_what_is_within_reach(rng, method):
    skeleton, effectors = human(FREE), without_rotations(HUMAN_EFFECTORS)
    targets = reachable(rng, skeleton, effectors, 20, spread=0.2)
    solution = solved(method, skeleton, rest_pose(skeleton, 20), effectors, targets, iterations=100)
    assert np.median(solution.position_residuals.max(axis=1)) < 0.03


@every_method
def test_ten_bones_reach_to_a_hundredth(rng, method):
    skeleton, effectors, pose = bent_chain(rng, 10, 30)
    targets = reach_targets(rng, 30)
    solution = solved(method, skeleton, pose, effectors, targets, tolerance=1e-2, iterations=1500)
    assert solution.converged.mean() > 0.95


@every_method
def test_bones_of_no_length_do_no_harm(rng, method):
    skeleton, effectors, pose = bent_chain(rng, 8, 10)
    offsets = skeleton.offsets.copy()
    offsets[0, [1, 4, 5]] = 0
    skeleton = replace(skeleton, offsets=offsets)
    targets = reach_targets(rng, 10, 0.1, 0.4)
    solution = solved(method, skeleton, pose, effectors, targets, tolerance=1e-2, iterations=1000)
    assert_sound(solution, skeleton, pose, effectors, targets)
    assert solution.converged.mean() > 0.8


@every_method
def test_a_skeleton_of_no_size_at_all_stays_as_it_is(method):
    skeleton = chain(3, offsets=np.zeros((1, 3, 3)))
    effectors = (Effector("bone.002", rotation_weight=0.0),)
    targets = Targets([[[0, 0, 1.0]]], unturned(1, 1))
    solution = solved(method, skeleton, rest_pose(skeleton), effectors, targets)
    assert_sound(solution, skeleton, rest_pose(skeleton), effectors, targets)
    assert np.isclose(solution.position_residuals[0, 0], 1)


@every_method
@pytest.mark.parametrize("freedom", [FREE, ANCHORED], ids=["free", "anchored"])
def test_a_single_bone(rng, method, freedom):
    skeleton, effectors = chain(1, freedom=freedom), (end_of(1),)
    targets = reach_targets(rng, 10, 1.0, 1.0)
    settings = {"tolerance": 1e-3, "iterations": 1000}
    solution = solved(method, skeleton, rest_pose(skeleton, 10), effectors, targets, **settings)
    assert_sound(solution, skeleton, rest_pose(skeleton, 10), effectors, targets)
    assert solution.converged.all()


@every_method
def test_a_target_on_the_base(rng, method):
    skeleton, effectors, pose = bent_chain(rng, 6, 10)
    targets = Targets(np.zeros((10, 1, 3)), unturned(10, 1))
    solution = solved(method, skeleton, pose, effectors, targets, tolerance=1e-2, iterations=1500)
    assert_sound(solution, skeleton, pose, effectors, targets)
    assert solution.converged.mean() >= 0.9


@every_method
@pytest.mark.parametrize("goal", [(0, 0.5, 0), (0, 2, 0), (0, -2, 0), (0.3, 0.6, 0), (0, 0, 0)])
def test_a_straight_chain_is_no_trouble(method, goal):
    """Singular: no turn, to first order, moves the end along the chain; some methods stay there."""
    skeleton, effectors, pose = chain(5), (end_of(5),), rest_pose(chain(5))
    targets = Targets([[goal]], unturned(1, 1))
    solution = solved(method, skeleton, pose, effectors, targets, iterations=500)
    assert_sound(solution, skeleton, pose, effectors, targets)
    start = np.linalg.norm(np.array(goal) - (0, 1, 0))
    assert solution.position_residuals[0, 0] <= start + 1e-12
    if goal[0]:
        assert solution.position_residuals[0, 0] < 0.05


@every_method
@pytest.mark.parametrize("iterations", [100, pytest.param(200, marks=pytest.mark.slow)])
def test_out_of_reach_a_method_comes_to_rest_near_the_least_distance(rng, method, iterations):
    skeleton, effectors, pose = bent_chain(rng, 10, 20)
    targets = reach_targets(rng, 20, 1.05, 1.5)
    solution = solved(method, skeleton, pose, effectors, targets, iterations=iterations)
    least = np.linalg.norm(targets.positions[:, 0], axis=-1) - 1
    assert (solution.out_of_reach > 0).all()
    assert np.median(solution.position_residuals[:, 0] - least) < 0.02


@pytest.mark.parametrize("method", PUBLISHED)
def test_more_iterations_never_end_worse(rng, method):
    """No oscillation in what is returned, within reach or out of it."""
    skeleton, effectors, pose = bent_chain(rng, 10, 30)
    targets = reach_targets(rng, 30, 0.3, 1.5)
    left = []
    for iterations in range(1, 40, 5):
        solution = solved(method, skeleton, pose, effectors, targets, iterations=iterations)
        left.append(solution.position_residuals[:, 0])
    assert (np.diff(left, axis=0) <= 1e-9).all()


@pytest.mark.parametrize("method", PUBLISHED)
def test_an_effector_of_no_weight_pulls_nothing(rng, method):
    skeleton = human(ANCHORED)
    weightless = Effector("foot.L", position_weight=0.0, rotation_weight=0.0)
    effectors = (Effector("hand.L", rotation_weight=0.0), weightless)
    targets = random_targets(rng, effectors, 5)
    solution = solved(method, skeleton, rest_pose(skeleton, 5), effectors, targets)
    alone = Targets(targets.positions[:, :1], targets.rotations[:, :1])
    without = solved(method, skeleton, rest_pose(skeleton, 5), effectors[:1], alone)
    assert np.allclose(solution.position_residuals[:, 0], without.position_residuals[:, 0], rtol=0, atol=1e-3)
    leg = [skeleton.index(name) for name in ("thigh.L", "shin.L", "foot.L")]
    assert np.allclose(np.abs(solution.pose.rotations[:, leg, 0]), 1, rtol=0, atol=1e-12)


@every_method
def test_locked_bones_stay_as_they_are(rng, method):
    stiff = np.array([0, 1, 0, 1.0, 0, 0])
    skeleton, effectors, pose = bent_chain(rng, 6, 10, stiffness=stiff)
    targets = reach_targets(rng, 10, 0.3, 0.7)
    solution = solved(method, skeleton, pose, effectors, targets, iterations=100)
    kept = np.abs(np.einsum("bni,bni->bn", solution.pose.rotations, pose.rotations))[:, stiff == 1]
    assert np.allclose(kept, 1, rtol=0, atol=1e-10)
    assert not np.allclose(solution.pose.rotations[:, 0], pose.rotations[:, 0])


@every_method
@pytest.mark.parametrize("kind", [random_hinge, random_cones, random_euler])
def test_limits_are_never_violated(rng, method, kind):
    skeleton = random_tree(rng, bones=10)
    limits = tuple(kind(rng, name) for name in skeleton.names[1:])
    skeleton = replace(skeleton, limits=limits)
    effectors = random_effectors(rng, skeleton, 3)
    pose, targets = random_pose(rng, skeleton, 10), random_targets(rng, effectors, 10)
    solution = solved(method, skeleton, pose, effectors, targets, iterations=20)
    for limit in limits:
        rotations = solution.pose.rotations[:, skeleton.index(limit.bone)]
        assert violation(limit, rotations).max() < 1e-6


@pytest.mark.slow  # test_rows_alone.py has smaller companies, to the bit
@every_method
@pytest.mark.parametrize("limited", [False, True])
def test_rows_are_independent_of_their_company(rng, method, limited):
    skeleton = human(FREE)
    if limited:
        bones = ("forearm.L", "forearm.R", "shin.L", "shin.R")
        skeleton = replace(skeleton, limits=tuple(random_euler(rng, bone) for bone in bones))
    pose, targets = random_pose(rng, skeleton, 12), random_targets(rng, HUMAN_EFFECTORS, 12)
    together = solved(method, skeleton, pose, HUMAN_EFFECTORS, targets, iterations=25)
    for keep in (slice(0, 1), slice(3, 8), slice(11, 12)):
        alone = solved(method, skeleton, pose.rows(keep), HUMAN_EFFECTORS, targets.rows(keep), iterations=25)
        assert np.allclose(together.pose.rotations[keep], alone.pose.rotations, rtol=0, atol=SAME)
        assert (together.iterations[keep] == alone.iterations).all()


@every_method
def test_the_same_input_gives_the_same_output(rng, method):
    skeleton = human(FREE)
    pose, targets = random_pose(rng, skeleton, 4), random_targets(rng, HUMAN_EFFECTORS, 4)
    first, second = (
        solved(method, skeleton, pose, HUMAN_EFFECTORS, targets, iterations=25) for _ in range(2)
    )
    assert (first.pose.rotations == second.pose.rotations).all()
    assert (first.pose.translations == second.pose.translations).all()


@every_method
def test_a_puppet_cut_out_of_paper_stays_in_its_plane(rng, method):
    skeleton = chain(5, limits=only_about_z(5))
    angles = rng.uniform(-0.6, 0.6, size=(10, 5))
    pose = Pose(
        np.stack([np.cos(angles / 2), 0 * angles, 0 * angles, np.sin(angles / 2)], axis=-1),
        np.zeros((10, 5, 3)),
    )
    goals = reach_targets(rng, 10, 0.3, 0.8).positions * (1, 1, 0)
    targets, effectors = Targets(goals, unturned(10, 1)), (end_of(5),)
    solution = solved(method, skeleton, pose, effectors, targets, tolerance=1e-2, iterations=1000)
    assert np.abs(solution.pose.rotations[..., 1:3]).max() < 1e-9
    assert solution.converged.mean() >= 0.9


@every_method
def test_bones_that_do_not_inherit_rotation(rng, method):
    skeleton = random_tree(rng, bones=9, branching=0.0, aloof=0.4)
    effectors = (Effector(skeleton.names[-1], (0.2, 0.3, 0.1), rotation_weight=0.0),)
    pose = random_pose(rng, skeleton, 20)
    targets = reachable(rng, skeleton, effectors, 20)
    solution = solved(method, skeleton, pose, effectors, targets, tolerance=1e-2, iterations=1000)
    assert_sound(solution, skeleton, pose, effectors, targets)
    assert solution.converged.mean() >= 0.8


@every_method
def test_positions_that_count_in_one_axis_leave_the_others_free(rng, method):
    skeleton, effectors, pose = bent_chain(rng, 6, 10)
    axes = np.diag([0, 1.0, 0])[None, None]
    targets = Targets(reach_targets(rng, 10, 0.2, 0.6).positions, unturned(10, 1), axes)
    solution = solved(method, skeleton, pose, effectors, targets, tolerance=1e-2, iterations=1500)
    assert solution.converged.mean() >= 0.9
    points = places(skeleton, solution.pose, effectors)[1]
    assert (np.abs(points - targets.positions)[..., 1] < 0.02)[solution.converged].all()


@every_method
def test_a_free_body_follows_its_only_target(rng, method):
    skeleton, effectors = human(FREE), (Effector("hand.L", rotation_weight=0.0),)
    targets = random_targets(rng, effectors, 5)
    solution = solved(
        method, skeleton, rest_pose(skeleton, 5), effectors, targets, tolerance=1e-2, iterations=1500
    )
    assert solution.converged.all()
