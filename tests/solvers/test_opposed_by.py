# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps effectors from their targets: a balance of forces, and what a user would say."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, human, random_pose, targets_at

from solvers import (
    Effector,
    Haste,
    Request,
    Settings,
    Skeleton,
    Targets,
    rest_pose,
    solve,
    solve_in_parts,
    with_opposition_told,
)
from solvers.goals import Plane, Pole
from solvers.limits import Hinge
from solvers.pauses import finished
from solvers.problem import make_problem, state_from_pose
from solvers.steps import opposed

HIPS, HEAD, LEFT, RIGHT, *FEET = range(6)
PINS = ("foot.L", "foot.R")


def pinned(*bones):
    return tuple(replace(e, rank=1 if e.bone in bones else 2) for e in HUMAN_EFFECTORS)


def moved(effector, *by):
    skeleton = human()
    targets = targets_at(skeleton, rest_pose(skeleton), HUMAN_EFFECTORS)
    positions = targets.positions.copy()
    positions[:, effector] += by
    return replace(targets, positions=positions)


def found(skeleton, effectors, targets, **given):
    return solve(skeleton, rest_pose(skeleton, len(targets.positions)), effectors, targets, **given)


def elbows(most):
    """The figure whose elbows bend by no more than so many radians."""
    limits = tuple(Hinge(f"forearm.{side}", (0, 0, 1), -most, most) for side in "LR")
    return replace(human(), limits=limits)


@pytest.mark.parametrize("effectors", [HUMAN_EFFECTORS, pinned(*PINS), pinned("hips", *PINS)])
@pytest.mark.parametrize("skeleton", [human(), elbows(0.2)], ids=["free", "limits"])
def test_at_the_least_the_shares_sum_to_one(skeleton, effectors, rng):
    """The law that the method rests on: what pulls an effector is balanced."""
    targets = targets_at(skeleton, random_pose(rng, skeleton, 5), effectors)
    targets = replace(targets, positions=1.3 * targets.positions)
    settings = Settings(iterations=200, restarts=0)
    start = rest_pose(skeleton, 5)
    solution = solve(skeleton, start, effectors, targets, settings)
    problem = make_problem(Request(skeleton, start, effectors, targets, settings))
    shares = opposed(problem, state_from_pose(problem, solution.pose))
    parts = (shares.holding, shares.pulling, shares.limiting, shares.confining)
    sums = sum(part.sum(axis=-1) for part in parts)
    told = sums != 0
    assert told.sum() > 10
    assert np.median(np.abs(sums[told] - 1)) < 1e-3
    assert (shares.holding[~told] == 0).all()


def test_low_hips_are_what_keeps_the_head_down():
    solution = found(human(), pinned("hips", *PINS), moved(HIPS, 0, 0, -0.44))
    assert solution.held_by[0, HEAD] == HIPS
    assert (solution.held_by[0, [HIPS, *FEET]] == -1).all()


def test_high_hips_are_held_by_pinned_feet():
    solution = found(human(), pinned(*PINS), moved(HIPS, 0, 0, 0.44))
    assert solution.held_by[0, HIPS] in FEET


@pytest.mark.parametrize("by", [(), (HIPS,)])
def test_what_was_found_in_haste_is_told_by_what_comes_first(by):
    """The head is kept down by hips, these by feet; of what is not missed, and where nothing is, nothing."""
    effectors = tuple(replace(e, rank=3) if e.bone == "head" else e for e in pinned(*PINS))
    high, low = moved(HIPS, 0, 0, 0.44), moved(HIPS, 0, 0, 0.0)
    positions, turns = np.concatenate([low.positions, high.positions]), np.repeat(low.rotations, 2, axis=0)
    settings, skeleton = Settings(restarts=0, haste=Haste()), human()
    request = Request(skeleton, rest_pose(skeleton, 2), effectors, Targets(positions, turns), settings)
    hasty = finished(solve_in_parts(request))
    assert (hasty.held_by == -1).all()
    told = with_opposition_told(request, hasty, by).held_by
    assert (told[0] == -1).all()
    assert told[1, HIPS] in FEET
    assert told[1, HEAD] == HIPS if by else told[1, HEAD] >= 0
    assert (told[1, FEET] == -1).all()


def test_within_a_rank_it_is_who_pulls_the_other_way():
    solution = found(human(), HUMAN_EFFECTORS, moved(HIPS, 0, 0, 0.44))
    assert solution.held_by[0, HIPS] in FEET
    assert (solution.held_by[0, FEET] == HIPS).all()


def test_nothing_keeps_off_what_is_met(rng):
    skeleton = human()
    targets = targets_at(skeleton, random_pose(rng, skeleton, 5, spread=0.1), HUMAN_EFFECTORS)
    solution = found(skeleton, HUMAN_EFFECTORS, targets)
    assert solution.converged.all()
    assert (solution.held_by == -1).all()
    assert (solution.limited_by == -1).all()


def arm(most):
    """An anchored arm of two bones a unit long and a hand, along +X; its elbow bends by ``most`` radians."""
    offsets = [[(0.0, 0, 0), (1, 0, 0), (1, 0, 0)]]
    return Skeleton(
        names=("upper", "lower", "hand"),
        parents=(-1, 0, 1),
        offsets=offsets,
        rests=[[(1.0, 0, 0, 0)] * 3],
        inherits_rotation=(True, True, True),
        freedom=np.zeros((3, 3, 3)),
        limits=(Hinge("lower", (0, 0, 1), -most, most),),
    )


def reaching(skeleton, *place):
    hand = (Effector("hand", rotation_weight=0.0),)
    targets = Targets(np.array([[place]], float), np.array([[(1.0, 0, 0, 0)]]))
    return solve(skeleton, rest_pose(skeleton), hand, targets)


def test_the_joint_at_its_limit_is_named():
    """A hand that is to come near its shoulder needs an elbow that bends."""
    solution = reaching(arm(0.3), 0.5, 0.2, 0)
    assert solution.position_residuals[0, 0] > 0.1
    assert solution.limited_by[0, 0] == 1
    assert solution.held_by[0, 0] == -1
    assert reaching(arm(3.1), 0.5, 0.2, 0).limited_by[0, 0] == -1


def test_an_anchored_arm_that_is_too_short_has_nothing_against_it():
    """At full stretch nothing pulls the other way: the bones are too short, and that is all."""
    solution = reaching(arm(1.0), 3.0, 0.5, 0)
    assert solution.out_of_reach[0, 0] > 1
    assert solution.held_by[0, 0] == solution.limited_by[0, 0] == -1


def test_planes_and_poles_are_counted_on_after_the_effectors():
    """In the order given, whatever groups they are in."""
    skeleton = human()
    floor = Plane((("hand.L", (0.0, 0.0, 0.0)),), np.array([[0.0, 0, 1]]), np.array([1.3]), rank=1)
    bend = Pole("arm.R", "forearm.R", "hand.R", at=(0.0, 1.0, 1.0), weight=0.0)
    targets = moved(LEFT, 0, 0, -0.6)
    for goals, number in (((floor, bend), 6), ((bend, floor), 7), ((bend, floor, bend), 7)):
        solution = found(skeleton, HUMAN_EFFECTORS, targets, goals=goals)
        assert solution.position_residuals[0, LEFT] > 0.01
        assert solution.held_by[0, LEFT] == number


@pytest.mark.company
def test_rows_do_not_depend_on_their_company(rng):
    skeleton, effectors = elbows(0.3), pinned(*PINS)
    targets = targets_at(skeleton, random_pose(rng, skeleton, 6), effectors)
    targets = replace(targets, positions=1.2 * targets.positions)
    pose = random_pose(rng, skeleton, 6)
    problem = make_problem(Request(skeleton, pose, effectors, targets))
    state = state_from_pose(problem, pose)
    together = opposed(problem, state)
    for row in range(6):
        alone = opposed(problem.rows(slice(row, row + 1)), state.rows(slice(row, row + 1)))
        for name in ("holding", "pulling", "limiting", "confining"):
            np.testing.assert_array_equal(getattr(alone, name)[0], getattr(together, name)[row])


def crane():
    """An arm that turns on a table, about Z, and bends about Y at its shoulder and its elbow."""
    axes = {"upper": (0, 0, 1), "lower": (0, 1, 0), "hand": (0, 1, 0)}
    return replace(arm(1.0), limits=tuple(Hinge(bone, axis, -3.0, 3.0) for bone, axis in axes.items()))


def test_joints_that_turn_about_one_axis_only_are_named_where_nothing_else_is():
    """A hand straight above a table needs a shoulder there; one to be rolled needs a wrist that rolls."""
    above = reaching(crane(), 0.0, 0.0, 1.2)
    assert above.position_residuals[0, 0] > 0.1
    assert above.out_of_reach[0, 0] == 0
    assert above.limited_by[0, 0] == 0
    assert reaching(crane(), 1.08, -1.44, 0.6).limited_by[0, 0] == -1
    rolled = (Effector("hand", position_weight=0.0),)
    targets = Targets(np.array([[[2.0, 0, 0]]]), np.array([[(np.cos(0.3), np.sin(0.3), 0, 0)]]))
    found = solve(crane(), rest_pose(crane()), rolled, targets)
    assert found.rotation_residuals[0, 0] > 0.1
    assert found.limited_by[0, 0] >= 0


def test_hinges_are_not_named_beside_what_pulls_the_other_way():
    """They are always hinges, and no news."""
    solution = found(elbows(3.0), pinned(*PINS), moved(HIPS, 0, 0, 0.44))
    assert solution.held_by[0, HIPS] in FEET
    assert solution.limited_by[0, HIPS] == -1


def test_that_its_own_rotation_comes_first_is_told_where_nothing_else_is():
    """A hand that is not to be turned cannot go round on a table, which it could else."""
    hand = Effector("hand", rank=3, rotation_rank=2)
    targets = targets_at(crane(), rest_pose(crane()), (hand,))
    aside = replace(targets, positions=targets.positions @ [(0.8, 0.6, 0), (-0.6, 0.8, 0), (0, 0, 1)])
    solution = found(crane(), (hand,), aside)
    assert solution.position_residuals[0, 0] > 0.1
    assert (solution.held_by[0, 0], solution.limited_by[0, 0]) == (0, -1)
    assert found(crane(), (replace(hand, rotation_weight=0),), aside).converged.all()
