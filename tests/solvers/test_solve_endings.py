# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How solves end: within and out of reach, contradictions, budgets, degenerate bodies, sweeps alone."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    ANCHORED,
    FREE,
    HUMAN_EFFECTORS,
    chain,
    end_of,
    human,
    places,
    random_pose,
    random_targets,
    reachable,
    unturned,
)

from solvers import Effector, Settings, Targets, rest_pose, solve

# Chains, within and out of reach


def directions(rng, count):
    found = rng.normal(size=(count, 1, 3))
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


@pytest.mark.parametrize("bones", [10, 50, 100])
@pytest.mark.parametrize("bent", [0.0, 0.2], ids=["straight", "bent"])
def test_long_chains_reach_what_is_within_reach(rng, bones, bent):
    skeleton, effectors = chain(bones), (end_of(bones),)
    pose = random_pose(rng, skeleton, 30, spread=bent)
    goals = rng.uniform(0.05, 0.98, size=(30, 1, 1)) * directions(rng, 30)
    solution = solve(skeleton, pose, effectors, Targets(goals, unturned(30, 1)))
    assert (solution.position_residuals <= 1e-4).all()


@pytest.mark.parametrize("bones", [10, 50, 100])
@pytest.mark.parametrize("bent", [0.0, 0.2], ids=["straight", "bent"])
def test_long_chains_stretch_towards_what_is_out_of_reach(rng, bones, bent):
    skeleton, effectors = chain(bones), (end_of(bones),)
    pose = random_pose(rng, skeleton, 30, spread=bent)
    distances = rng.uniform(1.05, 1.5, size=(30, 1, 1))
    solution = solve(skeleton, pose, effectors, Targets(distances * directions(rng, 30), unturned(30, 1)))
    assert (solution.position_residuals[:, 0] <= distances[:, 0, 0] - 1 + 1e-3).all()
    assert (solution.stopped == "OUT_OF_REACH").all()
    assert np.allclose(solution.out_of_reach, distances[:, 0] - 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bones", [2, 10, 100])
@pytest.mark.parametrize("share", [-0.9, -0.3, 0.3, 0.9])
def test_a_straight_chain_reaches_targets_on_its_own_line(bones, share):
    """The saddle where no turn, to first order, gets nearer; a chain of one bone cannot, one of two can."""
    skeleton, effectors = chain(bones), (end_of(bones),)
    solution = solve(skeleton, rest_pose(skeleton), effectors, Targets([[[0, share, 0]]], unturned(1, 1)))
    assert solution.position_residuals[0, 0] <= 1e-4
    assert solution.converged.all()


@pytest.mark.parametrize("distance", [1.2, -1.2])
def test_a_straight_chain_finds_a_far_target_on_its_own_line(distance):
    skeleton, effectors = chain(10), (end_of(10),)
    solution = solve(skeleton, rest_pose(skeleton), effectors, Targets([[[0, distance, 0]]], unturned(1, 1)))
    assert solution.position_residuals[0, 0] <= 0.2 + 1e-3
    assert solution.stopped[0] == "OUT_OF_REACH"


@pytest.mark.parametrize("bones", [2, 10, 50])
@pytest.mark.parametrize("bent", [0.0, 0.2], ids=["straight", "bent"])
def test_a_chain_reaches_back_to_its_own_base(rng, bones, bent):
    skeleton, effectors = chain(bones), (end_of(bones),)
    pose = random_pose(rng, skeleton, 10, spread=bent)
    solution = solve(skeleton, pose, effectors, Targets(np.zeros((10, 1, 3)), unturned(10, 1)))
    assert (solution.position_residuals <= 1e-4).all()


# What cannot be met


def test_contradictory_targets_are_balanced_by_weight():
    """Two targets for one point: it goes to their weighted mean and says that it stalled."""
    skeleton = chain(4)
    effectors = (end_of(4, position_weight=3.0), end_of(4, position_weight=1.0))
    goals = np.array([[[0.5, 0.3, 0], [0.5, 0.3, 0.4]]])
    solution = solve(skeleton, rest_pose(skeleton), effectors, Targets(goals, unturned(1, 2)))
    assert np.allclose(
        places(skeleton, solution.pose, effectors)[1][0, 0], [0.5, 0.3, 0.1], rtol=0, atol=1e-5
    )
    assert np.allclose(solution.position_residuals, [[0.1, 0.3]], rtol=0, atol=1e-5)
    assert not solution.converged.any()


def test_a_local_minimum_is_called_stalled():
    """Too near for a two-bone arm whose upper bone is longer: no length says so, yet no pose gets there."""
    skeleton = replace(chain(2), offsets=[[[0, 0, 0], [0, 1.0, 0]]])
    effectors = (Effector("bone.001", offset=(0, 0.2, 0), rotation_weight=0.0),)
    solution = solve(skeleton, rest_pose(skeleton), effectors, Targets([[[0.1, 0.2, 0]]], unturned(1, 1)))
    assert solution.stopped[0] == "STALLED"
    assert np.isclose(solution.position_residuals[0, 0], 0.8 - np.hypot(0.1, 0.2), rtol=0, atol=1e-6)
    assert solution.out_of_reach[0, 0] == 0


@pytest.mark.parametrize("method", ["SUPERPOSE", "SWEEP"])
def test_running_out_of_steps_is_called_budget(rng, method):
    skeleton = human(FREE)
    targets = reachable(rng, skeleton, HUMAN_EFFECTORS, 10, 0.8)
    settings = Settings(method=method, iterations=1, restarts=0)
    solution = solve(skeleton, rest_pose(skeleton, 10), HUMAN_EFFECTORS, targets, settings)
    assert (solution.stopped == "BUDGET").all()
    assert (solution.iterations >= 1).all()
    assert (solution.iterations <= 2).all()


def test_a_heavier_effector_is_missed_by_less(rng):
    skeleton = human(FREE)
    effectors = (
        Effector("hand.L", rotation_weight=0.0),
        Effector("hand.R", rotation_weight=0.0, position_weight=9.0),
    )
    targets = Targets([[[3.0, 0, 1], [-3.0, 0, 1]]], unturned(1, 2))
    solution = solve(skeleton, rest_pose(skeleton), effectors, targets)
    left, right = solution.position_residuals[0]
    # Forces balance: weight times miss is the same on both sides of a taut line.
    assert np.isclose(left, 9 * right, rtol=1e-3)
    assert solution.stopped[0] == "OUT_OF_REACH"


# Odd rigs


def test_bones_of_no_length_do_no_harm(rng):
    offsets = rng.normal(size=(1, 10, 3)) * 0.4
    offsets[0, [2, 3, 7]] = 0
    skeleton = chain(10, offsets=offsets)
    effectors = (Effector("bone.009"),)
    solution = solve(skeleton, rest_pose(skeleton, 20), effectors, reachable(rng, skeleton, effectors, 20))
    assert solution.converged.all()


@pytest.mark.parametrize("freedom", [ANCHORED, FREE], ids=["anchored", "free"])
def test_a_single_bone_turns_and_moves_onto_its_target(rng, freedom):
    skeleton = chain(1, freedom=freedom)
    effectors = (Effector("bone.000"),)
    targets = reachable(rng, skeleton, effectors, 20, spread=1.5, shift=1.0)
    solution = solve(skeleton, rest_pose(skeleton, 20), effectors, targets)
    assert solution.converged.all()


def test_a_bone_that_cannot_move_its_effector_says_how_far_it_is_off():
    skeleton = chain(1)
    solution = solve(
        skeleton, rest_pose(skeleton), (Effector("bone.000"),), Targets([[[0, 0, 2.0]]], unturned(1, 1))
    )
    assert solution.stopped[0] == "OUT_OF_REACH"
    assert solution.out_of_reach[0, 0] == 2.0


def test_an_effector_of_no_weight_pulls_nothing(rng):
    skeleton = human(FREE)
    weightless = Effector("foot.L", position_weight=0.0, rotation_weight=0.0)
    effectors = (Effector("hips"), Effector("hand.L"), weightless)
    targets = reachable(rng, skeleton, effectors[:2], 10)
    nowhere = random_targets(rng, (weightless,), 10)
    both = (
        np.concatenate([getattr(t, name) for t in (targets, nowhere)], axis=1)
        for name in ("positions", "rotations")
    )
    solution = solve(skeleton, rest_pose(skeleton, 10), effectors, Targets(*both))
    assert solution.converged.all()
    assert (solution.position_residuals[:, 2] == 0).all()
    assert (solution.rotation_residuals[:, 2] == 0).all()
    leg = [skeleton.index(name) for name in ("thigh.L", "shin.L", "foot.L")]
    # Nothing asks them to turn; sixty products round to some 1e-16 each.
    assert np.allclose(solution.pose.rotations[:, leg], [1, 0, 0, 0], rtol=0, atol=1e-13)


def test_bones_that_nothing_pulls_go_with_the_body_where_targets_are_missed(rng):
    skeleton = human(FREE)
    effectors = (
        Effector("hips"),
        Effector("hand.L"),
        Effector("foot.L", position_weight=0.0, rotation_weight=0.0),
    )
    targets = random_targets(rng, effectors, 10)
    solution = solve(
        skeleton, rest_pose(skeleton, 10), effectors, replace(targets, positions=5 * targets.positions)
    )
    assert not solution.converged.any()
    leg = [skeleton.index(name) for name in ("thigh.L", "shin.L", "foot.L")]
    assert np.allclose(solution.pose.rotations[:, leg], [1, 0, 0, 0], rtol=0, atol=1e-12)


def test_a_locked_body_is_left_alone_and_its_miss_told(rng):
    skeleton = replace(chain(4), stiffness=np.ones(4))
    pose, effectors = random_pose(rng, skeleton, 3), (end_of(4),)
    solution = solve(skeleton, pose, effectors, random_targets(rng, effectors, 3))
    assert np.allclose(solution.pose.rotations, pose.rotations, rtol=0, atol=1e-14)
    assert (solution.position_residuals > 0).all()
    assert not solution.converged.any()


def test_no_rows_are_no_trouble(rng):
    skeleton = human(FREE)
    solution = solve(
        skeleton, rest_pose(skeleton, 0), HUMAN_EFFECTORS, random_targets(rng, HUMAN_EFFECTORS, 0)
    )
    assert len(solution.pose) == 0
    assert solution.converged.shape == (0,)


# The published method


def test_sweeps_alone_get_near_and_never_worse(rng):
    """As published: fifteen sweeps of undamped superpositions bring a human to within centimetres."""
    skeleton = human(FREE)
    targets = reachable(rng, skeleton, HUMAN_EFFECTORS, 50, 0.4)
    medians = []
    for sweeps in (1, 5, 15, 60):
        settings = Settings(method="SWEEP", iterations=sweeps)
        solution = solve(skeleton, rest_pose(skeleton, 50), HUMAN_EFFECTORS, targets, settings)
        assert (solution.iterations <= sweeps).all()
        medians.append(np.median(solution.rmsd))
    assert medians == sorted(medians, reverse=True)
    assert medians[2] < 0.05


def test_sweeps_alone_turn_no_bone_by_more_than_damping_times_sweeps(rng):
    skeleton = chain(8)
    effectors = (end_of(8),)
    settings = Settings(method="SWEEP", iterations=3, dampening=0.05)
    solution = solve(
        skeleton, rest_pose(skeleton, 10), effectors, random_targets(rng, effectors, 10), settings
    )
    turns = 2 * np.arccos(np.clip(np.abs(solution.pose.rotations[..., 0]), 0, 1))
    assert (turns <= 3 * 0.05 + 1e-9).all()
    assert (turns > 2.9 * 0.05).any()
