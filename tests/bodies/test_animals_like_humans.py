# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Animals with two legs and two arms, called as a human's or not at all, are no humans for sure."""

import numpy as np
import pytest
from skeletons import BIRD, HUMAN, Skeleton, skeleton
from test_roles_by_shape import numbered, recognised

from bodies.words import part_of

ANIMALS = {
    "kangaroo": """
    hips 0 0 .75
    hips > spine 1 0 -.05 .85
    spine 1 > spine 2 0 -.1 .98
    spine 2 > neck 0 -.16 1.2
    neck > head 0 -.22 1.33
    head > ear.L .05 -.18 1.45
    spine 2 > clavicle.L .03 -.15 1.12
    clavicle.L > upper_arm.L .1 -.16 1.1
    upper_arm.L > forearm.L .13 -.12 .95
    forearm.L > hand.L .12 -.25 .85
    hips > thigh.L .1 .02 .72
    thigh.L > shin.L .15 -.25 .52
    shin.L > foot.L .15 .14 .2
    foot.L > toe.L .15 -.2 .03
    """,
    "frog": """
    hips 0 .1 .1
    hips > spine 0 -.02 .13
    spine > head 0 -.14 .14
    head > eye.L .04 -.18 .18
    spine > clavicle.L .02 -.1 .12
    clavicle.L > upper_arm.L .06 -.1 .11
    upper_arm.L > forearm.L .12 -.06 .08
    forearm.L > hand.L .11 -.13 .02
    hips > thigh.L .03 .1 .09
    thigh.L > shin.L .14 -.02 .1
    shin.L > foot.L .06 .12 .06
    foot.L > toe.L .12 .02 .02
    """,
    "tyrannosaur": """
    hips 0 0 3
    hips > spine 1 0 -.5 3.1
    spine 1 > spine 2 0 -1 3.2
    spine 2 > neck 0 -1.5 3.5
    neck > head 0 -2.1 4.2
    spine 2 > upper_arm.L .4 -1.3 2.9
    upper_arm.L > forearm.L .45 -1.2 2.6
    forearm.L > hand.L .45 -1.45 2.45
    hips > thigh.L .5 .05 2.9
    thigh.L > shin.L .6 -.6 1.9
    shin.L > foot.L .6 .35 .9
    foot.L > toe.L .6 -.05 .15
    """,
    "bat": """
    hips 0 0 0
    hips > spine 1 0 -.08 .01
    spine 1 > spine 2 0 -.18 .02
    spine 2 > neck 0 -.26 .03
    neck > head 0 -.31 .04
    spine 2 > upper_arm.L .07 -.22 .03
    upper_arm.L > forearm.L .22 -.12 .03
    forearm.L > hand.L .48 -.3 .03
    hand.L > index 1.L .65 -.3 .03
    index 1.L > index 2.L .9 -.25 .03
    hand.L > middle 1.L .65 -.2 .03
    middle 1.L > middle 2.L .95 .05 .03
    hips > thigh.L .05 .02 0
    thigh.L > shin.L .1 .12 0
    shin.L > foot.L .08 .24 0
    """,
}


def with_legs(heads):
    """A human with the joints of legs elsewhere."""
    names = HUMAN.names
    place = dict(zip(names, HUMAN.heads, strict=True))
    for name, head in heads.items():
        place |= {f"{name}.L": head, f"{name}.R": np.array(head) * (-1, 1, 1)}
    return Skeleton(names, HUMAN.parents, np.array([place[name] for name in names]))


@pytest.mark.parametrize("animal", ANIMALS)
def test_an_animals_limbs_are_asked_for_whatever_their_names(animal):
    body = skeleton(ANIMALS[animal])
    assert not recognised(body).is_sure
    assert "It may be an animal" in recognised(body).notes
    assert not recognised(numbered(body)[0]).is_sure


@pytest.mark.parametrize(
    "legs",
    [
        {"shin": (0.12, -0.2, 0.62), "foot": (0.12, 0.16, 0.32), "toe": (0.12, 0.02, 0.04)},
        {"foot": (0.1, 0.02, 0.15), "toe": (0.1, -0.28, 0.02)},
        {"shin": (0.1, -0.36, 0.9), "foot": (0.1, -0.36, 0.5), "toe": (0.1, -0.5, 0.42)},
    ],
    ids=["a faun", "large feet", "seated"],
)
def test_legs_of_other_shapes_are_a_humans_under_his_trunk(legs):
    for body in (recognised(with_legs(legs)), recognised(numbered(with_legs(legs))[0])):
        assert (body.kind, body.is_sure, body.missing()) == ("human", True, ())


CURLS = {  # how high each of the seven joints of an arm is
    "flat": np.zeros(7),
    "hanging out": -0.06 * np.arange(1, 8),
    "arched": 0.12 * np.sin(np.arange(1, 8) / 7 * np.pi),
    "wavy": 0.1 * np.sin(np.arange(1, 8) / 3.5 * np.pi),
}


@pytest.mark.parametrize("heights", CURLS.values(), ids=CURLS)
@pytest.mark.parametrize("name", ["arm", "tentacle"])
def test_arms_that_bend_nowhere_sharply_are_no_legs_of_an_insect(heights, name):
    """An octopus has no knees. Its names tell left and right, so its shape seems the surer."""
    names, parents, heads = ["body", "head"], [None, "body"], [(0, 0, 0.3), (0, 0.05, 0.6)]
    for side, sign in (("L", 1), ("R", -1)):
        for pair, turn in enumerate(np.radians((-67.5, -22.5, 22.5, 67.5))):
            for joint, height in enumerate(heights, 1):
                parents.append("body" if joint == 1 else names[-1])
                names.append(f"{name}{pair}_{joint}.{side}")
                out = 0.1 + 0.15 * joint
                heads.append((sign * out * np.cos(turn), out * np.sin(turn), 0.3 + height))
    assert not recognised(Skeleton(tuple(names), tuple(parents), np.array(heads))).is_sure


def test_a_tail_is_told_in_japanese():
    """So that an animal with a human's names is asked for."""
    assert [part_of(name) for name in ("尻尾", "尻尾1", "尾", "しっぽ")] == 4 * ["tail"]


def test_what_is_asked_for_is_proposed_as_the_animal_that_its_shape_is():
    body = recognised(BIRD.without("tail 1"))
    assert (body.kind, body.is_sure) == ("bird", False)
    assert {"wing.L", "wing.R"} <= body.holds().keys()
