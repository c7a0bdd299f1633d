# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that must hold and targets that should: the first rank is met whenever it can be."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limit_checks import random_hinge
from random_rigs import (
    ANCHORED,
    FREE,
    HUMAN_EFFECTORS,
    MET,
    chain,
    end_of,
    human,
    names,
    quaternions,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    targets_at,
    unturned,
)

from solvers import (
    Comfort,
    Effector,
    EffectorError,
    Hinge,
    Plane,
    Settings,
    Targets,
    forward,
    rest_pose,
    solve,
)
from solvers.geometry import angle_between, quaternion_to_matrix
from solvers.problem import (
    heaviest,
    left_by_rank,
    make_problem,
    measure,
    of_ranks,
    pose_from_state,
    ranks_of,
    rmsd,
    state_from_pose,
    within_limits,
)
from solvers.request import Request

HIPS, HEAD, FEET = 0, 1, (4, 5)
PINS = ("hips", "foot.L", "foot.R")
DOWN = np.array([0.0, 0.0, -0.44])


def ranked(effectors, first):
    """The effectors, those on the bones of ``first`` in rank 1."""
    return tuple(replace(e, rank=1 if e.bone in first else 2) for e in effectors)


def dragged(skeleton, effectors, effector, moves):
    """Targets at rest but for one effector's, which is moved by ``moves`` (batch, 3)."""
    rest = targets_at(skeleton, rest_pose(skeleton, len(moves)), effectors)
    positions = rest.positions.copy()
    positions[:, effector] += moves
    return Targets(positions, rest.rotations)


def knees_forward():
    """The figure with knees that bend one way only, as people's do."""
    return replace(human(), limits=tuple(Hinge(f"shin.{side}", (1, 0, 0), 0.0, 2.5) for side in "LR"))


def apart(pose, other):
    """How far the joints of two poses are turned apart at most, (batch,), degrees."""
    matrices = (quaternion_to_matrix(each.rotations) for each in (pose, other))
    return np.degrees(angle_between(*matrices).max(axis=-1))


def second_rank(solution, effectors):
    """The squared lengths that effectors of the second rank miss by, (batch,)."""
    return (solution.position_residuals**2 @ [e.rank == 2 for e in effectors]).round(12)


@pytest.mark.parametrize("skeleton", [human(), knees_forward()], ids=["free", "knees"])
def test_hips_dragged_down_are_met_with_the_feet_and_the_head_gives_way(skeleton):
    effectors = ranked(HUMAN_EFFECTORS, PINS)
    targets = dragged(skeleton, effectors, HIPS, DOWN[None])
    shared = solve(skeleton, rest_pose(skeleton), HUMAN_EFFECTORS, targets)
    assert shared.position_residuals[0, HIPS] > 0.2
    found = solve(skeleton, rest_pose(skeleton), effectors, targets)
    held = [HIPS, *FEET]
    assert found.position_residuals[0, held].max() <= MET
    assert found.rotation_residuals[0, held].max() <= MET
    assert found.position_residuals[0, HEAD] > 0.4
    assert found.held_by[0, HEAD] == HIPS
    assert (found.held_by[0, held] == -1).all()


def test_knees_bend_forward_under_hips_that_must_be_low():
    skeleton = knees_forward()
    effectors = ranked(HUMAN_EFFECTORS, PINS)
    found = solve(skeleton, rest_pose(skeleton), effectors, dragged(skeleton, effectors, HIPS, DOWN[None]))
    _, heads = forward(skeleton, found.pose)
    knees, ankles = (heads[0, skeleton.index(name)] for name in ("shin.L", "foot.L"))
    assert knees[1] < ankles[1] - 0.2


@pytest.mark.parametrize("stiffness", [0.0, 0.9, 0.99])
@pytest.mark.parametrize("short", [1e-5, 1e-3])
@pytest.mark.parametrize(("bones", "held"), [(4, 1), (6, 2), (8, 3)])
def test_an_arm_stretches_all_the_way_to_what_is_hardly_out_of_its_reach(bones, held, short, stiffness):
    """Its bends shorten it by their squares: what they cost is as little as what is left.

    And the less the stiffer its bones: a step bends those less.
    """
    stiff = np.where(np.arange(bones) % 2, stiffness, 0.0)
    skeleton = replace(chain(bones), stiffness=stiff)
    effectors = Effector(names(bones)[held], rank=1, rotation_weight=0.0), end_of(bones, rank=2)
    rng = np.random.default_rng(0)
    start = random_pose(rng, skeleton, 8)
    hold = targets_at(skeleton, start, effectors).positions[:, 0]
    ways = rng.normal(size=(8, 3))
    ways /= np.linalg.norm(ways, axis=-1, keepdims=True)
    beyond = hold + ways * ((bones - held) / bones + short)
    targets = Targets(np.stack([hold, beyond], axis=1), unturned(8, 2))
    found = solve(skeleton, start, effectors, targets, Settings(tolerance=1e-7))
    assert np.allclose(found.position_residuals, [0, short], rtol=1e-7, atol=1e-13)


def ankles_that_bend_little():
    """The figure within hinges at knees and ankles: low hips lift the heels of feet that stay in place."""
    ankles = (Hinge(f"foot.{side}", (1, 0, 0), -0.3, 0.3) for side in "LR")
    return replace(knees_forward(), limits=(*knees_forward().limits, *ankles))


def test_turns_of_a_lower_rank_give_way_to_places():
    """What must be in place is, and the feet's rotation comes as near as that lets it."""
    skeleton, of_one = ankles_that_bend_little(), ranked(HUMAN_EFFECTORS, PINS)
    targets = dragged(skeleton, of_one, HIPS, DOWN[None])
    shared = solve(skeleton, rest_pose(skeleton), of_one, targets)
    assert shared.position_residuals[0, [HIPS, *FEET]].max() > 0.01
    split = tuple(replace(e, rotation_rank=2) if e.bone in PINS[1:] else e for e in of_one)
    found = solve(skeleton, rest_pose(skeleton), split, targets)
    assert found.position_residuals[0, [HIPS, *FEET]].max() <= MET
    assert 0.1 < found.rotation_residuals[0, list(FEET)].max() < 1.0
    assert (found.held_by[0, list(FEET)] == HIPS).all()


def test_a_rank_of_rotations_makes_no_difference_where_all_is_met():
    skeleton = human()
    split = tuple(replace(effector, rotation_rank=3) for effector in HUMAN_EFFECTORS)
    targets = targets_at(skeleton, random_pose(np.random.default_rng(1), skeleton), split)
    found, as_before = (solve(skeleton, rest_pose(skeleton), e, targets) for e in (split, HUMAN_EFFECTORS))
    assert np.array_equal(found.pose.rotations, as_before.pose.rotations)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_the_first_rank_is_met_whenever_it_can_be_whatever_the_second_asks(seed):
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng, int(rng.integers(4, 14)), freedom=(FREE, ANCHORED)[seed % 2])
    effectors = random_effectors(rng, skeleton, int(rng.integers(2, 5)), rotation_weight=float(seed % 3 == 0))
    effectors = tuple(replace(e, rank=int(rng.integers(1, 3))) for e in effectors)
    first = [e.rank == 1 for e in effectors]
    start, met, other = (
        random_pose(rng, skeleton),
        targets_at(skeleton, random_pose(rng, skeleton), effectors),
        random_targets(rng, effectors),
    )
    mixed = Targets(
        *(
            np.where(np.array(first)[:, None], *pair)
            for pair in zip((met.positions, met.rotations), (other.positions, other.rotations), strict=True)
        )
    )
    found = solve(skeleton, start, effectors, mixed)
    if not any(first):
        return
    alone = solve(
        skeleton,
        start,
        [e for e in effectors if e.rank == 1],
        Targets(mixed.positions[:, first], mixed.rotations[:, first]),
    )
    if alone.converged[0]:
        reach = 2 * np.linalg.norm(skeleton.offsets, axis=-1).sum() + 5
        assert found.position_residuals[0, first].max() <= MET * reach
        assert found.rotation_residuals[0, first].max() <= MET


def hinged_tree(rng):
    """A tree every other bone of which is a hinge, and all of which have a comfort."""
    skeleton = random_tree(rng, 10)
    hinges = tuple(random_hinge(rng, bone) for bone in skeleton.names[1::2])
    at_ease = tuple(Comfort(bone, quaternions(rng, spread=0.3)) for bone in skeleton.names[1:])
    return replace(skeleton, limits=hinges, comforts=at_ease)


@pytest.mark.parametrize("seed", [13, 29])
def test_what_must_hold_is_met_where_it_is_met_alone_from_the_same_start(seed):
    """What all targets come to together, where a search by rank begins, is a trap in 6 of these 32 rows."""
    rng = np.random.default_rng(seed)
    skeleton, settings = hinged_tree(rng), Settings(restarts=0)
    effectors = [
        replace(e, rank=1 + number % 2)
        for number, e in enumerate(random_effectors(rng, skeleton, 4, rotation_weight=0.0))
    ]
    start, reached = (random_pose(rng, skeleton, 16, spread=0.6) for _ in range(2))
    problem = make_problem(Request(skeleton, reached, effectors, targets_at(skeleton, reached, effectors)))
    reached = pose_from_state(problem, within_limits(problem, state_from_pose(problem, reached)), reached)
    met, first = targets_at(skeleton, reached, effectors), np.array([e.rank == 1 for e in effectors])
    places = np.where(first[:, None], met.positions, rng.normal(size=(16, 4, 3)))
    found = solve(skeleton, start, effectors, Targets(places, met.rotations), settings)
    held = [e for e in effectors if e.rank == 1]
    alone = solve(skeleton, start, held, Targets(places[:, first], met.rotations[:, first]), settings)
    assert np.count_nonzero(alone.converged) >= 15
    missed = found.position_residuals[:, first].max(axis=1)
    assert missed[alone.converged].max() <= MET * np.linalg.norm(skeleton.offsets, axis=-1).sum()


def test_lowering_the_second_rank_ends_no_higher_than_the_first_rank_alone(rng):
    skeleton = knees_forward()
    effectors = ranked(HUMAN_EFFECTORS, PINS)
    for _ in range(10):
        targets = dragged(skeleton, effectors, HIPS, rng.normal(size=(1, 3)) * 0.15)
        free = tuple(
            e if e.rank == 1 else replace(e, position_weight=0.0, rotation_weight=0.0) for e in effectors
        )
        alone = solve(skeleton, rest_pose(skeleton), free, targets)
        _, points = forward(skeleton, alone.pose)
        left = targets.positions[0] - points[0, [skeleton.index(e.bone) for e in effectors]]
        others = [e.rank == 2 for e in effectors]
        found = solve(skeleton, rest_pose(skeleton), effectors, targets)
        assert second_rank(found, effectors)[0] <= (left[others] ** 2).sum() + 1e-9


def test_ranks_change_nothing_where_all_targets_are_met_or_all_are_of_one_rank(rng):
    skeleton, start = knees_forward(), rest_pose(human(), 6)
    met = targets_at(skeleton, random_pose(rng, skeleton, 6, spread=0.05, shift=0.02), HUMAN_EFFECTORS)
    missed = dragged(skeleton, HUMAN_EFFECTORS, HIPS, np.repeat(DOWN[None], 6, axis=0))
    for targets, first in ((met, PINS), (missed, ()), (missed, [e.bone for e in HUMAN_EFFECTORS])):
        plain = solve(skeleton, start, HUMAN_EFFECTORS, targets)
        found = solve(skeleton, start, ranked(HUMAN_EFFECTORS, first), targets)
        rows = plain.converged if first == PINS else slice(None)
        assert np.array_equal(found.pose.rotations[rows], plain.pose.rotations[rows])
        assert np.array_equal(found.held_by[rows], plain.held_by[rows])


@pytest.mark.parametrize("skeleton", [human(), knees_forward()], ids=["free", "knees"])
def test_a_drag_there_and_back_has_one_pose_for_one_target(skeleton):
    effectors = ranked(HUMAN_EFFECTORS, PINS)
    shares = np.append(np.linspace(0, 1, 10), np.linspace(1, 0, 10)[1:])
    targets = dragged(skeleton, effectors, HIPS, shares[:, None] * DOWN)
    body, pose, poses = skeleton.drawn_to(rest_pose(skeleton)), rest_pose(skeleton), []
    for row in range(len(shares)):
        found = solve(body, pose, effectors, targets.rows(slice(row, row + 1)))
        assert found.position_residuals[0, [HIPS, *FEET]].max() <= 2 * MET
        pose = found.pose
        poses.append(pose)
    for there, back in zip(poses[:10], poses[:8:-1], strict=True):
        assert apart(there, back)[0] < 0.1
    assert max(apart(one, two)[0] for one, two in pairwise(poses)) < 40


def test_frames_in_sequence_keep_the_first_rank_in_every_frame():
    skeleton, effectors = knees_forward(), ranked(HUMAN_EFFECTORS, PINS)
    targets = dragged(skeleton, effectors, HIPS, np.linspace(0, 1, 12)[:, None] * DOWN)
    for body in (skeleton, skeleton.drawn_to(rest_pose(skeleton))):
        found = solve(body, rest_pose(body, 12), effectors, targets, in_sequence=True)
        assert found.position_residuals[:, [HIPS, *FEET]].max() <= 2 * MET
        turns = quaternion_to_matrix(found.pose.rotations)
        assert np.degrees(angle_between(turns[1:], turns[:-1]).max()) < 40


def test_a_first_rank_that_cannot_be_met_is_shared_by_weights():
    skeleton, effectors = human(), ranked(HUMAN_EFFECTORS, PINS)
    targets = dragged(skeleton, effectors, HIPS, np.array([[0.0, 0.0, 0.5]]))
    found = solve(skeleton, rest_pose(skeleton), effectors, targets)
    alone = solve(
        skeleton,
        rest_pose(skeleton),
        [e for e in effectors if e.rank == 1],
        Targets(targets.positions[:, [HIPS, *FEET]], targets.rotations[:, [HIPS, *FEET]]),
    )
    held = found.position_residuals[0, [HIPS, *FEET]]
    assert held.min() > 0.05
    assert np.allclose(held, alone.position_residuals[0], atol=1e-3)


def test_a_third_rank_gives_way_to_the_second():
    skeleton = human()
    effectors = [replace(e, rank={"head": 3}.get(e.bone, 2)) for e in ranked(HUMAN_EFFECTORS, PINS)]
    effectors = [replace(e, rank=1) if e.bone in PINS else e for e in effectors]
    targets = dragged(skeleton, effectors, HIPS, DOWN[None])
    found = solve(skeleton, rest_pose(skeleton), effectors, targets)
    plain = solve(skeleton, rest_pose(skeleton), ranked(HUMAN_EFFECTORS, PINS), targets)
    assert found.position_residuals[0, [HIPS, *FEET]].max() <= 2 * MET
    assert found.position_residuals[0, 2:4].max() <= plain.position_residuals[0, 2:4].max() + MET


def test_what_falls_off_or_has_too_many_joints_is_lowered_by_least_squares():
    skeleton = human()
    effectors = tuple(replace(e, falloff=0.9) for e in ranked(HUMAN_EFFECTORS, PINS))
    targets = dragged(skeleton, effectors, HIPS, DOWN[None])
    found = solve(skeleton, rest_pose(skeleton), effectors, targets)
    assert found.position_residuals[0, [HIPS, *FEET]].max() <= 2 * MET
    assert found.position_residuals[0, HEAD] < 0.46


def test_a_rank_below_one_is_refused():
    with pytest.raises(EffectorError, match="'hand' has rank 0"):
        Effector("hand", rank=0)


def test_a_hand_whose_target_is_below_a_plane_that_must_hold_lies_on_it_and_as_near_as_it_can(rng):
    """As near as with its height alone held there, by an effector that counts along no other axis."""
    skeleton, hand = human(), HUMAN_EFFECTORS[2].bone
    effectors = [replace(e, rotation_weight=0.0) if e.bone == hand else e for e in HUMAN_EFFECTORS]
    targets = dragged(skeleton, effectors, 2, np.array([[-0.4, -0.3, -1.0]]))
    plane = Plane(((hand, (0.0, 0.0, 0.0)),), heights=np.array([1.0]))
    found = solve(skeleton, rest_pose(skeleton), effectors, targets, goals=(plane,))
    assert found.goals_met.all()
    height = Effector(hand, rotation_weight=0.0, rank=1)
    rest = targets.positions[:, 2] * [1, 1, 0] + [0, 0, 1.0]
    axes = np.repeat(np.eye(3)[None], 7, axis=0)
    axes[6] = np.diag([0, 0, 1])
    both = Targets(
        np.concatenate([targets.positions, rest[:, None]], axis=1),
        np.concatenate([targets.rotations, targets.rotations[:, 2:3]], axis=1),
        axes[None],
    )
    on_it = solve(skeleton, rest_pose(skeleton), [*effectors, height], both)
    ends = [np.sum(each.position_residuals[0, :6] ** 2) for each in (found, on_it)]
    assert ends[0] <= 1.02 * ends[1]


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_what_is_missed_of_each_rank_is_what_that_rank_alone_misses(seed, batch):
    rng = np.random.default_rng(seed)
    skeleton = random_tree(rng, 8)
    effectors = tuple(
        replace(e, rank=int(rng.integers(1, 4)), rotation_rank=int(rng.integers(1, 4)))
        for e in random_effectors(rng, skeleton, 4)
    )
    targets = random_targets(rng, effectors, batch)
    pose = random_pose(rng, skeleton, batch)
    plane = Plane(((effectors[0].bone, (0.0, 0.1, 0.0)),), heights=rng.normal(size=1), rank=2)
    problem = make_problem(Request(skeleton, pose, effectors, targets, Settings(), (plane,)))
    state = state_from_pose(problem, pose)
    found = left_by_rank(problem, state, measure(problem, state))
    for column, rank in enumerate(ranks_of(problem)):
        alone = of_ranks(problem, partial(np.equal, rank))
        left = measure(alone, state)
        assert np.array_equal(found.missed[:, column], ~left.met)
        assert np.allclose(found.energies[:, column], left.energy, rtol=1e-12)
        assert np.allclose(found.distances[:, column] * problem.length, rmsd(alone, left), rtol=1e-12)
        assert np.array_equal(found.heaviest[:, column], heaviest(alone))


@pytest.mark.parametrize("weight", [1e12, 1.0, 1e-4, 1e-5, 1e-7, 1e-10])
def test_the_first_rank_holds_whatever_its_weight_against_others(weight):
    """The elbow's target is out of reach, the hand's is not: it gives way as far as the elbow asks."""
    arm = chain(3, length=3.0)
    places = np.array([[[0, 1, 0.5], [0.5, 0.5, 0.5]]])
    elbow = Effector(arm.names[1], position_weight=weight, rotation_weight=0, rank=1)
    hand = Effector(arm.names[2], rotation_weight=0)
    solution = solve(arm, rest_pose(arm), [hand, elbow], Targets(places, unturned(1, 2)))
    hand_left, elbow_left = solution.position_residuals[0]
    towards = places[0, 1] / np.linalg.norm(places[0, 1])
    assert elbow_left == pytest.approx(1 - np.linalg.norm(places[0, 1]), abs=1e-5)
    assert hand_left == pytest.approx(abs(1 - np.linalg.norm(places[0, 0] - towards)), abs=1e-4)
