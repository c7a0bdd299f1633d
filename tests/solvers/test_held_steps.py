# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that lower a rank while the goals above it are held, and when these count as held."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import chain, end_of, quaternions, random_pose, targets_at

from solvers import Aim, Pole, forward
from solvers.geometry import multiply
from solvers.problem import (
    lowering,
    make_problem,
    measure,
    state_from_pose,
    where_reached,
)
from solvers.request import Request


def second_rank(skeleton, pose, effectors, targets, goals=()):
    """Return the problem of the second rank, the first being met, and the state that meets it."""
    problem = make_problem(Request(skeleton, pose, effectors, targets, goals=goals))
    state = state_from_pose(problem, pose)
    reached = where_reached(problem, 1, state, np.ones(len(state.heads), bool))
    return lowering(problem, reached, 2), state


@pytest.mark.parametrize("kind", ["aim", "pole"])
def test_goals_held_where_they_are_met_count_as_held_only_where_they_are_met(rng, kind):
    """Of a small angle, too, which as a length is within the tolerance of lengths."""
    skeleton, effectors = chain(5), (end_of(5, rank=2),)
    pose = random_pose(rng, skeleton).rows(np.zeros(300, int))
    rotations, heads = forward(skeleton, pose)
    goal = {
        "aim": Aim("bone.002", along=rotations[:1, 2, :, 1], rank=1),
        "pole": Pole("bone.000", "bone.002", "bone.004", along=heads[:1, 2] - heads[:1, 0], rank=1),
    }[kind]
    problem, _ = second_rank(skeleton, pose, effectors, targets_at(skeleton, pose, effectors), (goal,))
    turns = quaternions(rng, *pose.rotations.shape[:2], spread=1.0) * np.logspace(-7, -2, 300)[:, None, None]
    turns[..., 0] = np.sqrt(1 - (turns[..., 1:] ** 2).sum(axis=-1))
    state = state_from_pose(problem, replace(pose, rotations=multiply(pose.rotations, turns)))
    asked, reached = (measure(part, state).met for part in (problem.holding.asked, problem.holding.reached))
    assert reached.any()
    assert not asked.all()
    assert asked[reached].all()
