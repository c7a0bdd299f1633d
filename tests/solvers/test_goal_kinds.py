# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goals of every kind have in common: slopes, invariances, rows of a batch, weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_goals import KINDS, aims, frames_of, group_of, places, planes, poles, relative_frames
from random_rigs import matrices, quaternions
from scipy.spatial.transform import Rotation

from solvers.goals import Aim, Balance, OneSided, Place, Plane, Pole, RelativeFrame
from solvers.goals.pole import Poles

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
seeds = st.integers(0, 2**32 - 1)
STEP = 1e-6


def turned(rotations, frame, vector):
    """Return the rotations with one frame of each goal turned by a rotation vector in armature space."""
    changed = rotations.copy()
    changed[:, :, frame] = Rotation.from_rotvec(vector).as_matrix() @ changed[:, :, frame]
    return changed


def unfading(group, points):
    """Return the residual as a function of points and rotations, with poles fading as they do here."""
    if not isinstance(group, Poles):
        return group.residual
    here = group.limbs(points).fade
    return lambda there, turns: group.residual(there, turns) * (here / group.limbs(there).fade)[..., None]


def differences(group, points, rotations):
    """Return the derivatives of the residual by points and turns, from central differences."""
    count, residual = points.shape[2], unfading(group, points)
    shape = (*group.residual(points, rotations).shape, count, 3)
    by_point, by_turn = np.zeros(shape), np.zeros(shape)
    for frame in range(count):
        for axis in range(3):
            step = np.zeros(points.shape)
            step[:, :, frame, axis] = STEP
            pair = [residual(points + sign * step, rotations) for sign in (1, -1)]
            by_point[..., frame, axis] = (pair[0] - pair[1]) / (2 * STEP)
            ways = [turned(rotations, frame, sign * STEP * np.eye(3)[axis]) for sign in (1, -1)]
            pair = [residual(points, way) for way in ways]
            by_turn[..., frame, axis] = (pair[0] - pair[1]) / (2 * STEP)
    return by_point, by_turn


@every_kind
@given(seed=seeds)
def test_slopes_are_the_derivatives_of_the_residual(kind, seed):
    rng = np.random.default_rng(seed)
    goals = kind(rng, batch=2)
    group, (points, rotations) = group_of(goals, arm=[0.2, 0.5]), frames_of(rng, goals, batch=2)
    by_point, by_turn = group.slopes(points, rotations)
    wanted = differences(group, points, rotations)
    scale = 1 + np.abs(wanted[0]).max() ** 2 + np.abs(wanted[1]).max() ** 2
    jumps = near_a_jump(group, points, rotations)
    for found, expected in zip((by_point, by_turn), wanted, strict=True):
        apart = np.abs((0 if found is None else by_frame(found, goals)) - expected).max(axis=(3, 4))
        assert (apart / scale)[~jumps].max(initial=0) < 1e-5


def by_frame(slopes, goals):
    """Return slopes (batch, m, r, c, 3) by all frames, also where each row looks at a frame of its own."""
    count = len(goals[0].frames())
    return slopes if slopes.shape[3] == count else slopes * np.eye(count)[:, :, None]


def near_a_jump(group, points, rotations):
    """Return the rows (batch, m, r) where a residual has an edge: half turns, and planes that are touched."""
    half_turns = group.left(points, rotations)[1][..., None] > 3.0
    touched = np.abs(group.excess(points)) < 1e-4 if isinstance(group, OneSided) else False
    return np.broadcast_to(half_turns | touched, group.residual(points, rotations).shape)


@every_kind
@given(seed=seeds)
def test_turning_and_moving_the_whole_scene_changes_nothing(kind, seed):
    rng = np.random.default_rng(seed)
    goals = kind(rng)
    points, rotations = frames_of(rng, goals)
    turn, move = matrices(quaternions(rng)), rng.normal(size=3)
    before = group_of(goals).residual(points, rotations)
    moved = [elsewhere(goal, turn, move) for goal in goals]
    after = group_of(moved).residual(points @ turn.T + move, turn @ rotations)
    # Rows along directions of armature space turn with the scene.
    assert np.allclose((before**2).sum(), (after**2).sum(), rtol=1e-9, atol=1e-12)
    if not isinstance(goals[0], Balance | Place | RelativeFrame):
        assert np.allclose(before, after, atol=1e-9)


def elsewhere(goal, turn, move):
    """Return the goal in a scene that was turned (3, 3) and then moved (3,)."""
    values = {"weight": goal.weight, "weights": goal.weights, "rank": goal.rank}
    if isinstance(goal, RelativeFrame):
        return goal
    if isinstance(goal, Place):
        return Place(goal.bone, goal.positions @ turn.T + move, goal.offset, **values)
    if isinstance(goal, Plane):
        heights = goal.heights + goal.normals @ turn.T @ move
        return Plane(goal.points, goal.normals @ turn.T, heights, **values)
    if isinstance(goal, Balance):
        where = {"at": goal.at, "polygon": goal.polygon}
        where = {name: value @ turn.T + move for name, value in where.items() if value is not None}
        return Balance(goal.masses, level=goal.level @ turn.T, **where, **values)
    where = {"along": goal.along @ turn.T} if goal.at is None else {"at": goal.at @ turn.T + move}
    if isinstance(goal, Aim):
        return Aim(goal.bone, goal.axis, **where, **values)
    return Pole(goal.upper, goal.middle, goal.end, **where, **values)


scaled_kinds = (relative_frames, aims, poles, places, planes)


@pytest.mark.parametrize("kind", scaled_kinds, ids=lambda kind: kind.__name__)
@given(seed=seeds, size=st.sampled_from([1e-3, 0.5, 40.0]))
def test_a_scene_of_another_size_has_residuals_of_that_size(kind, seed, size):
    rng = np.random.default_rng(seed)
    goals = kind(rng)
    points, rotations = frames_of(rng, goals)
    larger = [of_size(goal, size) for goal in goals]
    before = group_of(goals).residual(points, rotations)
    after = group_of(larger, arm=0.1 * size).residual(size * points, rotations)
    assert np.allclose(size * before, after, rtol=1e-9, atol=1e-9 * size)


def of_size(goal, size):
    """Return the goal in a scene that is larger by a factor."""
    values = {"weight": goal.weight, "weights": goal.weights, "rank": goal.rank}
    if isinstance(goal, RelativeFrame):
        values |= {"position_weight": goal.position_weight, "rotation_weight": goal.rotation_weight}
        return RelativeFrame(goal.bone, goal.to_bone, size * goal.to_offset, goal.to_rotation, **values)
    if isinstance(goal, Place):
        return Place(goal.bone, size * goal.positions, goal.offset, **values)
    if isinstance(goal, Plane):
        return Plane(goal.points, goal.normals, size * goal.heights, **values)
    where = {"along": goal.along} if goal.at is None else {"at": size * goal.at}
    if isinstance(goal, Aim):
        return Aim(goal.bone, goal.axis, **where, **values)
    return Pole(goal.upper, goal.middle, goal.end, **where, **values)


@every_kind
@pytest.mark.parametrize("rows", [2, 3])
def test_goals_weigh_nothing_in_rows_that_are_left_out(kind, rng, rows):
    """Two rows are as many as an attachment has weights."""
    left_out = np.arange(rows) == 1
    for goal in kind(rng, batch=rows):
        weighed = goal.but_in(left_out).weighed
        assert (weighed[left_out] == 0).all()
        assert (weighed == goal.weighed)[~left_out].all()


@pytest.mark.company
@every_kind
def test_rows_of_a_batch_are_what_they_are_alone(kind, rng):
    goals = kind(rng, batch=7)
    group, (points, rotations) = group_of(goals, arm=rng.uniform(0.1, 1, 7)), frames_of(rng, goals, batch=7)
    for row in range(7):
        alone, keep = group.rows(np.array([row])), slice(row, row + 1)
        own = [goal.rows(keep) for goal in goals]
        own = group_of(own, arm=group.arm[row])
        for found in (alone, own):
            given_ = points[keep], rotations[keep]
            assert (found.residual(*given_) == group.residual(points, rotations)[keep]).all()
            for one, all_ in zip(found.slopes(*given_), group.slopes(points, rotations), strict=True):
                assert one is all_ is None or (one == all_[keep]).all()
            for one, all_ in zip(found.left(*given_), group.left(points, rotations), strict=True):
                assert (one == all_[keep]).all()


@every_kind
def test_what_has_no_weight_is_met_and_pulls_nowhere(kind, rng):
    goals = kind(rng)
    points, rotations = frames_of(rng, goals)
    group = group_of(goals)
    none = group.weighed(np.zeros((1, len(goals))))
    assert (none.residual(points, rotations) == 0).all()
    assert all(slopes is None or (slopes == 0).all() for slopes in none.slopes(points, rotations))
    assert none.met(points, rotations, np.array([1e-9]), 1e-9).all()
    first = group.weighed(np.array([[1.0, 0.0]]))
    assert (first.residual(points, rotations)[:, 0] == group.residual(points, rotations)[:, 0]).all()
    assert (first.residual(points, rotations)[:, 1] == 0).all()


@every_kind
def test_weights_are_roots_in_the_rows(kind, rng):
    goals = kind(rng)
    points, rotations = frames_of(rng, goals)
    once = group_of(goals)
    fourfold = once.weighed(np.full((1, len(goals)), 4.0))
    assert np.allclose(4 * once.weights, fourfold.weights)
    assert np.allclose(2 * once.residual(points, rotations), fourfold.residual(points, rotations), rtol=1e-14)


@every_kind
def test_what_is_left_is_nothing_only_where_the_residual_is(kind, rng):
    goals = kind(rng, batch=50)
    points, rotations = frames_of(rng, goals, batch=50)
    group = group_of(goals)
    lengths, angles = group.left(points, rotations)
    assert ((group.residual(points, rotations) != 0).any(axis=-1) == (lengths + angles > 0)).all()
