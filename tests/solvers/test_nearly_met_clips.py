# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a clip that miss their targets by next to nothing are as good as met, and cost hardly more."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, human, quaternions
from slow_motion import moving

from solvers import Comfort, Effector, Plane, Request, Settings, forward, rest_pose, solve, solve_clip
from solvers.clip.nearness import nearly_met, next_to_nothing
from solvers.geometry import multiply, rotation_vector_to_quaternion
from solvers.solve import in_pose

FRAMES, EFFECTORS = 16, (*HUMAN_EFFECTORS, Effector("forearm.L"))


def asked(seed, size):
    """A clip of a body at ease whose elbow is asked to be beside where its hand lets it be.

    By ``size`` times what is next to nothing.
    """
    rng, body = np.random.default_rng(seed), human()
    comforts = tuple(Comfort(name, quaternions(rng, 1, spread=0.2)[0]) for name in body.names[1:])
    body = replace(body, comforts=comforts)
    targets = moving(body, EFFECTORS, FRAMES, seed)
    request = Request(body, rest_pose(body, FRAMES), EFFECTORS, targets)
    positions = targets.positions.copy()
    positions[:, -1] += size * next_to_nothing(request) * rng.normal(size=(FRAMES, 3))
    return replace(request, targets=replace(targets, positions=positions))


def solved(way, request):
    return way(request.skeleton, request.pose, request.effectors, request.targets, Settings(restarts=0))


@pytest.mark.parametrize("size", [0.1, 0.3, 1.0])
def test_frames_that_miss_by_next_to_nothing_cost_hardly_more_than_those_that_are_met(rng, size):
    seed = int(rng.integers(1000))
    met, missed = (solved(solve_clip, asked(seed, size)) for size in (0.0, size))
    assert met.converged.all()
    assert not missed.converged.all()
    assert missed.iterations.mean() <= 2 * met.iterations.mean()


@pytest.mark.parametrize("size", [0.3, 10.0])
def test_they_miss_by_no_more_than_each_on_its_own(rng, size):
    request = asked(int(rng.integers(1000)), size)
    alone, together = (solved(way, request) for way in (solve, solve_clip))
    assert (together.rmsd <= 1.01 * alone.rmsd + 0.1 * next_to_nothing(request)).all()


def test_they_give_way_to_smooth_motion_as_those_do_that_are_met(rng):
    request = asked(int(rng.integers(1000)), 0.1)
    alone, clip = solved(solve, request), partial(solve_clip, smoothness=0.5)
    assert not alone.converged.all()
    assert set(solved(clip, request).stopped) <= {"SMOOTHED", "CONVERGED"}


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_what_must_hold_is_missed_by_nothing(share):
    request = asked(7, 0.1)
    found = solved(solve, request)
    heads = forward(request.skeleton, found.pose)[1][:, request.skeleton.index("hand.L"), 2]
    plane = Plane((("hand.L", (0.0, 0.0, 0.0)),), heights=share * heads)
    as_if_met = {"goal_residuals": np.zeros((FRAMES, 1, 2)), "goals_met": np.ones((FRAMES, 1), bool)}
    beside = replace(found, converged=np.zeros(FRAMES, bool), **as_if_met)
    assert (nearly_met(replace(request, goals=(plane,)), beside) == (share < 1)).all()


def test_what_weighs_little_is_missed_where_it_can_be_seen():
    body, turned = human(), np.radians([0.0, 0.01, 2.0])
    light = Effector("head", position_weight=0.0, rotation_weight=1e-6, rank=3)
    effectors = (*(one for one in HUMAN_EFFECTORS if one.bone != "head"), light)
    targets = moving(body, effectors, 3, 7)
    request = Request(body, rest_pose(body, 3), effectors, targets)
    found = solved(solve, request)
    assert found.converged.all()
    rotations = targets.rotations.copy()
    ways = rotation_vector_to_quaternion(turned[:, None] * np.array([1.0, 0.0, 0.0]))
    rotations[:, -1] = multiply(rotations[:, -1], ways)
    asked_for = replace(request, targets=replace(targets, rotations=rotations))
    assert nearly_met(asked_for, in_pose(asked_for, found, found.pose)).tolist() == [True, True, False]
    gradual = replace(asked_for, settings=Settings(gradual=(effectors[-1].rank,)))
    assert nearly_met(gradual, in_pose(gradual, found, found.pose)).all()
