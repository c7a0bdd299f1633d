# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jumps of a clip are told where its targets did not ask for them, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rigs import (
    FREE,
    chain,
    end_of,
    matrices,
    quaternions,
    random_pose,
    random_tree,
    targets_at,
    unturned,
)

from solvers import (
    Effector,
    Hinge,
    Patience,
    Pose,
    Request,
    Settings,
    Targets,
    find_jumps,
    give_way_in_parts,
    in_pose,
    rest_pose,
    solve,
    solve_clip_in_parts,
)
from solvers.clip import find_snaps, find_sudden_turns, jumps, one_way
from solvers.clip.windows import Part
from solvers.geometry import rotation_vector_to_quaternion
from solvers.geometry.rotations import angle_between
from solvers.pauses import finished
from solvers.solve import UNSEEN

# A straight arm's elbow goes to one side or the other as the target does: here from row 19 to row 20.
SWEEP = np.linspace(-0.5, 0.5, 40)
ARM, HAND = chain(2), (end_of(2),)


def jumps_of(skeleton, start, effectors, targets, asked=Settings(), in_sequence=False):  # noqa: B008
    solution = solve(skeleton, start, effectors, targets, asked, in_sequence)
    steps = find_jumps(Request(skeleton, start, effectors, targets, asked), solution)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, solution


def towards(angles, distance=0.6):
    """Targets in front of the arm, turned about Z from where it points."""
    places = distance * np.stack([-np.sin(angles), np.cos(angles), np.zeros_like(angles)], axis=-1)
    return Targets(places[:, None], unturned(len(angles), 1))


def test_an_elbow_that_changes_sides_jumps_once():
    jumps, solution = jumps_of(ARM, rest_pose(ARM, 40), HAND, towards(SWEEP))
    cosines = np.abs(np.einsum("bi,bi->b", *solution.pose.rotations[19:21]))
    assert jumps.rows.tolist() == [20]
    assert jumps.bones.tolist() == [1]
    assert np.allclose(jumps.angles, 2 * np.arccos(cosines[1]))


def test_a_skeleton_may_have_a_row_for_each_frame():
    arm = replace(ARM, offsets=np.repeat(ARM.offsets, 40, axis=0), rests=np.repeat(ARM.rests, 40, axis=0))
    for targets, rows in ((towards(SWEEP), [20]), (towards(0 * SWEEP), [])):
        jumps, _ = jumps_of(arm, rest_pose(arm, 40), HAND, targets)
        assert jumps.rows.tolist() == rows


def test_it_does_not_from_the_frame_before():
    jumps, _ = jumps_of(ARM, rest_pose(ARM, 40), HAND, towards(SWEEP), in_sequence=True)
    assert not len(jumps.rows)


def test_it_pauses_after_every_step_of_what_is_solved_again(monkeypatch):
    """Or nobody could stop it where targets are missed, which takes many steps."""
    solve_in_parts, steps = jumps.solve_in_parts, []

    def counted(*given, **options):
        work = solve_in_parts(*given, **options)
        while True:
            try:
                done = next(work)
            except StopIteration as end:
                return end.value
            steps.append(done)
            yield done

    monkeypatch.setattr(jumps, "solve_in_parts", counted)
    targets = towards(SWEEP, distance=3.0)
    pose = rest_pose(ARM, 40)
    solution = solve(ARM, pose, HAND, towards(SWEEP))
    pauses = list(find_jumps(Request(ARM, pose, HAND, targets), solution))
    assert len(pauses) == len(steps) + 1 > 10
    assert pauses == sorted(pauses)


def test_nor_where_the_start_poses_change_sides_themselves():
    found = solve(ARM, rest_pose(ARM, 40), HAND, towards(SWEEP)).pose
    jumps, _ = jumps_of(ARM, found, HAND, towards(SWEEP))
    assert not len(jumps.rows)


def beside_a_post(target):
    """The arm and a post of which a point is asked for: what the arm does, and the request of both."""
    post = np.broadcast_to([3.0, 0.0, 0.0], (1, 1, 3))
    body = replace(chain(3), parents=[-1, 0, -1], offsets=np.concatenate([ARM.offsets, post], axis=1))
    near = towards(SWEEP)
    places = np.concatenate([near.positions, np.broadcast_to(target, near.positions.shape)], axis=1)
    return Request(body, rest_pose(body, 40), (*HAND, Effector("bone.002")), Targets(places, unturned(40, 2)))


def test_an_elbow_jumps_too_where_another_target_is_out_of_reach():
    """Then no row converges, and what is left tells which poses are as near."""
    asked = beside_a_post((9.0, 0.0, 0.0))
    jumps, solution = jumps_of(asked.skeleton, asked.pose, asked.effectors, asked.targets)
    assert not solution.converged.any()
    assert jumps.rows.tolist() == [20]


@pytest.mark.parametrize("off", [1e-3, 6.0])
def test_ways_of_missing_what_can_be_seen_are_joined_where_the_motion_is_gone_on_with(monkeypatch, off):
    request, calls = beside_a_post((3.0 + off, 0.0, 0.0)), []
    joined_up = one_way.joined_up
    monkeypatch.setattr(one_way, "joined_up", lambda *args: calls.append(args) or joined_up(*args))
    alone = solve(request.skeleton, request.pose, request.effectors, request.targets)
    none = np.zeros(40, dtype=bool)
    level = one_way.Level(request, 0.0, 1, none, none, goes_on=True)
    found, _ = finished(one_way.on_one_way(level, alone, Patience(60, level=3e-2)))
    assert len(calls) == (off < 1)
    assert (found.jumped_by == UNSEEN).all()  # it says nothing of what it has not looked at
    assert finished(find_jumps(request, found)).rows.tolist() == ([] if off < 1 else [20])
    gone_on = finished(give_way_in_parts(replace(request, pose=found.pose), found))
    assert not len(finished(find_jumps(request, gone_on)).rows)


CUT = np.repeat([-0.6, 0.6], 10)
ENDS = ((0, (-np.pi, np.pi)), (1, (0.5, 2.5)))  # of a shoulder, and an elbow that bends to one side


def test_what_a_cut_target_asks_for_is_no_jump_but_a_leap():
    skeleton = replace(ARM, limits=tuple(Hinge(f"bone.00{bone}", (0, 0, 1), *ends) for bone, ends in ENDS))
    jumps, solution = jumps_of(skeleton, rest_pose(skeleton, 20), HAND, towards(CUT))
    assert not len(jumps.rows)
    leaps = find_sudden_turns(rest_pose(skeleton, 20), solution.pose, jumps)
    assert leaps.rows.tolist() == [10]
    assert np.isclose(leaps.angles[0], 1.2, atol=0.01)
    assert not len(find_sudden_turns(solution.pose, solution.pose, jumps).rows), "it is in the start poses"


def test_a_snap_is_a_quick_turn_beside_frames_that_are_missed_alone():
    count, missed = 20, np.arange(20) < 8
    angles = np.where(np.arange(count) < 9, 0.0, np.sqrt(0.1 * np.maximum(np.arange(count) - 8.0, 0.0)))
    rotations = rest_pose(ARM, count).rotations.copy()
    rotations[:, 1] = rotation_vector_to_quaternion(angles[:, None] * np.array([0.0, 0.0, 1.0]))
    start, pose = rest_pose(ARM, count), replace(rest_pose(ARM, count), rotations=rotations)
    snaps = find_snaps(start, pose, missed)
    assert (snaps.rows.tolist(), snaps.bones.tolist()) == ([9], [1])
    assert np.isclose(snaps.angles[0], angles[9])
    for begun, seen in ((pose, missed), (start, ~missed & False), (start, np.arange(count) < 16)):
        assert not len(find_snaps(begun, pose, seen).rows)


@pytest.mark.parametrize("angles", [np.linspace(-2.5, 2.5, 7), CUT[:2]])
def test_quick_motion_and_two_rows_alone_do_not_leap(angles):
    """Quick motion turns as far in the rows beside."""
    count = len(angles)
    jumps, solution = jumps_of(ARM, rest_pose(ARM, count), HAND, towards(angles), in_sequence=True)
    assert not len(find_sudden_turns(rest_pose(ARM, count), solution.pose, jumps).rows)


def test_a_jump_is_no_leap_too():
    jumps, solution = jumps_of(ARM, rest_pose(ARM, 40), HAND, towards(SWEEP))
    assert jumps.rows.tolist() == [20]
    assert not len(find_sudden_turns(rest_pose(ARM, 40), solution.pose, jumps).rows)


@pytest.mark.parametrize(("lean", "step"), [(100, 60), (150, 20)])
def test_a_swing_that_going_on_needs_too_is_no_jump(lean, step):
    """Round a cone, from rest to rest: 90 degrees where 59 lead straight on, and 39 where 10 do."""
    bone, around, lean = chain(1), np.radians(step) * np.arange(6), np.radians(lean)
    along = np.full(6, np.cos(lean))
    places = np.stack([np.sin(lean) * np.cos(around), along, np.sin(lean) * np.sin(around)], axis=-1)
    targets = Targets(places[:, None], unturned(6, 1))
    jumps, solution = jumps_of(bone, rest_pose(bone, 6), (end_of(1),), targets)
    assert solution.converged.all()
    assert not len(jumps.rows)


def test_steps_are_few_into_rows_that_need_their_turns(monkeypatch):
    """Where a target out of reach goes round the arm fast, nothing is in doubt."""
    steps, solving = [], jumps.solve_in_parts
    monkeypatch.setattr(
        jumps,
        "solve_in_parts",
        lambda asked, **how: steps.append(asked.settings.iterations) or solving(asked, **how),
    )
    far = towards(np.radians(50) * np.arange(6), distance=1.5)
    told, solution = jumps_of(ARM, rest_pose(ARM, 6), HAND, far)
    assert not solution.converged.any()
    assert not len(told.rows)
    assert 0 < max(steps) < Settings().iterations


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_targets_that_leave_no_choice_ask_for_every_turn(seed):
    """However fast: every pose is drawn anew, and every bone has a target."""
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng, bones=5, freedom=FREE)
    effectors = tuple(map(Effector, skeleton.names))
    targets = targets_at(skeleton, random_pose(rng, skeleton, 12, spread=1.5), effectors)
    jumps, _ = jumps_of(skeleton, rest_pose(skeleton, 12), effectors, targets)
    assert not len(jumps.rows)


def steps_to(targets, row, count=4):
    """Targets from those of the row before to those of the row."""
    start, end = targets.positions[row - 1], targets.positions[row]
    shares = np.arange(count + 1)[:, None, None] / count
    return Targets((1 - shares) * start + shares * end, unturned(count + 1, len(end)))


def limited_clip(seed, frames=12):
    """Limits cut a body's ways of meeting its targets off from each other, so going on often cannot."""
    rng = np.random.default_rng(seed)
    free = random_tree(rng, bones=5, branching=0.1)
    limits = [Hinge(name, tuple(rng.normal(size=3)), -1.2, 1.2) for name in free.names]
    skeleton, effectors = replace(free, limits=limits), (Effector(free.names[-1], rotation_weight=0.0),)
    pose = random_pose(rng, skeleton, frames, spread=1.0)
    return skeleton, effectors, targets_at(skeleton, pose, effectors)


@pytest.mark.parametrize("in_sequence", [False, True])
def test_going_on_spares_every_jump_that_is_told_and_costs_the_targets_nothing(in_sequence):
    told = 0
    for seed in range(8, 14):
        skeleton, effectors, targets = limited_clip(seed)
        start = rest_pose(skeleton, 12)
        jumps, solution = jumps_of(skeleton, start, effectors, targets, in_sequence=in_sequence)
        for row, bone, angle in zip(jumps.rows, jumps.bones, jumps.angles, strict=True):
            before = solution.pose.rows([row - 1] * 5)
            once = Settings(restarts=0)
            onward = solve(skeleton, before, effectors, steps_to(targets, row), once, in_sequence=True)
            turn = angle_between(*matrices([p.rotations[-1, bone] for p in (onward.pose, before)]))
            assert angle > 2 * turn
            assert angle > turn + np.radians(30)
            assert onward.converged[-1] or onward.rmsd[-1] < 1.01 * solution.rmsd[row]
        told += len(jumps.rows)
    assert told > 1


@pytest.mark.parametrize("in_sequence", [False, True])
def test_a_step_too_long_to_stay_on_its_way_is_told(in_sequence):
    """Of random places that are nothing like the ones before: a clip of far too few frames."""
    told = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        skeleton = random_tree(rng, bones=5, branching=0.1)
        effectors = (Effector(skeleton.names[-1], rotation_weight=0.0),)
        targets = targets_at(skeleton, random_pose(rng, skeleton, 12, spread=1.0), effectors)
        jumps, _ = jumps_of(skeleton, rest_pose(skeleton, 12), effectors, targets, in_sequence=in_sequence)
        told += len(jumps.rows)
    assert told > 5


def test_start_poses_may_be_of_any_length():
    start = rest_pose(ARM, 40)
    shorter = Pose(start.rotations * np.linspace(0.2, 0.4, 40)[:, None, None], start.translations)
    (jumps, _), (same, _) = (jumps_of(ARM, pose, HAND, towards(SWEEP)) for pose in (start, shorter))
    assert jumps.rows.tolist() == same.rows.tolist()


@pytest.mark.parametrize("rows", [0, 1])
def test_fewer_than_two_rows_have_none(rows, rng):
    start = Pose(quaternions(rng, rows, 2), np.zeros((rows, 2, 3)))
    jumps, _ = jumps_of(ARM, start, HAND, towards(SWEEP).rows(slice(0, rows)))
    assert len(jumps.rows) == len(jumps.bones) == len(jumps.angles) == 0


def seen_anew(request, solution):
    """The jumps of a solution that says nothing of them."""
    unseen = replace(solution, jumped_by=np.full(len(request), UNSEEN))
    return finished(find_jumps(request, unseen))


def clip_that_jumps(seed, frames=30):
    """Of places that are nothing like the ones before: joining does not end every jump."""
    skeleton, effectors, targets = limited_clip(seed, frames)
    return Request(skeleton, rest_pose(skeleton, frames), effectors, targets)


def test_a_clip_says_where_it_jumps_as_who_looks_anew_finds_it(monkeypatch):
    told = 0
    for seed in range(2):
        request = clip_that_jumps(seed)
        found = finished(solve_clip_in_parts(request))
        anew = seen_anew(request, found)
        with monkeypatch.context() as nobody:
            nobody.setattr(jumps, "_needed", None)  # nobody looks again
            said = finished(find_jumps(request, found))
        for name in ("rows", "bones", "angles"):
            assert np.array_equal(getattr(said, name), getattr(anew, name))
        told += len(said.rows)
    assert told


def test_of_a_clip_in_parts_all_is_said_where_they_meet_too(monkeypatch):
    parts = tuple(Part(first, first + 6, max(first - 6, 0), min(first + 12, 30)) for first in range(0, 30, 6))
    monkeypatch.setattr(one_way, "parts_of", lambda frames, *_: parts if frames == 30 else whole(frames))
    request = clip_that_jumps(1)
    found = finished(solve_clip_in_parts(request))
    said, anew = finished(find_jumps(request, found)), seen_anew(request, found)
    assert np.flatnonzero(found.jumped_by == UNSEEN).tolist() == [0]
    assert len(said.rows)
    assert said.rows.tolist() == anew.rows.tolist()


def whole(frames):
    """The parts of a clip that is worked on at once."""
    return (Part(0, frames, 0, frames),)


def test_other_poses_and_other_neighbours_say_nothing_of_jumps():
    request = clip_that_jumps(1)
    found = finished(solve_clip_in_parts(request))
    assert (in_pose(request, found, request.pose).jumped_by == UNSEEN).all()
    assert (found.rows(slice(None, None, -1)).jumped_by == UNSEEN).all()
    assert (found.rows(slice(None, None, 2)).jumped_by == UNSEEN).all()
    assert np.array_equal(found.rows(slice(5, None)).jumped_by[1:], found.jumped_by[6:])
    assert found.rows(slice(5, None)).jumped_by[0] == UNSEEN


def test_only_those_that_are_asked_for_are_told_of_what_is_known():
    request = clip_that_jumps(1)
    found = finished(solve_clip_in_parts(request))
    rows = finished(find_jumps(request, found)).rows
    among = np.arange(len(request)) < rows[-1]
    assert finished(find_jumps(request, found, among)).rows.tolist() == rows[:-1].tolist()
