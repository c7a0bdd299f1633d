# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Twist bones of well-known rigs: found by their names, with shares by where they are along the limb."""

import numpy as np
import pytest
from skeletons import HUMAN, Skeleton

from bodies import recognise, twist_shares

# Names of upper arm, forearm, hand, thigh, shin and foot, with * for the side; of twist bones: the name, the
# bone that it hangs on, between which joints it is and how far along, and the share that it takes.
BESIDE = {
    "Unreal": (
        "l r",
        "upperarm_* lowerarm_* hand_* thigh_* calf_* foot_*",
        (
            ("upperarm_twist_01_*", "upperarm_*", "upper_arm forearm", 0.0, 0.5, False),
            ("lowerarm_twist_01_*", "lowerarm_*", "forearm hand", 0.5, 0.75, True),
            ("thigh_twist_01_*", "thigh_*", "thigh shin", 0.0, 0.5, False),
            ("calf_twist_01_*", "calf_*", "shin foot", 0.5, 0.75, True),
        ),
    ),
    "Character Creator": (
        "L R",
        "CC_Base_*_Upperarm CC_Base_*_Forearm CC_Base_*_Hand CC_Base_*_Thigh CC_Base_*_Calf CC_Base_*_Foot",
        (
            ("CC_Base_*_UpperarmTwist01", "CC_Base_*_Upperarm", "upper_arm forearm", 0.2, 0.6, False),
            ("CC_Base_*_UpperarmTwist02", "CC_Base_*_UpperarmTwist01", "upper_arm forearm", 0.6, 0.2, False),
            ("CC_Base_*_ForearmTwist01", "CC_Base_*_Forearm", "forearm hand", 0.2, 0.4, True),
            ("CC_Base_*_ForearmTwist02", "CC_Base_*_ForearmTwist01", "forearm hand", 0.6, 0.8, True),
        ),
    ),
}
WITHIN = {
    "MakeHuman": (
        "L R",
        "upperarm01.* lowerarm01.* wrist.* upperleg01.* lowerleg01.* foot.*",
        (
            ("upperarm02.*", "upperarm01.*", "upper_arm forearm", 0.5, 0.75, False),
            ("lowerarm02.*", "lowerarm01.*", "forearm hand", 0.5, 0.75, True),
            ("upperleg02.*", "upperleg01.*", "thigh shin", 0.5, 0.75, False),
            ("lowerleg02.*", "lowerleg01.*", "shin foot", 0.5, 0.75, True),
        ),
    ),
    "Daz": (
        "l r",
        "*ShldrBend *ForearmBend *Hand *ThighBend *Shin *Foot",
        (
            ("*ShldrTwist", "*ShldrBend", "upper_arm forearm", 0.5, 0.75, False),
            ("*ForearmTwist", "*ForearmBend", "forearm hand", 0.4, 0.7, True),
        ),
    ),
}
LIMB = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")


def rig(sides, limbs, twists, within):
    """A human with such names and twist bones, in its limbs or beside them; and the shares that are meant."""
    new = {name: name.replace(" ", "_") for name in HUMAN.names}
    for own, side in zip("LR", sides.split(), strict=True):
        new |= {
            f"{part}.{own}": name.replace("*", side) for part, name in zip(LIMB, limbs.split(), strict=True)
        }
    named = HUMAN.renamed(new)
    above = dict(zip(named.names, named.parents, strict=True))
    place, meant = dict(zip(HUMAN.names, HUMAN.heads, strict=True)), {}
    heads = dict(zip(named.names, named.heads, strict=True))
    for own, side in zip("LR", sides.split(), strict=True):
        for name, parent, ends, along, share, at_end in twists:
            name, parent = (text.replace("*", side) for text in (name, parent))
            first, last = (f"{part}.{own}" for part in ends.split())
            heads[name] = place[first] + along * (place[last] - place[first])
            above[name], meant[name] = parent, (share, at_end)
            if within:
                above[new[last]] = name
    return Skeleton(tuple(heads), tuple(above[name] for name in heads), np.array(list(heads.values()))), meant


@pytest.mark.parametrize("within", [False, True], ids=["beside", "within"])
def test_twist_bones_are_told_by_name_and_take_what_is_due_to_their_place(within, rng):
    for maker, told in (WITHIN if within else BESIDE).items():
        found, meant = rig(*told, within)
        found = found.shuffled(rng)
        body = recognise(found.names, found.parents, found.heads)
        assert body.is_sure, maker
        shares = twist_shares(body, found.names, found.parents, found.heads)
        assert shares.keys() == meant.keys(), maker
        for name, (share, at_end) in meant.items():
            assert shares[name].at_end == at_end, name
            assert abs(shares[name].share - share) < 1e-9, name


def test_bodies_without_twist_bones_have_no_shares():
    body = recognise(HUMAN.names, HUMAN.parents, HUMAN.heads)
    assert not twist_shares(body, HUMAN.names, HUMAN.parents, HUMAN.heads)


def test_a_bone_in_the_limb_that_lies_off_its_line_is_a_joint(rng):
    found, meant = rig(*WITHIN["MakeHuman"], True)
    heads = found.heads.copy()
    heads[found.names.index("lowerarm02.L")] += (0, 0.08, 0)
    body = recognise(found.names, found.parents, heads)
    shares = twist_shares(body, found.names, found.parents, heads)
    assert shares.keys() == meant.keys() - {"lowerarm02.L"}


def test_bones_in_one_place_are_a_joint_and_no_twist_bones(rng):
    """As of robots, whose joints are a link for each axis that they turn about."""
    found, meant = rig(*WITHIN["MakeHuman"], True)
    heads = found.heads.copy()
    heads[found.names.index("upperleg02.L")] = heads[found.names.index("upperleg01.L")]
    body = recognise(found.names, found.parents, heads)
    shares = twist_shares(body, found.names, found.parents, heads)
    assert shares.keys() == meant.keys() - {"upperleg02.L"}
