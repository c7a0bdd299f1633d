# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of a drag in haste, where goals give way: what comes first is met, the rest follows calmly."""

from dataclasses import replace
from importlib import import_module
from math import inf

import numpy as np
import pytest
from random_rigs import HUMAN_EFFECTORS, MET, human, targets_at

from solvers import (
    Effector,
    Haste,
    Hinge,
    Plane,
    Request,
    Settings,
    Targets,
    forward,
    rest_pose,
    solve,
    solve_in_parts,
)
from solvers.geometry import angle_between, quaternion_to_matrix, rotation_vector_to_quaternion
from solvers.pauses import finished, told_if_late
from solvers.search import haste

stacked = import_module("solvers.steps.stacked")  # of the same name the room exports a function

HASTE = Settings(iterations=4, restarts=0, haste=Haste())
HIPS, HEAD, HAND = 0, 1, 2
DRAGGED, LATER = 2, 3
SPRINGS = replace(HASTE, haste=Haste(springs=LATER))


def limited():
    """The figure with knees that bend one way only, drawn to rest."""
    knees = (Hinge(f"shin.{side}", (1, 0, 0), 0.0, 2.5) for side in "LR")
    skeleton = replace(human(), limits=tuple(knees))
    return skeleton.drawn_to(rest_pose(skeleton))


def effectors(dragged):
    """Feet come first, then what is dragged, then the others."""
    ranks = {HUMAN_EFFECTORS[dragged].bone: DRAGGED, "foot.L": 1, "foot.R": 1}
    return tuple(replace(e, rank=ranks.get(e.bone, LATER)) for e in HUMAN_EFFECTORS)


def moves(skeleton, asked, dragged, way, count):
    """Targets of each move: one effector's goes along a way, there and back."""
    rest = targets_at(skeleton, rest_pose(skeleton), asked)
    shares = np.append(np.arange(1, count + 1), np.arange(count - 1, -1, -1)) / count
    for share in shares:
        positions = rest.positions.copy()
        positions[:, dragged] += share * np.array(way)
        yield Targets(positions, rest.rotations)


def largest_turn(pose, other):
    """How far a joint is turned between two poses at most, radians."""
    matrices = (quaternion_to_matrix(each.rotations) for each in (pose, other))
    return angle_between(*matrices).max()


@pytest.mark.parametrize("dragged", [HIPS, HEAD], ids=["hips", "head"])
def test_feet_and_what_is_dragged_are_met_in_every_move_while_others_give_way(dragged):
    skeleton, asked = limited(), effectors(dragged)
    pose, gave_way = rest_pose(skeleton), 0
    for targets in moves(skeleton, asked, dragged, (0, 0, -0.3), 20):
        found = solve(skeleton, pose, asked, targets, HASTE)
        assert found.position_residuals[0, [dragged, 4, 5]].max() < 2 * MET
        assert found.rotation_residuals[0, [dragged, 4, 5]].max() < 2 * MET
        assert largest_turn(found.pose, pose) < 0.5
        gave_way += not found.converged[0]
        pose = found.pose
    assert gave_way > 20


def test_a_move_within_reach_takes_one_step_and_leads_where_all_steps_do():
    """But for the first and the last, where the limbs are straight."""
    skeleton, asked = limited(), effectors(HEAD)
    rest = rest_pose(skeleton)
    pose, lags, all_steps = rest, [], replace(HASTE, haste=None, iterations=60)
    for targets in moves(skeleton, asked, HEAD, (0.0, -0.1, -0.02), 12):
        found = solve(skeleton, pose, asked, targets, HASTE)
        best = solve(skeleton, rest, asked, targets, all_steps)
        assert found.converged[0]
        assert found.iterations[0] == 1
        lags.append(np.degrees(largest_turn(found.pose, best.pose)))
        pose = found.pose
    assert max(lags[1:-1]) < 0.5
    assert max(lags) < 2.0


def test_a_step_that_the_next_one_brings_back_is_not_given_up():
    """Legs that were straight bend far, and the way is round: the step ends farther off than it began."""
    skeleton, asked = limited(), effectors(HEAD)
    pose = rest_pose(skeleton)
    for targets in list(moves(skeleton, asked, HEAD, (0, 0, -0.3), 50))[:3]:
        found = solve(skeleton, pose, asked, targets, HASTE)
        assert found.converged[0]
        assert found.iterations[0] == 1
        pose = found.pose


@pytest.mark.parametrize(
    ("dragged", "way", "count"), [(HAND, (0.3, 0, 0.5), 8), (HIPS, (0, 0, -0.3), 8), (HIPS, (0, -0.1, 0), 50)]
)
def test_what_was_tried_to_the_end_in_vain_is_not_tried_again(monkeypatch, dragged, way, count):
    skeleton, asked, tries = limited(), effectors(dragged), []

    def noted(problem, start, left, held, brisk, settings):
        ended, kept, given_up = yield from lowered(problem, start, left, held, brisk, settings)
        tries.append((tuple(held), bool(given_up[0])))
        return ended, kept, given_up

    lowered = haste._lowered
    monkeypatch.setattr(haste, "_lowered", noted)
    pose, torn = rest_pose(skeleton), 0
    for targets in list(moves(skeleton, asked, dragged, way, count))[:12]:
        tries.clear()
        pose = solve(skeleton, pose, asked, targets, HASTE).pose
        to_the_end = [held for held, given_up in tries if not given_up]
        assert len(set(to_the_end)) == len(to_the_end)
        torn += len(tries) > 1
    assert torn


def test_what_is_lost_is_lowered_at_once_and_what_comes_first_is_held(monkeypatch):
    skeleton, asked, held = limited(), effectors(HAND), []
    first, second, *_ = moves(skeleton, asked, HAND, (0.3, 0.0, 0.4), 10)
    pose = solve(skeleton, rest_pose(skeleton), asked, first, HASTE).pose
    way = np.linalg.norm(second.positions - first.positions, axis=-1)[0, HAND]

    def noted(problem, start, left, hold, *given):
        held.append([int(rank) for rank in left.ranks[hold]])
        return (yield from lowered(problem, start, left, hold, *given))

    lowered = haste._lowered
    monkeypatch.setattr(haste, "_lowered", noted)
    left = {}
    for lost in (0, LATER, DRAGGED):
        held.clear()
        found = solve(skeleton, pose, asked, second, replace(HASTE, haste=Haste(lost=lost)))
        (ranks,) = held
        assert ranks[0] == 1
        assert (DRAGGED in ranks) == (lost != DRAGGED)
        assert found.position_residuals[0, [4, 5]].max() < 2 * MET
        left[lost] = found.position_residuals[0, HAND]
    assert left[0] == left[LATER] < 2 * MET < left[DRAGGED] < 0.5 * way


@pytest.mark.parametrize(
    ("is_drawn", "way"),
    [(True, (5.4e-3, -1e-3, 6.6e-3)), (False, (5e-3, -1e-3, 7e-3)), (False, (0, 0, 0.04))],
)
def test_the_first_move_of_a_foot_from_straight_legs_meets_all_that_can_be_met(is_drawn, way):
    skeleton = limited() if is_drawn else replace(human(), limits=limited().limits)
    ranks = {"foot.R": 1, "foot.L": DRAGGED}
    asked = tuple(replace(effector, rank=ranks.get(effector.bone, LATER)) for effector in HUMAN_EFFECTORS)
    rest = rest_pose(skeleton)
    targets = targets_at(skeleton, rest, asked)
    moved = np.array([[effector.rank == DRAGGED] for effector in asked]) * way
    found = solve(skeleton, rest, asked, Targets(targets.positions + moved, targets.rotations), HASTE)
    assert found.converged[0]


def test_what_is_out_of_reach_costs_the_first_rank_nothing():
    skeleton, asked = limited(), effectors(HAND)
    pose = rest_pose(skeleton)
    for targets in moves(skeleton, asked, HAND, (0.6, 0.0, 1.0), 20):
        found = solve(skeleton, pose, asked, targets, HASTE)
        assert found.position_residuals[0, [4, 5]].max() < 2 * MET
        pose = found.pose


@pytest.mark.parametrize(("dragged", "way"), [(HIPS, (0, 0, -0.3)), (HAND, (0.6, 0.0, 1.0))])
def test_poses_draw_near_to_the_best_one_while_moves_go_on(dragged, way):
    """Of a target that stays where it is: what gives way is missed by hardly more than with all steps."""
    skeleton, asked = limited(), effectors(dragged)
    *_, targets = list(moves(skeleton, asked, dragged, way, 20))[:20]
    best, pose = solve(skeleton, rest_pose(skeleton), asked, targets), rest_pose(skeleton)
    for _ in range(30):
        found = solve(skeleton, pose, asked, targets, HASTE)
        pose = found.pose
    assert found.rmsd[0] < 1.05 * best.rmsd[0]
    first = [row for row, effector in enumerate(asked) if effector.rank < LATER]
    worse = found.position_residuals[0, first] - best.position_residuals[0, first]
    assert worse.max() < 2e-3


@pytest.mark.parametrize(
    ("dragged", "way"), [(HIPS, (0, 0, -0.15)), (HIPS, (0.2, 0.1, -0.2)), (HEAD, (0.05, -0.1, -0.1))]
)
def test_moves_on_the_spot_draw_near_to_one_pose_whatever_the_way_there(dragged, way):
    """So the body does not jump when the mouse rests."""
    skeleton, asked = limited(), effectors(dragged)
    *there, farthest, targets, _ = list(moves(skeleton, asked, dragged, way, 6))[:8]
    ends = []
    for line in ([*there, targets], [*there, farthest, targets]):
        pose = rest_pose(skeleton)
        for each in line + 8 * [targets]:
            pose = solve(skeleton, pose, asked, each, SPRINGS).pose
        ends.append(pose)
    assert np.degrees(largest_turn(*ends)) < 1e-3


@pytest.mark.parametrize(
    ("dragged", "way", "count", "law", "most"),
    [
        (HIPS, (0, 0, -0.3), 25, SPRINGS, 0.1),
        (HEAD, (0, 0, -0.3), 25, SPRINGS, 0.1),
        (HAND, (0.6, 0.0, 1.0), 25, SPRINGS, 2.0),
        (HIPS, (0.2, 0.1, -0.2), 5, SPRINGS, 0.15),
        (HEAD, (0.1, -0.2, -0.2), 8, SPRINGS, 0.5),
        (HAND, (0.3, 0.0, 0.3), 8, SPRINGS, 0.3),
        (HAND, (-0.2, -0.2, 0.3), 5, HASTE, 0.1),
        (HAND, (0.6, 0.0, 1.0), 8, HASTE, 12.0),
    ],
)
def test_there_and_back_poses_are_alike(dragged, way, count, law, most):
    """Where others give way the pose goes by the targets, not by the way to them; out of reach nearly so.

    In fast drags, of few moves, too, where a single step each would lag behind.
    """
    skeleton, asked = limited(), effectors(dragged)
    pose, poses = rest_pose(skeleton), []
    for targets in moves(skeleton, asked, dragged, way, count):
        pose = solve(skeleton, pose, asked, targets, law).pose
        poses.append(pose)
    back = poses[-2 : count - 1 : -1]
    apart = [largest_turn(*pair) for pair in zip(poses[: count - 1], back, strict=True)]
    assert np.degrees(np.median(apart)) < most


@pytest.mark.parametrize(("law", "least"), [(SPRINGS, 2), (HASTE, 1)], ids=["springs", "calm"])
def test_a_move_that_is_late_takes_no_more_steps_than_it_must(monkeypatch, law, least):
    skeleton, asked, steps = limited(), effectors(HEAD), []

    def noted(*given):
        steps.append(given)
        return made(*given)

    made = stacked._stepped
    first, second, *_ = moves(skeleton, asked, HEAD, (0.1, -0.2, -0.2), 4)
    pose = solve(skeleton, rest_pose(skeleton), asked, first, law).pose
    monkeypatch.setattr(stacked, "_stepped", noted)
    request = Request(skeleton, pose, asked, second, law)
    finished(solve_in_parts(request))
    in_time = len(steps)
    told_if_late(solve_in_parts(request), -inf, inf)
    assert len(steps) - in_time == least < in_time


def test_a_body_slides_to_another_pose_at_its_pace_and_gets_there():
    """On the spot, from an arm that is swung away from where it is drawn to."""
    skeleton, asked, pace = limited(), effectors(HEAD), 0.1
    rotations = rest_pose(skeleton).rotations.copy()
    rotations[0, skeleton.index("arm.L")] = rotation_vector_to_quaternion(np.array([0.0, 0.0, 1.2]))
    begin = replace(rest_pose(skeleton), rotations=rotations)
    targets = targets_at(skeleton, rest_pose(skeleton), asked)
    at_once = solve(skeleton, begin, asked, targets, SPRINGS).pose
    assert largest_turn(at_once, begin) > 2 * pace
    pose, turns, paced = begin, [], replace(SPRINGS, haste=Haste(springs=LATER, pace=pace))
    for _ in range(20):
        found = solve(skeleton, pose, asked, targets, paced).pose
        turns.append(largest_turn(found, pose))
        pose = found
    assert 0.9 * pace < max(turns) < 1.1 * pace
    assert largest_turn(pose, rest_pose(skeleton)) < 1e-3


def test_where_all_can_be_met_again_all_is_met():
    skeleton, asked = limited(), effectors(HIPS)
    pose = rest_pose(skeleton)
    for targets in moves(skeleton, asked, HIPS, (0, 0, -0.3), 20):
        pose = solve(skeleton, pose, asked, targets, HASTE).pose
    for _ in range(20):
        found = solve(skeleton, pose, asked, targets, HASTE)
        pose = found.pose
    assert found.converged[0]


def test_a_plane_that_must_hold_holds_while_a_hand_is_dragged_below_it():
    skeleton, asked = limited(), effectors(HAND)
    bone = asked[HAND].bone
    plane = Plane(((bone, (0.0, 0.0, 0.0)),), heights=np.array([1.0]))
    pose = rest_pose(skeleton)
    for targets in moves(skeleton, asked, HAND, (-0.4, -0.3, -1.0), 20):
        found = solve(skeleton, pose, asked, targets, HASTE, goals=(plane,))
        _, heads = forward(skeleton, found.pose)
        assert heads[0, skeleton.index(bone), 2] > 1.0 - 1e-4
        pose = found.pose


def test_in_haste_nothing_is_said_of_what_holds():
    skeleton, asked = limited(), effectors(HIPS)
    *_, targets = list(moves(skeleton, asked, HIPS, (0, 0, -0.3), 4))[:4]
    found = solve(skeleton, rest_pose(skeleton), asked, targets, HASTE)
    assert not found.converged[0]
    assert (found.held_by == -1).all()


def test_one_rank_is_solved_as_without_haste():
    skeleton = limited()
    asked = tuple(Effector(e.bone) for e in HUMAN_EFFECTORS)
    *_, targets = list(moves(skeleton, asked, HIPS, (0, 0, -0.3), 4))[:4]
    hasty = solve(skeleton, rest_pose(skeleton), asked, targets, HASTE)
    plain = solve(skeleton, rest_pose(skeleton), asked, targets, replace(HASTE, haste=None))
    assert np.array_equal(hasty.pose.rotations, plain.pose.rotations)
