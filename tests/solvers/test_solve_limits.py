# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving within limits: never a violation, whatever the method, the start and the targets."""

from dataclasses import replace

import numpy as np
import pytest
from limit_checks import RANDOM, euler_lock, violation
from random_rigs import (
    FREE,
    HUMAN_EFFECTORS,
    chain,
    end_of,
    human,
    matrices,
    objective,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    started,
    targets_at,
)

from solvers import EulerLimit, Pose, Settings, SkeletonError, rest_pose, solve
from solvers.geometry.rotations import matrix_to_euler, matrix_to_quaternion
from solvers.limits.groups import group_limits

HELD = 1e-9  # radians: the promise for locked angles after a solve
VIOLATED = 1e-6  # radians: the promise for any limit
RISE = 1 + 1e-9
METHODS = {
    "superpose": Settings(),
    "in one go": Settings(restarts=0),
    "with sweeps": Settings(sweeps=4, stabilisation=3),
    "many restarts": Settings(restarts=8),
    "sweeps alone": Settings(method="SWEEP", iterations=15),
    "steady sweeps alone": Settings(method="SWEEP", iterations=15, stabilisation=3),
}
LONG = ("with sweeps", "many restarts", "steady sweeps alone")
every_method = pytest.mark.parametrize("settings", METHODS.values(), ids=list(METHODS))
# Rows of every method and in any setting are compared with the same rows alone in test_rows_alone.py.
some_methods = pytest.mark.parametrize(
    "settings",
    [
        pytest.param(settings, id=name, marks=pytest.mark.slow if name in LONG else ())
        for name, settings in METHODS.items()
    ],
)
several_rigs = pytest.mark.parametrize("rigs", [2, pytest.param(6, marks=pytest.mark.slow)])


def limited_tree(rng, bones=10, share=0.8, **values):
    """A random tree most of whose joints have a limit of a random kind."""
    skeleton = random_tree(rng, bones, **values)
    limits = []
    for name in skeleton.names[1:]:
        if rng.random() < share:
            limits.append(RANDOM[rng.choice(list(RANDOM))](rng, name))
    return replace(skeleton, limits=tuple(limits))


def allowed_pose(rng, skeleton, batch):
    """Random rotations, each at its nearest allowed one."""
    pose = random_pose(rng, skeleton, batch)
    rotations = pose.rotations.copy()
    for group in group_limits(skeleton.limits, skeleton.places):
        local = matrices(rotations[:, group.bones])
        rotations[:, group.bones] = matrix_to_quaternion(group.nearest(local))
    return Pose(rotations, pose.translations)


def worst_violation(skeleton, effectors, pose):
    """Return the worst over the bones that were solved: those above an effector."""
    solved = set()
    for effector in effectors:
        bone = skeleton.index(effector.bone)
        while bone >= 0:
            solved.add(skeleton.names[bone])
            bone = skeleton.parents[bone]
    found = [
        violation(limit, pose.rotations[:, skeleton.index(limit.bone)]).max()
        for limit in skeleton.limits
        if limit.bone in solved
    ]
    return max(found, default=0.0)


def problems(rng, skeleton, effectors, batch=8):
    """Targets that an allowed pose meets, and wild ones."""
    yield targets_at(skeleton, allowed_pose(rng, skeleton, batch), effectors)
    yield random_targets(rng, effectors, batch)


@pytest.mark.once
@every_method
@several_rigs
def test_no_limit_is_ever_violated(rng, rigs, settings):
    for number in range(rigs):
        skeleton = limited_tree(rng, freedom=FREE if number % 2 else np.zeros((3, 3)), aloof=0.1)
        effectors = random_effectors(rng, skeleton, 3)
        for targets in problems(rng, skeleton, effectors):
            # Random starts violate most limits.
            for start in (rest_pose(skeleton, 8), random_pose(rng, skeleton, 8, spread=1.0)):
                solution = solve(skeleton, start, effectors, targets, settings)
                assert worst_violation(skeleton, effectors, solution.pose) < VIOLATED


@pytest.mark.once
@pytest.mark.parametrize("name", ["superpose", "in one go", "with sweeps", "many restarts"])
@several_rigs
def test_the_objective_is_never_higher_than_at_an_allowed_start(rng, rigs, name):
    for _ in range(rigs):
        skeleton = limited_tree(rng, freedom=FREE)
        effectors = random_effectors(rng, skeleton, 3)
        for targets in problems(rng, skeleton, effectors):
            start = allowed_pose(rng, skeleton, 8)
            arm = started(skeleton, start, effectors, targets)[0].arm
            solution = solve(skeleton, start, effectors, targets, METHODS[name])
            before = objective(skeleton, start, effectors, targets, arm)
            after = objective(skeleton, solution.pose, effectors, targets, arm)
            assert (after <= RISE * before + 1e-15).all()


@pytest.mark.once
@some_methods
def test_limited_solves_are_the_same_every_time_and_in_any_company(rng, settings):
    skeleton = limited_tree(rng, freedom=FREE)
    effectors = random_effectors(rng, skeleton, 3)
    start = rest_pose(skeleton, 8)
    for targets in problems(rng, skeleton, effectors):
        whole, again = (solve(skeleton, start, effectors, targets, settings) for _ in range(2))
        assert (whole.pose.rotations == again.pose.rotations).all()
        for rows in (slice(0, 1), slice(3, 6), slice(7, 8)):
            part = solve(skeleton, start.rows(rows), effectors, targets.rows(rows), settings)
            assert (part.pose.rotations == whole.pose.rotations[rows]).all()
            assert (part.stopped == whole.stopped[rows]).all()


def test_euler_limits_of_each_row_stay_with_their_rows_in_parts(rng):
    """More rows than are solved at a time, each with a range of its own."""
    lower = rng.uniform(-0.5, 0, size=(300, 3))
    upper = lower + rng.uniform(0.1, 0.5, size=(300, 3))
    limits = (EulerLimit("bone.001", "YXZ", lower, upper), EulerLimit("bone.002", "YXZ", [0] * 3, [1] * 3))
    skeleton, effectors = chain(4, limits=limits), (end_of(4),)
    solution = solve(skeleton, rest_pose(skeleton, 300), effectors, random_targets(rng, effectors, 300))
    assert worst_violation(skeleton, effectors, solution.pose) < VIOLATED


def same_angle(a, b, tolerance):
    return np.abs((a - b + np.pi) % (2 * np.pi) - np.pi) <= tolerance


def locked_chain(bones, order="XYZ", locked=(False, True, True)):
    locks = tuple(euler_lock(f"bone.{bone:03}", order, locked, [0.0, 0.1, -0.1]) for bone in range(1, bones))
    return chain(bones, limits=locks)


def angles_of(solution, bone, order):
    return matrix_to_euler(matrices(solution.pose.rotations[:, bone]), order)


@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings(sweeps=3), Settings(method="SWEEP"), Settings(method="SWEEP", stabilisation=2)],
)
@pytest.mark.parametrize("order", ["XYZ", "ZYX"])
def test_solved_chains_keep_their_locks(rng, settings, order):
    skeleton = locked_chain(6, order)
    effectors = (end_of(6, rotation_weight=0.5),)
    solution = solve(
        skeleton, rest_pose(skeleton, 20), effectors, random_targets(rng, effectors, 20), settings
    )
    for bone in range(1, 6):
        assert same_angle(angles_of(solution, bone, order)[:, 1:], np.array([0.1, -0.1]), HELD).all()


def test_each_row_may_hold_angles_of_its_own(rng):
    values = np.stack([np.zeros(300), rng.uniform(-0.5, 0.5, 300), rng.uniform(-0.5, 0.5, 300)], axis=-1)
    skeleton = chain(4, limits=(euler_lock("bone.002", "XYZ", (False, True, True), values),))
    effectors = (end_of(4),)
    solution = solve(skeleton, rest_pose(skeleton, 300), effectors, random_targets(rng, effectors, 300))
    assert same_angle(angles_of(solution, 2, "XYZ")[:, 1:], values[:, 1:], HELD).all()


def test_a_planar_chain_of_hinges_reaches_what_lies_in_its_plane(rng):
    locks = tuple(
        euler_lock(f"bone.{bone:03}", "XYZ", (False, True, True), [0.0, 0.0, 0.0]) for bone in range(5)
    )
    skeleton = chain(5, limits=locks)
    effectors = (end_of(5),)
    goal = rest_pose(skeleton, 50)
    turns = rng.uniform(-0.8, 0.8, size=(50, 5))
    bent = np.zeros((50, 5, 4))
    bent[..., 0], bent[..., 1] = np.cos(turns / 2), np.sin(turns / 2)
    targets = targets_at(skeleton, replace(goal, rotations=bent), effectors)
    solution = solve(skeleton, goal, effectors, targets)
    assert solution.converged.all()
    assert (np.abs(solution.pose.rotations[..., 2:]) < HELD).all()


def test_knees_and_elbows_that_are_hinges_do_what_they_can(rng):
    joints = ("shin.L", "shin.R", "forearm.L", "forearm.R")
    locks = tuple(euler_lock(bone, "XYZ", (False, True, True), [0.0, 0.0, 0.0]) for bone in joints)
    skeleton = replace(human(FREE), limits=locks)
    goal = random_pose(rng, skeleton, 40, spread=0.3, shift=0.1)
    held = goal.rotations.copy()
    for joint in joints:
        bone = skeleton.index(joint)
        held[:, bone, 2:] = 0
        held[:, bone] /= np.linalg.norm(held[:, bone], axis=-1, keepdims=True)
    targets = targets_at(skeleton, replace(goal, rotations=held), HUMAN_EFFECTORS)
    solution = solve(skeleton, rest_pose(skeleton, 40), HUMAN_EFFECTORS, targets)
    assert solution.converged.all()
    for joint in joints:
        assert (np.abs(solution.pose.rotations[:, skeleton.index(joint), 2:]) < HELD).all()


def test_locks_with_too_few_rows_are_refused(rng):
    skeleton = chain(3, limits=(euler_lock("bone.001", "XYZ", (True, True, False), np.zeros((2, 3))),))
    effectors = (end_of(3),)
    with pytest.raises(SkeletonError, match=r"bone\.001"):
        solve(skeleton, rest_pose(skeleton, 5), effectors, random_targets(rng, effectors, 5))
