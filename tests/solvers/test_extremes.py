# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers far from one another: weights, lengths, spreads, rims; and bones that nothing may turn."""

from dataclasses import replace

import numpy as np
import pytest
from limit_checks import RANDOM, random_ellipse, violation
from random_rigs import (
    FREE,
    chain,
    end_of,
    quaternions,
    random_effectors,
    random_pose,
    random_targets,
    random_tree,
    reachable,
    unturned,
)

from solvers import (
    Comfort,
    Effector,
    EffectorError,
    Hinge,
    Pose,
    Settings,
    SkeletonError,
    Targets,
    rest_pose,
    solve,
)


@pytest.mark.parametrize("cushion", [pytest.param(0.05, marks=pytest.mark.slow), 1e-6])
def test_soft_rims_of_ellipses_leave_every_system_definite(cushion):
    """Rims weigh thousands of times what a bone without comfort does, and three effectors want one place."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        skeleton = random_tree(rng, 3, branching=0.5, freedom=FREE)
        rims = tuple(replace(random_ellipse(rng, bone), cushion=cushion) for bone in skeleton.names)
        effectors = tuple(
            replace(effector, bone=skeleton.names[-1]) for effector in random_effectors(rng, skeleton, 3)
        )
        targets = reachable(rng, skeleton, effectors, 4, 0.3)
        pose = random_pose(rng, skeleton, 4)
        solution = solve(replace(skeleton, limits=rims), pose, effectors, targets, Settings(iterations=20))
        assert np.isfinite(solution.pose.rotations).all()


@pytest.mark.parametrize("kind", RANDOM)
@pytest.mark.parametrize("method", ["SUPERPOSE", "SWEEP", "CCD", "FABRIK", "DLS"])
def test_a_locked_bone_stays_where_it_is_outside_its_limit_too(rng, kind, method):
    """Its neighbours keep to theirs."""
    skeleton = random_tree(rng, 4)
    limits = tuple(RANDOM[kind](rng, bone) for bone in skeleton.names)
    skeleton = replace(skeleton, limits=limits, stiffness=[0, 1, 0, 0])
    effectors = (Effector(skeleton.names[-1]), Effector(skeleton.names[1]))
    pose = random_pose(rng, skeleton, 8, spread=1.0)
    targets = random_targets(rng, effectors, 8)
    settings = Settings(method=method, iterations=10)
    turned = solve(skeleton, pose, effectors, targets, settings).pose.rotations
    assert (violation(limits[1], pose.rotations[:, 1]) > 0.1).any()
    assert np.allclose(turned[:, 1], pose.rotations[:, 1], rtol=0, atol=1e-12)
    for bone in (0, 2, 3):
        assert violation(limits[bone], turned[:, bone]).max() <= 1e-6


def test_a_bone_that_turns_for_nothing_stays_where_it_is_too(rng):
    """What hangs from it has no weight, so nothing asks it to turn, not even its limit."""
    skeleton = random_tree(rng, 3, branching=0)
    limit = Hinge(skeleton.names[2], (1, 0, 0), 0, 0.1)
    effectors = (
        Effector(skeleton.names[1]),
        Effector(skeleton.names[2], position_weight=0, rotation_weight=0),
    )
    pose = random_pose(rng, skeleton, 5, spread=1.0)
    limited = replace(skeleton, limits=(limit,))
    solution = solve(limited, pose, effectors, random_targets(rng, effectors, 5))
    assert np.allclose(solution.pose.rotations[:, 2], pose.rotations[:, 2], rtol=0, atol=1e-12)


@pytest.mark.parametrize("length", [1e31, -1e300])
def test_what_is_too_far_to_reckon_with_is_refused_by_name(length):
    bones, ends, unmoved = chain(3), (end_of(3),), Targets(np.zeros((1, 1, 3)), unturned(1, 1))
    far = Targets([[[0, length, 0]]], unturned(1, 1))
    with pytest.raises(EffectorError, match=r"'bone\.002' is more than 1e\+30 away"):
        solve(bones, rest_pose(bones), ends, far)
    with pytest.raises(EffectorError, match=r"'bone\.002' is more than 1e\+30 away"):
        end_of(3, offset=(length, 0, 0))
    with pytest.raises(SkeletonError, match=r"'bone\.001' is more than 1e\+30 away"):
        chain(3, offsets=np.array([[[0, 0, 0], [0, 0, length], [0, 1, 0]]]))
    moved = np.array([[[length, 0, 0], [0, 0, 0], [0, 0, 0]]])
    with pytest.raises(SkeletonError, match=r"'bone\.000' is moved by more than 1e\+30"):
        solve(bones, Pose(unturned(1, 3), moved), ends, unmoved)
    long = np.array(unturned(1, 3)) * [[1], [1], [length]]
    with pytest.raises(SkeletonError, match=r"'bone\.002' has a rotation whose length"):
        solve(bones, Pose(long, np.zeros((1, 3, 3))), ends, unmoved)


def test_targets_worlds_away_are_pointed_at(rng):
    bones, away = chain(4), 1e12
    ways = rng.normal(size=(20, 1, 3))
    ways *= away / np.linalg.norm(ways, axis=-1, keepdims=True)
    solution = solve(bones, random_pose(rng, bones, 20), (end_of(4),), Targets(ways, unturned(20, 1)))
    assert np.allclose(solution.position_residuals, away - 1, rtol=1e-9)
    assert (solution.stopped == "OUT_OF_REACH").all()


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**60, 2.0**1000])
def test_the_unit_of_weights_makes_no_difference_at_all(rng, unit):
    skeleton = random_tree(rng, 6, freedom=FREE)
    effectors = random_effectors(rng, skeleton, 3)
    pose, targets = random_pose(rng, skeleton, 10), random_targets(rng, effectors, 10)
    weighed = tuple(
        replace(e, position_weight=unit * e.position_weight, rotation_weight=unit * e.rotation_weight)
        for e in effectors
    )
    first, second = (solve(skeleton, pose, each, targets) for each in (effectors, weighed))
    assert (first.pose.rotations == second.pose.rotations).all()
    assert (first.rmsd == second.rmsd).all()


def test_comfort_costs_a_light_effector_no_more_for_a_heavy_one_that_is_met(rng):
    """A heavy root where it should be; the hand misses, and comfort has a bent arm."""
    skeleton = chain(3, freedom=FREE)
    bent = tuple(Comfort(bone, quaternions(rng, spread=1.0), 0.2) for bone in skeleton.names[1:])
    skeleton = replace(skeleton, comforts=bent)
    far = Targets(np.broadcast_to([[[0.0, 0, 0], [0, 1.2, 0.4]]], (1, 2, 3)), unturned(1, 2))
    for weight in (1.0, 1e4, 1e8):
        effectors = (Effector("bone.000", position_weight=weight, rotation_weight=0), end_of(3))
        plain = replace(skeleton, comforts=())
        least = solve(plain, rest_pose(skeleton), effectors, far)
        eased = solve(skeleton, least.pose, effectors, far)
        assert eased.position_residuals[0, 1] <= least.position_residuals[0, 1] + 1e-3


def test_where_some_axes_count_comfort_makes_no_miss_larger(rng):
    """The hand's turn about one axis of its target is missed: no other turn keeps just that."""
    skeleton = random_tree(rng, 4, branching=0)
    easy = tuple(Comfort(bone, quaternions(rng), 0.1) for bone in skeleton.names)
    stiff = replace(
        skeleton,
        comforts=easy,
        stiffness=[1, 1, 0, 0],
        limits=(
            Hinge(skeleton.names[2], (1, 0, 0), -0.5, 0.5),
            Hinge(skeleton.names[3], (0, 0, 1), -0.5, 0.5),
        ),
    )
    effectors = (Effector(skeleton.names[3], position_weight=0, rotation_axes=(0, 0, 1), falloff=0.5),)
    pose, targets = random_pose(rng, skeleton, 60), random_targets(rng, effectors, 60)
    bare = solve(replace(stiff, comforts=()), pose, effectors, targets)
    solution = solve(stiff, bare.pose, effectors, targets)
    missed = ~solution.converged
    assert missed.sum() > 20
    assert (solution.rmsd <= bare.rmsd + 1e-4)[missed].all()
