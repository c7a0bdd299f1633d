# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Posture cost where joints are turned far beyond their habit: its derivatives, and what neighbours do."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import ANCHORED, chain, end_of, started, targets_at, turned_in_armature

from solvers import Comfort, Effector, Pose, rest_pose, solve
from solvers.geometry.rotations import quaternion_to_rotation_vector, rotation_vector_to_quaternion
from solvers.problem import limit_faces, local_rotations
from solvers.steps.posture_cost import INDIFFERENT, posture_cost, posture_cost_curved

LEAST = 0.05  # radians: added to every spread
FAR = 3  # deviations


def at_rest(*spreads):
    """A chain whose bones rest straight and stray by these spreads."""
    skeleton = chain(len(spreads), freedom=ANCHORED)
    straight = np.array([1.0, 0.0, 0.0, 0.0])
    comforts = (Comfort(name, straight, each) for name, each in zip(skeleton.names, spreads, strict=True))
    return replace(skeleton, comforts=tuple(comforts))


def turned_by(vectors):
    """The pose whose bones are turned by rotation vectors (batch, bones, 3)."""
    return Pose(rotation_vector_to_quaternion(vectors), np.zeros_like(vectors))


def test_slopes_and_curvature_of_posture_cost_are_its_derivatives(rng):
    """Central differences along turns of each bone, near comfort, far from it and almost half a turn away."""
    bones, batch, step = 3, 60, 1e-3
    spreads = [np.diag(rng.uniform(0.1, 0.5, 3) ** 2) for _ in range(bones)]
    skeleton, effectors = at_rest(*spreads), (end_of(bones),)
    vectors = rng.normal(size=(batch, bones, 3))
    vectors *= (rng.uniform(0.01, 2.9, (batch, bones)) / np.linalg.norm(vectors, axis=-1))[..., None]
    least = np.array([np.diag(spread) for spread in spreads]) + LEAST**2
    deviations = np.sqrt((vectors**2 / least).sum(axis=-1))
    smooth = np.abs(deviations - FAR) > 0.1  # between the two the curvature jumps
    assert 20 < (deviations > FAR).sum() < 160
    pose = turned_by(vectors)
    targets = targets_at(skeleton, pose, effectors)
    problem, state, _ = started(skeleton, pose, effectors, targets)
    local = local_rotations(problem, state.rotations)
    faces = limit_faces(problem, state, local)
    weights, gradient, _, bends = posture_cost_curved(problem, state, local, faces)
    scale = problem.compliance[:, :bones, None]
    gradient = gradient[:, :bones] / scale
    weights = (weights[:, :bones] - INDIFFERENT * np.eye(3)) / scale[..., None] ** 2
    curvature = weights + bends

    def half_cost(bone, turn):
        turned = turned_in_armature(skeleton, pose, bone, turn)
        return 0.5 * posture_cost(*started(skeleton, turned, effectors, targets)[:2])

    for bone in range(bones):
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        ahead, back = half_cost(bone, step * way), half_cost(bone, -step * way)
        slope, bend = (ahead - back) / (2 * step), (ahead + back - 2 * half_cost(bone, 0 * way)) / step**2
        rows = smooth[:, bone]
        assert np.allclose((gradient[:, bone] @ way)[rows], slope[rows], rtol=1e-3, atol=1e-3)
        found = np.einsum("i,bij,j->b", way, curvature[:, bone], way)
        assert np.allclose(found[rows], bend[rows], rtol=2e-3, atol=2e-2)


@pytest.mark.parametrize("angle", [100, 130, 165])
def test_neighbours_do_not_turn_farther_the_farther_a_joint_is_forced_off(angle):
    """They stay where their pull is that of the joint at three deviations."""
    skeleton, neighbour, forced = at_rest(0.1, 0.1, 0.1, 0.3), 0.1**2 + LEAST**2, 0.3**2 + LEAST**2
    effectors = (Effector(skeleton.names[-1]),)
    twisted = turned_by(np.radians([[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, angle, 0]]]))
    found = solve(skeleton, rest_pose(skeleton), effectors, targets_at(skeleton, twisted, effectors))
    turns = np.linalg.norm(quaternion_to_rotation_vector(found.pose.rotations[0]), axis=-1)
    assert found.converged.all()
    assert turns[:3] == pytest.approx(np.full(3, FAR * neighbour / np.sqrt(forced)), abs=1e-3)
