# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a solve begins again, in which order, and how often."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from random_rigs import (
    FREE,
    HUMAN_EFFECTORS,
    chain,
    end_of,
    human,
    names,
    random_pose,
    random_targets,
    started,
    unturned,
)

from solvers import EulerLimit, Hinge, Settings, Targets, rest_pose, solve
from solvers.geometry.rotations import angle_between
from solvers.problem import local_rotations, measure
from solvers.search.restarts import are_tight, rounds, seeds

AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def posed(problem, state, rows, samples):
    """Local rotations of one seed for each of some rows."""
    problem, seed = seeds(problem, state).posed(rows, samples)
    return local_rotations(problem, seed.rotations)


def test_other_starts_are_bent_differently_and_the_same_every_time(rng):
    skeleton = replace(human(FREE), stiffness=np.array([name == "chest" for name in human().names], float))
    pose = random_pose(rng, skeleton, 3)
    problem, state, _ = started(skeleton, pose, HUMAN_EFFECTORS, random_targets(rng, HUMAN_EFFECTORS, 3))
    rows = np.arange(3)
    found = [posed(problem, state, rows, np.full(3, number)) for number in range(4)]
    local = local_rotations(problem, state.rotations)
    held = np.array([skeleton.names[bone] in ("hips", "chest") for bone in problem.tree.bones])
    for seed in found:
        assert np.allclose(seed[:, held], local[:, held], rtol=0, atol=1e-13)
    for one, other in pairwise(found):
        assert (angle_between(one, other)[:, ~held] > 1e-3).all()
    assert (posed(problem, state, rows[1:], np.full(2, 3)) == found[3][1:]).all()


def test_joints_that_no_goal_feels_stay_at_other_starts(rng):
    """A hand whose wrist alone is asked for, and a limb whose target has no weight in one row of two."""
    skeleton, pose = human(FREE), random_pose(rng, human(FREE), 2)
    effectors = tuple(replace(effector, rotation_weight=0.0) for effector in HUMAN_EFFECTORS)
    weights = np.ones((2, len(effectors), 2))
    weights[1, [effector.bone == "foot.L" for effector in effectors]] = 0.0
    targets = replace(random_targets(rng, effectors, 2), weights=weights)
    problem, state, _ = started(skeleton, pose, effectors, targets)
    local = local_rotations(problem, state.rotations)
    turned = angle_between(posed(problem, state, np.arange(2), np.zeros(2, int)), local) > 1e-3
    bent = {skeleton.names[bone]: turned[:, place].tolist() for place, bone in enumerate(problem.tree.bones)}
    assert bent["hand.L"] == [False, False]
    assert bent["shin.L"] == bent["thigh.L"] == [True, False]
    assert bent["shin.R"] == bent["forearm.L"] == [True, True]


def test_the_nearest_of_other_starts_come_first(rng):
    skeleton = human(FREE)
    targets = random_targets(rng, HUMAN_EFFECTORS, 3)
    problem, state, _ = started(skeleton, random_pose(rng, skeleton, 3), HUMAN_EFFECTORS, targets)
    starts = seeds(problem, state)
    order = starts.ranked()
    assert (np.sort(order) == np.arange(order.shape[1])).all()
    for row in range(3):
        energy = measure(*starts.posed(np.full(order.shape[1], row), order[row])).energy
        assert (np.diff(energy) >= 0).all()


def test_joints_with_nothing_to_spare_are_begun_again_more_often(rng):
    arm = chain(6, limits=tuple(Hinge(name, axis) for name, axis in zip(names(6), 2 * AXES, strict=True)))
    pose = rest_pose(arm)
    for effector, tight in ((end_of(6, rotation_weight=1.0), True), (end_of(6), False)):
        problem, _, _ = started(arm, pose, (effector,), random_targets(rng, (effector,), 1))
        assert are_tight(problem) == tight
    problem, _, _ = started(chain(6), pose, (effector,), random_targets(rng, (effector,), 1))
    assert not are_tight(problem)
    assert rounds(3, tight=True) == (1, 2, 4, 8, 15)
    assert rounds(3, tight=False) == (3,)
    assert rounds(3, tight=False, again=True) == (3, 6)
    assert sum(rounds(1000, tight=False, again=True)) == sum(rounds(1000, tight=False))


def test_what_a_row_has_to_spare_is_its_own(rng):
    """Two rows of one arm: in the second the hinges are locked."""
    free = np.array([[np.pi, 0, 0], [0, 0, 0]])
    arm = chain(6, limits=tuple(EulerLimit(name, "XYZ", -free, free) for name in names(6)))
    effector = end_of(6)
    problem, _, _ = started(arm, rest_pose(arm, 2), (effector,), random_targets(rng, (effector,), 2))
    assert are_tight(problem).tolist() == [False, True]


def test_no_more_starts_are_tried_than_there_are(rng):
    hinges = tuple(Hinge(name, axis, -0.1, 0.1) for name, axis in zip(names(6), 2 * AXES, strict=True))
    for limits, weight, times in ((hinges, 1.0, 10), ((), 0.0, 1)):
        arm, effector = chain(6, limits=limits), end_of(6, rotation_weight=weight)
        problem, state, _ = started(arm, rest_pose(arm), (effector,), random_targets(rng, (effector,), 1))
        there_are = seeds(problem, state).ranked().shape[1]
        for count in (1, 8, 1000):
            assert sum(rounds(count, bool(are_tight(problem)))) == min(times * count, there_are)


def test_all_starts_may_be_tried():
    """On a target near the root, where lengths do not say that the stiff arm cannot get there."""
    arm = chain(6, limits=tuple(Hinge(name, (1, 0, 0), -0.1, 0.1) for name in names(6)))
    targets = Targets([[[0.0, 0.5, 0.0]]], unturned(1, 1))
    solution = solve(arm, rest_pose(arm), (end_of(6, rotation_weight=1.0),), targets, Settings(restarts=1000))
    assert solution.stopped[0] == "STALLED"
