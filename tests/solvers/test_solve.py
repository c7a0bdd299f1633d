# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `solve` promises: the same answer however it is asked, exact where it can be, honest where not."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    ANCHORED,
    FREE,
    HUMAN_EFFECTORS,
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
    rotations_apart,
    started,
    targets_at,
    unturned,
)
from scipy.spatial.transform import Rotation

from solvers import (
    Effector,
    Pose,
    Settings,
    SkeletonError,
    Solution,
    Targets,
    rest_pose,
    solve,
    solve_in_parts,
)
from solvers.rotation import angle_between

SAME = 1e-9  # the promise for other batch sizes, chunks and orders of effectors
MET = 1e-5  # Settings.tolerance and angle_tolerance: shares of the longest path, radians


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


# The same answer however it is asked


@pytest.fixture
def crowd(rng):
    """Problems of every kind in one batch: near, far, met already, out of reach."""
    skeleton = human(FREE)
    effectors = HUMAN_EFFECTORS[1:]
    near, far = (reachable(rng, skeleton, effectors, 100, spread) for spread in (0.3, 1.2))
    met = targets_at(skeleton, rest_pose(skeleton, 10), effectors)
    wild = random_targets(rng, effectors, 60)
    joined = (
        np.concatenate([getattr(t, name) for t in (near, far, met, wild)])
        for name in ("positions", "rotations")
    )
    return skeleton, rest_pose(skeleton, 270), effectors, Targets(*joined)


def test_the_same_input_gives_the_same_output_bit_for_bit(crowd):
    first, second = solve(*crowd), solve(*crowd)
    for name in Solution.__dataclass_fields__:
        a, b = getattr(first, name), getattr(second, name)
        if name == "pose":
            assert (a.rotations == b.rotations).all()
            assert (a.translations == b.translations).all()
        else:
            assert (a == b).all()


@pytest.mark.parametrize("size", [1, 7, 90])
def test_rows_do_not_depend_on_their_company(crowd, size):
    skeleton, pose, effectors, targets = crowd
    whole = solve(*crowd)
    for first in range(0, 270, 90 if size > 1 else 9):
        rows = slice(first, first + size)
        part = solve(skeleton, pose.rows(rows), effectors, targets.rows(rows))
        assert rotations_apart(part.pose, whole.pose.rows(rows)) <= SAME
        assert np.allclose(part.pose.translations, whole.pose.translations[rows], rtol=0, atol=SAME)
        assert (part.stopped == whole.stopped[rows]).all()


def joined(a, b):
    return Targets(np.concatenate([a.positions, b.positions]), np.concatenate([a.rotations, b.rotations]))


@pytest.mark.parametrize("seed", [8, 9, 17, 18, 19])
def test_rows_with_restarts_are_the_same_beside_a_row_that_is_met(seed):
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng, 8)
    effectors = random_effectors(rng, skeleton, 3)
    hard = random_pose(rng, skeleton, 20, 0.3)
    wild = random_targets(rng, effectors, 20)
    wild = Targets(0.4 * wild.positions, wild.rotations)
    met = targets_at(skeleton, hard.rows(slice(0, 1)), effectors)
    both = Pose(
        np.concatenate([hard.rotations, hard.rotations[:1]]),
        np.concatenate([hard.translations, hard.translations[:1]]),
    )
    alone = solve(skeleton, hard, effectors, wild, Settings(iterations=3))
    together = solve(skeleton, both, effectors, joined(wild, met), Settings(iterations=3))
    assert rotations_apart(together.pose.rows(slice(0, 20)), alone.pose) <= SAME
    assert (together.iterations[:20] == alone.iterations).all()


def test_other_starts_reach_what_the_first_misses(rng):
    """A bend one way, the target behind: without restarts some rows stay stuck."""
    skeleton = chain(4)
    effectors = (end_of(4, rotation_weight=1.0),)
    targets = reachable(rng, skeleton, effectors, 100, 1.2)
    met = [
        solve(
            skeleton, rest_pose(skeleton, 100), effectors, targets, Settings(iterations=12, restarts=count)
        ).converged
        for count in (0, 3)
    ]
    assert not met[0].all()
    assert met[1].sum() > met[0].sum()
    assert met[1][met[0]].all()


def test_another_start_is_taken_only_where_it_is_worth_a_different_pose(rng):
    """It meets the targets or leaves a quarter of the objective at most; elsewhere nothing is changed."""
    skeleton = chain(4)
    effectors = (end_of(4, rotation_weight=1.0), Effector("bone.001"))
    targets = random_targets(rng, effectors, 100)
    targets = Targets(0.4 * targets.positions, targets.rotations)
    once, more = (
        solve(skeleton, rest_pose(skeleton, 100), effectors, targets, Settings(restarts=count))
        for count in (0, 3)
    )
    same = (once.pose.rotations == more.pose.rotations).all(axis=(1, 2))
    worth = more.converged | (more.rmsd**2 <= 0.25 * once.rmsd**2)
    assert (same | worth).all()
    assert same.any()


def test_a_body_far_from_its_targets_is_carried_there_as_a_whole(rng):
    """Targets that lie as the effectors do, turned and elsewhere: only the root turns and moves."""
    skeleton = human(FREE)
    pose = random_pose(rng, skeleton, 20, spread=0.4)
    away = Pose(
        pose.rotations.copy(), pose.translations + [[[3.0, -2.0, 1.0]]] * (skeleton.parents < 0)[:, None]
    )
    rotations = away.rotations.copy()
    rotations[:, 0] = quaternions(rng, 20)
    targets = targets_at(skeleton, Pose(rotations, away.translations), HUMAN_EFFECTORS)
    solution = solve(skeleton, pose, HUMAN_EFFECTORS, targets)
    assert solution.converged.all()
    assert (solution.iterations == 0).all()
    assert np.allclose(solution.pose.rotations[:, 1:], pose.rotations[:, 1:], rtol=0, atol=1e-12)


def test_rows_whose_skeletons_differ_do_not_depend_on_their_company(rng):
    sizes = rng.uniform(0.5, 2, size=(30, 1, 1))
    skeleton = human(FREE)
    skeleton = replace(skeleton, offsets=skeleton.offsets * sizes)
    targets = reachable(rng, skeleton, HUMAN_EFFECTORS, 30)
    whole = solve(skeleton, rest_pose(skeleton, 30), HUMAN_EFFECTORS, targets)
    assert whole.converged.all()
    for row in range(0, 30, 5):
        rows = slice(row, row + 1)
        alone = solve(skeleton.rows(rows), rest_pose(skeleton), HUMAN_EFFECTORS, targets.rows(rows))
        assert rotations_apart(alone.pose, whole.pose.rows(rows)) <= SAME


def assert_same(first, second):
    """Whether sums that round in another order end in the same pose.

    Near targets take a few steps. Far ones take dozens, over ridges where rounding grows a millionfold; and
    rows that nothing meets end where progress does, which rounding shifts: there the deviation counts.
    """
    near, met = slice(0, 100), first.converged
    assert rotations_apart(first.pose.rows(near), second.pose.rows(near)) <= SAME
    assert rotations_apart(first.pose.rows(met), second.pose.rows(met)) <= 1e-6
    assert np.allclose(first.rmsd / first.rmsd.max(), second.rmsd / second.rmsd.max(), rtol=1e-5, atol=1e-9)


def test_the_order_of_effectors_does_not_matter(crowd):
    skeleton, pose, effectors, targets = crowd
    order = [3, 0, 4, 2, 1]
    shuffled = Targets(targets.positions[:, order], targets.rotations[:, order])
    first = solve(*crowd)
    second = solve(skeleton, pose, tuple(effectors[e] for e in order), shuffled)
    assert_same(first, second)
    assert np.allclose(first.position_residuals[:, order], second.position_residuals, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [1e-4, 1e4])
def test_tiny_and_huge_rigs_take_the_same_pose(crowd, size):
    skeleton, pose, effectors, targets = crowd
    scaled = replace(skeleton, offsets=size * skeleton.offsets)
    big = Targets(size * targets.positions, targets.rotations)
    first, second = solve(*crowd), solve(scaled, pose, effectors, big)
    assert (first.stopped == second.stopped).all()
    assert_same(first, second)


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_only_the_ratio_of_weights_matters(crowd, factor):
    skeleton, pose, effectors, targets = crowd
    rows = slice(0, 100)
    weighed = tuple(replace(e, position_weight=factor, rotation_weight=factor) for e in effectors)
    first = solve(skeleton, pose.rows(rows), effectors, targets.rows(rows))
    second = solve(skeleton, pose.rows(rows), weighed, targets.rows(rows))
    # Damping that keeps matrices regular does not know of weights; a millionth of a turn is its worth.
    assert rotations_apart(first.pose, second.pose) <= 1e-6


def test_turning_the_world_turns_the_answer(rng):
    """Nothing in the method knows which way is up: a turned and moved armature bends in the same way."""
    skeleton = human(FREE)
    targets = reachable(rng, skeleton, HUMAN_EFFECTORS, 20)
    first = solve(skeleton, rest_pose(skeleton, 20), HUMAN_EFFECTORS, targets)
    world, shift = quaternions(rng), rng.normal(size=3)
    turned = matrices(world)
    offsets, rests = skeleton.offsets.copy(), skeleton.rests.copy()
    offsets[:, 0], rests[:, 0] = turned @ offsets[0, 0] + shift, world
    moved = np.einsum("ij,bej->bei", turned, targets.positions) + shift
    rotations = np.roll(
        Rotation.from_matrix((turned @ matrices(targets.rotations)).reshape(-1, 3, 3)).as_quat(), 1, 1
    )
    elsewhere = replace(skeleton, offsets=offsets, rests=rests)
    second = solve(
        elsewhere, rest_pose(skeleton, 20), HUMAN_EFFECTORS, Targets(moved, rotations.reshape(20, 6, 4))
    )
    assert rotations_apart(first.pose, second.pose) <= 1e-8


# What must not change does not


def test_no_row_is_worse_than_at_the_start(rng):
    for freedom in (ANCHORED, FREE, np.diag([0.0, 1.0, 1.0])):
        skeleton = random_tree(rng, 12, roots=2, aloof=0.2, freedom=freedom)
        effectors = random_effectors(rng, skeleton, 4)
        pose, targets = random_pose(rng, skeleton, 30), random_targets(rng, effectors, 30)
        problem, _, miss = started(skeleton, pose, effectors, targets)
        for settings in (Settings(), Settings(iterations=1), Settings(sweeps=3)):
            after = solve(skeleton, pose, effectors, targets, settings)
            energy = objective(skeleton, after.pose, effectors, targets, problem.arm)
            assert (energy <= miss.energy * (1 + 1e-9)).all()
            assert (energy < miss.energy).any()


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


# Parts of long batches


def test_a_long_batch_is_solved_in_parts_that_tell_how_far_it_is(crowd):
    parts, told = solve_in_parts(*crowd), []
    while True:
        try:
            told.append(next(parts))
        except StopIteration as end:
            solution = end.value
            break
    assert told == sorted(set(told))
    assert told[0] < told[-1] == 270
    assert (solution.pose.rotations == solve(*crowd).pose.rotations).all()
    assert (solution.stopped == solve(*crowd).stopped).all()


def finished(parts):
    """What a generator returns in the end."""
    while True:
        try:
            next(parts)
        except StopIteration as end:
            return end.value


def test_in_sequence_each_row_begins_where_the_one_before_ended(crowd):
    skeleton, pose, effectors, targets = crowd
    first = slice(0, 12)
    chain = finished(
        solve_in_parts(skeleton, pose.rows(first), effectors, targets.rows(first), in_sequence=True)
    )
    begin = pose.rows(slice(0, 1))
    for row in range(12):
        alone = solve(skeleton, begin, effectors, targets.rows(slice(row, row + 1)))
        assert (alone.pose.rotations[0] == chain.pose.rotations[row]).all()
        assert (alone.pose.translations[0] == chain.pose.translations[row]).all()
        begin = alone.pose


def test_work_may_be_stopped_between_parts(crowd):
    parts = solve_in_parts(*crowd)
    assert next(parts) < 270
    parts.close()
    with pytest.raises(StopIteration):
        next(parts)


def test_bad_input_is_refused_before_the_first_part(crowd):
    skeleton, pose, _, targets = crowd
    with pytest.raises(SkeletonError, match="ghost"):
        next(solve_in_parts(skeleton, pose, tuple(Effector("ghost") for _ in range(5)), targets))
