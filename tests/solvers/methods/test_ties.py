# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets straight behind: half turns about all axes across serve alike, and limits say about which to go."""

import numpy as np
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from random_rigs import (
    chain,
    end_of,
    matrices,
    names,
    places,
    quaternions,
    rotations_apart,
    started,
    unturned,
)

from solvers import (
    Cones,
    Effector,
    Ellipse,
    EulerLimit,
    Hinge,
    Settings,
    Skeleton,
    Targets,
    qcp_rotation,
    rest_pose,
    solve,
)
from solvers.geometry.rotations import shortest_arc
from solvers.methods.ccd import ccd_step
from solvers.methods.sweeps import sweep_step
from solvers.problem import forward_kinematics, measure, pose_from_state, snapped
from solvers.superposition.horn import half_turns

STEPS = {"CCD": ccd_step, "SWEEP": sweep_step}
AXES = np.eye(3)
ACROSS = [(along, about) for along in range(3) for about in range(3) if along != about]
LENGTHS = (1.0, 0.8, 0.7, 0.57)
FLIPPED = (1.1, -0.9, -2.5)  # where half turns of some of three such bones take the end
LEAST_SHARE = 0.2  # of what any allowed turn gains, that one turn of a limited bone at a tie gains at least

every_method = pytest.mark.parametrize("method", STEPS)
seeds = st.integers(0, 10**6)


def straight(along, frame=(1, 0, 0, 0), bones=3, limit=None):
    """Return a straight chain along the bones' own axis ``along``, in a frame of its root's, and its end."""
    offsets, rests = np.zeros((1, bones, 3)), unturned(1, bones).copy()
    offsets[0, 1:], rests[0, 0] = np.outer(LENGTHS[: bones - 1], along), frame
    limits = () if limit is None else tuple(limit(name) for name in names(bones))
    skeleton = Skeleton(names(bones), np.arange(bones) - 1, offsets, rests, limits=limits)
    end = LENGTHS[bones - 1] * np.array(along, float)
    return skeleton, (Effector(names(bones)[-1], offset=tuple(end), rotation_weight=0.0),)


def behind(skeleton, effectors, distance):
    """Return a target on the line of the chain, ``distance`` from the root."""
    end = places(skeleton, rest_pose(skeleton), effectors)[1]
    return Targets(distance * end / np.linalg.norm(end), unturned(1, 1))


@every_method
@pytest.mark.parametrize(("along", "about"), ACROSS)
@pytest.mark.parametrize("distance", FLIPPED)
def test_hinges_across_a_straight_chain_bend_it_back(rng, method, along, about, distance):
    """In all six pairs of axes, in any frame, to where half turns of its three bones lead."""
    for frame in ((1, 0, 0, 0), *quaternions(rng, 3)):
        skeleton, effectors = straight(AXES[along], frame, limit=lambda name: Hinge(name, tuple(AXES[about])))
        targets = behind(skeleton, effectors, distance)
        chosen = Settings(method=method, iterations=10)
        assert solve(skeleton, rest_pose(skeleton), effectors, targets, chosen).converged[0]


@every_method
@given(seed=seeds, distance=st.sampled_from(FLIPPED))
@few
def test_hinges_askew_to_the_axes_bend_a_chain_back(method, seed, distance):
    rng = np.random.default_rng(seed)
    along, about = rng.normal(size=(2, 3))
    along /= np.linalg.norm(along)
    about -= along * (along @ about)
    skeleton, effectors = straight(along, quaternions(rng), limit=lambda name: Hinge(name, tuple(about)))
    targets, chosen = behind(skeleton, effectors, distance), Settings(method=method, iterations=10)
    assert solve(skeleton, rest_pose(skeleton), effectors, targets, chosen).converged[0]


@every_method
@pytest.mark.parametrize(("along", "about"), ACROSS)
def test_hinges_bend_a_chain_at_least_as_far_as_one_half_turn_does(method, along, about):
    """The target is 1 behind the tip and 0.4 from where the last bone takes it."""
    skeleton, effectors = straight(AXES[along], limit=lambda name: Hinge(name, tuple(AXES[about])))
    targets = behind(skeleton, effectors, 1.5)
    solution = solve(skeleton, rest_pose(skeleton), effectors, targets, Settings(method=method))
    assert solution.position_residuals[0, 0] < 0.4 + 1e-9


def random_limit(rng, kind, name):
    lower, upper = -rng.uniform(0.1, 2.5, 3), rng.uniform(0.1, 2.5, 3)
    if kind == "hinge":
        return Hinge(name, tuple(rng.normal(size=3)), lower[0], upper[0])
    if kind == "cones":
        cones = ((tuple([0, 1, 0] + 0.5 * rng.normal(size=3)), rng.uniform(0.3, 1.0)) for _ in range(2))
        return Cones(name, tuple(cones), 0.5 * lower[0], 0.5 * upper[0])
    if kind == "ellipse":
        return Ellipse(name, tuple(rng.uniform(0.1, 1.5, 4)), 0.4 * lower[0], 0.4 * upper[0])
    free = np.ones(3)
    if kind != "angles":
        free = AXES[rng.integers(3)] if kind == "one angle" else 1 - AXES[rng.integers(3)]
    return EulerLimit(name, "".join(rng.permutation(list("XYZ"))), free * lower, free * upper)


KINDS = ["hinge", "cones", "ellipse", "angles", "two angles", "one angle"]


@every_method
@pytest.mark.parametrize("kind", KINDS)
def test_no_limit_keeps_a_bone_from_turning_towards_what_lies_behind(rng, method, kind):
    """One turn gains a good share of the most that any of 2000 allowed rotations gains."""
    tried = 0
    for _ in range(25):
        skeleton, effectors = straight(
            rng.normal(size=3), quaternions(rng), 1, lambda name: random_limit(rng, kind, name)
        )
        anywhere = Targets(np.zeros((1, 1, 3)), unturned(1, 1))
        problem, state, _ = started(skeleton, rest_pose(skeleton), effectors, anywhere)
        state = forward_kinematics(problem, snapped(problem, state.rotations), state.translations)
        goal = -0.7 * state.points
        problem, _, _ = started(skeleton, rest_pose(skeleton), effectors, Targets(goal, unturned(1, 1)))
        after = STEPS[method](problem, state, measure(problem, state), Settings(method=method))
        allowed = matrices(skeleton.rests[0]) @ problem.limits[0].sampled(rng.random((2000, 1, 3)))
        most = (allowed[:, 0] @ np.array(effectors[0].offset) @ goal[0, 0]).max()
        held, got = (s.points[0, 0] @ goal[0, 0] for s in (state, after))
        if most - held > 0.02 * np.linalg.norm(goal) ** 2:
            tried += 1
            assert got - held > LEAST_SHARE * (most - held)
    assert tried > 18


@pytest.mark.parametrize("kind", [None, *KINDS])
@given(seed=seeds, distance=st.sampled_from([1.27, 0.63, -0.91, -4.4]))
@few
def test_coordinate_descent_and_sweeps_turn_alike_bone_for_bone(kind, seed, distance):
    rng = np.random.default_rng(seed)
    along = AXES[seed % 3] if seed % 2 else rng.normal(size=3)
    frame = (1, 0, 0, 0) if seed % 5 < 2 else quaternions(rng)
    limit = None if kind is None else lambda name: random_limit(rng, kind, name)
    skeleton, effectors = straight(along, frame, 4, limit)
    targets = behind(skeleton, effectors, distance)
    problem, state, residual = started(skeleton, rest_pose(skeleton), effectors, targets)
    poses = [
        pose_from_state(problem, step(problem, state, residual, Settings(method=method)), rest_pose(skeleton))
        for method, step in STEPS.items()
    ]
    assert rotations_apart(*poses) < 1e-6


def test_damping_cuts_a_half_turn_as_any_other():
    limits = tuple(Hinge(name, (0, 0, 1)) for name in names(3))
    skeleton, effectors = chain(3, limits=limits), (end_of(3),)
    targets = Targets(np.array([[[0, -0.5, 0]]]), unturned(1, 1))
    for method, step in STEPS.items():
        chosen = Settings(method=method, dampening=0.2)
        problem, state, residual = started(skeleton, rest_pose(skeleton), effectors, targets, chosen)
        pose = pose_from_state(problem, step(problem, state, residual, chosen), rest_pose(skeleton))
        assert np.allclose(2 * np.arccos(np.abs(pose.rotations[0, -1, 0])), 0.2, rtol=0, atol=1e-12)


@given(seed=seeds, sixteenth=st.integers(0, 60))
def test_the_shortest_arc_is_the_superposition_of_one_point_up_to_half_a_turn(seed, sixteenth):
    """As near to opposite as 1e-15, where both take the same axis."""
    rng = np.random.default_rng(seed)
    start = rng.normal(size=3) if seed % 4 else AXES[seed % 3]
    across = np.cross(start, rng.normal(size=3))
    end = -start + 10.0 ** (-sixteenth / 4) * across * (sixteenth < 60)
    arc, best = shortest_arc(start, end), qcp_rotation(np.outer(start, end))
    # Rounding over the cosine of half the angle.
    cosine = max(best[0], 1e-3 if best[0] < 1e-12 else 0)
    assert abs(abs(arc @ best) - 1) <= (1e-15 / cosine) ** 2 + 1e-14


@given(seed=seeds)
def test_half_turns_are_about_what_is_nearest_to_the_axis(seed):
    rng = np.random.default_rng(seed)
    point, axis = rng.normal(size=(2, 3))
    found = half_turns(-np.outer(point, point), axis)
    nearest = axis - point * (axis @ point) / (point @ point)
    assert np.allclose(found, [0, *nearest / np.linalg.norm(nearest)], rtol=0, atol=1e-9)


def test_there_are_no_half_turns_about_what_is_turned_round():
    assert (half_turns(-np.outer([0, 2.0, 0], [0, 1.0, 0]), np.array([0, 3.0, 0])) == 0).all()
