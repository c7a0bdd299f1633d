# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that bend to one side of themselves: past straight they cost, on their own side nothing."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    chain,
    end_of,
    names,
    quaternions,
    random_pose,
    random_tree,
    started,
    targets_at,
    turned_in_armature,
)

from solvers import Comfort, ComfortError, Effector, OneWay, Pose, Request, rest_pose, solve
from solvers.geometry import multiply, quaternion_to_matrix, rotation_vector_to_quaternion
from solvers.learning import mixed_comfort
from solvers.pauses import finished
from solvers.problem import limit_faces, local_rotations
from solvers.solve import solve_in_parts
from solvers.steps.posture_cost import posture_cost, posture_cost_curved

# A knee of a leg along +Y, which bends to +Z, that is about +X.
KNEE = OneWay((0, 1, 0), (0, 0, 1))
BONES = 3
THIGH, SHIN, FOOT = names(BONES)


def one_way_tree(rng):
    """A random tree whose bones bend one way each, beside spreads too wide to be felt."""
    skeleton = random_tree(rng, bones=6)
    ways = rng.normal(size=(6, 2, 3))
    named = zip(skeleton.names, ways, strict=True)
    comforts = (Comfort(name, (1, 0, 0, 0), 100.0, OneWay(*way)) for name, way in named)
    return replace(skeleton, comforts=tuple(comforts))


def cost(skeleton, pose, effectors, targets):
    problem, state, _ = started(skeleton, pose, effectors, targets)
    return posture_cost(problem, state)


def test_the_cost_is_by_what_sine_a_limb_points_to_the_other_side(rng):
    skeleton = chain(2, comforts=(Comfort(SHIN, (1, 0, 0, 0), 1e6, KNEE),))
    angles = np.radians([30.0, 1.0, 0.0, -1.0, -30.0, -90.0])
    rotations = np.zeros((len(angles), 2, 4))
    rotations[:, 0] = quaternions(rng, len(angles))
    rotations[:, 1] = rotation_vector_to_quaternion(angles[:, None] * [1.0, 0.0, 0.0])
    pose = Pose(rotations, np.zeros((len(angles), 2, 3)))
    effectors = (end_of(2),)
    found = cost(skeleton, pose, effectors, targets_at(skeleton, pose, effectors))
    assert np.allclose(found, (np.minimum(np.sin(angles), 0) / 0.05) ** 2, atol=1e-6)


def test_slopes_and_curvature_are_the_derivatives_of_the_cost(rng):
    skeleton, effectors, step = one_way_tree(rng), (end_of(6),), 1e-4
    pose = random_pose(rng, skeleton, 8)
    targets = targets_at(skeleton, pose, effectors)
    problem, state, _ = started(skeleton, pose, effectors, targets)
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    weights, slopes, _, bends = posture_cost_curved(problem, state, local, faces)
    unit = problem.compliance[:, :6, None]
    slopes, weights = slopes[:, :6] / unit, (weights[:, :6] - 0.01 * np.eye(3)) / unit[..., None] ** 2
    curved = weights + bends
    assert (slopes != 0).any(axis=-1).mean() > 0.3
    for bone in range(6):
        for way in np.eye(3):
            ways = (sign * step * way for sign in (1, 0, -1))
            poses = (turned_in_armature(skeleton, pose, bone, vector) for vector in ways)
            after, here, before = (0.5 * cost(skeleton, near, effectors, targets) for near in poses)
            assert np.allclose(slopes[:, bone] @ way, (after - before) / (2 * step), rtol=1e-4, atol=1e-3)
            wanted = (after - 2 * here + before) / step**2
            assert np.allclose(way @ curved[:, bone] @ way, wanted, rtol=1e-3, atol=0.5)


def leg(one_way):
    """Thigh, shin and foot; the knee likes to be bent by 40 degrees, give or take 28, and hardly else."""
    bent = rotation_vector_to_quaternion(np.radians([40.0, 0.0, 0.0]))
    comforts = (
        Comfort(THIGH, (1, 0, 0, 0), 0.7),
        Comfort(SHIN, bent, np.diag([0.5, 0.08, 0.06]) ** 2, one_way),
        Comfort(FOOT, (1, 0, 0, 0), 0.7),
    )
    return chain(BONES, comforts=comforts)


def bent_backwards(rng, count):
    """Poses of the leg whose knee is bent forwards and turned over, by up to 70 degrees."""
    rotations = quaternions(rng, count, BONES, spread=0.2)
    rotations[:, 1] = rotation_vector_to_quaternion(
        np.stack([-rng.uniform(0.3, 1.2, count), *np.zeros((2, count))], axis=1)
    )
    return Pose(rotations, np.zeros((count, BONES, 3)))


def backwards(solution):
    """By what sine each knee points to the other side."""
    return -quaternion_to_matrix(solution.pose.rotations[:, 1])[:, 2, 1]


def test_a_knee_that_is_turned_over_comes_back_within_a_few_frames(rng):
    """Each row goes on from its own pose, which meets its targets all the while."""
    effectors, start, left = (end_of(BONES, rotation_weight=1.0),), bent_backwards(rng, 12), {}
    for one_way in (None, KNEE):
        skeleton, pose = leg(one_way), start
        targets = targets_at(skeleton, pose, effectors)
        for _ in range(12):
            found = finished(solve_in_parts(Request(skeleton, pose, effectors, targets), follows=True))
            pose = found.pose
            assert found.converged.all()
        left[one_way] = backwards(found)
    assert (left[KNEE] < 0.05).all()
    assert (left[None] > 0.1).any()


def test_a_foot_that_is_turned_on_and_on_takes_no_knee_past_straight(rng):
    """Hips and ankle stay where they are; that takes more turn than comfort has in a frame."""
    skeleton, pose = leg(KNEE), bent_backwards(rng, 200)
    pose = replace(pose, rotations=pose.rotations * [1, -1, 1, 1])
    effectors = (Effector(THIGH, rotation_weight=0.0), Effector(FOOT))
    step = np.zeros((len(pose), BONES, 3))
    step[:, 2, 1] = np.radians(rng.uniform(20, 60, len(pose))) * rng.choice([-1, 1], len(pose))
    asked = pose
    for _ in range(10):
        asked = replace(asked, rotations=multiply(asked.rotations, rotation_vector_to_quaternion(step)))
        targets = targets_at(skeleton, asked, effectors)
        found = finished(solve_in_parts(Request(skeleton, pose, effectors, targets), follows=True))
        pose = found.pose
        assert found.converged.all()
        assert (backwards(found) < 0.05).all()


def test_a_limb_on_its_own_side_is_where_it_is_without(rng):
    effectors, count = (end_of(BONES),), 30
    goal = bent_backwards(rng, count)
    goal = replace(goal, rotations=goal.rotations * [1, -1, 1, 1])
    targets = targets_at(leg(None), goal, effectors)
    plain, sided = (
        solve(leg(one_way), rest_pose(leg(None), count), effectors, targets) for one_way in (None, KNEE)
    )
    own = (backwards(plain) < -0.05) & plain.converged
    assert own.sum() > 15
    assert np.allclose(plain.pose.rotations[own], sided.pose.rotations[own], atol=1e-4)


def test_targets_that_leave_no_other_way_bend_it_all_the_same(rng):
    """Both of its ends are told where to be and how to be turned."""
    skeleton, count = leg(KNEE), 10
    effectors = tuple(replace(end_of(BONES), bone=bone, rotation_weight=1.0) for bone in names(BONES))
    goal = bent_backwards(rng, count)
    found = solve(skeleton, rest_pose(skeleton, count), effectors, targets_at(skeleton, goal, effectors))
    assert found.converged.all()
    assert (backwards(found) > 0.2).all()


def test_it_stays_where_comfort_is_moved_mixed_or_taken_by_rows():
    known = Comfort(SHIN, np.tile([1.0, 0, 0, 0], (3, 1)), 0.5, KNEE)
    assert known.rows([1]).one_way is KNEE
    assert known.moved((1, 0, 0, 0), 0.5).one_way is KNEE
    single = Comfort(SHIN, (1, 0, 0, 0), 0.5, KNEE)
    assert mixed_comfort(Comfort(SHIN, (1, 0, 0, 0), 0.2), single, 100, 20).one_way is KNEE


@pytest.mark.company
def test_rows_are_the_same_in_any_company(rng):
    effectors, start = (end_of(BONES),), bent_backwards(rng, 40)
    targets = targets_at(leg(None), start, effectors)
    whole = solve(leg(KNEE), start, effectors, targets)
    for row in (0, 7, 39):
        alone = solve(leg(KNEE), start.rows([row]), effectors, targets.rows([row]))
        assert np.array_equal(alone.pose.rotations[0], whole.pose.rotations[row])


@pytest.mark.parametrize("vector", [(0, 0, 0), (1, 0), (np.nan, 0, 1), np.ones((3, 3))])
@pytest.mark.parametrize("name", ["limb", "towards"])
def test_what_is_no_direction_is_refused_by_name(name, vector):
    with pytest.raises(ComfortError, match=f"'{name}'"):
        OneWay(**({"limb": (0, 1, 0), "towards": (0, 0, 1)} | {name: vector}))
