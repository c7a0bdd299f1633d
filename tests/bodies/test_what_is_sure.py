# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told surely without names is right, and what can be read in two ways is asked for."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from skeletons import BIRD, DOG, HUMAN, Skeleton
from test_roles_by_name import OSTRICH
from test_roles_by_shape import found, numbered, recognised

from bodies import SURE

ARMS = {"T": 0, "A": 50, "down": 82}
BARE = HUMAN.without("eye.L", "eye.R")
# Of which a body has lengths of its own.
LENGTHS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "spine 2", "head", "clavicle")


def doubted(skeleton):
    """The holds that are asked for, by the names that their joints have in the skeleton."""
    plain, name_of = numbered(skeleton)
    body = recognised(plain)
    if not body.is_sure:
        return set(skeleton.names)
    unsure = {bone for bone in body.holds().values() if bone and body.roles[bone].sure < SURE}
    return {name_of[bone] for bone in unsure} | set(body.missing())


def told(skeleton):
    plain, name_of = numbered(skeleton)
    return {name_of[number]: role for number, role in found(recognised(plain)).items()}


def moved(skeleton, joint, by):
    """The skeleton with a joint, and all that hangs on it, moved; both sides mirrored."""
    above = dict(zip(skeleton.names, skeleton.parents, strict=True))
    for side, sign in (("", 1), (".L", 1), (".R", -1)):
        top = joint + side
        if top in above:
            below = [name == top or hangs_on(name, top, above) for name in skeleton.names]
            heads = skeleton.heads + np.outer(below, np.array(by) * (sign, 1, 1))
            skeleton = type(skeleton)(skeleton.names, skeleton.parents, heads)
    return skeleton


def hangs_on(name, top, above):
    while (name := above[name]) is not None:
        if name == top:
            return True
    return False


def stretched(skeleton, joint, share):
    """The skeleton with the way to a joint so many times as long."""
    above = dict(zip(skeleton.names, skeleton.parents, strict=True))
    name = f"{joint}.L" if f"{joint}.L" in above else joint
    place = {other: head for other, head in zip(skeleton.names, skeleton.heads, strict=True)}
    return moved(skeleton, joint, (share - 1) * (place[name] - place[above[name]]))


def with_arms(skeleton, degrees):
    turn = np.radians(degrees) * np.eye(3)[1]
    for side, vector in (("L", turn), ("R", -turn)):
        skeleton = skeleton.turned(f"upper_arm.{side}", Rotation.from_rotvec(vector).as_matrix())
    return skeleton


@pytest.mark.parametrize("arms", ARMS)
def test_arms_that_end_without_hands_are_asked_for(arms):
    """A collarbone, an upper arm and a forearm look like an upper arm, a forearm and a hand."""
    for gone in (("hand.L", "hand.R"), ("hand.L",)):
        assert doubted(with_arms(HUMAN.without(*gone), ARMS[arms]))


@pytest.mark.parametrize("arms", ARMS)
def test_a_collarbone_begins_in_the_middle(arms):
    """However short the arms beside it are."""
    short = HUMAN.without("thumb 1.L", "thumb 1.R")
    for joint in ("forearm", "hand"):
        short = stretched(short, joint, 0.5)
    roles = told(with_arms(short, ARMS[arms]))
    assert roles["clavicle.L"][0] == "clavicle"
    assert roles["upper_arm.L"][0] == "upper_arm"


def test_a_neck_as_long_as_a_trunk_is_asked_for():
    long = moved(BARE, "head", (0, 0, 0.3))
    assert doubted(long) & {"head", "neck"}


def test_folded_wings_are_no_arms_for_sure():
    plain, _ = numbered(OSTRICH)
    body = recognised(plain)
    assert body.kind != "human" or not body.is_sure


@pytest.mark.parametrize("head", [(0, -0.38, 0.86), (0, -0.42, 0.88)])
def test_a_beak_that_goes_on_as_the_neck_does_is_asked_for(head):
    assert doubted(BIRD.joined("beak", "head", head)) & {"head", "beak"}


def test_a_shield_is_no_hand():
    """One side alone has it, and it is longer than the hand."""
    armed = BARE.joined("grip", "forearm.L", (0.6, -0.1, 1.4)).joined("shield", "grip", (0.6, -0.5, 1.4))
    assert doubted(armed) or told(armed)["hand.L"][0] == "hand"


def test_the_hips_are_asked_for_where_a_root_is_about_as_near_to_the_legs():
    low = [*HUMAN.heads, (0, 0, 0.96)]
    parents = [parent if parent is not None else "root" for parent in HUMAN.parents]
    rooted = type(HUMAN)((*HUMAN.names, "root"), (*parents, None), np.array(low))
    assert doubted(rooted) & {"root", "hips"} or told(rooted)["hips"][0] == "hips"


def test_what_is_sure_of_bodies_of_any_proportions_is_right(rng):
    """Lengths vary by a third and more; what is asked for may be wrong."""
    sure = 0
    for _ in range(40):
        body = BARE
        for joint in LENGTHS:
            body = stretched(body, joint, float(np.exp(0.25 * rng.normal())))
        body = with_arms(body, rng.uniform(-20, 80))
        asked, roles = doubted(body), told(body)
        sure += not asked
        for name in ("hips", "head", "hand.L", "hand.R", "foot.L", "foot.R"):
            assert asked or roles[name][:2] == (name[:4], name[5:])
    assert sure > 10


def spider(name):
    """A spider whose legs are called ``name(pair, joint)``, too low for its shape alone to be sure."""
    names, parents, heads = ["body", "abdomen"], [None, "body"], [(0, 0.3, 0.4), (0, 0.3, 0.4)]
    for side, sign in (("L", 1), ("R", -1)):
        for pair in range(4):
            y, turn, above = 0.16 * pair - 0.25, 0.45 * (pair - 1.5), "body"
            for joint, (reach, height) in enumerate(((0, 0.4), (0.15, 0.42), (0.5, 0.8), (0.9, 0.45))):
                names.append(f"{name(pair, joint)}.{side}")
                parents.append(above)
                heads.append((sign * (0.12 + reach * np.cos(turn)), y + reach * np.sin(turn), height))
                above = names[-1]
    return Skeleton(tuple(names), tuple(parents), np.array(heads))


def test_names_make_sure_that_limbs_are_legs():
    body = recognised(spider(lambda pair, joint: f"leg{pair}_{joint}"))
    assert body.is_sure
    assert not body.missing()
    assert body.holds()["leg1.L"] == "leg0_3.L"
    assert not recognised(spider(lambda pair, joint: f"thing{pair}_{joint}")).is_sure
    arms = recognised(spider(lambda pair, joint: f"{('arm', 'arm', 'leg', 'leg')[pair]}{pair}_{joint}"))
    assert not arms.is_sure


@pytest.mark.parametrize("count", [16, 24])
def test_many_arms_about_a_middle_are_no_legs_for_sure(count):
    """An anemone: ten pairs at most are looked at, and would be pinned among all the others."""
    names, parents, heads = ["middle"], [None], [(0, 0, 0)]
    for arm in range(count):
        turn = 2 * np.pi * (arm + 0.1) / count
        for joint in range(7):
            names.append(f"arm{arm}_{joint}")
            parents.append("middle" if joint == 0 else names[-2])
            reach = 0.3 + 0.2 * joint
            heads.append((reach * np.cos(turn), reach * np.sin(turn), 0.5 + 0.1 * joint))
    assert not recognised(Skeleton(tuple(names), tuple(parents), np.array(heads))).is_sure


@pytest.mark.parametrize("body", [HUMAN, DOG], ids=["human", "dog"])
def test_the_head_of_a_body_without_one_is_left_out_and_one_that_may_be_there_is_asked_for(body):
    headless = body.without("neck", "neck 1")
    told = recognised(headless)
    assert (told.missing(), told.bone("head"), told.told) == ((), "", {"head": ""})
    chest = headless.names.index("spine 3")
    hat = headless.joined("hat", "spine 3", headless.heads[chest] + (0.2, 0, 0.1))
    assert recognised(hat).missing() == ("head",)
