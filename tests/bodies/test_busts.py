# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Humans that end at their hips, as busts, pilots and robots on a stand do."""

import numpy as np
import pytest
from test_roles_by_name import RIGS, with_names

from bodies import recognise

OF_LEGS = {"thigh", "shin", "foot", "toe"}


def bust(rig, *gone):
    """A human with a rig's names and the role of each joint, without legs and these others."""
    skeleton, role_of = with_names(rig)
    of_legs = [name for name, (part, _, _) in role_of.items() if part in OF_LEGS]
    return skeleton.without(*of_legs, *gone), role_of


@pytest.mark.parametrize("rig", RIGS)
def test_a_human_without_legs_is_one_for_sure(rig):
    skeleton, role_of = bust(rig)
    body = recognise(skeleton.names, skeleton.parents, skeleton.heads)
    assert (body.kind, body.is_sure, body.missing(), body.notes) == ("human", True, (), ())
    assert not any(hold.startswith("foot") for hold in body.holds())
    assert role_of[body.bone("hand.L")][:2] == ("hand", "L")
    np.testing.assert_allclose(body.up, (0, 0, 1), atol=0.1)
    np.testing.assert_allclose(body.forward, (0, -1, 0), atol=0.1)


def test_one_arm_is_no_human():
    _, role_of = with_names("Mixamo")
    arm = [name for name, (part, side, _) in role_of.items() if part == "clavicle" and side == "R"]
    skeleton, _ = bust("Mixamo", *arm)
    body = recognise(skeleton.names, skeleton.parents, skeleton.heads)
    assert body.kind != "human" or not body.is_sure
