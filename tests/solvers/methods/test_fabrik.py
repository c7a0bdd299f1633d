# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward and backward reaching against its paper, written anew on points alone."""

from dataclasses import replace

import numpy as np
import pytest
from method_cases import bent_chain, reach_targets
from random_rigs import (
    ANCHORED,
    FREE,
    HUMAN_EFFECTORS,
    chain,
    human,
    matrices,
    places,
    random_pose,
    random_targets,
    reachable,
    started,
    targets_at,
    unturned,
    wxyz,
)
from scipy.spatial.transform import Rotation

from solvers import Effector, EulerLimit, Hinge, Pose, Settings, Skeleton, Targets, forward, rest_pose, solve
from solvers.methods.fabrik import fabrik_step
from solvers.problem import pose_from_state


def unit(vector):
    return vector / np.linalg.norm(vector)


def paper_iteration(points, target):
    """One iteration of the paper's algorithm on the joints (n, 3) of a chain."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    base, points = points[0], points.copy()
    if np.linalg.norm(target - base) > lengths.sum():
        for i, length in enumerate(lengths):
            points[i + 1] = points[i] + length * unit(target - points[i])
        return points
    points[-1] = target
    for i in reversed(range(len(lengths))):
        points[i] = points[i + 1] + lengths[i] * unit(points[i] - points[i + 1])
    points[0] = base
    for i, length in enumerate(lengths):
        points[i + 1] = points[i] + length * unit(points[i + 1] - points[i])
    return points


def joints(skeleton, pose, effectors):
    """Heads of the bones and the effectors' points, (batch, bones + effectors, 3)."""
    return np.concatenate([forward(skeleton, pose)[1], places(skeleton, pose, effectors)[1]], axis=1)


def stepped(skeleton, pose, effectors, targets):
    problem, state, residual = started(skeleton, pose, effectors, targets)
    return pose_from_state(problem, fabrik_step(problem, state, residual, Settings()), pose)


@pytest.mark.parametrize("bones", [1, 2, 10])
@pytest.mark.parametrize("near_and_far", [(0.1, 0.9), (1.05, 1.5)], ids=["within reach", "out of reach"])
def test_on_a_chain_joints_go_where_the_paper_puts_them(rng, bones, near_and_far):
    skeleton, effectors, pose = bent_chain(rng, bones, 20)
    targets = reach_targets(rng, 20, *near_and_far)
    before = joints(skeleton, pose, effectors)
    after = joints(skeleton, stepped(skeleton, pose, effectors, targets), effectors)
    for row in range(20):
        wanted = paper_iteration(before[row], targets.positions[row, 0])
        assert np.allclose(after[row], wanted, rtol=0, atol=1e-9)


def fork():
    """A trunk of two bones, at whose end two arms of two bones hang: the paper's sub-base."""
    offsets = np.array([[0, 0, 0], [0, 1.0, 0], [0, 1.0, 0], [0.7, 0.3, 0], [0, 1.0, 0], [-0.7, 0.3, 0]])
    parents, bones = [-1, 0, 1, 2, 1, 4], ["trunk", "chest", "arm.L", "hand.L", "arm.R", "hand.R"]
    effectors = tuple(Effector(f"hand.{side}", (0, 0.5, 0), rotation_weight=0.0) for side in "LR")
    return Skeleton(bones, parents, offsets[None], unturned(1, 6)), effectors


def test_arms_of_a_sub_base_meet_in_their_mean_as_the_paper_says(rng):
    skeleton, effectors = fork()
    targets = Targets(rng.uniform(-0.5, 0.5, size=(10, 2, 3)) + np.array([0, 2, 0]), unturned(10, 2))
    pose = rest_pose(skeleton, 10)
    after = joints(skeleton, stepped(skeleton, pose, effectors, targets), effectors)
    start = joints(skeleton, pose, effectors)[0]
    for row in range(10):
        inwards = []
        for arm, target in zip(((2, 3, 6), (4, 5, 7)), targets.positions[row], strict=True):
            shoulder, elbow, end = start[list(arm)]
            elbow_wish = target + np.linalg.norm(end - elbow) * unit(elbow - target)
            wish = elbow_wish + np.linalg.norm(elbow - shoulder) * unit(shoulder - elbow_wish)
            inwards.append((wish, elbow_wish, target))
        sub_base = np.mean([wish for wish, _, _ in inwards], axis=0)
        chest = sub_base + unit(start[1] - sub_base)
        chest = start[0] + unit(chest - start[0])
        sub_base = chest + unit(sub_base - chest)
        assert np.allclose(after[row, 1], chest, rtol=0, atol=1e-9)
        assert np.allclose(after[row, [2, 4]], sub_base, rtol=0, atol=1e-9)
        for arm, (_, elbow_wish, target) in zip(((3, 6), (5, 7)), inwards, strict=True):
            elbow = sub_base + np.hypot(0.7, 0.3) * unit(elbow_wish - sub_base)
            assert np.allclose(after[row, arm[0]], elbow, rtol=0, atol=1e-9)
            assert np.allclose(after[row, arm[1]], elbow + 0.5 * unit(target - elbow), rtol=0, atol=1e-9)


def test_it_keeps_lengths_and_meets_what_is_within_reach(rng):
    skeleton, effectors, pose = bent_chain(rng, 10, 100)
    targets = reach_targets(rng, 100)
    solution = solve(skeleton, pose, effectors, targets, Settings(method="FABRIK", iterations=200))
    assert solution.converged.all()
    lengths = np.linalg.norm(np.diff(joints(skeleton, solution.pose, effectors), axis=1), axis=-1)
    assert np.allclose(lengths, 0.1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bones", [10, 100])
def test_out_of_reach_it_is_straight_after_one_iteration(rng, bones):
    skeleton, effectors, pose = bent_chain(rng, bones, 20)
    targets = reach_targets(rng, 20, 1.05, 1.5)
    solution = solve(skeleton, pose, effectors, targets, Settings(method="FABRIK", iterations=1))
    least = np.linalg.norm(targets.positions[:, 0], axis=-1) - 1
    assert np.allclose(solution.position_residuals[:, 0], least, rtol=0, atol=1e-12)


def test_no_joint_twists(rng):
    """Each turn, as the bone sees it, is across the arm to the joint that it moves."""
    skeleton, effectors, pose = bent_chain(rng, 8, 20)
    after = stepped(skeleton, pose, effectors, reach_targets(rng, 20))
    turns = matrices(pose.rotations).swapaxes(-1, -2) @ matrices(after.rotations)
    twists = turns[..., 0, 2] - turns[..., 2, 0]  # of a turn about an axis across y it has none
    assert np.abs(twists).max() < 1e-9
    assert np.abs(turns - np.eye(3)).max() > 0.1


@pytest.mark.parametrize("freedom", [FREE, ANCHORED], ids=["free", "anchored"])
def test_a_human_of_rigid_parts_meets_all_its_targets(rng, freedom):
    skeleton = human(freedom)
    effectors = tuple(replace(effector, rotation_weight=0.0) for effector in HUMAN_EFFECTORS)
    targets = reachable(rng, skeleton, effectors, 20, spread=0.2)
    settings = Settings(method="FABRIK", iterations=300, tolerance=5e-3)
    solution = solve(skeleton, rest_pose(skeleton, 20), effectors, targets, settings)
    assert solution.converged.all()


@pytest.mark.parametrize(("parents_limited", "share"), [(False, 0.6), (True, 0.3)])
def test_knees_and_elbows_that_are_hinges_often_find_their_plane(rng, parents_limited, share):
    """From straight, at the end of their ranges; did thighs and arms not turn for them, none would."""
    skeleton = human(ANCHORED)
    hinges = tuple(
        Hinge(f"{bone}.{side}", axis, -2.5, 0.0)
        for bone, axis in (("forearm", (0, 0, 1)), ("shin", (1, 0, 0)))
        for side in "LR"
    )
    widest = np.full((1, 3), 1.2)
    parents = [f"{bone}.{side}" for bone in ("arm", "thigh") for side in "LR"] if parents_limited else []
    boxes = (EulerLimit(bone, "XYZ", -widest, widest) for bone in parents)
    skeleton = replace(skeleton, limits=(*hinges, *boxes))
    effectors = tuple(replace(effector, rotation_weight=0.0) for effector in HUMAN_EFFECTORS[2:])
    bent = random_pose(rng, skeleton, 30, spread=0.3)
    rotations = bent.rotations.copy()
    for hinge in hinges:
        angles = rng.uniform(-1.5, 0, size=30)
        rotations[:, skeleton.index(hinge.bone)] = wxyz(Rotation.from_rotvec(np.outer(angles, hinge.axis)))
    targets = targets_at(skeleton, Pose(rotations, bent.translations), effectors)
    settings = Settings(method="FABRIK", iterations=150, tolerance=1e-2)
    solution = solve(skeleton, rest_pose(skeleton, 30), effectors, targets, settings)
    assert solution.converged.mean() > share


def test_rotation_targets_make_no_difference_but_are_reported(rng):
    skeleton, effectors = chain(5), (Effector("bone.004"),)
    targets = random_targets(rng, effectors, 5)
    settings = Settings(method="FABRIK")
    turned = solve(skeleton, rest_pose(skeleton, 5), effectors, targets, settings)
    plain = (replace(effectors[0], rotation_weight=0.0),)
    unasked = solve(skeleton, rest_pose(skeleton, 5), plain, targets, settings)
    assert (turned.pose.rotations == unasked.pose.rotations).all()
    assert (turned.rotation_residuals > 1e-2).all()
    assert not turned.converged.any()


def test_a_free_root_is_dragged_like_a_rope(rng):
    skeleton, effectors, pose = bent_chain(rng, 6, 5, freedom=FREE)
    targets = reach_targets(rng, 5, 2.0, 3.0)
    after = stepped(skeleton, pose, effectors, targets)
    assert np.allclose(places(skeleton, after, effectors)[1], targets.positions, rtol=0, atol=1e-9)
    assert (np.linalg.norm(after.translations[:, 0], axis=-1) < 3.0).all()
