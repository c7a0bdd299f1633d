# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that meets all that is asked of it stays, and one that does not is as comfortable as ever."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, chain, end_of, human, random_pose, targets_at

from solvers import (
    Comfort,
    GoalError,
    Hinge,
    Pose,
    Request,
    Targets,
    is_met,
    kept_if_met,
    rest_pose,
    solve_in_parts,
    solve_kept,
)
from solvers.geometry.rotations import rotation_vector_to_quaternion
from solvers.model import joined_poses
from solvers.pauses import finished

FINGER = (end_of(4),)


def at_comfort(skeleton):
    return replace(skeleton, comforts=tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in skeleton.names))


def bent(angle):
    """A chain of four hinges with soft rims, bent by the angle at each."""
    limits = tuple(Hinge(name, (1, 0, 0), -1.0, 1.0, cushion=0.5) for name in chain(4).names)
    turns = np.tile([angle, 0.0, 0.0], (1, 4, 1))
    return replace(chain(4), limits=limits), Pose(rotation_vector_to_quaternion(turns), np.zeros((1, 4, 3)))


def solved(request):
    return finished(solve_in_parts(kept_if_met(request))).pose.rotations


def test_a_pose_that_meets_its_targets_stays(rng):
    skeleton = at_comfort(human())
    for _ in range(5):
        pose = random_pose(rng, skeleton, 1, spread=0.3)
        request = Request(skeleton, pose, HUMAN_EFFECTORS, targets_at(skeleton, pose, HUMAN_EFFECTORS))
        assert np.abs(finished(solve_in_parts(request)).pose.rotations - pose.rotations).max() > 1e-2
        assert np.abs(solved(request) - pose.rotations).max() < 1e-12


def test_so_does_one_in_a_soft_rim():
    skeleton, pose = bent(0.9)
    request = Request(skeleton, pose, FINGER, targets_at(skeleton, pose, FINGER))
    assert np.abs(solved(request) - pose.rotations).max() < 1e-12


@pytest.mark.parametrize("tolerances", [8.0, 12.0])
def test_comfort_counts_in_full_from_ten_tolerances_on(rng, tolerances):
    skeleton = at_comfort(human())
    pose = random_pose(rng, skeleton, 1, spread=0.3)
    met = Request(skeleton, pose, HUMAN_EFFECTORS, targets_at(skeleton, pose, HUMAN_EFFECTORS))
    off = np.zeros_like(met.targets.positions)
    off[:, 0, 0] = tolerances * met.settings.tolerance
    request = replace(met, targets=replace(met.targets, positions=met.targets.positions + off))
    assert (kept_if_met(request) is request) == (tolerances > 10)


def test_a_pose_outside_its_limits_is_brought_inside_and_counts_as_it_is_there():
    skeleton, outside = bent(1.2)
    at_limits = Pose(bent(1.0)[1].rotations, outside.translations)
    request = Request(skeleton, outside, FINGER, targets_at(skeleton, outside, FINGER))
    assert kept_if_met(request) is request
    request = replace(request, targets=targets_at(skeleton, at_limits, FINGER))
    assert np.abs(solved(request) - at_limits.rotations).max() < 1e-9


def test_one_row_that_is_missed_leaves_all_as_they_are(rng):
    """Neighbours in a clip are posed alike."""
    skeleton = at_comfort(human())
    pose = random_pose(rng, skeleton, 2, spread=0.3)
    targets, off = targets_at(skeleton, pose, HUMAN_EFFECTORS), np.zeros((2, len(HUMAN_EFFECTORS), 3))
    off[1, 0] = 0.1
    targets = replace(targets, positions=targets.positions + off)
    request = Request(skeleton, pose, HUMAN_EFFECTORS, targets)
    assert kept_if_met(request) is request


def out_of_reach(rng, has_comfort, has_ranks, has_limits):
    """What is asked of a figure that cannot meet it: other poses' places, up to 40 % farther away."""
    skeleton = at_comfort(human()) if has_comfort else human()
    hinges = tuple(Hinge(name, (1, 0, 0), -1.2, 1.2, cushion=0.2) for name in skeleton.names[4::3])
    skeleton = replace(skeleton, limits=hinges if has_limits else ())
    effectors = tuple(
        replace(one, rank=1 + has_ranks * (row % 3), rotation_rank=1 + has_ranks * (row % 3))
        for row, one in enumerate(HUMAN_EFFECTORS)
    )
    targets = targets_at(skeleton, random_pose(rng, skeleton, 1, spread=0.6), effectors)
    farther = 1 + 0.4 * rng.random((1, len(effectors), 1))
    targets = replace(targets, positions=farther * targets.positions)
    return Request(skeleton, random_pose(rng, skeleton, 1, spread=0.3), effectors, targets)


def left_by_rank(solution, effectors):
    """What the ranks leave in place, squared (ranks,)."""
    ranks = np.array([one.rank for one in effectors])
    squares = solution.position_residuals[0] ** 2
    return np.array([squares[ranks == rank].sum() for rank in np.unique(ranks)])


@pytest.mark.parametrize("has_limits", [False, True])
@pytest.mark.parametrize("has_ranks", [False, True])
@pytest.mark.parametrize("has_comfort", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_second_solve_leaves_what_the_first_has_found_or_comes_nearer(
    rng, has_comfort, has_ranks, has_limits
):
    stayed = 0
    for _ in range(2):
        request = out_of_reach(rng, has_comfort, has_ranks, has_limits)
        once = finished(solve_kept(request))
        assert not once.converged.any()
        again = finished(solve_kept(replace(request, pose=once.pose)))
        stays = np.abs(again.pose.rotations - once.pose.rotations).max() < 1e-9
        left, before = (left_by_rank(solution, request.effectors) for solution in (again, once))
        assert stays or (left < before - request.settings.tolerance**2).any()
        stayed += stays
    assert stayed


def test_of_several_poses_each_stays_or_is_solved_on_its_own_in_chunks_or_not(rng, monkeypatch):
    asked = out_of_reach(rng, False, False, False)
    once = finished(solve_kept(asked)).pose
    both = Request(
        asked.skeleton,
        joined_poses([asked.pose, once, asked.pose]),
        asked.effectors,
        Targets(*(np.repeat(of, 3, axis=0) for of in (asked.targets.positions, asked.targets.rotations))),
    )
    whole = finished(solve_kept(both)).pose.rotations
    again = finished(solve_kept(replace(asked, pose=once))).pose.rotations
    assert np.array_equal(whole, np.concatenate([once.rotations, again, once.rotations]))
    monkeypatch.setattr(sys.modules["solvers.solve"], "_rows_at_a_time", lambda _: 2)
    assert np.array_equal(finished(solve_kept(both)).pose.rotations, whole)
    assert np.array_equal(is_met(both), np.zeros(3, bool))


@pytest.mark.parametrize("count", [1, 2])
def test_poses_that_all_meet_their_targets_stay_where_comfort_differs_from_row_to_row(rng, count):
    skeleton, poses = human(), random_pose(rng, human(), count, spread=0.3)
    rests = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
    skeleton = replace(skeleton, comforts=tuple(Comfort(name, rests, 0.3) for name in skeleton.names))
    request = Request(skeleton, poses, HUMAN_EFFECTORS, targets_at(skeleton, poses, HUMAN_EFFECTORS))
    assert np.abs(finished(solve_kept(request)).pose.rotations - poses.rotations).max() < 1e-12


@pytest.mark.parametrize("missed", [0, 1, 2])
def test_a_pose_that_meets_its_targets_stays_beside_one_that_does_not(rng, missed):
    skeleton = at_comfort(human())
    pose = random_pose(rng, skeleton, 3, spread=0.3)
    targets, off = targets_at(skeleton, pose, HUMAN_EFFECTORS), np.zeros((3, len(HUMAN_EFFECTORS), 3))
    off[missed, 0] = 1.0
    targets = replace(targets, positions=targets.positions + off)
    request = Request(skeleton, pose, HUMAN_EFFECTORS, targets)
    alone = [finished(solve_kept(request.rows(slice(row, row + 1)))).pose.rotations for row in range(3)]
    together = finished(solve_kept(request)).pose.rotations
    np.testing.assert_array_equal(together, np.concatenate(alone))
    met = np.arange(3) != missed
    assert np.abs(together - pose.rotations)[met].max() < 1e-12


def test_a_pose_that_misses_by_more_than_need_be_is_solved_as_ever(rng):
    request = out_of_reach(rng, True, True, True)
    once = finished(solve_kept(request))
    assert (once.pose.rotations == finished(solve_in_parts(request)).pose.rotations).all()


def test_what_cannot_be_asked_is_refused():
    body = at_comfort(chain(4))
    with pytest.raises(GoalError):
        kept_if_met(Request(body, rest_pose(body), (), Targets(np.zeros((1, 0, 3)), None)))
