# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poles that lower ranks hold: half planes, whose rows are smooth where limbs are straight."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_goals import frames_of, group_of, poles
from random_rigs import chain, end_of
from scipy.spatial.transform import Rotation

from solvers import Aim, Effector, Pole, Pose, Settings, Targets, solve
from solvers.problem import lowering, make_problem, measure, state_from_pose, where_reached
from solvers.request import Request
from solvers.steps.held import brought_back

ROWS = 12
STEP = 1e-6
LIMB = "bone.001", "bone.002", "bone.004"
UP = np.array([[0.0, 0.0, 1.0]])


def sides(goals, points):
    """Return how far middles are beside and behind, (batch, m, 2), and the sines of the targets' angles."""
    upper, middle, end = np.moveaxis(points, 2, 0)
    line = (end - upper) / np.linalg.norm(end - upper, axis=-1, keepdims=True)
    ways = [goal.along if goal.at is None else goal.at - upper[:, m] for m, goal in enumerate(goals)]
    way = np.stack(np.broadcast_arrays(*ways, upper[:, 0])[:-1], axis=1)
    way = way / np.linalg.norm(way, axis=-1, keepdims=True)
    ahead = way - np.sum(way * line, axis=-1, keepdims=True) * line
    sine = np.linalg.norm(ahead, axis=-1, keepdims=True)
    across = np.cross(line, ahead / sine)
    places = [np.sum((middle - upper) * direction, axis=-1) for direction in (across, -ahead / sine)]
    return np.stack(places, axis=-1), sine


@given(seed=st.integers(0, 2**32 - 1), straight=st.booleans())
def test_rows_of_held_poles_are_how_far_elbows_are_from_their_half_planes(seed, straight):
    rng = np.random.default_rng(seed)
    goals = poles(rng, batch=2)
    points = frames_of(rng, goals, batch=2)[0]
    if straight:
        points[:, :, 1] = 0.4 * points[:, :, 0] + 0.6 * points[:, :, 2]
    everything = np.ones(len(goals), bool)
    group = group_of(goals).held(points, np.full(2, 1e9), everything)
    assert group.kept.all()
    wanted, sine = sides(goals, points)
    # Targets in line with a limb fade, which the slopes leave out.
    scale = np.sqrt(np.stack([goal.weighed for goal in goals], axis=-1))[..., None] * 4
    scale = scale * sine**2 / (sine**2 + (1 / 50) ** 2)
    assert np.allclose(group.excess(points), scale * wanted, atol=1e-9)
    found = group.excess_slopes(points)
    for frame in range(3):
        for axis in range(3):
            step = np.zeros(points.shape)
            step[:, :, frame, axis] = STEP
            after, before = (sides(goals, points + sign * step)[0] for sign in (1, -1))
            expected = scale * (after - before) / (2 * STEP)
            size = 1 + np.abs(expected).max() ** 2
            assert np.allclose(found[..., frame, axis], expected, atol=1e-5 * size)


def arm(lift, batch=1):
    """Return a chain whose middle joint is lifted off the line of its limb by an angle, and its rest."""
    skeleton = chain(5, length=1.2)
    turns = np.zeros((batch, 5, 3))
    turns[:, 1, 0], turns[:, 2, 0] = lift, -2.0 * lift
    turned = Rotation.from_rotvec(turns.reshape(-1, 3)).as_quat(scalar_first=True).reshape(batch, 5, 4)
    return skeleton, Pose(turned, np.zeros((batch, 5, 3)))


def test_an_elbow_that_a_step_took_across_the_line_is_brought_back_to_the_line():
    """By its angle it would swing by half a turn, and farther from the line than it was."""
    skeleton, pose = arm(0.2)
    goals, end = (Pole(*LIMB, along=UP, rank=1),), (end_of(5, 1.2, rank=2),)
    targets = Targets(np.array([[[0.0, 3.0, 0.0]]]), np.array([[[1.0, 0.0, 0.0, 0.0]]]))
    problem = make_problem(Request(skeleton, pose, end, targets, Settings(), goals=goals))
    state = state_from_pose(problem, pose)
    kept = lowering(problem, where_reached(problem, 1, state, np.ones(1, bool)), 2).holding.reached
    across = state_from_pose(problem, arm(-0.05)[1])
    assert not measure(kept, across).met.any()
    back = brought_back(kept, across)
    assert measure(kept, back).met.all()
    moved = np.linalg.norm(back.heads[0, 2] - across.heads[0, 2])
    assert moved < 2 * abs(across.heads[0, 2, 2])


def pulled_straight(rng):
    """Return bent arms, what they cannot reach, and goals that must hold: an elbow's pole and an aim."""
    skeleton = chain(5, length=1.2)
    turns = np.zeros((ROWS, 5, 3))
    turns[:, 2], turns[:, 0] = (1.0, 0.0, 0.0), 0.1 * rng.normal(size=(ROWS, 3))
    turned = Rotation.from_rotvec(turns.reshape(-1, 3)).as_quat(scalar_first=True).reshape(ROWS, 5, 4)
    effectors = end_of(5, 1.2, rank=2), Effector("bone.001", (0, 0, 0.1), rotation_weight=0.0, rank=3)
    ways = rng.normal(size=(ROWS, 3))
    far = 1.6 * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    targets = Targets(np.stack([far, 0.4 * rng.normal(size=(ROWS, 3))], axis=1), unturned_targets())
    goals = (
        Pole(*LIMB, along=rng.normal(size=(1, 3)), rank=1),
        Aim("bone.000", at=2 * rng.normal(size=(1, 3)), rank=1),
    )
    return skeleton, Pose(turned, np.zeros((ROWS, 5, 3))), effectors, targets, goals


def unturned_targets():
    return np.broadcast_to([1.0, 0.0, 0.0, 0.0], (ROWS, 2, 4))


def test_an_arm_with_a_pole_that_must_hold_is_straight_after_a_few_steps(rng):
    *asked, goals = pulled_straight(rng)
    short, long = (solve(*asked, Settings(iterations=most), goals=goals) for most in (30, 400))
    assert long.goals_met.all()
    assert short.goals_met.all()
    assert np.abs(short.position_residuals - long.position_residuals).max() < 1e-4
