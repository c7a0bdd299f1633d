# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of effectors: what is left out of large products is zero, and time does not run away."""

from time import process_time

import numpy as np
import pytest
from random_rigs import FREE, names, quaternions, random_effectors, random_targets, random_tree, started

from solvers import Effector, Pose, Skeleton, Targets, forward, rest_pose, solve
from solvers.geometry.rotations import matrix_to_quaternion
from solvers.problem import jacobian
from solvers.steps.newton import derivatives
from solvers.steps.normal_matrix import normal_matrix


@pytest.fixture
def crowded(rng):
    """A forest with 70 effectors, some bones locked: problem, state and residual."""
    skeleton = random_tree(rng, 150, roots=3, aloof=0.1, freedom=FREE, stiffness=rng.random(150) < 0.2)
    effectors = random_effectors(rng, skeleton, 70)
    pose = Pose(quaternions(rng, 2, 150, spread=0.5), rest_pose(skeleton, 2).translations)
    return started(skeleton, pose, effectors, random_targets(rng, effectors, 2))


def test_nothing_but_zeros_is_left_out_of_least_squares(crowded):
    problem, _, _ = crowded
    tree, rows = problem.tree, jacobian(*crowded).reshape(2, 420, -1)
    across = np.swapaxes(rows, -1, -2)
    product = normal_matrix(rows, across, tree.effectors.bones + 1, 6, len(tree.roots))
    assert np.allclose(product, rows @ across, rtol=0, atol=1e-12 * np.abs(rows).max() ** 2 * 150)


@pytest.mark.parametrize("others", [4, 200])
def test_rows_of_other_goals_count_once(crowded, rng, others):
    """They come after those of the effectors, and may have any bones move them."""
    problem, _, _ = crowded
    tree, rows = problem.tree, jacobian(*crowded).reshape(2, 420, -1)
    rows = np.concatenate([rows, rng.normal(size=(2, others, rows.shape[2]))], axis=1)
    across = np.swapaxes(rows, -1, -2)
    product = normal_matrix(rows, across, tree.effectors.bones + 1, 6, len(tree.roots))
    assert np.allclose(product, rows @ across, rtol=0, atol=1e-12 * np.abs(rows).max() ** 2 * 150)


def test_nothing_but_zeros_is_left_out_of_newtons_step(crowded):
    problem, _, _ = crowded
    _, _, rows = derivatives(*crowded)
    across = np.swapaxes(rows, -1, -2)
    bones = np.cumsum(problem.mobility > 0)[problem.tree.effectors.bones]
    product = normal_matrix(rows, across, bones, 3, len(problem.tree.roots))
    assert np.allclose(product, rows @ across, rtol=0, atol=1e-12 * np.abs(rows).max() ** 2 * 150)


def test_locked_bones_add_to_the_bone_that_they_turn_with(crowded, rng):
    problem, _, _ = crowded
    of_bones = rng.normal(size=(2, 5, problem.bundle.shape[1], 3))
    assert (problem.mobility == 0).any()
    assert np.allclose(problem.sums(of_bones), problem.bundle @ of_bones, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["one chain", "a chain for each effector"])
def test_1500_bones_and_300_effectors_take_less_than_30_seconds(rng, shape):
    """Seconds of one processor, not of the clock: other work may go on beside it."""
    count, step = 1500, 5
    parents = np.arange(-1, count - 1)
    if shape != "one chain":
        parents[1::step] = 0
    offsets = rng.normal(size=(1, count, 3))
    offsets *= 0.1 / np.linalg.norm(offsets, axis=-1, keepdims=True)
    freedom = np.zeros((count, 3, 3))
    freedom[0] = FREE
    rests = rest_pose(Skeleton(names(count), parents, offsets, quaternions(rng, 1, count)), 1).rotations
    skeleton = Skeleton(names(count), parents, offsets, rests, freedom=freedom)
    bones = np.arange(step, count + step, step) - 1
    bent = Pose(quaternions(rng, 1, count, spread=0.3), np.zeros((1, count, 3)))
    rotations, heads = forward(skeleton, bent)
    places = heads[:, bones] + 0.3 * rng.normal(size=(1, len(bones), 3)) * (shape != "one chain")
    targets = Targets(places, matrix_to_quaternion(rotations[:, bones]))
    begin = process_time()
    solution = solve(skeleton, rest_pose(skeleton), [Effector(names(count)[bone]) for bone in bones], targets)
    assert process_time() - begin < 30
    assert solution.rmsd[0] < 0.2
