# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the legs of animals stray from rest, and to which side they bend, whatever the axes of their bones."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from skeletons import DOG
from test_human_comfort import body_comfort, comforts, recognised, rest_of

FRONT = np.array([0.0, -1.0, 0.0])
LEFT_LEG = ("forearm.L", "hand.L", "finger.L")
# To which side joints of the dog bend.
WAYS = {"forearm": FRONT, "hand": -FRONT, "shin": -FRONT, "foot": FRONT}


def in_armature(body, rng):
    """Of each bone its comfort and its frame at rest (3, 3)."""
    rest, found = comforts(body, rng)
    frames = dict(zip(rest.names, rest.rotations, strict=True))
    return {comfort.bone: (comfort, frames[comfort.bone]) for comfort in found}


def test_legs_stray_in_the_plane_of_a_stride(rng):
    for name, (comfort, frame) in in_armature(DOG, rng).items():
        if recognised(DOG).roles[name].part in {"thigh", "forearm", "hand", "toe"}:
            values, axes = np.linalg.eigh(frame @ comfort.spread @ frame.T)
            assert abs(axes[0, 2]) > 0.999
            assert values[2] > 3 * values[1]


def test_a_carpus_strays_farther_than_what_is_above_it(rng):
    found = in_armature(DOG, rng)
    most = [np.linalg.eigvalsh(found[f"{part}.L"][0].spread)[-1] for part in ("upper_arm", "forearm", "hand")]
    assert most == sorted(most)


@pytest.mark.parametrize("side", "LR")
@pytest.mark.parametrize("part", WAYS)
def test_legs_bend_the_way_that_they_are_made(part, side, rng):
    comfort, frame = in_armature(DOG, rng)[f"{part}.{side}"]
    assert frame @ comfort.one_way.towards @ WAYS[part] > 0.5
    pointing = comfort.one_way.limb @ comfort.one_way.towards
    assert pointing > -1e-9, "none is past straight as it stands"


def test_a_paw_that_is_overstretched_as_it_stands_is_straight(rng):
    ahead = Rotation.from_euler("x", -15, degrees=True).as_matrix()
    comfort, frame = in_armature(DOG.turned("hand.L", ahead), rng)["hand.L"]
    assert frame @ comfort.one_way.towards @ -FRONT > 0.5
    assert comfort.one_way.limb @ comfort.one_way.towards == pytest.approx(0.0, abs=1e-9)


def test_a_joint_that_is_clearly_bent_to_the_other_side_bends_to_that(rng):
    over = Rotation.from_euler("x", -60, degrees=True).as_matrix()
    comfort, frame = in_armature(DOG.turned("hand.L", over), rng)["hand.L"]
    assert frame @ comfort.one_way.towards @ FRONT > 0.5


def test_it_turns_with_the_body(rng):
    turn = Rotation.random(random_state=rng).as_matrix()
    plain, moved = (in_armature(body, None) for body in (DOG, DOG.moved(turn, 3.0, (1, 2, 3))))
    for name, (comfort, frame) in plain.items():
        other, other_frame = moved[name]
        there = (other_frame @ other.spread @ other_frame.T, frame @ comfort.spread @ frame.T)
        np.testing.assert_allclose(there[0], turn @ there[1] @ turn.T, atol=1e-9)
        if comfort.one_way:
            towards = other_frame @ other.one_way.towards, frame @ comfort.one_way.towards
            np.testing.assert_allclose(towards[0], turn @ towards[1], atol=1e-9)


@pytest.mark.parametrize("angle", [70, 90])
def test_legs_that_are_spread_stray_alike_to_all_sides(angle, rng):
    """As a lizard's, whose upper arms and thighs point aside."""
    spread = DOG
    for side, sign in (("L", -1), ("R", 1)):
        aside = Rotation.from_euler("y", sign * angle, degrees=True).as_matrix()
        spread = spread.turned(f"upper_arm.{side}", aside).turned(f"thigh.{side}", aside)
    rest = rest_of(spread, rng)
    body = recognised(DOG)
    for comfort in body_comfort.comforts_of(body, rest):
        if body.roles[comfort.bone].part in {"upper_arm", "forearm", "thigh", "shin"}:
            np.testing.assert_allclose(comfort.spread, comfort.spread[0, 0] * np.eye(3), atol=1e-12)
            assert comfort.one_way is None


def test_joints_in_one_place_say_nothing(rng):
    flat, (forearm, *below) = replace(DOG, heads=DOG.heads.copy()), map(DOG.names.index, LEFT_LEG)
    flat.heads[below] = flat.heads[forearm]
    found = body_comfort.comforts_of(recognised(DOG), rest_of(flat, rng))
    assert next(comfort for comfort in found if comfort.bone == "hand.L").one_way is None
