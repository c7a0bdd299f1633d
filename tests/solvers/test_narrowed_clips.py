# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip is solved of the bones that may move alone: others make no difference and stay as they are."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import chain, end_of, quaternions
from slow_motion import moving

from solvers import Comfort, Hinge, Pose, Request, Skeleton, Targets, Twist, rest_pose, solve, solve_clip
from solvers.clip.narrowed import bones_that_tell
from solvers.problem import make_problem

FRAMES = 24
ARM = (1, 3, 4)  # where the arm's bones are among more


def arm():
    limits = (Hinge("bone.001", (1.0, 0.0, 0.0), -0.4, 0.4),)
    return replace(chain(3), limits=limits, comforts=(Comfort("bone.002", (1.0, 0.0, 0.0, 0.0)),))


def among_more(body):
    """The same with another root before it, and a bone that hangs on it."""
    names = ("other", "bone.000", "side", "bone.001", "bone.002")
    offsets, rests = np.zeros((1, 5, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (1, 5, 1))
    offsets[:, ARM], rests[:, ARM] = body.offsets, body.rests
    offsets[:, 2] = 0.3
    freedom = np.zeros((5, 3, 3))
    freedom[0] = np.eye(3)
    limits = (*body.limits, Hinge("side", (1.0, 0.0, 0.0), 0.0, 0.1))
    comforts = (*body.comforts, Comfort("other", (0.0, 1.0, 0.0, 0.0)))
    parents = np.array([-1, -1, 1, 1, 3])
    return Skeleton(names, parents, offsets, rests, freedom=freedom, limits=limits, comforts=comforts)


def out_of_reach():
    """Targets that the arm follows, in some frames out of its reach or limits."""
    near = moving(chain(3), (end_of(3),), FRAMES, size=0.8)
    return Targets(np.linspace(0.7, 1.2, FRAMES)[:, None, None] * near.positions, near.rotations)


def test_bones_that_nothing_is_asked_of_make_no_difference_and_stay(rng):
    body, hand, targets = arm(), (end_of(3),), out_of_reach()
    more = among_more(body)
    rotations, shifts = 2.0 * quaternions(rng, FRAMES, 5), np.zeros((FRAMES, 5, 3))
    rotations[:, ARM] = rest_pose(body).rotations
    shifts[:, 0] = rng.normal(size=(FRAMES, 3))
    alone = solve_clip(body, rest_pose(body, FRAMES), hand, targets)
    found = solve_clip(more, Pose(rotations, shifts), hand, targets)
    assert alone.converged.any()
    assert not alone.converged.all()
    assert np.array_equal(found.pose.rotations[:, ARM], alone.pose.rotations)
    assert np.array_equal(found.pose.rotations[:, [0, 2]], rotations[:, [0, 2]])
    assert np.array_equal(found.pose.translations, shifts)
    assert np.array_equal(found.jumped_by >= 0, alone.jumped_by >= 0)


@pytest.mark.parametrize("act", [solve, solve_clip], ids=["alone", "together"])
def test_bones_whose_limits_hold_off_are_told_by_their_places_among_all(act):
    stiff = tuple(Hinge(f"bone.00{bone}", (1.0, 0.0, 0.0), -0.1, 0.1) for bone in (1, 2))
    body, hand = replace(chain(3), limits=stiff), (end_of(3),)
    targets, more = moving(chain(3), hand, FRAMES, size=0.8), among_more(body)
    alone, found = (act(of, rest_pose(of, FRAMES), hand, targets) for of in (body, more))
    assert (alone.limited_by > 0).any()
    places = np.where(alone.limited_by < 0, -1, np.take(ARM, alone.limited_by))
    assert np.array_equal(found.limited_by, places)


def test_bones_that_share_the_twist_of_what_moves_are_among_those_that_tell():
    body = among_more(chain(3))
    twisted = replace(body, twists=(Twist("side", 0.5, "bone.000", "bone.001"),))
    one = make_problem(Request(body, rest_pose(body), (end_of(3),), moving(body, (end_of(3),), 1)))
    assert bones_that_tell(body, one).tolist() == list(ARM)
    assert bones_that_tell(twisted, one).tolist() == [1, 2, 3, 4]


def test_a_clip_of_one_bone_is_solved():
    body, hand = chain(1), (end_of(1),)
    found = solve_clip(body, rest_pose(body, 5), hand, moving(body, hand, 5))
    assert found.converged.all()
    assert (found.jumped_by < 0).all()
