# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradient and Hessian over absolute rotations against differences of half the objective."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    FREE,
    chain,
    end_of,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    started,
    targets_at,
)
from scipy.spatial.transform import Rotation

from solvers import Effector, Settings, Targets
from solvers.pauses import finished
from solvers.problem import forward_kinematics, local_rotations, measure
from solvers.steps.descent import DescentOptions, descend
from solvers.steps.newton import derivatives, newton_step

STEP = 1e-4  # second central differences: STEP^2 of the fourth derivative, 1e-16 / STEP^2 of rounding
SECOND = 1e-6  # both of them, relative to the largest entry
FIRST = 1e-7  # first differences with the same step: STEP^2 of the third derivative


def moved(problem, state, step):
    """Return half the objective after turns of rigid groups and moves of roots, ``step`` (m + k, 3)."""
    turns = Rotation.from_rotvec(problem.bundle.T @ step[: len(problem.bundle)]).as_matrix()
    translations = state.translations.copy()
    roots = problem.tree.roots
    shift = problem.length[0] * step[len(problem.bundle) :]
    translations[:, roots] += np.einsum("kij,kj->ki", problem.freedom[roots], shift)
    return (
        0.5 * measure(problem, forward_kinematics(problem, turns @ state.rotations, translations)).energy[0]
    )


def differences(problem, state):
    """Return gradient (d,) and Hessian (d, d) of half the objective over all groups and roots."""
    size = 3 * (len(problem.bundle) + len(problem.tree.roots))

    def at(*indices):
        step = np.zeros(size)
        for index, sign in indices:
            step[index] += sign * STEP
        return moved(problem, state, step.reshape(-1, 3))

    gradient = np.array([(at((i, 1)) - at((i, -1))) / (2 * STEP) for i in range(size)])
    hessian = np.zeros((size, size))
    for i in range(size):
        for j in range(i + 1):
            corners = at((i, 1), (j, 1)) - at((i, 1), (j, -1)) - at((i, -1), (j, 1)) + at((i, -1), (j, -1))
            hessian[i, j] = hessian[j, i] = corners / (4 * STEP**2)
    return gradient, hessian


CASES = {
    "trees": {},
    "chains": {"branching": 0.0},
    "several roots": {"roots": 2, "freedom": FREE},
    "roots free in a plane": {"freedom": np.diag([1.0, 0.0, 1.0])},
    "bones that inherit no rotation": {"aloof": 0.5, "freedom": FREE},
    "locked bones": {"stiffness": np.array([0, 1, 0, 0, 1, 1.0])},
    "a locked root": {"stiffness": np.array([1, 0, 0, 0, 0, 0.0]), "freedom": FREE},
    "locked bones that inherit no rotation": {"stiffness": np.array([0, 1, 0, 1, 0, 1.0]), "aloof": 0.5},
}


@pytest.mark.parametrize("per_axis", [False, True])
@pytest.mark.parametrize("values", CASES.values(), ids=list(CASES))
def test_the_derivatives_are_those_of_half_the_objective(rng, values, per_axis):
    """Blocks of the bones plus the product of the position rows make up the whole Hessian."""
    for _ in range(2):
        skeleton = random_tree(rng, 6, **values)
        single = {"rotation_axes": (1.0, 0.0, 0.4)} if per_axis else {}
        effectors = random_effectors(rng, skeleton, 3, **single)
        targets = random_targets(rng, effectors, axes=rng.normal(size=(1, 3, 3, 3)) if per_axis else None)
        problem, state, residual = started(skeleton, random_pose(rng, skeleton), effectors, targets)
        gradient, blocks, rows = (part[0] for part in derivatives(problem, state, residual))
        expected_gradient, expected = differences(problem, state)
        hessian = rows.T @ rows
        for group, block in enumerate(blocks):
            hessian[3 * group : 3 * group + 3, 3 * group : 3 * group + 3] += block
        size = np.abs(expected).max()
        assert np.allclose(gradient.ravel(), expected_gradient, rtol=0, atol=FIRST * size)
        assert np.allclose(hessian, expected, rtol=0, atol=SECOND * size)


def newton_rule(steps=30):
    return DescentOptions(step=newton_step, steps=steps, progress=1 - 1e-7, patience=2, damping=0.01)


@pytest.mark.parametrize("values", CASES.values(), ids=list(CASES))
def test_descent_never_raises_the_objective(rng, values):
    skeleton = random_tree(rng, 6, **values)
    effectors = random_effectors(rng, skeleton, 3)
    problem, state, residual = started(
        skeleton, random_pose(rng, skeleton, 8), effectors, random_targets(rng, effectors, 8)
    )
    energy = residual.energy
    for steps in (1, 4, 15):
        found = finished(descend(problem, state, residual, newton_rule(steps)))
        assert (found.residual.energy <= energy).all()
        energy = found.residual.energy
    assert (energy < 0.999 * residual.energy).all()


@pytest.mark.parametrize("twice", [False, True])
def test_a_step_that_rises_is_judged_with_the_next(rng, twice):
    """Where the way to the target leads uphill first, only a descent that looks further goes it."""
    skeleton, effectors = chain(3), (end_of(3),)
    near, far, there = (random_pose(rng, skeleton) for _ in range(3))
    targets = targets_at(skeleton, there, effectors)
    states = [started(skeleton, pose, effectors, targets) for pose in (near, far, there)]
    problem, begin, before = min(states[:2], key=lambda state: state[2].energy[0])
    uphill = max(states[:2], key=lambda state: state[2].energy[0])[1]

    def step(_problem, state, _residual, _damping):
        return uphill if np.array_equal(state.rotations, begin.rotations) else states[2][1]

    rule = DescentOptions(step=step, steps=1, progress=0.9, patience=2, twice=twice)
    found = finished(descend(problem, begin, before, rule))
    assert found.residual.met.all() == twice
    assert np.array_equal(found.state.rotations, begin.rotations) != twice


def test_descent_leaves_its_start_alone(rng):
    skeleton = chain(6)
    effectors = (end_of(6),)
    problem, state, residual = started(
        skeleton, random_pose(rng, skeleton, 3), effectors, random_targets(rng, effectors, 3)
    )
    before = state.rotations.copy(), residual.energy.copy()
    finished(descend(problem, state, residual, newton_rule()))
    assert (state.rotations == before[0]).all()
    assert (residual.energy == before[1]).all()


def test_locked_bones_stay_rigid(rng):
    skeleton = random_tree(rng, 8, stiffness=np.array([0, 1, 0, 0, 1, 1, 0, 1.0]))
    effectors = random_effectors(rng, skeleton, 3)
    problem, state, residual = started(
        skeleton, random_pose(rng, skeleton, 5), effectors, random_targets(rng, effectors, 5)
    )
    found = finished(descend(problem, state, residual, newton_rule()))
    before, after = local_rotations(problem, state.rotations), local_rotations(problem, found.state.rotations)
    held = problem.mobility == 0
    assert held.any()
    # Thirty products of rotations round to some 1e-16 each.
    assert np.allclose(before[:, held], after[:, held], rtol=0, atol=1e-13)
    assert np.abs(before[:, ~held] - after[:, ~held]).max() > 1e-2


def test_a_far_target_straightens_a_long_chain_in_few_steps(rng):
    """Where least squares crawls: Newton ends within 1e-6 of the least possible distance."""
    skeleton = chain(50)
    effectors = (end_of(50),)
    directions = rng.normal(size=(10, 1, 3))
    goals = 1.2 * directions / np.linalg.norm(directions, axis=-1, keepdims=True)
    pose = random_pose(rng, skeleton, 10, spread=0.2)
    targets = Targets(goals, targets_at(skeleton, pose, effectors).rotations)
    problem, state, residual = started(skeleton, pose, effectors, targets, Settings())
    found = finished(descend(problem, state, residual, newton_rule(60)))
    assert np.allclose(np.sqrt(found.residual.energy), 0.2, rtol=0, atol=1e-6)


def test_steps_converge_quadratically_where_a_residual_stays(rng):
    """Each error is within a few times the square of the one before, where no curvature is reversed."""
    skeleton = chain(4)
    effectors = tuple(map(Effector, skeleton.names))
    pose = random_pose(rng, skeleton, 8)
    met = targets_at(skeleton, pose, effectors)
    targets = replace(met, positions=met.positions + 0.1 * rng.normal(size=met.positions.shape))
    problem, state, residual = started(skeleton, pose, effectors, targets)
    steps = []
    for _ in range(12):
        state = newton_step(problem, state, residual, np.full(8, 1e-12))
        residual = measure(problem, state)
        steps.append(state.rotations)
    assert (residual.energy > 1e-3).all()
    positive = (np.linalg.eigvalsh(derivatives(problem, state, residual)[1]) > 0).all(axis=(1, 2))
    assert positive.sum() >= 4
    errors = np.abs(np.array(steps) - state.rotations).max(axis=(2, 3, 4))[:, positive]
    earlier, later = errors[:-1], errors[1:]
    near = earlier < 0.1
    assert (later <= 5 * earlier**2 + 1e-13)[near].all()
    assert ((near & (earlier > 1e-9)).sum(axis=0) >= 2).all()  # every row puts the law to the test


def test_steps_end_at_the_least_distance_where_a_straight_chain_leaves_its_twists_free(rng):
    skeleton = chain(5)
    targets = Targets([[[0.0, 0.0, 1.5]]], np.array([[[1.0, 0, 0, 0]]]))
    problem, state, residual = started(
        skeleton, random_pose(rng, skeleton, spread=0.1), (end_of(5),), targets
    )
    for _ in range(12):
        state = newton_step(problem, state, residual, np.array([1e-8]))
        residual = measure(problem, state)
    assert abs(residual.energy[0] - 0.5**2) < 1e-14
