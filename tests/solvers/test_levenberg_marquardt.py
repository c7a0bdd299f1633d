# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobian of the least-squares step against differences of a residual computed on its own."""

from dataclasses import replace

import numpy as np
import pytest
from limit_checks import euler_lock
from random_rigs import (
    ANCHORED,
    FREE,
    chain,
    end_of,
    matrices,
    places,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    started,
    targets_at,
    turned_in_armature,
    wxyz,
)
from scipy.spatial.transform import Rotation

from solvers import Effector, Pose, Targets, rest_pose
from solvers.problem import jacobian, limit_faces, local_rotations, measure
from solvers.steps.levenberg_marquardt import levenberg_marquardt_step

STEP = 1e-5  # central differences: an error of STEP^2 from the third derivative, 1e-16 / STEP from rounding
DIFFERENCES = 1e-8  # both of them, with room for lengths and weights of a few units


def residual_of(skeleton, pose, effectors, targets, length):
    """Return the weighted misses (6 E,) of a single pose: the way in the counted axes, then 2 L sqrt(r) q."""
    rotations, points = places(skeleton, pose, effectors)
    parts = []
    for e, effector in enumerate(effectors):
        away = targets.axes[0, e] @ (points[0, e] - targets.positions[0, e])
        turn = Rotation.from_matrix(matrices(targets.rotations[0, e]).T @ rotations[0, e]).as_quat(
            canonical=True
        )
        weights = np.sqrt(effector.rotation_weight * np.array(effector.rotation_axes))
        parts += [np.sqrt(effector.position_weight) * away, 2 * length * weights * turn[:3]]
    return np.concatenate(parts)


def differences(skeleton, pose, effectors, targets, problem):
    """Return the Jacobian (6 E, 3 (n + k)) by central differences, in units of the compliance."""
    tree, columns = problem.tree, []

    def difference(moved):
        ends = [
            residual_of(skeleton, moved(sign * STEP), effectors, targets, problem.arm[0]) for sign in (1, -1)
        ]
        columns.append((ends[0] - ends[1]) / (2 * STEP))

    for bone in tree.bones:
        for axis in np.eye(3):
            difference(
                lambda size, bone=bone, axis=axis: turned_in_armature(skeleton, pose, bone, size * axis)
            )
    for root in tree.bones[tree.roots]:
        for axis in np.eye(3):
            shift = np.zeros_like(pose.translations)
            shift[0, root] = skeleton.freedom[root] @ axis
            difference(lambda size, shift=shift: Pose(pose.rotations, pose.translations + size * shift))
    return np.stack(columns, axis=-1) * np.repeat(problem.compliance[0], 3)


def assert_true(skeleton, pose, effectors, targets):
    problem, state, residual = started(skeleton, pose, effectors, targets)
    found = jacobian(problem, state, residual)[0]
    found = found.reshape(len(found), -1)
    expected = differences(skeleton, pose, effectors, targets, problem)
    assert np.allclose(found, expected, rtol=0, atol=DIFFERENCES * max(1, np.abs(expected).max()))
    assert np.abs(expected).max() > 1e-3


PLANE = np.diag([1.0, 1.0, 0.0])
CASES = {
    "trees": {},
    "chains": {"branching": 0.0},
    "several roots": {"roots": 3},
    "free roots": {"roots": 2, "freedom": FREE},
    "roots free in a plane": {"roots": 2, "freedom": PLANE},
    "bones that inherit no rotation": {"aloof": 0.4, "freedom": FREE},
    "stiff bones": {"stiffness": np.linspace(0, 0.9, 9)},
    "locked bones": {"stiffness": np.array([0, 1, 0, 0.5, 0, 1, 0, 0, 0.0])},
}


@pytest.mark.parametrize("values", CASES.values(), ids=list(CASES))
def test_the_jacobian_is_the_derivative_of_the_residual(rng, values):
    for _ in range(4):
        skeleton = random_tree(rng, 9, **values)
        effectors = random_effectors(rng, skeleton, 4)
        assert_true(skeleton, random_pose(rng, skeleton), effectors, random_targets(rng, effectors))


def test_the_jacobian_holds_for_single_axes(rng):
    for _ in range(5):
        skeleton = random_tree(rng, 7, freedom=FREE)
        effectors = random_effectors(rng, skeleton, 3, rotation_axes=(0.0, 1.0, 0.3))
        targets = random_targets(rng, effectors, axes=rng.normal(size=(1, 3, 3, 3)))
        assert_true(skeleton, random_pose(rng, skeleton), effectors, targets)


def test_the_jacobian_holds_for_several_effectors_on_one_chain_and_on_the_root(rng):
    skeleton = random_tree(rng, 6, branching=0.0, freedom=FREE)
    bones = ("bone.000", "bone.003", "bone.003", "bone.005")
    effectors = tuple(Effector(bone, offset=tuple(rng.normal(size=3))) for bone in bones)
    assert_true(skeleton, random_pose(rng, skeleton), effectors, random_targets(rng, effectors))


def locked_in_the_middle(rng):
    """Return a random chain, its third bone a hinge that is not at rest, a pose and effectors."""
    lock = euler_lock("bone.002", "XYZ", (True, False, True), [0.3, 0.0, -0.2])
    skeleton = random_tree(rng, 6, branching=0.0, limits=(lock,))
    pose = random_pose(rng, skeleton)
    held = pose.rotations.copy()
    held[:, 2] = wxyz(Rotation.from_euler("xyz", [[0.3, rng.uniform(-1, 1), -0.2]]))
    return skeleton, replace(pose, rotations=held), random_effectors(rng, skeleton, 2)


def test_columns_of_locked_axes_are_what_is_left_when_the_lock_is_projected_out(rng):
    """The angle about Y of "XYZ" turns the bone, in its own frame, about Y as X has turned it."""
    for _ in range(5):
        skeleton, pose, effectors = locked_in_the_middle(rng)
        problem, state, residual = started(skeleton, pose, effectors, random_targets(rng, effectors))
        free, columns = jacobian(problem, state, residual), slice(6, 9)
        faces = limit_faces(problem, state, local_rotations(problem, state.rotations))
        downhill = -np.einsum("brni,br->bni", free, residual.vector)
        left, _ = faces.hold(faces.touched(downhill[:, :6]))
        axis = state.rotations[0, 2] @ Rotation.from_rotvec([-0.3, 0, 0]).apply([0, 1, 0])
        assert np.allclose(left[0, 2], np.outer(axis, axis), rtol=0, atol=1e-9)
        others = [0, 1, 3, 4, 5]
        assert (left[0, others] == np.eye(3)).all()
        flat = free.reshape(1, free.shape[1], -1)[0]
        assert np.linalg.matrix_rank(flat[:, columns] @ left[0, 2], tol=1e-9) == 1


def test_a_step_keeps_to_a_lock_and_the_rest_of_the_body_makes_up_for_it(rng):
    """The step is the damped least-squares solution in the coordinates that the lock leaves."""
    for _ in range(5):
        skeleton, pose, effectors = locked_in_the_middle(rng)
        targets = targets_at(skeleton, random_pose(rng, skeleton, spread=0.3), effectors)
        problem, state, residual = started(skeleton, pose, effectors, targets)
        after = levenberg_marquardt_step(problem, state, residual, np.ones(1))
        flat = jacobian(problem, state, residual)[0].reshape(len(residual.vector[0]), -1)
        axis = state.rotations[0, 2] @ Rotation.from_rotvec([-0.3, 0, 0]).apply([0, 1, 0])
        basis = np.delete(np.eye(flat.shape[1]), [6, 7], axis=1)
        basis[6:9, 6] = axis
        narrow = flat @ basis
        normal = narrow.T @ narrow + residual.energy[0] * np.eye(narrow.shape[1])
        step = basis @ np.linalg.solve(normal, -narrow.T @ residual.vector[0])
        step = step.reshape(-1, 3) * problem.compliance[0][:, None]
        turns = np.eye(3)
        for bone in range(2):
            turns = turns @ Rotation.from_rotvec(step[bone]).as_matrix()
            assert np.allclose(after.rotations[0, bone], turns @ state.rotations[0, bone], rtol=0, atol=1e-6)


def test_a_small_step_is_the_damped_least_squares_solution(rng):
    """``d = -D J^T (J D J^T + lambda I)^-1 r``, with differences for J, written with normal equations."""
    skeleton = chain(5, freedom=FREE)
    pose, effectors = random_pose(rng, skeleton, spread=0.3), (end_of(5, rotation_weight=1.0),)
    met = places(skeleton, pose, effectors)[1]
    targets = Targets(met + 1e-3, random_targets(rng, effectors).rotations)
    problem, state, residual = started(skeleton, pose, effectors, targets)
    damping = np.array([0.3])
    after = levenberg_marquardt_step(problem, state, residual, damping)
    scaled = differences(skeleton, pose, effectors, targets, problem)
    size = 0.3 * residual.energy[0]
    step = -np.linalg.solve(scaled.T @ scaled + size * np.eye(scaled.shape[1]), scaled.T @ residual.vector[0])
    step = step.reshape(-1, 3) * problem.compliance[0][:, None]
    turns = np.eye(3)
    for bone in range(5):
        turns = turns @ Rotation.from_rotvec(step[bone]).as_matrix()
        assert np.allclose(after.rotations[0, bone], turns @ state.rotations[0, bone], rtol=0, atol=1e-6)
    assert np.allclose(after.translations[0, 0], state.translations[0, 0] + step[5], rtol=0, atol=1e-6)


def test_steps_converge_quadratically_near_a_target(rng):
    """Digits double with each step, as long as damping follows the objective."""
    skeleton = chain(6)
    goal = random_pose(rng, skeleton, spread=0.3)
    effectors = (end_of(6, rotation_weight=1.0),)
    near = turned_in_armature(skeleton, goal, 2, np.array([1e-2, 2e-2, 0]))
    problem, state, residual = started(skeleton, near, effectors, targets_at(skeleton, goal, effectors))
    share = residual.energy[0] / problem.length[0] ** 2
    for _ in range(3):
        state = levenberg_marquardt_step(problem, state, residual, np.array([1e-3]))
        residual = measure(problem, state)
        # The constant depends on the curvature over the smallest singular value; here it is about 5.
        assert residual.energy[0] / problem.length[0] ** 2 < 50 * share**2
        share = residual.energy[0] / problem.length[0] ** 2
    assert share < 1e-20


def test_an_anchored_root_stays(rng):
    skeleton = random_tree(rng, 5, freedom=ANCHORED)
    effectors = random_effectors(rng, skeleton, 2)
    problem, state, residual = started(
        skeleton, rest_pose(skeleton), effectors, random_targets(rng, effectors)
    )
    after = levenberg_marquardt_step(problem, state, residual, np.ones(1))
    assert (after.translations == 0).all()
    assert (after.heads[:, 0] == skeleton.offsets[:, problem.tree.bones[0]]).all()
