# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a human without names wears, carries, or has beside its joints, and words in wrong places."""

from dataclasses import replace

import numpy as np
import pytest
from skeletons import DOG, HUMAN, skeleton
from test_roles_by_name import with_names
from test_roles_by_shape import found, numbered, recognised, roles_of
from test_what_is_sure import doubted
from test_words import CARRIED, WORN, with_more

ROLES = roles_of(HUMAN)
MORE = {
    "a long cape": [(f"c{n}", f"c{n - 1}" if n else "spine 3", (0, 0.15, 1.4 - 0.5 * n)) for n in range(3)],
    "a sword in the left": [("sword", "hand.L", (0.75, -0.05, 1.44)), ("tip", "sword", (0.75, -1.1, 1.44))],
    "hair": [(f"h{n}", f"h{n - 1}" if n else "head", (0, 0.1, 1.75 - 0.1 * n)) for n in range(5)],
}
OUTFITS = CARRIED | MORE
for what, worn in WORN.items():
    own = {joint for joint, _, _ in worn}
    OUTFITS[what] = [
        (f"{joint}.{side}", f"{above}.{side}" if above in own else above, np.array(head) * (sign, 1, 1))
        for side, sign in (("L", 1), ("R", -1))
        for joint, above, head in worn
    ]


@pytest.mark.parametrize("what", OUTFITS)
def test_what_is_worn_or_carried_needs_no_names_to_be_told_from_the_body(what):
    dressed = with_more(HUMAN, {}, OUTFITS[what])
    roles = roles_of(dressed)
    assert {name: roles.get(name) for name in ROLES} == ROLES
    assert not doubted(dressed)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_bones_that_lie_along_a_limb_are_no_joints_of_it(share):
    twisting = HUMAN
    for top, end in (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot")):
        for side in "LR":
            way = [HUMAN.heads[HUMAN.names.index(f"{joint}.{side}")] for joint in (top, end)]
            head = way[0] + share * (way[1] - way[0])
            twisting = twisting.joined(f"{top} twist.{side}", f"{top}.{side}", head)
    assert roles_of(twisting) == ROLES
    assert not doubted(twisting)


def test_the_hips_carry_the_trunk_where_a_joint_in_their_place_carries_the_legs_alone():
    legs = HUMAN.joined("pelvis", "hips", HUMAN.heads[0])
    links = zip(legs.names, legs.parents, strict=True)
    parents = tuple("pelvis" if name.startswith("thigh") else above for name, above in links)
    roles = roles_of(replace(legs, parents=parents))
    assert {name: roles.get(name) for name in ROLES} == ROLES


def test_one_of_many_legs_is_no_dog():
    legs = "\n".join(
        f"b{n} > l{n}.L .05 {0.2 * n} .1\nl{n}.L > m{n}.L .2 {0.2 * n} .2\nm{n}.L > e{n}.L .3 {0.2 * n} 0"
        for n in range(12)
    )
    backs = "\n".join(f"{f'b{n - 1} > ' if n else ''}b{n} 0 {0.2 * n} .1" for n in range(12))
    body = recognised(numbered(skeleton(f"{backs}\n{legs}"))[0])
    assert body.kind not in ("quadruped", "human") or not body.is_sure


@pytest.mark.parametrize("at", ["hand.L", "middle 3.R", "foot.R", "forearm.L", "eye.L", "spine 2"])
@pytest.mark.parametrize("word", ["testa", "Hals", "頭", "Brust", "pelvis"])
def test_one_word_in_a_wrong_place_tells_nothing(word, at):
    """All other bones have numbers: the shape tells, and the word does not fit."""
    plain, name_of = numbered(HUMAN)
    number = {name: new for new, name in name_of.items()}
    beside = HUMAN.heads[HUMAN.names.index(at)] + (0.03, -0.05, 0.02)
    body = recognised(plain.joined(word, number[at], beside))
    assert body.holds() == recognised(plain).holds()
    assert not set(body.holds().values()) & set(body.doubtful)


@pytest.mark.parametrize("rig", ["Unreal", "Mixamo", "Rigify"])
def test_a_head_by_name_where_the_shape_has_none_is_asked_for(rig):
    skeleton, expected = with_names(rig)
    name_of = {role: name for name, role in expected.items()}
    head, chest = name_of["head", "", 1], name_of["spine", "", 2]
    other = skeleton.renamed({name: "x" if name == head else name for name in skeleton.names})
    body = recognised(other.joined("Head", chest, (0.1, -0.1, 1.3)))
    assert body.bone("head") == "x"
    assert "x" in body.doubtful


@pytest.mark.parametrize("divided", [1, 3])
def test_the_end_of_a_limb_is_a_hand_or_foot(divided):
    """Limbs may be of one word, in as many joints as they are divided into."""
    words = {"upper_arm": "arm_*0_0", "forearm": f"arm_*0_{divided}", "hand": "arm_*0_end"}
    words |= {"thigh": "leg_*0_0", "shin": f"leg_*0_{divided}", "foot": "leg_*0_end", "toe": "foot_*0_0"}
    words = {part: f"{word}_jnt" for part, word in words.items()}
    new = {f"{part}.{side}": word.replace("*", side) for part, word in words.items() for side in "LR"}
    rig = HUMAN
    for top, below in (("upper_arm.L", "forearm.L"), ("thigh.L", "shin.L")):
        for one, other in ((top, below), (top.replace("L", "R"), below.replace("L", "R"))):
            between = [new[one].replace("0_jnt", f"{place}_jnt") for place in range(1, divided)]
            rig = with_joints_between(rig, one, other, between)
    body = recognised(rig.renamed(lambda name: new.get(name, name)))
    for joint, name in new.items():
        assert found(body)[name][:2] == tuple(joint.split("."))
    assert (body.is_sure, body.doubtful) == (True, ())


def with_joints_between(rig, top, below, names):
    """The rig with more joints on the way from one to the next."""
    ends = [rig.heads[rig.names.index(joint)] for joint in (top, below)]
    above = top
    for place, name in enumerate(names, 1):
        share = place / (len(names) + 1)
        rig, above = rig.joined(name, above, ends[0] + share * (ends[1] - ends[0])), name
    parents = [above if name == below else link for name, link in zip(rig.names, rig.parents, strict=True)]
    return replace(rig, parents=tuple(parents))


def test_a_saddle_makes_no_difference_to_a_horse():
    saddled = DOG.joined("saddle", "spine 2", (0, -0.02, 0.75))
    roles = roles_of(DOG)
    assert {name: roles_of(saddled).get(name) for name in roles} == roles


@pytest.mark.parametrize(
    ("body", "places"),
    [
        (DOG, {"shin": "thigh"}),
        (DOG, {"foot": "shin"}),
        (HUMAN, {"upper_arm": "clavicle", "hand": "forearm"}),
        (HUMAN, {"hand": "upper_arm"}),
    ],
)
def test_joints_in_one_place_are_no_error(body, places):
    heads = body.heads.copy()
    for joint, place in places.items():
        for side in "LR":
            heads[body.names.index(f"{joint}.{side}")] = heads[body.names.index(f"{place}.{side}")]
    squeezed, _ = numbered(replace(body, heads=heads))
    with np.errstate(over="raise", divide="raise"):
        assert 0.0 <= recognised(squeezed).sure <= 1.0
