# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cyclic coordinate descent against its definition, written anew bone by bone."""

import numpy as np
import pytest
from method_cases import bent_chain, reach_targets
from random_rigs import (
    chain,
    end_of,
    human,
    matrices,
    places,
    quaternions,
    random_pose,
    random_tree,
    rotations_apart,
    started,
    turned_in_armature,
    unturned,
)
from scipy.spatial.transform import Rotation

from solvers import Effector, Settings, Targets, forward, rest_pose, solve
from solvers.methods.ccd import ccd_step
from solvers.methods.sweeps import sweep_step
from solvers.problem import pose_from_state


def arc(start, end):
    """The least turn between directions, as a rotation vector."""
    axis = np.cross(start, end)
    angle = np.arctan2(np.linalg.norm(axis), start @ end)
    return axis / max(np.linalg.norm(axis), 1e-300) * angle


def shortened(vector, largest):
    angle = np.linalg.norm(vector)
    return vector * min(1, largest / angle) if angle else vector


def one_pass(skeleton, pose, effectors, targets, largest, averaging):
    """A pass for targets of positions of weight 1, one row, as the words of ccd.py read."""
    for bone in reversed(range(len(skeleton.names))):
        points = places(skeleton, pose, effectors)[1][0]
        head = forward(skeleton, pose)[1][0, bone]
        moved = [e for e, effector in enumerate(effectors) if hangs_from(skeleton, effector.bone, bone)]
        arms = [points[e] - head for e in moved if np.linalg.norm(points[e] - head) > 1e-12]
        wanted = [targets.positions[0, e] - head for e in moved if np.linalg.norm(points[e] - head) > 1e-12]
        if arms and averaging == "POINTS":
            turn = shortened(arc(np.sum(arms, axis=0), np.sum(wanted, axis=0)), largest)
        elif arms:
            arcs = [shortened(arc(a, b), largest) for a, b in zip(arms, wanted, strict=True)]
            quaternions = Rotation.from_rotvec(arcs).as_quat()
            turn = Rotation.from_quat(quaternions.sum(axis=0)).as_rotvec()
        else:
            continue
        pose = turned_in_armature(skeleton, pose, bone, turn)
    return pose


def hangs_from(skeleton, name, bone):
    index = skeleton.index(name)
    while index >= 0 and index != bone:
        index = skeleton.parents[index]
    return index == bone


def stepped(skeleton, pose, effectors, targets, step, **values):
    settings = Settings(**values)
    problem, state, residual = started(skeleton, pose, effectors, targets, settings)
    return pose_from_state(problem, step(problem, state, residual, settings), pose)


@pytest.mark.parametrize("averaging", ["POINTS", "TURNS"])
@pytest.mark.parametrize("largest", [np.pi, 0.2])
@pytest.mark.parametrize("effectors", [1, 3])
def test_a_pass_is_what_the_definition_says(rng, averaging, largest, effectors):
    skeleton = random_tree(rng, bones=9)
    pose = random_pose(rng, skeleton)
    bones = rng.choice(len(skeleton.names), effectors, replace=False)
    chosen = tuple(
        Effector(skeleton.names[b], tuple(rng.normal(size=3) * 0.3), rotation_weight=0.0) for b in bones
    )
    targets = Targets(rng.normal(size=(1, effectors, 3)), unturned(1, effectors))
    ours = stepped(skeleton, pose, chosen, targets, ccd_step, dampening=largest, averaging=averaging)
    theirs = one_pass(skeleton, pose, chosen, targets, largest, averaging)
    assert rotations_apart(ours, theirs) < 1e-9


@pytest.mark.parametrize("bones", [1, 2, 10])
@pytest.mark.parametrize("dampening", [np.pi, 0.1])
def test_for_one_position_a_sweep_of_superpositions_turns_the_same(rng, bones, dampening):
    skeleton, effectors, pose = bent_chain(rng, bones, 50)
    targets = reach_targets(rng, 50)
    ours = stepped(skeleton, pose, effectors, targets, ccd_step, dampening=dampening)
    theirs = stepped(skeleton, pose, effectors, targets, sweep_step, dampening=dampening)
    assert rotations_apart(ours, theirs) < 1e-6


def test_an_undamped_bone_points_its_effector_at_the_target(rng):
    skeleton, effectors, pose = bent_chain(rng, 1, 20)
    targets = reach_targets(rng, 20)
    turned = stepped(skeleton, pose, effectors, targets, ccd_step)
    points = places(skeleton, turned, effectors)[1]
    directions = targets.positions / np.linalg.norm(targets.positions, axis=-1, keepdims=True)
    assert np.allclose(points, directions, rtol=0, atol=1e-12)


def test_no_bone_turns_by_more_than_damping_allows(rng):
    skeleton = human()
    effectors = (Effector("hand.L"), Effector("hand.R"), Effector("head"))
    pose = random_pose(rng, skeleton, 20)
    targets = Targets(rng.normal(size=(20, 3, 3)), quaternions(rng, 20, 3))
    turned = stepped(skeleton, pose, effectors, targets, ccd_step, dampening=0.05, averaging="TURNS")
    before, after = matrices(pose.rotations), matrices(turned.rotations)
    angles = Rotation.from_matrix((after @ before.swapaxes(-1, -2)).reshape(-1, 3, 3)).magnitude()
    assert angles.max() <= 0.05 + 1e-9
    assert angles.max() > 0.049


def test_a_rotation_target_turns_its_own_bone_and_no_other(rng):
    skeleton = chain(4)
    effectors = (Effector("bone.003", position_weight=0.0),)
    targets = Targets(np.zeros((10, 1, 3)), quaternions(rng, 10, 1))
    solution = solve(skeleton, rest_pose(skeleton, 10), effectors, targets, Settings(method="CCD"))
    assert solution.converged.all()
    assert np.allclose(solution.pose.rotations[:, :3], [1, 0, 0, 0], rtol=0, atol=1e-12)


def test_ten_bones_reach_what_is_within_reach(rng):
    skeleton, effectors, pose = bent_chain(rng, 10, 200)
    settings = Settings(method="CCD", tolerance=1e-2, iterations=200)
    solution = solve(skeleton, pose, effectors, reach_targets(rng, 200), settings)
    assert solution.converged.all()


def test_ten_bones_stretch_towards_what_is_out_of_reach(rng):
    skeleton, effectors, pose = bent_chain(rng, 10, 50)
    targets = reach_targets(rng, 50, 1.05, 1.5)
    settings = Settings(method="CCD", iterations=500)
    solution = solve(skeleton, pose, effectors, targets, settings)
    least = np.linalg.norm(targets.positions[:, 0], axis=-1) - 1
    assert (solution.position_residuals[:, 0] <= least + 1e-3).all()
    assert (solution.out_of_reach > 0).all()


def test_a_heavier_effector_has_the_greater_say(rng):
    skeleton = chain(1)
    effectors = (end_of(1, position_weight=3.0), end_of(1))
    targets = Targets([[[1.0, 0, 0], [0, 0, 1.0]]], unturned(1, 2))
    settings = Settings(method="CCD", averaging="POINTS")
    solution = solve(skeleton, rest_pose(skeleton), effectors, targets, settings)
    point = places(skeleton, solution.pose, effectors)[1][0, 0]
    assert np.allclose(point, np.array([3, 0, 1]) / np.sqrt(10), rtol=0, atol=1e-6)
