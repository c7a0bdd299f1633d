# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names as games have them: of joints beside the joints, in brackets, fingers by number."""

import numpy as np
import pytest
from skeletons import HUMAN
from test_roles_by_name import found, with_names

from bodies import recognise
from bodies.words import part_of


def recognised(skeleton):
    return recognise(skeleton.names, skeleton.parents, skeleton.heads)


def with_more(skeleton, joints):
    """With joints ``name: (parent, offset from it)``, * standing for l and r."""
    for name, (parent, off) in joints.items():
        for side, sign in (("l", 1), ("r", -1)) if "*" in name else (("", 1),):
            above = parent.replace("*", side)
            head = skeleton.heads[skeleton.names.index(above)] + np.array(off) * (sign, 1, 1)
            skeleton = skeleton.joined(name.replace("*", side), above, head)
    return skeleton


@pytest.mark.parametrize(
    "joints",
    [
        {"PH_foot_*": ("calf_*", (0, 0, -0.4)), "PH_hand_*": ("lowerarm_*", (0.26, 0, 0))},
        {"PH_hand_*": ("hand_*", (0.08, 0, 0)), "RB_neck": ("neck_01", (0, 0, 0.05))},
        {"CHEST": ("spine_03", (0, -0.05, 0.03)), "BACK": ("spine_02", (0, 0.05, 0.03))},
        {"NasolabialMiddle_*": ("head", (0.02, -0.1, 0.02)), "ForeheadMid_*": ("head", (0.02, -0.1, 0.1))},
    ],
)
def test_joints_beside_the_way_to_the_next_part_are_none(joints, rng):
    skeleton, expected = with_names("Unreal")
    odd = with_more(skeleton, joints)
    for heads in (odd.heads, rng.normal(size=odd.heads.shape)):
        body = recognise(odd.names, odd.parents, heads)
        assert found(body) == expected
        assert (body.kind, body.is_sure, body.doubtful) == ("human", True, ())


def test_an_upper_arm_without_a_forearm_leaves_its_parent_one(rng):
    """As Second Life has it, whose "shoulder" is the joint and whose "upper arm" a volume."""
    skeleton, expected = with_names("Unreal")
    new = {f"upperarm_{side}": f"shoulder_{side}" for side in "lr"}
    odd = skeleton.renamed(lambda name: new.get(name, name))
    odd = with_more(odd, {"*_UPPER_ARM": ("shoulder_*", (0.1, 0, 0.01))})
    body = recognise(odd.names, odd.parents, rng.normal(size=odd.heads.shape))
    assert found(body) == {new.get(name, name): role for name, role in expected.items()}


@pytest.mark.parametrize(
    ("form", "first"), [("Finger{}{}", 0), ("NPC {side} Finger{}{} [{side}F]", 0), ("finger_{}{}", 1)]
)
def test_fingers_are_told_by_the_first_of_two_digits(form, first):
    names = ("thumb", "index", "middle", "ring", "pinky")

    def named(joint):
        part, _, rest = joint.partition(" ")
        number, _, side = rest.partition(".")
        if part not in names:
            return joint
        return form.format(first + names.index(part), int(number) - 1, side=side) + f".{side}"

    body = recognised(HUMAN.renamed(named))
    for joint in HUMAN.names:
        if joint.startswith(names):
            part, _, rest = joint.partition(" ")
            assert found(body)[named(joint)] == (part, rest[-1], int(rest[0]))


def test_fingers_that_share_their_first_digit_are_not_told_by_it():
    new = {f"thumb {n}.{side}": f"finger_0{n}.{side}" for n in (1, 2, 3) for side in "LR"}
    others = [f"{name} 1.{side}" for name in ("index", "middle", "ring", "pinky") for side in "LR"]
    body = recognised(HUMAN.without(*others).renamed(lambda name: new.get(name, name)))
    assert {body.roles[name].part for name in new.values()} == {"finger"}


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("thigh", "NPC L Thigh [LThg]"),
        ("hips", "NPC Pelvis [Pelv]"),
        ("head", "[Head]"),
        ("palm", "LeftInHandIndex"),
        ("palm", "Character1_RightInHandPinky"),
        ("index", "LeftHandIndex1"),
    ],
)
def test_parts(part, name):
    assert part_of(name) == part
