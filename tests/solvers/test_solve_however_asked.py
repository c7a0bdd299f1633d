# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same answer however `solve` is asked: batches, parts, orders, sizes, weights, places."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    FREE,
    HUMAN_EFFECTORS,
    SAME,
    chain,
    end_of,
    human,
    matrices,
    quaternions,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    reachable,
    rotations_apart,
    targets_at,
)
from scipy.spatial.transform import Rotation

from solvers import (
    Effector,
    Pose,
    Request,
    Settings,
    SkeletonError,
    Solution,
    Targets,
    rest_pose,
    solve,
    solve_in_parts,
)


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


@pytest.mark.company
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


@pytest.mark.company
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


@pytest.mark.company
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


# Parts of long batches


def test_a_long_batch_is_solved_in_parts_that_tell_how_far_it_is(crowd):
    parts, told = solve_in_parts(Request(*crowd)), []
    while True:
        try:
            told.append(next(parts))
        except StopIteration as end:
            solution = end.value
            break
    assert told == sorted(told)
    assert told[0] < told[-1] == 270
    assert len(set(told)) > 2
    assert (solution.pose.rotations == solve(*crowd).pose.rotations).all()
    assert (solution.stopped == solve(*crowd).stopped).all()


def test_in_sequence_each_row_begins_where_the_one_before_ended(crowd):
    skeleton, pose, effectors, targets = crowd
    first = slice(0, 12)
    chain = solve(skeleton, pose.rows(first), effectors, targets.rows(first), in_sequence=True)
    begin = pose.rows(slice(0, 1))
    for row in range(12):
        alone = solve(skeleton, begin, effectors, targets.rows(slice(row, row + 1)))
        assert (alone.pose.rotations[0] == chain.pose.rotations[row]).all()
        assert (alone.pose.translations[0] == chain.pose.translations[row]).all()
        begin = alone.pose


def test_in_sequence_too_what_is_locked_is_as_each_rows_own_pose_has_it(crowd, rng):
    skeleton, _, effectors, targets = crowd
    flat, chest = np.diag([1.0, 1.0, 0.0]), skeleton.names.index("chest")
    stiffness = np.zeros(len(skeleton.names))
    stiffness[chest] = 1
    held = replace(skeleton, stiffness=stiffness, freedom=skeleton.freedom @ flat)
    pose = random_pose(rng, skeleton, 12)
    solution = solve(held, pose, effectors, targets.rows(slice(0, 12)), in_sequence=True)
    assert (
        rotations_apart(
            Pose(solution.pose.rotations[:, [chest]], np.zeros((12, 1, 3))),
            Pose(pose.rotations[:, [chest]], np.zeros((12, 1, 3))),
        )
        < SAME
    )
    assert np.abs(solution.pose.translations - pose.translations)[:, 0, 2].max() < SAME
    assert np.abs(solution.pose.translations - pose.translations)[:, 0, :2].max() > 0.01


def test_work_may_be_stopped_between_parts(crowd):
    parts = solve_in_parts(Request(*crowd))
    assert next(parts) < 270
    parts.close()
    with pytest.raises(StopIteration):
        next(parts)


def test_bad_input_is_refused_before_the_first_part(crowd):
    skeleton, pose, _, targets = crowd
    with pytest.raises(SkeletonError, match="ghost"):
        next(solve_in_parts(Request(skeleton, pose, [Effector("ghost")] * 5, targets)))
