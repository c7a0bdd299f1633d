# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plane for all points of a body: those with slack take part in nothing."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from random_rigs import human, random_pose, targets_at

from solvers import Effector, Plane, Request
from solvers.problem import goal_pulls, jacobian, loads, looked_at, make_problem, measure, state_from_pose
from solvers.steps.joint_newton import joint_curvature, joint_derivatives

FRAMES, HELD = 4, ("hand.L", "foot.R")


@pytest.fixture
def floods(rng):
    """Frames of a figure above a plane that rises: problem, state, and how far points are below (F, p)."""
    skeleton = human()
    effectors = tuple(Effector(name) for name in HELD)
    points = tuple((name, (0.0, 0.0, 0.0)) for name in skeleton.names)
    plane = Plane(points, heights=np.linspace(-9.0, 1.2, FRAMES))
    pose = random_pose(rng, skeleton, FRAMES)
    targets = targets_at(skeleton, random_pose(rng, skeleton, FRAMES), effectors)
    problem = make_problem(Request(skeleton, pose, effectors, targets, goals=(plane,)))
    state = state_from_pose(problem, pose)
    seen = state.points.take(problem.goals[0].frames[0], axis=1)
    return problem, state, plane.heights[:, None] - seen[..., 2]


def derived(problem, state, multipliers):
    """Return all derivatives that steps are made of."""
    residual = measure(problem, state)
    bends = joint_curvature(problem, state, *loads(problem, state, residual, multipliers))
    return jacobian(problem, state, residual), *joint_derivatives(problem, state, residual), bends


def test_slopes_are_asked_of_the_points_that_press_and_of_no_other(floods):
    problem, state, below = floods
    (pulls,) = goal_pulls(problem, state)
    pressing = np.flatnonzero((below > 0).any(axis=0))
    assert 0 < len(pressing) < below.shape[1]
    assert np.array_equal(pulls.frames[:, 0], problem.goals[0].frames[0, pressing])


def test_points_with_slack_are_looked_up_nowhere(floods, monkeypatch):
    """Were any of them, what is not a number would spread."""
    problem, state, below = floods
    slack = problem.goals[0].frames[0, (below <= 0).all(axis=0)]
    multipliers = np.ones((FRAMES, measure(problem, state).vector.shape[1]))
    expected = derived(problem, state, multipliers)
    group, residual = type(problem.goals[0]), measure(problem, state)
    slopes = problem.goals[0].slopes(*looked_at(problem, state, problem.goals[0]))
    lost = replace(state, points=state.points.copy())
    lost.points[:, slack] = np.nan
    monkeypatch.setattr(group, "slopes", lambda *_: slopes)
    monkeypatch.setattr(sys.modules[__name__], "measure", lambda *_: residual)
    for found, wanted in zip(derived(problem, lost, multipliers), expected, strict=True):
        assert np.array_equal(found, wanted)


@pytest.mark.company
def test_which_points_press_in_other_frames_changes_nothing_in_one(rng, floods):
    problem, state, below = floods
    assert len(np.unique((below > 0).sum(axis=1))) > 1
    multipliers = rng.normal(size=(FRAMES, measure(problem, state).vector.shape[1]))
    whole = derived(problem, state, multipliers)
    for frame in range(FRAMES):
        keep = np.array([frame])
        alone = derived(problem.rows(keep), state.rows(keep), multipliers[keep])
        assert all(np.array_equal(own, all_[keep]) for own, all_ in zip(alone, whole, strict=True))
