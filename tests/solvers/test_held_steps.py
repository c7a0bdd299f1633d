# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that lower a rank while the goals above it are held, and when these count as held."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, chain, end_of, human, quaternions, random_pose, targets_at

from solvers import Aim, Hinge, Pole, Targets, forward
from solvers.geometry import multiply
from solvers.problem import (
    limit_faces,
    local_rotations,
    lowering,
    make_problem,
    measure,
    pose_from_state,
    snapped,
    state_from_pose,
    where_reached,
)
from solvers.request import Request
from solvers.steps.held import newton_held
from solvers.steps.joint_newton import joint_derivatives

BATCH, MUST_HOLD = 20, ("head", "hand.L")
HINGED = ("shin.L", "shin.R", "forearm.L", "forearm.R", "thigh.R", "arm.L", "spine", "chest", "neck")


def second_rank(skeleton, pose, effectors, targets, goals=()):
    """Return the problem of the second rank, the first being met, and the state that meets it."""
    problem = make_problem(Request(skeleton, pose, effectors, targets, goals=goals))
    state = state_from_pose(problem, pose)
    reached = where_reached(problem, 1, state, np.ones(len(state.heads), bool))
    return lowering(problem, reached, 2), state


def at_their_limits(rng, effectors):
    """Return a figure most of whose hinges are at an end of their ranges, and its poses."""
    skeleton = replace(human(), limits=tuple(Hinge(name, (1, 0, 0), -0.1, 0.1) for name in HINGED))
    pose = random_pose(rng, skeleton, BATCH)
    problem = make_problem(Request(skeleton, pose, effectors, targets_at(skeleton, pose, effectors)))
    state = state_from_pose(problem, pose)
    ended = replace(state, rotations=snapped(problem, state.rotations))
    return skeleton, pose_from_state(problem, ended, pose)


def test_what_rounding_leaves_of_goals_that_are_met_does_not_tell_which_limits_bear_them(rng):
    effectors = tuple(replace(each, rank=1 if each.bone in MUST_HOLD else 2) for each in HUMAN_EFFECTORS)
    first = np.array([each.rank == 1 for each in effectors])
    skeleton, pose = at_their_limits(rng, effectors)
    here, there = (targets_at(skeleton, one, effectors) for one in (pose, random_pose(rng, skeleton, BATCH)))
    steps = []
    for _ in range(4):
        positions, rotations = there.positions.copy(), there.rotations.copy()
        positions[:, first] = here.positions[:, first] + 1e-13 * rng.normal(size=(BATCH, len(MUST_HOLD), 3))
        rotations[:, first] = here.rotations[:, first]
        problem, state = second_rank(skeleton, pose, effectors, Targets(positions, rotations))
        faces = limit_faces(problem, state, local_rotations(problem, state.rotations))
        derivatives = joint_derivatives(problem, state, measure(problem, state))
        steps.append(newton_held(problem, state, faces, *derivatives, np.full(BATCH, 0.1)))
    assert np.allclose(steps, steps[0], rtol=0, atol=1e-8 * np.abs(steps).max())


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
