# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far out of reach a target is said to be is never more than any pose misses it by."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rigs import (
    ANCHORED,
    FREE,
    chain,
    end_of,
    human,
    places,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    unturned,
)

from solvers import Effector, Pose, Settings, Targets, rest_pose, solve

ROUNDING = 1e-12  # of lengths of a few units


QUICK = Settings(iterations=1, restarts=0)


def bound(skeleton, pose, effectors, targets):
    return solve(skeleton, pose, effectors, targets, QUICK).out_of_reach


@pytest.mark.parametrize(
    "freedom", [ANCHORED, FREE, np.diag([1.0, 0, 0])], ids=["anchored", "free", "on a line"]
)
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_no_pose_misses_by_less(freedom, seed):
    """The worst effector by no less than the worst bound, and each by no less than its bound alone."""
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng, 8, roots=2, aloof=0.2, freedom=freedom)
    effectors = random_effectors(rng, skeleton, 3)
    targets = random_targets(rng, effectors)
    targets = Targets(4 * targets.positions, targets.rotations)
    said = bound(skeleton, rest_pose(skeleton), effectors, targets)[0]
    pose = random_pose(rng, skeleton, 40, spread=2.0, shift=2.0)
    distances = np.linalg.norm(places(skeleton, pose, effectors)[1] - targets.positions, axis=-1)
    assert (said >= 0).all()
    assert (distances.max(axis=1) >= said.max() - ROUNDING).all()
    assert (distances >= each_alone(skeleton, effectors, targets) - ROUNDING).all()


def each_alone(skeleton, effectors, targets):
    """Return each effector's own bound when it is asked for alone."""
    alone = [
        bound(
            skeleton,
            rest_pose(skeleton),
            (effector,),
            Targets(targets.positions[:, [e]], targets.rotations[:, [e]]),
        )
        for e, effector in enumerate(effectors)
    ]
    return np.concatenate(alone, axis=1)


@pytest.mark.parametrize("distance", [1.001, 1.05, 1.5, 40.0])
def test_it_is_exact_for_straight_chains(rng, distance):
    skeleton = chain(12)
    direction = rng.normal(size=3)
    goal = distance * direction / np.linalg.norm(direction)
    said = bound(skeleton, rest_pose(skeleton), (end_of(12),), Targets(goal[None, None], unturned(1, 1)))
    assert np.isclose(said[0, 0], distance - 1, rtol=0, atol=ROUNDING)


def test_targets_within_reach_are_not_out_of_it(rng):
    skeleton = chain(12)
    direction = rng.normal(size=(50, 1, 3))
    goals = 0.999 * direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    said = bound(skeleton, rest_pose(skeleton, 50), (end_of(12),), Targets(goals, unturned(50, 1)))
    assert (said == 0).all()


def test_hands_too_far_apart_share_the_miss():
    """Two metres and a half between the hands of a free body: each misses by half of what the arms lack."""
    skeleton = human(FREE)
    effectors = tuple(Effector(hand, rotation_weight=0.0) for hand in ("hand.L", "hand.R"))
    goals = np.array([[[1.25, 0, 1.4], [-1.25, 0, 1.4]]])
    said = bound(skeleton, rest_pose(skeleton), effectors, Targets(goals, unturned(1, 2)))
    below_chest = [skeleton.index(f"{bone}.L") for bone in ("clavicle", "arm", "forearm", "hand")]
    span = 2 * np.linalg.norm(skeleton.offsets[0, below_chest], axis=-1).sum()
    assert np.allclose(said, (2.5 - span) / 2, rtol=0, atol=ROUNDING)


def test_an_anchored_root_that_was_moved_is_measured_from_where_it_is():
    skeleton = chain(4)
    shift = np.zeros((1, 4, 3))
    shift[0, 0] = [10, 0, 0]
    pose = Pose(unturned(1, 4), shift)
    for goal, expected in (([10.5, 0, 0], 0.0), ([0.5, 0, 0], 8.5)):
        said = bound(skeleton, pose, (end_of(4),), Targets([[goal]], unturned(1, 1)))
        assert np.isclose(said[0, 0], expected, rtol=0, atol=ROUNDING)


def test_nothing_is_said_of_targets_that_count_in_some_axes_or_not_at_all():
    skeleton = chain(4)
    far, plane = np.full((1, 1, 3), 9.0), np.diag([1.0, 1.0, 0.0])[None, None]
    assert bound(skeleton, rest_pose(skeleton), (end_of(4),), Targets(far, unturned(1, 1), plane))[0, 0] == 0
    unweighted = (end_of(4, position_weight=0.0, rotation_weight=1.0),)
    assert bound(skeleton, rest_pose(skeleton), unweighted, Targets(far, unturned(1, 1)))[0, 0] == 0
