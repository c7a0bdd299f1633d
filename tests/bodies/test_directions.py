# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way bodies are up and face by their roles alone, as the user may say them."""

import numpy as np
import pytest
from skeletons import BIRD, DOG, HUMAN

from bodies import Role, directions

UP, FORWARD = np.array((0, 0, 1)), np.array((0, -1, 0))


def by_roles(kind, skeleton):
    roles = {name: role for name in skeleton.names if (role := role_of(name))}
    return directions(kind, roles, dict(zip(skeleton.names, skeleton.heads, strict=True)))


def role_of(name):
    name, _, side = name.partition(".")
    return None if name in {"eye", "ear", "jaw"} else Role(name.split(" ")[0], side)


@pytest.mark.parametrize(("kind", "skeleton"), [("human", HUMAN), ("quadruped", DOG), ("bird", BIRD)])
def test_animals_stand_on_their_legs_and_humans_under_their_trunks(kind, skeleton):
    up, forward, _ = by_roles(kind, skeleton)
    assert up @ UP > 0.97
    assert forward @ FORWARD > 0.97


def test_a_dog_that_is_said_to_be_a_human_would_be_up_along_its_back():
    up, forward, _ = by_roles("human", DOG)
    assert up @ FORWARD > 0.9
    assert forward @ -UP > 0.9


def test_without_limbs_there_is_no_direction():
    bare = DOG.without("thigh.L", "thigh.R")
    assert by_roles("quadruped", bare) == (None, None, None)
