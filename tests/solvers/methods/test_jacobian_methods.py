# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobian methods against finite differences, each other and what their papers promise."""

import numpy as np
import pytest
from method_cases import bent_chain, reach_targets
from random_rigs import (
    FREE,
    chain,
    end_of,
    names,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    started,
    wxyz,
)
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

from solvers import EulerLimit, Pose, Settings, solve
from solvers.methods.damped_least_squares import damped_closing
from solvers.methods.linear import clamped, linear_step, linearised, plain
from solvers.methods.pseudo_inverse import least_closing
from solvers.methods.selectively_damped import selectively_damped
from solvers.methods.transpose import downhill
from solvers.problem import measure
from solvers.steps.levenberg_marquardt import stepped

SMALL = 1e-6
UNCLAMPED = {"target_clamp": 1e6}


def random_case(rng, batch=3, **values):
    """A tree with all that the Jacobian must know: free root, stiffness, falloff, axes, turned targets."""
    skeleton = random_tree(rng, bones=8, freedom=FREE, aloof=0.2, stiffness=rng.uniform(0, 0.9, 8), **values)
    effectors = random_effectors(rng, skeleton, 3)
    axes = rng.normal(size=(1, 3, 3, 3))
    pose = random_pose(rng, skeleton, batch)
    return skeleton, pose, effectors, random_targets(rng, effectors, batch, axes)


def bent_case(rng, batch=20, bones=10, near=0.2, far=0.8):
    skeleton, effectors, pose = bent_chain(rng, bones, batch, spread=0.5)
    return skeleton, pose, effectors, reach_targets(rng, batch, near, far)


def linear_of(case, **values):
    problem, state, residual = started(*case)
    return linearised(plain(problem), state, residual, Settings(**(UNCLAMPED | values)))


def along(problem, state, step):
    """The residual's derivative (batch, rows) along a step (batch, n + k, 3), by central differences."""
    ahead, behind = (
        measure(problem, stepped(problem, state, sign * SMALL * step)).vector for sign in (1, -1)
    )
    return (ahead - behind) / (2 * SMALL)


def test_the_jacobian_in_the_plain_metric_is_the_derivative_of_the_residual(rng):
    problem, state, residual = started(*random_case(rng))
    problem = plain(problem)
    linear = linearised(problem, state, residual, Settings(**UNCLAMPED))
    for _ in range(10):
        step = rng.normal(size=linear.columns[:, 0].shape)
        differences = along(problem, state, step)
        assert np.allclose(np.einsum("brni,bni->br", linear.columns, step), differences, rtol=0, atol=1e-7)


def test_all_joints_count_alike_but_for_stiffness(rng):
    problem, _, _ = started(*random_case(rng))
    compliance = plain(problem).compliance
    assert np.allclose(compliance[0, :-1] ** 2, problem.mobility, rtol=0, atol=1e-15)
    assert compliance[0, -1] == problem.length[0]


@pytest.mark.parametrize("solve_linear", [downhill, least_closing, damped_closing, selectively_damped])
def test_every_step_leads_downhill(rng, solve_linear):
    case = random_case(rng, 10)
    problem, state, residual = started(*case)
    problem, settings = plain(problem), Settings(**UNCLAMPED)
    step = solve_linear(linearised(problem, state, residual, settings), settings)
    step = step.reshape(len(step), -1, 3)
    energies = [measure(problem, stepped(problem, state, sign * SMALL * step)).energy for sign in (1, -1)]
    assert (energies[0] < energies[1]).all()


def test_the_transpose_goes_down_the_gradient(rng):
    case = random_case(rng)
    problem, state, residual = started(*case)
    problem = plain(problem)
    step = downhill(linearised(problem, state, residual, Settings(**UNCLAMPED)), Settings(step_length=1.0))
    gradient = np.empty_like(step)
    for column in range(step.shape[1]):
        unit = np.zeros_like(step)
        unit[:, column] = SMALL
        unit = unit.reshape(len(unit), -1, 3)
        ahead, behind = (measure(problem, stepped(problem, state, sign * unit)).energy for sign in (1, -1))
        gradient[:, column] = (ahead - behind) / (2 * SMALL)
    reach = problem.tolerance / Settings().tolerance
    assert np.allclose(step, -0.5 * gradient / reach[:, None] ** 2, rtol=1e-5, atol=1e-6)


def test_no_other_length_of_the_transpose_leaves_less_to_first_order(rng):
    linear = linear_of(random_case(rng))
    step = downhill(linear, Settings())
    left = [
        linear.residual + (linear.flat @ (share * step)[..., None])[..., 0] for share in (0.98, 1.0, 1.02)
    ]
    before, best, after = np.einsum("sbi,sbi->sb", left, left)
    assert (best < before).all()
    assert (best < after).all()


def test_the_pseudo_inverse_is_numpys(rng):
    linear = linear_of(bent_case(rng))
    wanted = -np.linalg.pinv(linear.flat, rcond=1e-5) @ linear.residual[..., None]
    assert np.allclose(least_closing(linear, Settings()), wanted[..., 0], rtol=0, atol=1e-9)


def test_without_damping_damped_least_squares_is_the_pseudo_inverse(rng):
    skeleton = random_tree(rng, bones=12)
    effectors = random_effectors(rng, skeleton, 1, rotation_weight=20.0)
    pose = random_pose(rng, skeleton, 10)
    linear = linear_of((skeleton, pose, effectors, random_targets(rng, effectors, 10)))
    undamped = damped_closing(linear, Settings(damping_constant=0.0))
    values, _ = linear.spectrum()
    assert (values > 1e-3 * values[:, -1:]).all(), "away from singular poses"
    assert np.allclose(undamped, least_closing(linear, Settings()), rtol=0, atol=1e-8)


@pytest.mark.parametrize("constant", [0.01, 0.3, 3.0])
def test_damped_least_squares_weighs_what_is_left_against_the_step(rng, constant):
    linear = linear_of(random_case(rng))
    step = damped_closing(linear, Settings(damping_constant=constant))
    for row in range(len(step)):
        damping = constant * linear.reach[0]
        matrix = np.vstack([linear.flat[row], damping * np.eye(step.shape[1])])
        right = np.concatenate([-linear.residual[row], np.zeros(step.shape[1])])
        assert np.allclose(step[row], lsq_linear(matrix, right).x, rtol=0, atol=1e-8)


def test_targets_are_clamped_to_a_distance_on_the_straight_line(rng):
    problem, _, residual = started(*bent_case(rng, near=0.05, far=0.9))
    near = clamped(problem, residual, np.array([0.3])).reshape(-1, 6)[:, :3]
    away = residual.position[:, 0]
    distances = np.linalg.norm(away, axis=-1, keepdims=True)
    assert (distances > 0.3).any()
    assert (distances < 0.3).any()
    assert np.allclose(near, away / distances * np.minimum(distances, 0.3), rtol=0, atol=1e-12)


@pytest.mark.parametrize("clamp", [np.pi / 4, 0.1])
def test_a_selectively_damped_step_turns_no_bone_by_more_than_its_clamp(rng, clamp):
    linear = linear_of(random_case(rng, 20))
    step = selectively_damped(linear, Settings(turn_clamp=clamp)).reshape(20, -1, 3)
    assert np.linalg.norm(step, axis=-1).max() <= clamp + 1e-12


def test_a_selectively_damped_step_is_the_sum_that_the_paper_says(rng):
    """For one effector, position only: formulas (10) to (17), vector by vector."""
    linear = linear_of(bent_case(rng, batch=5), target_clamp=0.3)
    step = selectively_damped(linear, Settings())
    for row in range(len(step)):
        jacobian, e = linear.flat[row, :3], -linear.residual[row, :3]
        left, sizes, right = np.linalg.svd(jacobian, full_matrices=False)
        arms = np.array([np.linalg.norm(block, 2) for block in np.split(jacobian, len(step[0]) // 3, axis=1)])
        total = np.zeros(step.shape[1])
        for i, size in enumerate(sizes):
            joints = np.linalg.norm(right[i].reshape(-1, 3), axis=1)
            largest = np.pi / 4 * min(1, np.linalg.norm(left[:, i]) / (joints @ arms / size))
            turns = (left[:, i] @ e) / size * right[i]
            total += turns * min(1, largest / np.linalg.norm(turns.reshape(-1, 3), axis=1).max())
        total *= min(1, np.pi / 4 / np.linalg.norm(total.reshape(-1, 3), axis=1).max())
        assert np.allclose(step[row], total, rtol=0, atol=1e-9)


def test_selective_damping_stretches_without_oscillation_towards_what_is_out_of_reach(rng):
    skeleton, pose, effectors, targets = bent_case(rng, 20, near=1.05, far=1.5)
    settings = Settings(method="SDLS", iterations=400)
    solution = solve(skeleton, pose, effectors, targets, settings)
    least = np.linalg.norm(targets.positions[:, 0], axis=-1) - 1
    assert (solution.position_residuals[:, 0] <= least + 1e-6).all()


def test_the_pull_to_rest_goes_unnoticed_to_first_order(rng):
    problem, state, residual = started(*bent_case(rng))

    def stay(linear, _settings):
        return np.zeros(linear.flat[:, 0].shape)

    settings = Settings(method="PSEUDO_INVERSE", rest_pull=1e-4)
    pulled = linear_step(problem, state, residual, settings, stay)
    assert np.abs(pulled.rotations - state.rotations).max() > 1e-5
    assert np.abs(pulled.points - state.points).max() < 1e-7


@pytest.mark.parametrize("method", ["PSEUDO_INVERSE", "DLS", "SDLS"])
def test_the_pull_to_rest_ends_nearer_to_rest_with_the_target_still_met(rng, method):
    skeleton, pose, effectors, targets = bent_case(rng)
    turned = []
    for pull in (0.0, 0.2):
        settings = Settings(method=method, rest_pull=pull, tolerance=1e-3, iterations=300)
        solution = solve(skeleton, pose, effectors, targets, settings)
        assert solution.converged.mean() > 0.9
        turned.append(np.median(np.arccos(np.abs(solution.pose.rotations[..., 0])).sum(axis=1)))
    assert turned[1] < 0.9 * turned[0]


@pytest.mark.parametrize("method", ["PSEUDO_INVERSE", "DLS", "SDLS"])
def test_a_chain_of_hinges_is_a_robot_not_a_chain_of_balls_snapped_back(rng, method):
    """Locked axes are no columns of the Jacobian, so a robot arm converges as fast as its paper says."""
    axes = np.eye(3)[np.arange(7) % 3]
    limits = (
        EulerLimit(name, "XYZ", -np.pi * axis, np.pi * axis)
        for name, axis in zip(names(7), axes, strict=True)
    )
    skeleton, effectors = chain(7, limits=tuple(limits)), (end_of(7),)
    bent = wxyz(Rotation.from_rotvec(0.3 * axes))
    pose = Pose(np.tile(bent, (50, 1, 1)), np.zeros((50, 7, 3)))
    settings = Settings(method=method, tolerance=1e-3)
    solution = solve(skeleton, pose, effectors, reach_targets(rng, 50, 0.3, 0.8), settings)
    assert solution.converged.mean() > 0.9


def test_a_fixed_step_of_the_transpose_may_be_too_small_or_just_right(rng):
    skeleton, pose, effectors, targets = bent_case(rng)
    steps = {}
    for length in (0.0, 0.01, 0.3):
        settings = Settings(method="TRANSPOSE", step_length=length, tolerance=1e-2, iterations=3000)
        steps[length] = np.median(solve(skeleton, pose, effectors, targets, settings).iterations)
    assert steps[0.01] > 5 * steps[0.3]
