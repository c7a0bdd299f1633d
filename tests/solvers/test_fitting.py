# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls that are fitted to joints, through rigs of our own: chains, blends, and what nothing moves."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from solvers.fitting import Controls, Joints, Placed, fit, make_ways
from solvers.fitting.columns import STEP, apart, columns_of
from solvers.geometry import multiply, quaternion_to_matrix, rotation_vector_to_quaternion
from solvers.pauses import finished

COUNT, LENGTH = 6, 0.4


def chain(seed, blends=False):
    """A rig whose controls hang on each other; each carries a joint, turned and put off from it at random.

    With ``blends`` the joints of every second one turn by half of what it says alone.
    """
    rng = np.random.default_rng(seed)
    rests, offsets = Rotation.random(COUNT, random_state=seed).as_matrix(), rng.normal(size=(COUNT, 3))
    turned = Rotation.random(COUNT, random_state=seed + 1).as_matrix()

    def place(controls):
        own = quaternion_to_matrix(controls.rotations)
        frames, heads, joints, points = [np.eye(3)], [np.zeros(3)], [], []
        for number in range(COUNT):
            unturned = frames[-1] @ rests[number]
            heads.append(
                heads[-1] + frames[-1] @ (LENGTH * offsets[number]) + unturned @ controls.locations[number]
            )
            frames.append(unturned @ own[number])
            shown = unturned @ half(own[number]) if blends and number % 2 else frames[-1]
            joints.append(shown @ turned[number])
            points.append(heads[-1] + shown @ (0.1 * offsets[number]))
        return Placed(
            controls, Joints(np.array(joints), np.array(points)), np.array(frames[1:]), np.array(heads[1:])
        )

    return place


def half(matrix):
    """Half of a turn."""
    return Slerp([0, 1], Rotation.from_matrix([np.eye(3), matrix]))([0.5]).as_matrix()[0]


def still():
    """Controls that say nothing."""
    return Controls(np.tile([1.0, 0, 0, 0], (COUNT, 1)), np.zeros((COUNT, 3)))


def moved(controls, rng, turn, shift=0.0):
    """Controls that say something else, at random."""
    turns = rotation_vector_to_quaternion(turn * rng.uniform(-1, 1, size=(COUNT, 3)))
    shifts = shift * rng.uniform(-1, 1, size=(COUNT, 3))
    return Controls(multiply(controls.rotations, turns), controls.locations + shifts)


def ways(turns=None, shifts=None):
    """The ways of a chain: each control moves the joints from its own on. Only the first one shifts."""
    first = np.arange(COUNT)[:, None] * np.ones(3, int) == 0
    turns = np.ones((COUNT, 3), bool) if turns is None else turns
    moves = np.arange(COUNT)[:, None] <= np.arange(COUNT)
    return make_ways(turns, first if shifts is None else shifts, moves, LENGTH * COUNT)


def misses(found, goal):
    """The greatest distance and angle between joints and their goal."""
    turned = Rotation.from_matrix(found.rotations @ np.swapaxes(goal.rotations, -1, -2))
    return np.linalg.norm(found.points - goal.points, axis=-1).max(), turned.magnitude().max()


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), blends=st.booleans())
def test_a_pose_that_controls_can_make_is_found(seed, blends):
    place, rng = chain(seed, blends), np.random.default_rng(seed)
    goal = place(Controls(moved(still(), rng, 0.5).rotations, still().locations)).joints
    found = finished(fit(place, ways(), goal, still(), still()))
    distance, angle = misses(found.placed.joints, goal)
    assert distance < 2e-5 * COUNT * LENGTH
    assert angle < 2e-4


def test_the_first_control_shifts_too(rng):
    place, there = chain(3), moved(still(), rng, 0.3)
    there.locations[0] = 0.2, -0.1, 0.3
    goal = place(there).joints
    found = finished(fit(place, ways(), goal, still(), still()))
    assert misses(found.placed.joints, goal)[0] < 1e-4
    np.testing.assert_allclose(found.placed.controls.locations[0], there.locations[0], atol=1e-3)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_columns_of_a_chain_hold_wherever_it_goes(seed):
    place, rng, of = chain(seed), np.random.default_rng(seed), ways()
    groups = apart(of.moves)

    def measured(placed):
        trials = []
        for group in groups:
            amounts = np.zeros(len(of.of))
            amounts[group] = STEP
            trials.append(place(of.moved(placed.controls, amounts)).joints)
        return columns_of(of, placed, groups, trials)

    here, there = place(still()), place(moved(still(), rng, 1.0, 0.2))
    carried, anew = measured(here).rows(there, 0.1), measured(there).rows(there, 0.1)
    np.testing.assert_allclose(carried, anew, atol=3 * STEP)  # differences are one-sided


def test_rows_are_the_derivatives(rng):
    place, of = chain(5), ways()
    begin = place(moved(still(), rng, 0.7))
    groups, tiny = [np.array([way]) for way in range(len(of.of))], 1e-6
    for way, group in enumerate(groups):
        amounts = np.zeros(len(of.of))
        amounts[group] = STEP
        trial = place(of.moved(begin.controls, amounts)).joints
        rows = columns_of(of, begin, [group], [trial]).rows(begin, 1.0)[:, :3, way]
        amounts[group] = tiny
        moved_on = place(of.moved(begin.controls, amounts)).joints.points - begin.joints.points
        np.testing.assert_allclose(rows, moved_on / tiny / of.length, atol=2 * STEP)


def test_what_is_locked_stays_to_the_bit(rng):
    place, turns = chain(7), np.ones((COUNT, 3), bool)
    turns[2], turns[4, 1:] = False, False
    begin = moved(still(), rng, 0.4)
    goal = place(moved(begin, rng, 0.4)).joints
    found = finished(fit(place, ways(turns), goal, begin, begin)).placed.controls
    np.testing.assert_array_equal(found.rotations[2], begin.rotations[2])
    np.testing.assert_array_equal(found.locations[1:], begin.locations[1:])
    between = Rotation.from_quat(begin.rotations[4], scalar_first=True).inv() * Rotation.from_quat(
        found.rotations[4], scalar_first=True
    )
    np.testing.assert_allclose(between.as_rotvec()[1:], 0, atol=1e-12)


def test_out_of_reach_it_ends_where_no_way_leads_nearer(rng):
    place, of = chain(11), ways(shifts=np.zeros((COUNT, 3), bool))
    goal = place(moved(still(), rng, 0.5)).joints
    goal = Joints(goal.rotations, goal.points + np.array([0.5, 0.0, 0.0]))

    def cost(placed):
        turned = Rotation.from_matrix(placed.joints.rotations @ np.swapaxes(goal.rotations, -1, -2))
        away = (placed.joints.points - goal.points) / of.length
        return (away**2).sum() + 0.09**2 * (turned.magnitude() ** 2).sum()

    found = finished(fit(place, of, goal, still(), still())).placed
    assert cost(found) < 0.5 * cost(place(still()))
    for way in range(len(of.of)):
        for by in (-0.02, 0.02):
            amounts = np.zeros(len(of.of))
            amounts[way] = by
            assert cost(place(of.moved(found.controls, amounts))) > 0.99 * cost(found)


@given(seed=st.integers(0, 10_000), ways=st.integers(1, 30), joints=st.integers(1, 8))
def test_groups_share_no_joint_and_leave_no_way_out(seed, ways, joints):
    moves = np.random.default_rng(seed).random((ways, joints)) < 0.3
    groups = apart(moves)
    assert sorted(np.concatenate(groups).tolist()) == list(range(ways))
    assert all((moves[group].sum(axis=0) <= 1).all() for group in groups)


def test_columns_of_the_frame_before_spare_measuring(rng):
    place = chain(17)
    first = finished(fit(place, ways(), place(moved(still(), rng, 0.3)).joints, still(), still()))
    goal = place(moved(first.placed.controls, rng, 0.02)).joints
    after = finished(fit(place, ways(), goal, first.placed.controls, still(), first.columns))
    assert after.seen < len(apart(ways().moves))
    assert misses(after.placed.joints, goal)[0] < 1e-4


def test_controls_that_others_carry_hardly_shift_where_these_can():
    """One hangs on the other, both turn and shift, and two joints hang on the second: as torso and hips."""
    arm = np.array([0.5, 0.1, 0.0])

    def place(controls):
        first, second = quaternion_to_matrix(controls.rotations)
        heads = np.array([controls.locations[0], controls.locations[0] + first @ controls.locations[1]])
        frames = np.array([first, first @ second])
        points = heads[1] + np.array([np.zeros(3), frames[1] @ arm])
        return Placed(controls, Joints(frames[[1, 1]], points), frames, heads)

    home = Controls(np.tile([1.0, 0, 0, 0], (2, 1)), np.zeros((2, 3)))
    free = np.ones((2, 3), bool)
    of = make_ways(free, free, free[:, :2], 1.0, carried=np.array([False, True]))
    begin, columns, shifts = home, None, []
    for angle in np.linspace(0, 8 * np.pi, 160):  # round and round
        turn = Rotation.from_rotvec(0.8 * np.array([np.cos(angle), np.sin(angle), 0.3])).as_matrix()
        at = 0.3 * np.array([np.sin(angle), np.sin(2 * angle), 0.2])
        goal = Joints(np.array([turn, turn]), np.array([at, at + turn @ arm]))
        found = finished(fit(place, of, goal, begin, home, columns))
        begin, columns = found.placed.controls, found.columns
        assert misses(found.placed.joints, goal)[0] < 1e-4
        shifts.append(np.linalg.norm(begin.locations, axis=1))
    first, second = np.max(shifts, axis=0)
    assert first > 0.3
    assert second < 0.02
