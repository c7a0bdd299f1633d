# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Straight limbs whose ends are dragged nearer: an arm along x that bends towards y of its own rest frame."""

import sys
from dataclasses import replace

import numpy as np
import pytest

pytestmark = pytest.mark.once

UPPER, LOWER = 0.31, 0.27
POINT = np.array([0.1, 0.01, -0.02])  # of the hand
UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])


@pytest.fixture
def solvers(addon):
    return sys.modules[f"{addon.name}.solvers"]


@pytest.fixture
def bent(addon):
    return sys.modules[f"{addon.name}.dragging.straight"].bent


@pytest.fixture
def over_bent(addon):
    return sys.modules[f"{addon.name}.dragging.straight"].over_bent


@pytest.fixture
def arm(solvers):
    comfort = solvers.Comfort("lower", UNTURNED, one_way=solvers.OneWay((1, 0, 0), (0, 1, 0)))
    offsets = np.array([[(0.1, 0.2, 1.4), (0.2, 0, 0), (UPPER, 0, 0), (LOWER, 0, 0)]])
    rests, names = np.tile(UNTURNED, (1, 4, 1)), ("trunk", "upper", "lower", "hand")
    return solvers.Skeleton(names, np.array([-1, 0, 1, 2]), offsets, rests, comforts=(comfort,))


@pytest.fixture
def pose(solvers, rng):
    """The arm straight, trunk and shoulder turned anyhow."""
    rotations = np.tile(UNTURNED, (1, 4, 1))
    turns = rng.normal(size=(2, 4))
    rotations[0, :2] = turns / np.linalg.norm(turns, axis=-1, keepdims=True)
    return solvers.Pose(rotations, np.zeros((1, 4, 3)))


def joints(solvers, skeleton, pose):
    """Shoulder and the point of the hand, and how far the lower arm points to its side, a sine."""
    rotations, heads = (of[0] for of in solvers.forward(skeleton, pose))
    side = rotations[1, :, 1] @ rotations[2, :, 0]
    return heads[1], heads[3] + rotations[3] @ POINT, side


def target_for(solvers, skeleton, pose, rng, share):
    """A point anywhere at a share of how far the hand is from the shoulder."""
    shoulder, end, _ = joints(solvers, skeleton, pose)
    way = rng.normal(size=3)
    return shoulder + share * np.linalg.norm(end - shoulder) * way / np.linalg.norm(way)


@pytest.mark.parametrize("share", [0.999, 0.97, 0.8, 0.5])
def test_the_end_gets_to_its_target_and_the_limb_bends_to_its_side(solvers, bent, arm, pose, rng, share):
    target = target_for(solvers, arm, pose, rng, share)
    after = bent(arm, pose, "hand", POINT, target)
    shoulder, end, side = joints(solvers, arm, after)
    np.testing.assert_allclose(end, target, atol=1e-12)
    np.testing.assert_allclose(shoulder, joints(solvers, arm, pose)[0], atol=1e-12)
    assert side > 0
    np.testing.assert_array_equal(after.rotations[0, [0, 3]], pose.rotations[0, [0, 3]])


@pytest.mark.parametrize("share", [1.0, 1.3])
def test_a_limb_that_its_target_stretches_stays(solvers, bent, arm, pose, rng, share):
    assert bent(arm, pose, "hand", POINT, target_for(solvers, arm, pose, rng, share * (1 + 1e-9))) is pose


def test_a_limb_that_is_bent_stays(solvers, bent, arm, pose, rng):
    rotations = pose.rotations.copy()
    rotations[0, 2] = np.cos(0.15), 0.0, 0.0, np.sin(0.15)
    pose = solvers.Pose(rotations, pose.translations)
    assert bent(arm, pose, "hand", POINT, target_for(solvers, arm, pose, rng, 0.8)) is pose


@pytest.mark.parametrize("angle", [80, 90, 100])
def test_a_limb_that_is_bent_sideways_stays(solvers, bent, arm, pose, rng, angle):
    half = np.radians(angle) / 2
    rotations = np.tile(UNTURNED, (1, 4, 1))
    rotations[0, 2] = np.cos(half), 0.0, np.sin(half), 0.0
    pose = solvers.Pose(rotations, pose.translations)
    target = target_for(solvers, arm, pose, rng, 0.8)
    assert bent(arm, pose, "hand", np.zeros(3), target) is pose


@pytest.mark.parametrize("bone", ["upper", "lower"])
def test_a_locked_limb_stays(solvers, bent, arm, pose, rng, bone):
    stiff = replace(arm, stiffness=np.array([bone == name for name in arm.names], float))
    assert bent(stiff, pose, "hand", POINT, target_for(solvers, arm, pose, rng, 0.8)) is pose


def test_a_limb_that_may_bend_to_either_side_stays(solvers, bent, arm, pose, rng):
    either = replace(arm, comforts=(solvers.Comfort("lower", UNTURNED),))
    assert bent(either, pose, "hand", POINT, target_for(solvers, arm, pose, rng, 0.8)) is pose


@pytest.mark.parametrize("bone", [2, 3])
def test_a_limb_with_a_part_without_length_stays(solvers, bent, arm, pose, rng, bone):
    offsets = arm.offsets.copy()
    offsets[:, bone] = 0.0
    short = replace(arm, offsets=offsets)
    target = target_for(solvers, arm, pose, rng, 0.8)
    assert bent(short, pose, "hand", np.zeros(3), target) is pose


def freely(arm):
    """The arm on a trunk that may be moved along its root's x and y."""
    freedom = np.zeros((4, 3, 3))
    freedom[0] = np.diag([1.0, 1.0, 0.0])
    return replace(arm, freedom=freedom)


def test_a_body_is_where_it_is_asked_for_and_its_limbs_hold_on(solvers, over_bent, arm, pose):
    arm = freely(arm)
    shoulder, hand, _ = joints(solvers, arm, pose)
    trunk = solvers.forward(arm, pose)[1][0, 0]
    nearer = 0.1 * (hand - shoulder) + (0.0, 0.0, 0.3)
    after = over_bent(arm, pose, ("trunk", np.zeros(3), trunk + nearer), [("hand", POINT, hand)])
    moved, end, side = joints(solvers, arm, after)
    np.testing.assert_allclose(moved - shoulder, nearer * (1, 1, 0), atol=1e-12)
    np.testing.assert_allclose(end, hand, atol=1e-12)
    assert side > 0


def test_a_body_is_moved_over_no_limbs_that_it_would_stretch(solvers, over_bent, arm, pose):
    shoulder, hand, _ = joints(solvers, arm, pose)
    trunk = solvers.forward(arm, pose)[1][0, 0]
    asked = "trunk", np.zeros(3), trunk - 0.1 * (hand - shoulder)
    assert over_bent(freely(arm), pose, asked, [("hand", POINT, hand)]) is None
    assert over_bent(freely(arm), pose, asked, []) is None


@pytest.fixture
def legs(solvers):
    """Hips over two straight legs that stand nearer to one another below, whose knees bend forwards."""
    names, parents, offsets = ["hips"], [-1], [(0.0, 0.0, 1.0)]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for name, parent, offset in (
            ("thigh", "hips", (0.1 * sign, 0.0, 0.0)),
            ("shin", f"thigh.{side}", (-0.01 * sign, 0.0, -0.4)),
            ("foot", f"shin.{side}", (-0.01 * sign, 0.0, -0.4)),
        ):
            parents.append(0 if parent == "hips" else names.index(parent))
            names.append(f"{name}.{side}")
            offsets.append(offset)
    down = (0.0, 0.0, -1.0)
    ways = {f"shin.{side}": solvers.OneWay(down, (0.0, 1.0, 0.0)) for side in "LR"}
    comforts = tuple(solvers.Comfort(bone, UNTURNED, one_way=way) for bone, way in ways.items())
    freedom = np.zeros((7, 3, 3))
    freedom[0] = np.eye(3)
    rests = np.tile(UNTURNED, (1, 7, 1))
    terms = {"comforts": comforts, "freedom": freedom}
    return solvers.Skeleton(tuple(names), np.array(parents), np.array([offsets]), rests, **terms)


def test_a_body_goes_as_far_as_its_limbs_reach_and_one_bends(solvers, over_bent, legs):
    """Led aside, hips come as near to their target as one leg reaches, for which the other is too long."""
    pose = solvers.Pose(np.tile(UNTURNED, (1, 7, 1)), np.zeros((1, 7, 3)))
    places = np.array([(0.08, 0, 0.2), (-0.08, 0, 0.2)])
    feet = [(f"foot.{side}", np.zeros(3), place) for side, place in zip("LR", places, strict=True)]
    asked = np.array((0.15, 0.0, 1.0))
    after = over_bent(legs, pose, ("hips", np.zeros(3), asked), feet)
    heads = solvers.forward(legs, after)[1][0]
    ends = heads[[legs.index("foot.L"), legs.index("foot.R")]]
    np.testing.assert_allclose(ends, places, atol=1e-3)
    assert np.linalg.norm(heads[0] - asked) < 0.02
    bends = [2 * np.arccos(after.rotations[0, legs.index(f"shin.{side}"), 0]) for side in "LR"]
    assert min(bends) < 0.01
    assert max(bends) > 0.1
