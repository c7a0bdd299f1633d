# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton within limits: derivatives against differences, and what it leaves of targets out of reach."""

from dataclasses import replace

import numpy as np
import pytest
from random_rigs import (
    FREE,
    chain,
    end_of,
    names,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    targets_at,
)
from random_rigs import started as began
from scipy.spatial.transform import Rotation

from solvers import Cones, Ellipse, EulerLimit, Hinge, Settings, rest_pose, solve
from solvers.pauses import finished
from solvers.problem import (
    forward_kinematics,
    limit_faces,
    loads,
    local_rotations,
    measure,
    pressed_curvature,
    snapped,
    turned_with_children,
)
from solvers.steps.descent import DescentOptions, descend
from solvers.steps.joint_newton import joint_curvature, joint_derivatives, joint_newton_step
from solvers.steps.levenberg_marquardt import levenberg_marquardt_step

STEP = 1e-4  # central differences: STEP^2 of the next derivative but one, 1e-16 / STEP^2 of rounding
CASES = {
    "trees": {},
    "chains": {"branching": 0.0},
    "several roots": {"roots": 2, "freedom": FREE},
    "bones that inherit no rotation": {"aloof": 0.5, "freedom": FREE},
    "locked bones": {"stiffness": [0, 1, 0, 0, 1, 0, 0, 0.5], "freedom": FREE},
    "a locked root": {"stiffness": [1, 0, 0, 0, 0, 0, 0, 0]},
}


def moved(problem, state, step):
    """Return the state after turns of joints that are not locked, carried along, and moves of roots."""
    free = np.flatnonzero(problem.mobility > 0)
    turns = np.broadcast_to(np.eye(3), state.rotations.shape).copy()
    turns[:, free] = Rotation.from_rotvec(step[: len(free)]).as_matrix()
    roots, translations = problem.tree.roots, state.translations.copy()
    shift = problem.length[0] * step[len(free) :]
    translations[:, roots] += np.einsum("kij,kj->ki", problem.freedom[roots], shift)
    rotations = turned_with_children(problem.tree, state.rotations, turns)
    return forward_kinematics(problem, snapped(problem, rotations, state.rotations), translations)


def half(problem, state):
    return 0.5 * measure(problem, state).energy[0]


@pytest.mark.parametrize("values", CASES.values(), ids=list(CASES))
def test_derivatives_over_joints_are_those_of_the_objective(rng, values):
    skeleton = random_tree(rng, 8, **values)
    effectors = random_effectors(rng, skeleton, 3)
    problem, state, residual = began(
        skeleton, random_pose(rng, skeleton), effectors, random_targets(rng, effectors)
    )
    gradient, hessian = joint_derivatives(problem, state, residual)
    gradient, size = gradient.ravel(), gradient.size
    hessian, steps = hessian.reshape(size, size), STEP * np.eye(size).reshape(size, -1, 3)

    def at(step):
        return half(problem, moved(problem, state, step))

    slopes = [(at(step) - at(-step)) / (2 * STEP) for step in steps]
    assert np.allclose(gradient, slopes, rtol=0, atol=1e-6 * np.abs(gradient).max())
    assert np.allclose(hessian, hessian.T, rtol=0, atol=1e-12 * np.abs(hessian).max())
    for way in rng.normal(size=(30, *steps.shape[1:])):
        bend = (at(STEP * way) + at(-STEP * way) - 2 * at(0 * way)) / STEP**2
        wanted = way.ravel() @ hessian @ way.ravel()
        assert np.isclose(bend, wanted, rtol=0, atol=1e-5 * np.abs(hessian).max() * way.size)


@pytest.mark.parametrize("values", CASES.values(), ids=list(CASES))
def test_loads_bend_as_the_residual_they_weigh(rng, values):
    """Second differences of a residual under constant multipliers, where turns are as wanted."""
    skeleton = random_tree(rng, 8, **values)
    effectors, pose = random_effectors(rng, skeleton, 3), random_pose(rng, skeleton)
    targets = replace(targets_at(skeleton, pose, effectors), positions=rng.normal(size=(1, 3, 3)))
    problem, state, residual = began(skeleton, pose, effectors, targets)
    multipliers = rng.normal(size=(1, 18))
    curvature = joint_curvature(problem, state, *loads(problem, state, residual, multipliers))[0]
    ways = rng.normal(size=(30, len(curvature) + len(problem.tree.roots), 3))
    ways[:, len(curvature) :] = 0.0

    def at(step):
        return measure(problem, moved(problem, state, step)).vector[0] @ multipliers[0]

    for way in ways:
        bend = (at(STEP * way) + at(-STEP * way) - 2 * at(0 * way)) / STEP**2
        wanted = np.einsum("ik,ikjl,jl->", way[: len(curvature)], curvature, way[: len(curvature)])
        assert np.isclose(bend, wanted, rtol=0, atol=1e-5 * np.abs(curvature).max() * way.size)


KINDS = {
    "hinges": lambda bone: Hinge(bone, (1, 0, 0) if int(bone[-1]) % 2 else (0, 0, 1), -0.1, 0.4),
    "cones": lambda bone: Cones(bone, (((0.1, 1, 0), 0.3),), -0.2, 0.2),
    # Where two radii of an axis differ the bend of the edge jumps.
    "ellipses": lambda bone: Ellipse(bone, (0.4, 0.4, 0.2, 0.2), -0.2, 0.2),
    "Euler angles": lambda bone: EulerLimit(bone, "XYZ", [-0.3, -0.2, -0.1], [0.2, 0.1, 0.3]),
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


def limited_chain(kind, bones=8):
    return chain(bones, limits=tuple(kind(bone) for bone in names(bones)))


def far_targets(rng, count):
    targets = random_targets(rng, (end_of(8),), count)
    places = targets.positions / np.linalg.norm(targets.positions, axis=-1, keepdims=True)
    return type(targets)(places * rng.uniform(1.05, 1.5, size=(count, 1, 1)), targets.rotations)


def bends(group, local, turn, step):
    """Second differences (n, c) of the room lost along turns (n, 3) in the bones' frames."""
    ends = [
        group.room(local @ Rotation.from_rotvec(sign * step * turn).as_matrix())[1] for sign in (1, 0, -1)
    ]
    with np.errstate(invalid="ignore"):
        return -(ends[0] + ends[2] - 2 * ends[1])[0] / step**2


@every_kind
def test_pressed_joints_bend_the_objective_as_their_limits_bend(rng, kind):
    """Second differences of the room left along a face, for a force of one on it, in the bones' frames."""
    skeleton, checked = limited_chain(kind), 0
    for _ in range(10):
        pose = random_pose(rng, skeleton, spread=1.0)
        problem, state, _ = began(skeleton, pose, (end_of(8),), far_targets(rng, 1))
        state = forward_kinematics(problem, snapped(problem, state.rotations), state.translations)
        local = local_rotations(problem, state.rotations)
        faces = limit_faces(problem, state, local)
        (group,) = problem.limits
        normals, room = group.room(local)
        size = np.linalg.norm(normals, axis=-1)
        for face in range(room.shape[-1]):
            # Faces of an ellipse are planes: the edge itself is the first, where it is touched.
            if kind is KINDS["ellipses"] and face in (1, 2, 3):
                continue
            bones = np.abs(faces.room[0, :, face]) < 1e-6
            force = np.eye(faces.room.shape[-1])[face] * np.ones((1, 8, 1))
            bent = pressed_curvature(problem, state, force)
            way = rng.normal(size=(8, 3))
            way -= faces.normals[0, :, face] * np.einsum("ni,ni->n", way, faces.normals[0, :, face])[:, None]
            turn = np.einsum("nji,nj->ni", state.rotations[0], way)
            fine, coarse = (
                bends(group, local, turn, step)[:, face] / size[0, :, face] for step in (STEP, 1e-3)
            )
            # Another face's place may be taken within the differences' step.
            bones &= np.abs(fine - coarse) < 0.01 * (1 + np.abs(fine))
            wanted = np.einsum("ni,nij,nj->n", way, bent[0], way)
            assert np.allclose(fine[bones], wanted[bones], rtol=1e-2, atol=1e-3)
            checked += bones.sum()
    assert checked > 30


@every_kind
def test_targets_out_of_reach_are_missed_by_no_more_than_need_be(rng, kind):
    """As near as a hundred times as many steps of the other kind come, in few."""
    skeleton, targets = limited_chain(kind), far_targets(rng, 20)
    start = rest_pose(skeleton, 20)
    problem, state, residual = began(skeleton, start, (end_of(8),), targets)
    first = finished(
        descend(problem, state, residual, DescentOptions(levenberg_marquardt_step, 60, 0.9, 2, 0.1))
    )
    few = finished(
        descend(
            problem, first.state, first.residual, DescentOptions(joint_newton_step, 25, 1 - 1e-6, 2, 0.01)
        )
    )
    many = DescentOptions(levenberg_marquardt_step, 2000, progress=1 - 1e-14, patience=200, damping=0.1)
    least = finished(descend(problem, few.state, few.residual, many))
    assert (few.residual.energy <= first.residual.energy).all()
    left, possible = np.sqrt(few.residual.energy), np.sqrt(least.residual.energy)
    assert (left <= possible + 1e-4).mean() >= 0.9
    solution = solve(skeleton, start, (end_of(8),), targets, Settings())
    assert (solution.position_residuals[:, 0] <= left + 1e-6).mean() >= 0.9
