# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves that are late from the first step on, as moves of large rigs are: what they come to."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from random_rigs import (
    FREE,
    chain,
    end_of,
    names,
    random_effectors,
    random_tree,
    reachable,
    rotations_apart,
    started,
    targets_at,
)
from test_few_steps import PINNED, few, limited, outside

from solvers import Cones, Pose, Request, Targets, rest_pose, solve_in_parts
from solvers.geometry import matrix_to_quaternion, rotation_vector_to_matrix
from solvers.pauses import finished, told_if_late


def body(rng):
    """A figure within limits whose feet and hips come first."""
    return limited(comfort=True), PINNED


def forest(rng):
    """More joints than Newton's steps are taken for, some within limits; two effectors come first."""
    limits = tuple(Cones(name, (((0.0, 1.0, 0.0), 1.0),), -1.0, 1.0) for name in names(80)[::3])
    skeleton, ranks = random_tree(rng, 80, roots=2, freedom=FREE, limits=limits), (1, 1, 2, 2, 3, 3)
    effectors = random_effectors(rng, skeleton, len(ranks))
    return skeleton, tuple(replace(of, rank=rank) for of, rank in zip(effectors, ranks, strict=True))


@pytest.fixture(params=[body, forest])
def asked(request, rng):
    skeleton, effectors = request.param(rng)
    targets = reachable(rng, skeleton, effectors, 6, spread=0.3)
    return Request(skeleton, rest_pose(skeleton, 6), effectors, targets, few(4))


def left_first(asked, pose):
    """What a pose leaves of the objective of what comes first, (batch,)."""
    first = [place for place, effector in enumerate(asked.effectors) if effector.rank == 1]
    targets = Targets(asked.targets.positions[:, first], asked.targets.rotations[:, first])
    return started(asked.skeleton, pose, tuple(asked.effectors[place] for place in first), targets)[2].energy


def test_a_solve_that_is_late_is_no_farther_from_what_comes_first_and_within_limits(asked):
    late = told_if_late(solve_in_parts(asked), -inf, -inf)
    assert (late.iterations < finished(solve_in_parts(asked)).iterations).any()
    assert (left_first(asked, late.pose) <= left_first(asked, asked.pose)).all()
    assert outside(asked.skeleton, late.pose) < 1e-6


def test_solves_that_are_late_get_there_when_they_go_on(asked):
    before = left_first(asked, asked.pose)
    for _ in range(12):
        late = told_if_late(solve_in_parts(asked), -inf, -inf)
        asked = replace(asked, pose=late.pose)
    assert (left_first(asked, late.pose) < 1e-6 * before).all()


def test_a_snake_that_is_late_glides():
    """What comfort has not done in one move would be a leap in a later one."""
    skeleton, effectors = chain(80, freedom=FREE), (end_of(80),)
    bends = 0.1 * np.cos(0.25 * np.arange(80))[:, None] * np.array([1.0, 0.0, 0.0])
    turns = matrix_to_quaternion(rotation_vector_to_matrix(bends))
    pose = Pose(turns[None], rest_pose(skeleton).translations)
    skeleton, begin = skeleton.drawn_to(pose), targets_at(skeleton, pose, effectors)
    for move in range(1, 9):
        targets = Targets(begin.positions + move * np.array([0.035, 0.025, 0.04]), begin.rotations)
        late = told_if_late(solve_in_parts(Request(skeleton, pose, effectors, targets, few(4))), -inf, -inf)
        assert rotations_apart(late.pose, pose) < 0.003
        pose = late.pose


def test_a_solve_that_has_time_is_none_the_wiser(asked):
    in_time, alone = told_if_late(solve_in_parts(asked), inf, inf), finished(solve_in_parts(asked))
    assert np.array_equal(in_time.pose.rotations, alone.pose.rotations)
