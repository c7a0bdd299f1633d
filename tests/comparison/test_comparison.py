# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparing solvers: problems that can be solved, figures that hold by another reckoning, files in accord."""

import csv
import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest

from solvers import (
    UNSUPPORTED,
    Aim,
    Comfort,
    Effector,
    EulerLimit,
    Hinge,
    Place,
    Pose,
    Settings,
    Skeleton,
    Targets,
    forward,
    rest_pose,
    solve,
)
from solvers.comparison import (
    COLUMNS,
    Attempt,
    Contestant,
    Problems,
    compete,
    contestant,
    ignored,
    met_at_start,
    reachable,
    summary,
    to_csv,
    to_json,
    trace,
)
from solvers.comparison.contest import ruler
from solvers.comparison.table import acceleration
from solvers.comparison.trace import RUNS
from solvers.geometry.rotations import quaternion_to_matrix, rotation_vector_to_matrix

NEAR = 1e-3, 1e-3


def unturned(*shape):
    return np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*shape, 4))


def present(bones=5, rotation_weight=1.0, limits=(), **given):
    """A chain of bones one unit long that should stay as it is, anchored."""
    offsets = np.zeros((1, bones, 3))
    offsets[0, 1:, 1] = 1.0
    names = [f"b{bone}" for bone in range(bones)]
    skeleton = Skeleton(names, np.arange(bones) - 1, offsets, unturned(1, bones), limits=limits, **given)
    effector = Effector(names[-1], offset=(0.0, 1.0, 0.0), rotation_weight=rotation_weight)
    targets = Targets([[[0.0, bones, 0.0]]], unturned(1, 1))
    return Problems(skeleton, rest_pose(skeleton), (effector,), targets)


def result_of(steps):
    """What a generator returns, and what it gave before."""
    given = []
    while True:
        try:
            given.append(next(steps))
        except StopIteration as end:
            return end.value, given


def still(problem, _iterations):
    return Attempt(problem.pose, seconds=0.25)


def at_pace(who, pace):
    """The contestant by a clock of its own: so many seconds for every iteration that it is given."""

    def solve(problem, iterations):
        return replace(who.solve(problem, iterations), seconds=pace * iterations)

    return replace(who, solve=solve)


def methods():
    return [contestant(name, Settings(method=name, restarts=0)) for name in ("SUPERPOSE", "SWEEP")]


LIMITS = (
    Hinge("b1", (1, 0, 0), -0.5, 1.0),
    EulerLimit("b2", "XYZ", np.array([[-0.2, 0.0, -1.0]]), np.array([[0.3, 0.0, 1.0]])),
)


@pytest.mark.parametrize("limits", [(), LIMITS])
def test_random_problems_can_be_solved_within_the_limits(limits):
    problems = reachable(present(limits=limits), count=30, seed=3)
    solution = solve(problems.skeleton, problems.pose, problems.effectors, problems.targets)
    assert solution.converged.all()


def test_random_problems_begin_at_the_present_pose_and_are_as_the_seed_says():
    given = present()
    first, again, other = (reachable(given, count=4, seed=seed) for seed in (1, 1, 2))
    assert (first.pose.rotations == given.pose.rotations).all()
    assert (first.targets.positions == again.targets.positions).all()
    assert not np.isclose(first.targets.positions, other.targets.positions).any()


def test_random_problems_leave_locked_bones_and_anchored_roots():
    stiffness = np.array([1.0, 1.0, 0.0, 0.0, 0.0])
    problems = reachable(present(stiffness=stiffness), count=20)
    # The first two bones stand straight, so all targets lie within reach of the three above.
    assert (np.linalg.norm(problems.targets.positions[:, 0] - [0, 2, 0], axis=-1) <= 3 + 1e-12).all()
    free = np.zeros((5, 3, 3))
    free[0] = np.eye(3)
    moved = reachable(present(freedom=free, stiffness=np.ones(5)), count=20).targets.positions
    assert (np.linalg.norm(moved[:, 0] - [0, 5, 0], axis=-1) > 1e-3).all()


def test_the_ruler_agrees_with_forward_kinematics(rng):
    problem = present(limits=LIMITS)
    turns = rng.normal([1, 0, 0, 0], 0.5, (1, 5, 4))
    pose = Pose(turns / np.linalg.norm(turns, axis=-1, keepdims=True), np.zeros((1, 5, 3)))
    lengths, angles, _, beyond, from_start, _ = ruler(problem, pose)
    rotations, heads = forward(problem.skeleton, pose)
    tip = heads[0, -1] + rotations[0, -1, :, 1]
    assert lengths == pytest.approx([np.linalg.norm(tip - problem.targets.positions[0, 0])])
    assert angles == pytest.approx([np.arccos((np.trace(rotations[0, -1]) - 1) / 2)])
    each = 2 * np.arccos(np.abs(pose.rotations[0, :, 0]))
    assert from_start == pytest.approx(np.sqrt((each**2).mean()))
    assert beyond > 1e-3


def test_the_ruler_measures_goals_of_every_kind_after_effectors():
    chain = present()
    aside = Aim("b4", along=(1, 0, 1)), Place("b2", (0.0, 2.0, 0.5))
    problem = replace(chain, goals=aside)
    lengths, angles, left, *_ = ruler(problem, problem.pose)
    assert lengths == pytest.approx([0, 0, 0.5])
    assert angles == pytest.approx([0, np.pi / 2, 0])
    assert left > ruler(chain, chain.pose)[2]
    assert met_at_start(chain, NEAR)
    assert not met_at_start(problem, NEAR)


def test_what_keeps_to_the_limits_violates_none():
    problems = reachable(present(limits=LIMITS), count=3)
    results, _ = result_of(compete(methods(), problems, 30))
    assert max(result.violations.max() for result in results) < 1e-6


def test_a_bent_hinge_is_so_far_beyond_its_limit():
    limit = Hinge("b1", (1, 0, 0), -0.5, 1.0)
    problem = present(limits=(limit,))
    turns = unturned(1, 5).copy()
    turns[0, 1] = np.cos(0.7), np.sin(0.7), 0, 0
    assert ruler(problem, Pose(turns, np.zeros((1, 5, 3))))[3] == pytest.approx(0.4)


def test_every_contestant_meets_every_problem_and_the_count_goes_up():
    problems = reachable(present(), count=3)
    results, given = result_of(compete([at_pace(who, 1e-4) for who in methods()], problems, 40))
    assert given == [done for done in range(6) for _ in range(3)]  # three runs of each
    assert [result.lengths.shape for result in results] == [(3, 1), (3, 1)]
    for result, method in zip(results, ("SUPERPOSE", "SWEEP"), strict=True):
        settings = Settings(method=method, restarts=0, iterations=40)
        solution = solve(problems.skeleton, problems.pose, problems.effectors, problems.targets, settings)
        assert np.allclose(result.lengths, solution.position_residuals, atol=1e-9)
        assert np.allclose(result.angles, solution.rotation_residuals, atol=1e-8)
        assert np.allclose(result.rmsd, solution.rmsd, atol=1e-9)
        assert (result.iterations == solution.iterations).all()


def test_a_solver_gets_the_iterations_that_fit_into_the_time_and_no_run_takes_longer():
    problem, asked = reachable(present(), count=1), []
    all_but_last = [10, 20, 40, 80, 160, 320]

    def slow(problem, iterations):
        asked.append(iterations)
        return Attempt(problem.pose, 0.01 * iterations, iterations)

    for limit, runs in ((np.inf, [500]), (1.0, [10, 20, 40, 80]), (1e-3, [10]), (9.0, [*all_but_last, 500])):
        asked.clear()
        (result,), _ = result_of(compete([Contestant("slow", slow)], problem, 500, limit))
        assert asked == runs  # and none again: they take too long for that
        assert result.iterations == runs[-1]
        assert result.out_of_time == (runs[-1] < 500)
        assert summary(result, problem, NEAR)["out_of_time"] == (runs[-1] < 500)


def test_who_is_finished_in_time_is_not_hurried():
    problems = reachable(present(), count=2)
    (result,), _ = result_of(compete([at_pace(methods()[0], 0.01)], problems, 1000, 1.0))
    assert not result.out_of_time.any()
    assert (result.lengths < 1e-3).all()


def test_targets_out_of_reach_get_all_iterations_too():
    """The bare step of one method crawls to where the chain is straight."""
    chain, settings = present(), Settings(method="TRANSPOSE", step_length=0.1)
    problem = replace(chain, targets=Targets([[[0, 3.0, 5.0]]], unturned(1, 1)))
    (result,), _ = result_of(compete([at_pace(contestant("slow", settings), 1e-4)], problem, 200, 1.0))
    most = replace(settings, iterations=200)
    solution = solve(problem.skeleton, problem.pose, problem.effectors, problem.targets, most)
    assert result.iterations == solution.iterations > 100
    assert result.lengths == pytest.approx(solution.position_residuals)


def test_what_takes_long_is_not_run_again():
    _, given = result_of(compete([at_pace(who, 1.0) for who in methods()], reachable(present(), count=1), 40))
    assert given == [0, 1]


@pytest.mark.parametrize("moved", [0.0, 1e-4, 0.1])
def test_problems_that_are_met_from_the_start_are_known(moved):
    problem = present()
    there = replace(problem, scale=5.0, targets=Targets([[[moved, 5, 0.0]]], unturned(1, 1)))
    assert met_at_start(there, NEAR) == (5 * moved <= NEAR[0])


def test_a_clip_in_sequence_begins_each_frame_where_the_last_ended():
    starts = []

    def seen(problem, iterations):
        starts.append(problem.pose.rotations)
        return methods()[0].solve(problem, iterations)

    problems = replace(reachable(present(), count=10), fps=24.0, in_sequence=True)
    results, _ = result_of(compete([Contestant("seen", seen)], problems, 30))
    assert len(starts) == len(problems)
    for start, end in zip(starts[1:], results[0].rotations[:-1], strict=True):
        assert np.allclose(quaternion_to_matrix(start[0]), end)


def test_scene_units_are_those_of_the_scale():
    problems = reachable(present(), count=2)
    (plain,), _ = result_of(compete([Contestant("still", still)], problems, 1))
    (scaled,), _ = result_of(compete([Contestant("still", still)], replace(problems, scale=100.0), 1))
    assert np.allclose(scaled.lengths, 100 * plain.lengths)
    assert np.allclose(scaled.rmsd, 100 * plain.rmsd)
    assert np.allclose(scaled.angles, plain.angles)


def test_a_summary_says_what_was_left():
    problems = reachable(present(), count=4)
    (result,), _ = result_of(compete([Contestant("still", still, "all of it")], problems, 1))
    row = summary(result, problems, NEAR)
    assert tuple(row) == COLUMNS
    assert (row["solver"], row["cannot"]) == ("still", "all of it")
    assert row["solved"] == 0
    assert row["worst_length"] == result.lengths.max()
    assert row["worst_degrees"] == pytest.approx(np.degrees(result.angles.max()))
    assert row["milliseconds"] == 250
    assert row["iterations"] is None
    assert row["acceleration"] is None
    assert row["degrees_from_start"] == 0


def test_solved_is_the_share_within_both_tolerances():
    problems = reachable(present(), count=6)
    (result,), _ = result_of(compete(methods()[:1], problems, 60))
    lengths = np.where(np.arange(6) < 3, 0.0, 1.0)[:, None]
    angles = np.where(np.arange(6) < 1, 1.0, 0.0)[:, None]
    row = summary(replace(result, lengths=lengths, angles=angles), problems, NEAR)
    assert row["solved"] == pytest.approx(2 / 6)


def test_acceleration_of_a_joint_that_turns_ever_faster(rng):
    fps, rate = 30.0, 0.7
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    seconds = np.arange(20) / fps
    rotations = rotation_vector_to_matrix((0.5 * rate * seconds**2)[:, None, None] * axis)
    assert acceleration(rotations, fps) == pytest.approx(rate, rel=1e-6)
    assert acceleration(rotations[:2], fps) is None
    assert acceleration(rotations, None) is None


def test_csv_and_json_agree():
    problems = replace(reachable(present(), count=4), fps=25.0)
    results, _ = result_of(compete([*methods(), Contestant("still", still)], problems, 20))
    rows = [summary(result, problems, NEAR) for result in results]
    curves = [result_of(trace(who, problems, 10))[0] for who in methods()]
    document = json.loads(to_json({"problems": "these"}, rows, curves))
    assert document["rows"] == rows
    assert document["about"] == {"problems": "these"}
    assert [curve["solver"] for curve in document["curves"]] == ["SUPERPOSE", "SWEEP"]
    for line, row in zip(csv.DictReader(StringIO(to_csv(rows))), document["rows"], strict=True):
        assert line == {name: "" if value is None else str(value) for name, value in row.items()}


def test_a_short_run_is_the_beginning_of_a_longer_one():
    """What a trace rests on, for methods of one kind of step."""
    problem = reachable(present(), count=1)
    given = problem.skeleton, problem.pose, problem.effectors, problem.targets
    short = solve(*given, Settings(method="SWEEP", iterations=7))
    went_on = solve(given[0], short.pose, *given[2:], Settings(method="SWEEP", iterations=6))
    whole = solve(*given, Settings(method="SWEEP", iterations=13))
    assert whole.rmsd == pytest.approx(went_on.rmsd, rel=1e-6)


def test_a_trace_ends_when_more_changes_nothing_and_its_front_falls():
    problems = reachable(present(), count=5)
    for who in [at_pace(who, 1e-5) for who in methods()]:
        curve, given = result_of(trace(who, problems, 100, done=7))
        assert given == [7] * len(curve.rmsd) * 3 * RUNS  # three problems
        assert who.label == "SWEEP" or curve.iterations[-1] < 30
        for cost in (curve.iterations, curve.seconds):
            spent, left = curve.front(cost)
            assert (np.diff(spent) > 0).all()
            assert (np.diff(left) < 0).all()
            assert left[-1] == curve.rmsd.min()


def test_a_trace_ends_before_a_run_that_would_take_too_long():
    sweeps = at_pace(methods()[1], 0.01)
    curve, _ = result_of(trace(sweeps, reachable(present(), count=1), 1000, limit=0.5))
    assert 0.25 < curve.seconds[-1] <= 0.5


def test_a_trace_makes_no_run_of_the_contest_again():
    problem, asked = reachable(present(), count=1), []

    def slow(problem, iterations):
        asked.append(iterations)
        return Attempt(problem.pose, 0.2 + 1e-3 * iterations, iterations)

    (result,), _ = result_of(compete([Contestant("slow", slow)], problem, 100, 1.0))
    assert asked == [10, 20, 40, 80, 100]
    curve, given = result_of(trace(result.contestant, problem, 100, 1.0, known=result.runs))
    assert asked[5:] == [1, 2, 5]
    assert len(given) == 3
    assert curve.iterations.tolist() == [1, 2, 5, 10, 20, 40, 80, 100]


def test_of_frames_in_sequence_a_trace_makes_all_runs_itself():
    """They began elsewhere in the contest."""
    problems = replace(reachable(present(), count=4), fps=24.0, in_sequence=True)
    (result,), _ = result_of(compete(methods()[1:], problems, 30))
    alone, _ = result_of(trace(result.contestant, problems, 30))
    after, _ = result_of(trace(result.contestant, problems, 30, known=result.runs))
    np.testing.assert_array_equal(after.rmsd, alone.rmsd)


def test_what_a_method_cannot_express_is_said_only_where_it_is_asked():
    for method, features in UNSUPPORTED.items():
        comforts = (Comfort("b0", [1.0, 0, 0, 0]),)
        asked = present(stiffness=np.full(5, 0.5), comforts=comforts)
        effectors = *asked.effectors, replace(asked.effectors[0], rank=1)
        goals = (Aim("b4", along=(0, 0, 1)),)
        everything = ignored(method, replace(asked, effectors=effectors, goals=goals))
        assert all(words in everything for words in features.values())
        assert not ignored(method, present(rotation_weight=0.0))
    assert not ignored("SUPERPOSE", present(stiffness=np.full(5, 0.5)))
