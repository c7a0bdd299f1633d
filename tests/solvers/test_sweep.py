# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps never raise the objective, and their O(bones) sums are those of brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limit_checks import euler_lock
from random_rigs import (
    ANCHORED,
    FREE,
    chain,
    end_of,
    human,
    matrices,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    started,
    targets_at,
)
from scipy.spatial.transform import Rotation

from solvers import Effector, Targets, rest_pose
from solvers.geometry.rotations import angle_between
from solvers.problem import forward_kinematics, local_rotations, measure
from solvers.steps.sweep import superpose_bodies, sweep
from solvers.superposition.qcp import qcp_rotation

RISE = 1 + 1e-12  # what rounding may add to the objective
FULL = np.pi  # no damping
KINDS = {
    "anchored": ANCHORED,
    "free": FREE,
    "on a line": np.diag([1.0, 0, 0]),
    "in a plane": np.diag([1.0, 0, 1.0]),
}
every_root = pytest.mark.parametrize("freedom", KINDS.values(), ids=list(KINDS))


def mobile(problem, largest=FULL):
    return np.full(len(problem.tree.bones), largest) * problem.mobility


@every_root
@pytest.mark.parametrize("largest", [0.05, 1.0, FULL])
@pytest.mark.parametrize("per_axis", [False, True])
def test_a_sweep_never_raises_the_objective(rng, freedom, largest, per_axis):
    for _ in range(15):
        skeleton = random_tree(rng, 10, roots=2, aloof=0.2, freedom=freedom)
        single = {"rotation_axes": (1.0, 0.0, 0.3)} if per_axis else {}
        effectors = random_effectors(rng, skeleton, 4, **single)
        axes = rng.normal(size=(1, 4, 3, 3)) * rng.integers(2, size=(1, 4, 3, 1)) if per_axis else None
        problem, state, residual = started(
            skeleton, random_pose(rng, skeleton, 3), effectors, random_targets(rng, effectors, 3, axes)
        )
        for _ in range(4):
            state = sweep(problem, state, mobile(problem, largest))
            after = measure(problem, state)
            assert (after.energy <= RISE * residual.energy).all()
            residual = after


@given(seed=st.integers(0, 10**6), share=st.floats(0, 1))
def test_superposing_bodies_by_any_share_never_raises_the_objective(seed, share):
    rng = np.random.default_rng(seed)
    freedom = list(KINDS.values())[seed % 4]
    skeleton = random_tree(rng, 8, roots=2, aloof=0.3 * (seed % 2), freedom=freedom)
    effectors = random_effectors(rng, skeleton, 3)
    axes = rng.normal(size=(1, 3, 3, 3)) if seed % 3 == 0 else None
    problem, state, residual = started(
        skeleton, random_pose(rng, skeleton, 2), effectors, random_targets(rng, effectors, 2, axes)
    )
    moved = superpose_bodies(problem, state, np.full((2, len(problem.tree.roots)), share))
    assert (measure(problem, moved).energy <= RISE * residual.energy).all()


def brute_force_turn(problem, state, bone, felt):
    """Return the best turn (3, 3) of one bone about its head, from every effector below it."""
    tree, head = problem.tree, state.heads[0, bone]
    covariance = np.zeros((3, 3))
    for e in np.flatnonzero(tree.effectors.moves[:, bone]):
        point, goal = state.points[0, e], problem.frames.target_points[0, e]
        if not tree.effectors.turns[e, bone]:
            carried = state.heads[0, tree.frames.carried[e, bone] - len(tree.frames.bones)]
            point, goal = carried, goal - point + carried
        weight = felt[e, bone] * problem.frames.position_weights[0, e]
        covariance += weight * np.outer(point - head, goal - head)
        if tree.effectors.turns[e, bone]:
            rotation = state.rotations[0, tree.effectors.bones[e]]
            size = felt[e, bone] * problem.frames.rotation_weights[0, e, 0] / 2
            covariance += size * rotation @ problem.frames.target_rotations[0, e].T
    return matrices(qcp_rotation(covariance))


@pytest.mark.parametrize("falloff", [1.0, 0.4])
@pytest.mark.parametrize("aloof", [0.0, 0.4])
def test_the_sums_are_those_of_brute_force_over_all_effectors(rng, falloff, aloof):
    """A sweep does what turning bone after bone from the tips does, summing over all effectors each time."""
    for _ in range(10):
        skeleton = random_tree(rng, 9, roots=2, aloof=aloof)
        effectors = tuple(replace(e, falloff=falloff) for e in random_effectors(rng, skeleton, 4))
        problem, state, _ = started(
            skeleton, random_pose(rng, skeleton), effectors, random_targets(rng, effectors)
        )
        swept = sweep(problem, state, mobile(problem))
        for bone in reversed(range(len(problem.tree.bones))):
            turn = brute_force_turn(problem, state, bone, problem.tree.effectors.felt)
            rotations = state.rotations.copy()
            for below in carried_round(problem, bone):
                rotations[0, below] = turn @ rotations[0, below]
            state = forward_kinematics(problem, rotations, state.translations)
        # Eigenvalues of random data lie some 1e-3 apart, which rounding is divided by.
        assert np.allclose(swept.rotations, state.rotations, rtol=0, atol=1e-10)
        assert np.allclose(swept.points, state.points, rtol=0, atol=1e-10)


def carried_round(problem, bone):
    """Return the bone and those that turn with it."""
    found = {bone}
    for below, joint in enumerate(problem.tree.joints):
        if joint in found:
            found.add(below)
    return sorted(found)


def test_felt_is_the_product_of_the_falloffs_passed(rng):
    skeleton = chain(5)
    effectors = (Effector("bone.004"), Effector("bone.002", falloff=0.5), Effector("bone.001", falloff=0.1))
    problem, _, _ = started(skeleton, rest_pose(skeleton), effectors, random_targets(rng, effectors))
    expected = [[0.05, 0.5, 1, 1, 1], [0.1, 1, 1, 0, 0], [1, 1, 0, 0, 0]]
    assert np.allclose(problem.tree.effectors.felt, expected, rtol=0, atol=1e-15)


def test_a_lone_position_turns_its_bone_along_the_shortest_arc(rng):
    """With one effector and no rotation a sweep is cyclic coordinate descent."""
    skeleton = chain(5)
    effectors = (end_of(5),)
    problem, state, _ = started(
        skeleton, random_pose(rng, skeleton), effectors, random_targets(rng, effectors)
    )
    for bone in range(5):
        largest = np.zeros(5)
        largest[bone] = FULL
        swept = sweep(problem, state, largest)
        arm, aim = (
            state.points[0, 0] - state.heads[0, bone],
            problem.frames.target_points[0, 0] - state.heads[0, bone],
        )
        axis = np.cross(arm, aim)
        angle = np.arctan2(np.linalg.norm(axis), arm @ aim)
        arc = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
        assert np.allclose(swept.rotations[0, bone], arc @ state.rotations[0, bone], rtol=0, atol=1e-12)


def test_a_weak_effector_turns_the_bones_that_feel_no_other(rng):
    """A hand that weighs a hundred millionth of the rest still takes its own arm all the way."""
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton)
    arms = []
    for weight in (1.0, 1e-8):
        hand = Effector("hand.L", position_weight=weight, rotation_weight=0.0)
        effectors = (Effector("hips"), Effector("head"), hand)
        targets = random_targets(np.random.default_rng(1), effectors)
        problem, state, _ = started(skeleton, pose, effectors, targets)
        arm = problem.tree.bones == skeleton.index("arm.L")
        arms.append(sweep(problem, state, FULL * arm).rotations[0, arm])
        assert angle_between(arms[-1], state.rotations[0, arm]) > 0.1
    assert np.allclose(*arms, rtol=0, atol=1e-12)


@pytest.mark.parametrize("largest", [1e-6, 0.01, 0.5, 2.0])
def test_no_bone_turns_farther_than_the_damping(rng, largest):
    skeleton = random_tree(rng, 10, stiffness=np.linspace(0, 1, 10))
    effectors = random_effectors(rng, skeleton, 4)
    problem, state, _ = started(
        skeleton, random_pose(rng, skeleton, 5), effectors, random_targets(rng, effectors, 5)
    )
    bounds = mobile(problem, largest)
    before, after = (local_rotations(problem, s.rotations) for s in (state, sweep(problem, state, bounds)))
    turns = angle_between(before, after)
    # The sine is read off the cosine, which rounds to 1e-16: an angle of that over the sine.
    assert (turns <= bounds + 1e-15 / largest + 1e-14).all()
    assert (turns > 0.99 * bounds).any()


def test_an_effector_without_falloff_shields_the_bones_above_it(rng):
    """The bones above feel what they would feel if nothing hung below the shield."""
    skeleton = chain(6)
    shield = Effector("bone.003", rotation_weight=0.0, falloff=0.0)
    both = (shield, end_of(6))
    targets = random_targets(rng, both)
    pose = random_pose(rng, skeleton)
    problem, state, _ = started(skeleton, pose, both, targets)
    alone, begun, _ = started(
        skeleton, pose, both[:1], Targets(targets.positions[:, :1], targets.rotations[:, :1])
    )
    above = sweep(problem, state, mobile(problem) * (np.arange(6) < 3))
    expected = sweep(alone, begun, mobile(alone) * (np.arange(4) < 3))
    assert np.allclose(above.rotations[:, :4], expected.rotations, rtol=0, atol=1e-12)
    below = sweep(problem, state, mobile(problem) * (np.arange(6) > 3))
    assert measure(problem, below).energy[0] < 0.99 * measure(problem, state).energy[0]


def test_a_free_rigid_body_is_superposed_on_its_targets(rng):
    """One bone, several points: scipy's answer about the weighted means, rotation and translation."""
    skeleton = chain(1, freedom=FREE)
    points = rng.normal(size=(6, 3))
    weights = rng.uniform(0.3, 2, size=6)
    effectors = tuple(
        Effector("bone.000", offset=tuple(point), position_weight=weight, rotation_weight=0.0)
        for point, weight in zip(points, weights, strict=True)
    )
    targets = random_targets(rng, effectors)
    problem, state, _ = started(skeleton, random_pose(rng, skeleton), effectors, targets)
    goals = targets.positions[0]
    means = weights @ points / weights.sum(), weights @ goals / weights.sum()
    expected, _ = Rotation.align_vectors(goals - means[1], points - means[0], weights=weights)
    for after in (sweep(problem, state, mobile(problem)), superpose_bodies(problem, state, np.ones((1, 1)))):
        assert np.allclose(after.rotations[0, 0], expected.as_matrix(), rtol=0, atol=1e-11)
        assert np.allclose(after.heads[0, 0], means[1] - expected.apply(means[0]), rtol=0, atol=1e-11)


def test_a_free_body_without_positions_turns_where_it_is(rng):
    skeleton = human(FREE)
    effectors = (Effector("hips", position_weight=0.0),)
    pose = random_pose(rng, skeleton)
    problem, state, _ = started(skeleton, pose, effectors, random_targets(rng, effectors))
    for after in (sweep(problem, state, mobile(problem)), superpose_bodies(problem, state, np.ones((1, 1)))):
        assert np.allclose(after.rotations[0, 0], problem.frames.target_rotations[0, 0], rtol=0, atol=1e-12)
        assert np.allclose(after.heads, state.heads, rtol=0, atol=1e-12)


def test_a_root_moves_only_along_its_free_axes(rng):
    skeleton = random_tree(rng, 6, freedom=np.diag([1.0, 0.0, 1.0]))
    effectors = random_effectors(rng, skeleton, 3)
    problem, state, _ = started(skeleton, rest_pose(skeleton), effectors, random_targets(rng, effectors))
    after = sweep(problem, state, mobile(problem))
    assert after.translations[0, 0, 1] == 0
    assert np.abs(after.translations[0, 0, [0, 2]]).min() > 0


def locked_problem(rng, batch=30):
    locks = tuple(
        euler_lock(f"bone.{bone:03}", "XYZ", (False, True, True), [0.0, 0.0, 0.0]) for bone in (1, 2, 4)
    )
    skeleton = chain(6, limits=locks)
    effectors = (end_of(6, rotation_weight=1.0),)
    return started(skeleton, rest_pose(skeleton, batch), effectors, random_targets(rng, effectors, batch))


def test_without_stabilisation_what_snapping_costs_is_accepted(rng):
    """As published: bones end on their locks, and in some rows the objective rises."""
    problem, state, residual = locked_problem(rng)
    rose = False
    for _ in range(8):
        state = sweep(problem, state, mobile(problem), stabilisation=0)
        after = measure(problem, state)
        rose |= bool((after.energy > 1.001 * residual.energy).any())
        residual = after
    assert rose


def test_with_stabilisation_no_bone_loses_what_it_held(rng):
    problem, state, residual = locked_problem(rng)
    for _ in range(8):
        state = sweep(problem, state, mobile(problem), stabilisation=4)
        after = measure(problem, state)
        assert (after.energy <= RISE * residual.energy).all()
        residual = after


@pytest.mark.parametrize("stabilisation", [0, 3])
def test_rotations_stay_rotations_however_many_sweeps(rng, stabilisation):
    problem, state, _ = locked_problem(rng)
    for _ in range(100):
        state = sweep(problem, state, mobile(problem), stabilisation)
    # A hundred products of a few rotations each round to some 1e-14.
    assert np.allclose(state.rotations @ np.swapaxes(state.rotations, -1, -2), np.eye(3), rtol=0, atol=1e-12)


def test_a_sweep_of_a_body_on_its_targets_does_nothing(rng):
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton, 3)
    effectors = (Effector("head"), Effector("hand.L"), Effector("foot.R"))
    problem, state, _ = started(skeleton, pose, effectors, targets_at(skeleton, pose, effectors))
    after = sweep(problem, state, mobile(problem))
    # The overlap is flat at its top: rounding of 1e-16 in it is an angle of the order of its root.
    assert np.allclose(after.rotations, state.rotations, rtol=0, atol=1e-7)
