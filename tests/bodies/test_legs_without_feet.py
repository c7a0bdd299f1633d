# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which legs stand on the end of the bone that they are held by, as they have no foot."""

import pytest
from skeletons import BIRD, DOG, HUMAN, SPIDER

from bodies import Body, recognise
from bodies.role import Role


def pointed(skeleton):
    return recognise(skeleton.names, skeleton.parents, skeleton.heads).pointed()


def test_legs_of_insects_do():
    assert set(pointed(SPIDER)) == {f"leg{leg} 3.{side}" for leg in range(1, 5) for side in "LR"}


@pytest.mark.parametrize("skeleton", [HUMAN, DOG, BIRD])
def test_what_has_feet_stands_on_these(skeleton):
    assert not pointed(skeleton)


@pytest.mark.parametrize(("kind", "end"), [("quadruped", "foot"), ("bird", "foot"), ("quadruped", "toe")])
def test_legs_of_animals_do_where_a_foot_is_missing(kind, end):
    parts = ("thigh", "shin", end)
    legs = [{f"{part}.{side}": Role(part, side) for side in "LR" for part in parts[:most]} for most in (2, 3)]
    without, whole = (Body(kind, 1.0, roles).pointed() for roles in legs)
    assert set(without) == {"shin.L", "shin.R"}
    assert not whole


def test_hands_and_wings_never_do():
    arms = {f"{part}.{side}": Role(part, side) for side in "LR" for part in ("upper_arm", "forearm", "hand")}
    for kind in ("human", "bird"):
        assert not Body(kind, 1.0, arms).pointed()


def test_a_quadruped_may_stand_on_the_end_of_whatever_its_legs_are_held_by():
    body = recognise(DOG.names, DOG.parents, DOG.heads)
    assert set(body.paws()) == {f"{part}.{side}" for part in ("finger", "toe") for side in "LR"}
    shortened = DOG.without("toe.L", "toe.R")
    body = recognise(shortened.names, shortened.parents, shortened.heads)
    assert {"foot.L", "foot.R"} <= set(body.paws())


@pytest.mark.parametrize("skeleton", [HUMAN, BIRD, SPIDER])
def test_other_bodies_do_not(skeleton):
    assert not recognise(skeleton.names, skeleton.parents, skeleton.heads).paws()
