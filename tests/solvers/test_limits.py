# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation locks: what they hold, what they leave free, and that solving keeps them."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from random_rigs import (
    FREE,
    HUMAN_EFFECTORS,
    chain,
    end_of,
    human,
    matrices,
    quaternions,
    random_pose,
    random_targets,
    targets_at,
)
from scipy.spatial.transform import Rotation

from solvers import AxisLock, Settings, SkeletonError, rest_pose, solve
from solvers.rotation import euler_to_matrix, matrix_to_euler

ORDERS = ["".join(order) for order in permutations("XYZ")]
LOCKS = [lock for lock in product((False, True), repeat=3) if any(lock)]
HELD = 1e-9  # radians: the promise for locked angles after a solve


def same_angle(a, b, tolerance):
    return np.abs((a - b + np.pi) % (2 * np.pi) - np.pi) <= tolerance


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("locked", LOCKS)
def test_the_nearest_allowed_rotation_has_the_locked_angles_and_stays(rng, order, locked):
    lock = AxisLock("hinge", order, locked, [0.3, -0.4, 0.5])
    nearest = lock.nearest(matrices(quaternions(rng, 20)))
    angles = matrix_to_euler(nearest, order)
    assert same_angle(angles, lock.angles, 1e-12)[:, np.array(locked)].all()
    assert np.allclose(lock.nearest(nearest), nearest, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_an_allowed_rotation_is_its_own_nearest(rng, order):
    lock = AxisLock("hinge", order, (True, False, True), [0.3, 0.0, -0.2])
    middle = rng.uniform(-1.2, 1.2, size=20)
    allowed = euler_to_matrix(np.stack([np.full(20, 0.3), middle, np.full(20, -0.2)], axis=-1), order)
    assert np.allclose(lock.nearest(allowed), allowed, rtol=0, atol=1e-13)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("locked", LOCKS)
def test_free_directions_are_those_the_free_angles_turn_about(rng, order, locked):
    """Turning a free angle a little is a turn, in the bone's own frame, that the projector keeps."""
    step = 1e-6
    lock = AxisLock("hinge", order, locked, [0.0, 0.0, 0.0])
    angles = rng.uniform(-1, 1, size=(10, 3))
    here = euler_to_matrix(angles, order)
    free = lock.free_directions(here)
    assert np.allclose(free @ free, free, rtol=0, atol=1e-12)
    assert np.allclose(np.trace(free, axis1=1, axis2=2), 3 - sum(locked), rtol=0, atol=1e-12)
    for axis in range(3):
        if not locked[axis]:
            there = euler_to_matrix(angles + step * np.eye(3)[axis], order)
            turn = Rotation.from_matrix(np.swapaxes(here, -1, -2) @ there).as_rotvec() / step
            # First differences: an error of the size of the step.
            assert np.allclose(np.einsum("bij,bj->bi", free, turn), turn, rtol=0, atol=1e-5)


def locked_chain(bones, order="XYZ", locked=(False, True, True)):
    locks = tuple(AxisLock(f"bone.{bone:03}", order, locked, [0.0, 0.1, -0.1]) for bone in range(1, bones))
    return chain(bones, locks=locks)


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
    skeleton = chain(4, locks=(AxisLock("bone.002", "XYZ", (False, True, True), values),))
    effectors = (end_of(4),)
    solution = solve(skeleton, rest_pose(skeleton, 300), effectors, random_targets(rng, effectors, 300))
    assert same_angle(angles_of(solution, 2, "XYZ")[:, 1:], values[:, 1:], HELD).all()


def test_a_planar_chain_of_hinges_reaches_what_lies_in_its_plane(rng):
    locks = tuple(
        AxisLock(f"bone.{bone:03}", "XYZ", (False, True, True), [0.0, 0.0, 0.0]) for bone in range(5)
    )
    skeleton = chain(5, locks=locks)
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
    locks = tuple(AxisLock(bone, "XYZ", (False, True, True), [0.0, 0.0, 0.0]) for bone in joints)
    skeleton = replace(human(FREE), locks=locks)
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


@pytest.mark.parametrize(
    "values",
    [
        {"order": "XYX"},
        {"order": ""},
        {"angles": [0, np.nan, 0]},
        {"angles": [0, 0, 0, 0]},
        {"locked": (True, False)},
    ],
)
def test_a_lock_that_cannot_be_is_refused_with_the_name_of_its_bone(values):
    with pytest.raises(SkeletonError, match="hinge"):
        AxisLock(
            **({"bone": "hinge", "order": "XYZ", "locked": (True, True, True), "angles": [0, 0, 0]} | values)
        )


def test_locks_with_too_few_rows_are_refused(rng):
    skeleton = chain(3, locks=(AxisLock("bone.001", "XYZ", (True, True, False), np.zeros((2, 3))),))
    effectors = (end_of(3),)
    with pytest.raises(SkeletonError, match=r"bone\.001"):
        solve(skeleton, rest_pose(skeleton, 5), effectors, random_targets(rng, effectors, 5))
