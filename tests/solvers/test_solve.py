# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `solve` promises: exact where it can be, honest where not, and nothing changed that must stay."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    ANCHORED,
    FREE,
    HUMAN_EFFECTORS,
    MET,
    SAME,
    chain,
    end_of,
    human,
    matrices,
    objective,
    places,
    quaternions,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    reachable,
    started,
    targets_at,
    unturned,
)

from solvers import Effector, Pose, Settings, Solution, Targets, rest_pose, solve
from solvers.geometry.rotations import angle_between

# What a result says is what the pose does


ASKED = {
    "the default": Settings(),
    "with sweeps first": Settings(sweeps=2, dampening=0.2),
    "sweeps alone": Settings(method="SWEEP"),
}
every_setting = pytest.mark.parametrize("settings", ASKED.values(), ids=list(ASKED))


@every_setting
@pytest.mark.parametrize("aloof", [0.0, 0.3])
def test_residuals_and_deviation_are_those_of_the_pose_returned(rng, settings, aloof):
    skeleton = random_tree(rng, 10, roots=2, aloof=aloof, freedom=FREE)
    effectors = random_effectors(rng, skeleton, 4)
    targets = random_targets(rng, effectors, 7)
    solution = solve(skeleton, rest_pose(skeleton, 7), effectors, targets, settings)
    rotations, points = places(skeleton, solution.pose, effectors)
    lengths = np.linalg.norm(points - targets.positions, axis=-1)
    angles = angle_between(rotations, matrices(targets.rotations))
    assert np.allclose(solution.position_residuals, lengths, rtol=0, atol=1e-11)
    assert np.allclose(solution.rotation_residuals, angles, rtol=0, atol=1e-7)
    weights = sum(e.position_weight + 3 * e.rotation_weight for e in effectors)
    arm = started(skeleton, rest_pose(skeleton, 7), effectors, targets)[0].arm
    energy = objective(skeleton, solution.pose, effectors, targets, arm)
    assert np.allclose(solution.rmsd, np.sqrt(energy / weights), rtol=1e-9)
    assert np.allclose(np.linalg.norm(solution.pose.rotations, axis=-1), 1, rtol=0, atol=1e-13)


def test_a_solution_has_a_row_for_each_problem(rng):
    skeleton = human()
    solution = solve(
        skeleton, rest_pose(skeleton, 3), HUMAN_EFFECTORS, random_targets(rng, HUMAN_EFFECTORS, 3)
    )
    shapes = {
        name: np.shape(getattr(solution, name)) for name in Solution.__dataclass_fields__ if name != "pose"
    }
    assert shapes == {
        "position_residuals": (3, 6),
        "rotation_residuals": (3, 6),
        "rmsd": (3,),
        "iterations": (3,),
        "converged": (3,),
        "stopped": (3,),
        "out_of_reach": (3, 6),
        "held_by": (3, 6),
        "limited_by": (3, 6),
        "lagged_by": (3, 6),
        "goal_residuals": (3, 0, 2),
        "goals_met": (3, 0),
        "jumped_by": (3,),
    }
    assert set(solution.stopped) <= {"CONVERGED", "OUT_OF_REACH", "STALLED", "BUDGET"}
    assert ((solution.stopped == "CONVERGED") == solution.converged).all()


# Targets within reach are met


TREES = {
    "a branching tree": dict(bones=14),
    "a chain": dict(bones=8, branching=0.0),
    "several roots": dict(bones=14, roots=3),
    "free roots": dict(bones=14, roots=2, freedom=FREE),
    "a root free in a plane": dict(bones=12, freedom=np.diag([1.0, 1.0, 0.0])),
    "bones that inherit no rotation": dict(bones=14, aloof=0.2),
    "stiff bones": dict(bones=12, stiffness=np.linspace(0, 0.8, 12)),
}


@pytest.mark.parametrize("values", TREES.values(), ids=list(TREES))
def test_targets_that_some_pose_meets_are_met(rng, values):
    for _ in range(5):
        skeleton = random_tree(rng, **values)
        tips = set(range(len(skeleton.names))) - set(skeleton.parents.tolist())
        effectors = tuple(Effector(skeleton.names[tip], offset=(0, 0.3, 0)) for tip in sorted(tips))
        targets = reachable(rng, skeleton, effectors, 8)
        solution = solve(skeleton, rest_pose(skeleton, 8), effectors, targets)
        assert solution.converged.all()
        reach = np.linalg.norm(skeleton.offsets, axis=-1).sum()
        assert (solution.position_residuals <= MET * reach).all()
        assert (solution.rotation_residuals <= 1.001 * MET).all()


@pytest.mark.parametrize("spread", [0.2, 0.4, 0.8])
def test_a_human_meets_six_targets_from_rest(rng, spread):
    """Within 1 mm and 0.1 degrees, all of them, the promise of the default setting."""
    skeleton = human(FREE)
    targets = reachable(rng, skeleton, HUMAN_EFFECTORS, 200, spread)
    solution = solve(skeleton, rest_pose(skeleton, 200), HUMAN_EFFECTORS, targets)
    assert (solution.position_residuals < 1e-3).all()
    assert (np.degrees(solution.rotation_residuals) < 0.1).all()


def test_effectors_may_sit_on_the_root_and_along_one_chain(rng):
    skeleton = chain(9, freedom=FREE)
    effectors = tuple(Effector(f"bone.{bone:03}", offset=(0, 0.05, 0.02)) for bone in (0, 3, 3, 6, 8))
    solution = solve(
        skeleton, rest_pose(skeleton, 30), effectors, reachable(rng, skeleton, effectors, 30, 0.5)
    )
    assert solution.converged.all()


def test_axes_left_free_leave_the_rest_exact(rng):
    """A hand on a plane, turned only about one axis of its target."""
    skeleton = human(FREE)
    effectors = (Effector("hips"), Effector("hand.L", rotation_axes=(0, 1, 0)))
    targets = reachable(rng, skeleton, effectors, 20)
    axes = np.broadcast_to(np.eye(3), (1, 2, 3, 3)).copy()
    axes[0, 1, 2, 2] = 0
    aside = targets.positions + [0, 0, 4.0] * np.array([[[0], [1]]])
    solution = solve(skeleton, rest_pose(skeleton, 20), effectors, Targets(aside, targets.rotations, axes))
    assert solution.converged.all()
    _, points = places(skeleton, solution.pose, effectors)
    assert np.allclose(points[:, 1, :2], aside[:, 1, :2], rtol=0, atol=1e-4)
    assert (np.abs(points[:, 1, 2] - aside[:, 1, 2]) > 1).all()


# What must not change does not


def test_no_row_is_worse_than_at_the_start(rng):
    for freedom in (ANCHORED, FREE, np.diag([0.0, 1.0, 1.0])):
        skeleton = random_tree(rng, 12, roots=2, aloof=0.2, freedom=freedom)
        effectors = random_effectors(rng, skeleton, 4)
        pose, targets = random_pose(rng, skeleton, 30), random_targets(rng, effectors, 30)
        problem, _, residual = started(skeleton, pose, effectors, targets)
        for settings in (Settings(), Settings(iterations=1), Settings(sweeps=3)):
            after = solve(skeleton, pose, effectors, targets, settings)
            energy = objective(skeleton, after.pose, effectors, targets, problem.arm)
            assert (energy <= residual.energy * (1 + 1e-9)).all()
            assert (energy < residual.energy).any()


@every_setting
def test_bones_without_effectors_below_stay_bit_for_bit(rng, settings):
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton, 3)
    effectors = (Effector("hand.L"),)
    after = solve(skeleton, pose, effectors, random_targets(rng, effectors, 3), settings).pose
    reached = {"hips", "spine", "chest", "clavicle.L", "arm.L", "forearm.L", "hand.L"}
    others = [skeleton.index(name) for name in skeleton.names if name not in reached]
    assert (after.rotations[:, others] == pose.rotations[:, others]).all()
    assert (after.translations[:, others] == pose.translations[:, others]).all()


@every_setting
def test_bones_of_full_stiffness_are_not_turned(rng, settings):
    held = ["spine", "forearm.L", "hips"]
    skeleton = human(FREE)
    stiffness = np.array([name in held for name in skeleton.names], float)
    skeleton = replace(skeleton, stiffness=stiffness)
    pose = random_pose(rng, skeleton, 10)
    after = solve(skeleton, pose, HUMAN_EFFECTORS, random_targets(rng, HUMAN_EFFECTORS, 10), settings).pose
    bones = [skeleton.index(name) for name in held]
    # Sixty steps round to some 1e-16 each, and restarts set the bones anew.
    assert np.allclose(after.rotations[:, bones], pose.rotations[:, bones], rtol=0, atol=1e-13)


def test_stiffness_makes_a_bone_do_less(rng):
    skeleton = chain(6)
    effectors = (end_of(6),)
    targets = reachable(rng, skeleton, effectors, 20, 0.3)
    stiff = replace(skeleton, stiffness=np.array([0, 0, 0.9, 0, 0, 0]))
    turned = [
        2
        * np.arccos(np.abs(solve(rig, rest_pose(rig, 20), effectors, targets).pose.rotations[:, 2, 0])).mean()
        for rig in (skeleton, stiff)
    ]
    assert turned[1] < 0.5 * turned[0]


@every_setting
def test_targets_that_are_met_already_change_nothing(rng, settings):
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton, 5, spread=0.7)
    solution = solve(skeleton, pose, HUMAN_EFFECTORS, targets_at(skeleton, pose, HUMAN_EFFECTORS), settings)
    assert solution.converged.all()
    assert (solution.iterations == 0).all()
    assert np.allclose(solution.pose.rotations, pose.rotations, rtol=0, atol=1e-14)
    assert (solution.pose.translations == pose.translations).all()


def test_an_anchored_root_keeps_its_head(rng):
    skeleton = human(ANCHORED)
    solution = solve(
        skeleton, rest_pose(skeleton, 10), HUMAN_EFFECTORS[1:], random_targets(rng, HUMAN_EFFECTORS[1:], 10)
    )
    assert (solution.pose.translations == 0).all()


def test_an_anchored_root_that_was_moved_stays_there_and_reaches_what_it_can(rng):
    skeleton = chain(5)
    shift = np.zeros((20, 5, 3))
    shift[:, 0] = [10, 0, 0]
    goal = Pose(quaternions(rng, 20, 5, spread=0.4), shift)
    effectors = (end_of(5),)
    solution = solve(skeleton, Pose(unturned(20, 5), shift), effectors, targets_at(skeleton, goal, effectors))
    assert solution.converged.all()
    assert (solution.out_of_reach == 0).all()
    assert (solution.pose.translations == shift).all()


def test_a_root_free_along_one_axis_moves_only_along_it(rng):
    along = np.array([1.0, 2.0, 2.0]) / 3
    skeleton = human(np.outer(along, along))
    solution = solve(
        skeleton, rest_pose(skeleton, 10), HUMAN_EFFECTORS, random_targets(rng, HUMAN_EFFECTORS, 10)
    )
    moves = solution.pose.translations[:, 0]
    assert np.allclose(np.cross(moves, along), 0, rtol=0, atol=1e-12)
    assert (np.linalg.norm(moves, axis=1) > 1e-3).all()


def test_quaternions_keep_the_sign_of_the_start(rng):
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton, 5, spread=1.0)
    flipped = Pose(-pose.rotations, pose.translations)
    targets = random_targets(rng, HUMAN_EFFECTORS, 5)
    a = solve(skeleton, pose, HUMAN_EFFECTORS, targets).pose
    b = solve(skeleton, flipped, HUMAN_EFFECTORS, targets).pose
    assert (np.sum(a.rotations * pose.rotations, axis=-1) >= 0).all()
    assert (a.rotations == -b.rotations).all()


def test_quaternions_of_any_length_give_the_same_answer(rng):
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton, 5)
    longer = Pose(pose.rotations * rng.uniform(0.1, 5, size=(5, len(skeleton.names), 1)), pose.translations)
    targets = reachable(rng, skeleton, HUMAN_EFFECTORS, 5)
    effected = [skeleton.index(name) for name in skeleton.names if not name.startswith(("finger", "toe"))]
    a, b = (solve(skeleton, start, HUMAN_EFFECTORS, targets).pose for start in (pose, longer))
    assert np.allclose(a.rotations[:, effected], b.rotations[:, effected], rtol=0, atol=SAME)
    assert np.allclose(a.translations, b.translations, rtol=0, atol=SAME)
