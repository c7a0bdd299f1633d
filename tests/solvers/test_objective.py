# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objective and what a problem is made of, against the formulas of the design."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rigs import (
    FREE,
    chain,
    end_of,
    human,
    matrices,
    objective,
    places,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    started,
    targets_at,
    wxyz,
)
from scipy.spatial.transform import Rotation

from solvers import Effector, Settings, Targets, rest_pose
from solvers.problem import local_rotations, measure, pose_from_state, residuals, rmsd, weighed_by_rank

SUM_OF_A_FEW = 1e-12  # relative rounding of sums of some dozens of terms


def some_axes(rng, effectors, batch=1):
    """Axes as a scaled and turned object gives them, some left free."""
    axes = rng.normal(size=(batch, effectors, 3, 3))
    axes[:, :, rng.integers(3)] = 0
    return axes


def unit_of_weight(effectors):
    """The power of two that the solver divides weights by, so that the largest is from 1 to 2."""
    turns = [effector.rotation_weight * max(effector.rotation_axes) for effector in effectors]
    return 2.0 ** np.floor(np.log2(max(*turns, *(effector.position_weight for effector in effectors))))


@pytest.mark.parametrize("aloof", [0.0, 0.4])
@pytest.mark.parametrize("per_axis", [False, True])
def test_the_energy_is_the_objective_of_the_design(rng, aloof, per_axis):
    for _ in range(10):
        skeleton = random_tree(rng, 12, roots=2, aloof=aloof, freedom=FREE)
        effectors = random_effectors(
            rng, skeleton, 4, **({"rotation_axes": (0.5, 0.0, 2.0)} if per_axis else {})
        )
        targets = random_targets(rng, effectors, 3, some_axes(rng, 4, 3) if per_axis else None)
        pose = random_pose(rng, skeleton, 3)
        problem, _, residual = started(skeleton, pose, effectors, targets)
        expected = objective(skeleton, pose, effectors, targets, problem.arm) / unit_of_weight(effectors)
        assert np.allclose(residual.energy, expected, rtol=SUM_OF_A_FEW, atol=0)
        assert np.allclose(np.sum(residual.vector**2, axis=1), expected, rtol=SUM_OF_A_FEW, atol=0)


def test_the_rotation_term_is_half_the_squared_distance_of_the_matrices(rng):
    skeleton = human()
    effectors = (Effector("hand.L", position_weight=0.0, rotation_weight=1.7),)
    targets, pose = random_targets(rng, effectors, 20), random_pose(rng, skeleton, 20, spread=1.0)
    problem, _, residual = started(skeleton, pose, effectors, targets)
    apart = places(skeleton, pose, effectors)[0][:, 0] - matrices(targets.rotations[:, 0])
    frobenius = 1.7 * problem.arm**2 * np.sum(apart**2, axis=(1, 2)) / 2
    assert np.allclose(residual.energy, frobenius, rtol=SUM_OF_A_FEW, atol=0)


@settings(max_examples=30)
@given(st.floats(-3, 3), st.tuples(*[st.floats(-1, 1)] * 3), st.tuples(*[st.floats(-1, 1)] * 3))
def test_misses_are_lengths_and_angles(turn, axis, shift):
    """A target turned by an angle and shifted by a vector is missed by that angle and that length."""
    axis = np.add(axis, [0, 0, 2])
    skeleton = human()
    pose = rest_pose(skeleton)
    effectors = (Effector("head", offset=(0, 0.1, 0.2)),)
    met = targets_at(skeleton, pose, effectors)
    turned = Rotation.from_rotvec(turn * axis / np.linalg.norm(axis)).as_matrix() @ matrices(met.rotations)
    targets = Targets(met.positions + shift, wxyz(Rotation.from_matrix(turned[0]))[None])
    problem, _, residual = started(skeleton, pose, effectors, targets)
    lengths, angles = residuals(problem, residual)
    assert np.isclose(lengths[0, 0], np.linalg.norm(shift), rtol=1e-12, atol=1e-14)
    assert np.isclose(angles[0, 0], abs(turn), rtol=0, atol=1e-13)


def test_axes_left_free_do_not_count(rng):
    skeleton = human()
    pose = rest_pose(skeleton)
    effectors = (Effector("hand.L", rotation_axes=(1, 1, 0)),)
    met = targets_at(skeleton, pose, effectors)
    about_z = wxyz(Rotation.from_matrix(matrices(met.rotations[0])) * Rotation.from_rotvec([0, 0, 1.2]))
    axes = np.broadcast_to(np.diag([1.0, 1.0, 0.0]), (1, 1, 3, 3))
    targets = Targets(np.add(met.positions, [0, 0, 5.0]), about_z[None], axes)
    problem, _, residual = started(skeleton, pose, effectors, targets)
    assert residual.met[0]
    assert residual.energy[0] < 1e-28
    assert np.allclose(residuals(problem, residual), 0, atol=1e-14)


def test_residuals_are_zero_where_the_weight_is(rng):
    skeleton = human()
    effectors = (Effector("hand.L", position_weight=0.0), Effector("hand.R", rotation_weight=0.0))
    problem, _, residual = started(skeleton, rest_pose(skeleton), effectors, random_targets(rng, effectors))
    lengths, angles = residuals(problem, residual)
    assert (lengths[0] > 0).tolist() == [False, True]
    assert (angles[0] > 0).tolist() == [True, False]


def test_the_deviation_is_the_root_of_the_objective_over_the_weights(rng):
    skeleton = human()
    effectors = (
        Effector("hand.L", position_weight=2.0, rotation_weight=0.0),
        Effector("hand.R", rotation_weight=0.0),
    )
    met = targets_at(skeleton, rest_pose(skeleton), effectors)
    targets = Targets(np.add(met.positions, [[0.3, 0, 0], [0, 0, 0]]), met.rotations)
    problem, _, residual = started(skeleton, rest_pose(skeleton), effectors, targets)
    assert np.isclose(rmsd(problem, residual)[0], np.sqrt(2 * 0.3**2 / 3), rtol=1e-12)


def test_the_characteristic_length_is_that_of_a_limb_and_grows_with_the_rig():
    lengths = [
        started(rig, rest_pose(rig), effectors, targets_at(rig, rest_pose(rig), effectors))[0].length[0]
        for rig, effectors in (
            (chain(4), (end_of(4),)),
            (chain(40), (end_of(40),)),
            (chain(4, 1e-4), (end_of(4, 1e-4),)),
            (chain(4, 1e4), (end_of(4, 1e4),)),
        )
    ]
    assert np.allclose(lengths, [0.25, 0.25, 0.25e-4, 0.25e4], rtol=1e-12)


def test_a_target_counts_as_met_within_the_tolerance_and_no_farther():
    skeleton = chain(4)
    pose, effectors = rest_pose(skeleton), (end_of(4),)
    met = targets_at(skeleton, pose, effectors)
    for share, expected in ((0.99, True), (1.01, False)):
        targets = Targets(np.add(met.positions, [0, 0, share * 1e-3]), met.rotations)
        assert started(skeleton, pose, effectors, targets, Settings(tolerance=1e-3))[2].met[0] == expected


@pytest.mark.parametrize("aloof", [0.0, 0.4])
def test_the_solvers_own_kinematics_are_those_of_forward(rng, aloof):
    skeleton = random_tree(rng, 15, roots=3, aloof=aloof, freedom=FREE, batch=4)
    effectors = random_effectors(rng, skeleton, 5)
    pose = random_pose(rng, skeleton, 4, spread=1.0)
    problem, state, _ = started(skeleton, pose, effectors, random_targets(rng, effectors, 4))
    rotations, points = places(skeleton, pose, effectors)
    assert np.allclose(state.points, points, rtol=0, atol=1e-13)
    assert np.allclose(state.rotations[:, problem.tree.effectors.bones], rotations, rtol=0, atol=1e-13)
    local = local_rotations(problem, state.rotations)
    assert np.allclose(local, matrices(pose.rotations[:, problem.tree.bones]), rtol=0, atol=1e-13)


def test_a_state_gives_its_pose_back_with_the_signs_it_had(rng):
    skeleton = random_tree(rng, 10, roots=2, freedom=FREE)
    effectors = random_effectors(rng, skeleton, 3)
    pose = random_pose(rng, skeleton, 4, spread=2.0)
    problem, state, _ = started(skeleton, pose, effectors, random_targets(rng, effectors, 4))
    back = pose_from_state(problem, state, pose)
    assert np.allclose(back.rotations, pose.rotations, rtol=0, atol=1e-13)
    assert np.allclose(back.translations, pose.translations, rtol=0, atol=0)


def parts(residual):
    """The arrays of what is left."""
    return [getattr(residual, name) for name in residual.__slots__]


@pytest.mark.parametrize(
    "keep",
    [[0, 1, 2], [2, 1, 0], [0, 0, 1], [1, 2], [True, True, True], [True, False, True], slice(0, 3)],
    ids=str,
)
def test_rows_of_a_problem_leave_what_they_do_in_it(rng, keep):
    skeleton = random_tree(rng, 10, batch=3)
    effectors = random_effectors(rng, skeleton, 3)
    given = random_pose(rng, skeleton, 3), effectors, random_targets(rng, effectors, 3)
    problem, state, residual = started(skeleton, *given)
    keep = keep if isinstance(keep, slice) else np.array(keep)
    left = measure(problem.rows(keep), state.rows(keep))
    assert all(map(np.array_equal, parts(left), parts(residual.rows(keep))))


def test_a_problem_of_which_all_rows_are_kept_is_not_copied(rng):
    skeleton = random_tree(rng, 10)
    effectors = random_effectors(rng, skeleton, 3)
    given = random_pose(rng, skeleton, 3), effectors, random_targets(rng, effectors, 3)
    problem, _, _ = started(skeleton, *given)
    assert problem.rows(np.arange(3)) is problem


def test_what_is_left_of_the_same_targets_by_other_weights_need_not_be_looked_at_anew(rng):
    skeleton = random_tree(rng, 10)
    effectors = random_effectors(rng, skeleton, 3)
    given = random_pose(rng, skeleton, 2), effectors, random_targets(rng, effectors, 2)
    problem, state, residual = started(skeleton, *given)
    other = weighed_by_rank(problem, lambda ranks: 0.25 * ranks)
    assert all(map(np.array_equal, parts(measure(other, state, residual)), parts(measure(other, state))))
    assert not np.array_equal(measure(other, state).vector, residual.vector)
