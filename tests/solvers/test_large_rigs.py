# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of effectors: what is left out of large products is zero, and all are solved."""

import sys

import numpy as np
import pytest
from random_rigs import FREE, names, quaternions, random_effectors, random_targets, random_tree, started

from solvers import Effector, Pose, Skeleton, Targets, forward, rest_pose, solve
from solvers.geometry import altered, solve_definite
from solvers.geometry.rotations import matrix_to_quaternion
from solvers.problem import Held, jacobian, measure
from solvers.steps import held as held_steps
from solvers.steps import levenberg_marquardt
from solvers.steps.newton import derivatives
from solvers.steps.normal_matrix import RowsOf, normal_matrix

normal_matrix_of = sys.modules["solvers.steps.normal_matrix"]


@pytest.fixture(params=["much is shared", "limbs of their own"])
def crowded(request, rng):
    """70 effectors, some bones locked, in a forest or at the ends of limbs: problem, state and residual."""
    stiffness = rng.random(211) < 0.2
    if request.param == "much is shared":
        skeleton = random_tree(rng, 150, roots=3, aloof=0.1, freedom=FREE, stiffness=stiffness[:150])
        effectors = random_effectors(rng, skeleton, 70)
    else:
        parents = np.arange(-1, 210)
        parents[1::3] = 0
        given = names(211), parents, rng.normal(size=(1, 211, 3)), quaternions(rng, 1, 211)
        freedom = np.zeros((211, 3, 3))
        freedom[0] = FREE
        skeleton = Skeleton(*given, freedom=freedom, stiffness=stiffness.astype(float))
        effectors = tuple(Effector(bone) for bone in names(211)[3::3])
    count = len(skeleton.names)
    pose = Pose(quaternions(rng, 2, count, spread=0.5), rest_pose(skeleton, 2).translations)
    return started(skeleton, pose, effectors, random_targets(rng, effectors, 2))


def of_all(tree, rows):
    """What ``rows`` for each effector are of."""
    moves = tree.effectors.moves
    return RowsOf(np.arange(len(moves)).repeat(rows), moves, len(tree.roots))


def test_nothing_but_zeros_is_left_out_of_least_squares(crowded):
    problem, _, _ = crowded
    tree, rows = problem.tree, jacobian(*crowded).reshape(2, 420, -1)
    across = np.swapaxes(rows, -1, -2)
    product = normal_matrix(rows, across, of_all(tree, 6))
    assert np.allclose(product, rows @ across, rtol=0, atol=1e-12 * np.abs(rows).max() ** 2 * 211)


@pytest.mark.parametrize("others", [4, 200])
def test_rows_of_other_goals_count_once(crowded, rng, others):
    """They come after those of the effectors, and may have any bones move them."""
    problem, _, _ = crowded
    tree, rows = problem.tree, jacobian(*crowded).reshape(2, 420, -1)
    rows = np.concatenate([rows, rng.normal(size=(2, others, rows.shape[2]))], axis=1)
    across = np.swapaxes(rows, -1, -2)
    product = normal_matrix(rows, across, of_all(tree, 6))
    assert np.allclose(product, rows @ across, rtol=0, atol=1e-12 * np.abs(rows).max() ** 2 * 211)


@pytest.mark.parametrize("asks", ["places alone", "a few effectors"])
def test_steps_are_as_large_as_what_is_asked(crowded, monkeypatch, asks):
    """What weighs nothing costs nothing, and the step is the one of all rows."""
    problem, state, _ = crowded
    weighs = np.ones((1, 70, 2))
    if asks == "places alone":
        weighs[..., 1] = 0
    else:
        weighs[:, 12:] = 0
    problem = altered(problem, frames=problem.frames.weighed(weighs))
    residual, sizes = measure(problem, state), []

    def solved(matrices, right):
        sizes.append(matrices.shape[-1])
        return solve_definite(matrices, right)

    monkeypatch.setattr(levenberg_marquardt, "solve_definite", solved)
    given = problem, state, residual, np.full(2, 0.1)
    short = levenberg_marquardt.levenberg_marquardt_step(*given)
    monkeypatch.setattr(levenberg_marquardt, "rows_felt", all_rows)
    whole = levenberg_marquardt.levenberg_marquardt_step(*given)
    assert sizes == ([210, 420] if asks == "places alone" else [72, 420])
    assert np.allclose(short.points, whole.points, rtol=0, atol=1e-9)


def all_rows(problem, rows, residual):
    return [(slice(None), np.arange(70).repeat(6), rows, residual)]


def test_products_without_zeros_lower_beside_what_is_held_as_whole_ones_do(crowded, monkeypatch):
    problem, state, _ = crowded
    above = np.broadcast_to(np.arange(70)[:, None] < 5, (1, 70, 2)).astype(float)
    held = altered(problem, frames=problem.frames.weighed(above))
    alone = altered(problem, frames=problem.frames.weighed(1 - above))
    given = altered(alone, held=Held(held, held)), state, measure(alone, state), np.full(2, 0.1)
    monkeypatch.setattr(held_steps, "brought_back", lambda held, state: state)
    short = held_steps.least_squares_step_held(*given)
    monkeypatch.setattr(normal_matrix_of, "_FEW", 1000)
    whole = held_steps.least_squares_step_held(*given)
    assert np.allclose(short.points, whole.points, rtol=0, atol=1e-9)


def test_nothing_but_zeros_is_left_out_of_newtons_step(crowded):
    problem, _, _ = crowded
    _, _, rows = derivatives(*crowded)
    across = np.swapaxes(rows, -1, -2)
    of = of_all(problem.tree, 3)._replace(moves=problem.tree.effectors.moves[:, problem.mobility > 0])
    product = normal_matrix(rows, across, of)
    assert np.allclose(product, rows @ across, rtol=0, atol=1e-12 * np.abs(rows).max() ** 2 * 211)


def test_locked_bones_add_to_the_bone_that_they_turn_with(crowded, rng):
    problem, _, _ = crowded
    of_bones = rng.normal(size=(2, 5, problem.bundle.shape[1], 3))
    assert (problem.mobility == 0).any()
    assert np.allclose(problem.sums(of_bones), problem.bundle @ of_bones, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["one chain", "a chain for each effector"])
def test_1500_bones_and_300_effectors_are_solved(rng, shape):
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
    solution = solve(skeleton, rest_pose(skeleton), [Effector(names(count)[bone]) for bone in bones], targets)
    assert solution.rmsd[0] < 0.2
