# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals that stay from request to request, as in a drag, are prepared with what these have in common."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, human, random_pose, targets_at

from solvers import (
    Comfort,
    GoalError,
    Plane,
    Request,
    SkeletonError,
    rest_pose,
    solve_in_parts,
    with_prepared,
)
from solvers.pauses import finished
from solvers.problem import prepared

FLOOR, HIGHER = (
    Plane((("hand.L", (0, 0, 0)), ("hand.R", (0, 0, 0))), heights=np.array([height]), weight=2.0, rank=2)
    for height in (0.5, 0.7)
)


def request(rng, goals):
    skeleton = human()
    targets = targets_at(skeleton, random_pose(rng, skeleton, 1, spread=0.2), HUMAN_EFFECTORS)
    return Request(skeleton, rest_pose(skeleton), HUMAN_EFFECTORS, targets, goals=goals)


@pytest.mark.parametrize(
    ("goals", "again"),
    [((FLOOR,), False), ((HIGHER,), True), ((), False), ((replace(FLOOR),), True), ((FLOOR, HIGHER), True)],
    ids=["same", "other", "none", "alike", "more"],
)
def test_goals_are_grouped_again_where_they_are_others(rng, monkeypatch, goals, again):
    """And what is found is the same to the bit as if nothing was prepared."""
    first = with_prepared(request(rng, (FLOOR,)))
    asked = replace(first, goals=goals)
    anew = finished(solve_in_parts(replace(asked, prepared=None)))
    grouped, group_goals = [], prepared.group_goals
    monkeypatch.setattr(prepared, "group_goals", lambda *given: grouped.append(given) or group_goals(*given))
    ready = with_prepared(asked)
    found = finished(solve_in_parts(ready))
    assert len(grouped) == again
    assert np.array_equal(found.pose.rotations, anew.pose.rotations)
    assert np.array_equal(found.goal_residuals, anew.goal_residuals)


def test_goals_are_kept_where_comforts_alone_are_others(rng):
    first = with_prepared(request(rng, (FLOOR,)))
    comforts = tuple(Comfort(name, (1, 0, 0, 0), 0.3) for name in first.skeleton.names)
    eased = replace(first, skeleton=replace(first.skeleton, comforts=comforts))
    found = finished(solve_in_parts(with_prepared(eased)))
    anew = finished(solve_in_parts(replace(eased, prepared=None)))
    assert np.array_equal(found.pose.rotations, anew.pose.rotations)


def test_goals_that_cannot_be_asked_are_refused_by_name_before_they_are_prepared(rng):
    unknown = Plane((("tail", (0, 0, 0)),))
    with pytest.raises(SkeletonError, match="tail"):
        with_prepared(request(rng, (unknown,)))
    three_rows = replace(FLOOR, heights=np.arange(3.0))
    with pytest.raises(GoalError, match="3 rows"):
        with_prepared(request(rng, (FLOOR, three_rows)))


def test_goals_that_were_prepared_for_as_many_rows_are_not_checked_again(rng, monkeypatch):
    ready, checks, check = with_prepared(request(rng, (FLOOR,))), [], Plane.check
    monkeypatch.setattr(Plane, "check", lambda *given: checks.append(given) or check(*given))
    ready.check()
    assert not checks
    replace(ready, prepared=None).check()
    assert len(checks) == 1


def test_goals_that_were_prepared_for_more_rows_are_checked_again(rng):
    three_rows, one_row = replace(FLOOR, heights=np.arange(3.0)), request(rng, (FLOOR,))
    three = with_prepared(replace(one_row.rows([0, 0, 0]), goals=(three_rows,)))
    assert three.prepared.has_checked(three)
    with pytest.raises(GoalError, match="3 rows"):
        replace(one_row, goals=(three_rows,), prepared=three.prepared).check()
