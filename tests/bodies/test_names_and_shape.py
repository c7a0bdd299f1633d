# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where names and shape have to be put together: insects with arms, bats, snakes, legs on a spine."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from skeletons import HUMAN, SPIDER, Skeleton, chain, skeleton
from test_names_of_games import recognised
from test_roles_by_name import found, with_names
from test_roles_by_shape import numbered
from test_what_is_sure import spider

from bodies import recognise

SCORPION = SPIDER
for _parent, _name, _head in (
    ("hips", "pincer 1", (0.1, -0.2, 0.2)),
    ("pincer 1", "pincer 2", (0.5, -0.8, 0.2)),
    ("pincer 2", "pincer 3", (0.3, -1.5, 0.2)),
):
    for _side, _sign in (("L", 1), ("R", -1)):
        _above = _parent if _parent == "hips" else f"{_parent}.{_side}"
        SCORPION = SCORPION.joined(f"{_name}.{_side}", _above, np.array(_head) * (_sign, 1, 1))


def test_an_insects_limbs_that_are_no_legs_by_name_are_none():
    """Where names tell of legs: without them a scorpion's pincers look like its first legs."""
    roles = found(recognised(SCORPION))
    assert {name for name in roles if name.startswith("pincer")} == set()
    for name in SPIDER.names:
        if name.startswith("leg"):
            assert roles[name] == (name[:4], name[-1], int(name[5]))


def test_limbs_are_legs_if_any_of_their_joints_is_by_name():
    body = recognised(spider(lambda pair, joint: f"{('leg', 'a', 'b', 'tarsus')[joint]}{pair}"))
    assert (body.kind, body.is_sure, body.missing()) == ("insect", True, ())


def test_legs_of_insects_may_be_called_by_their_segments():
    """And by the part of the thorax that bears them, each as a thigh, a shin and a foot: it is one body."""
    words = ("coxa", "femur", "tibia", "tarsus")
    body = recognised(spider(lambda pair, joint: f"{words[joint]}_T{pair + 1}"))
    assert (body.kind, body.is_sure, body.missing()) == ("insect", True, ())
    assert body.holds()["leg2.R"] == "tarsus_T2.R"


def test_one_pair_of_names_tells_left_and_right(rng):
    """As on rigs whose eyes are named, and whose other bones are not, here of a mirrored body."""
    plain, name_of = numbered(HUMAN.moved(np.diag((-1.0, 1.0, 1.0))))
    eyes = {number: old for number, old in name_of.items() if old.startswith("eye")}
    half = plain.renamed(lambda name: eyes.get(name, name))
    for _ in range(4):
        roles = found(recognised(half.moved(Rotation.random(random_state=rng).as_matrix()).shuffled(rng)))
        sides = {name_of[name]: role[1] for name, role in roles.items() if name in name_of}
        assert {old: sides[old] for old in ("hand.L", "hand.R")} == {"hand.L": "L", "hand.R": "R"}


def test_a_spine_that_carries_the_legs_is_of_the_hips():
    """As 3ds Max has it: below the pelvis comes the spine, and the legs hang on that."""
    body_of_max, expected = with_names("3ds Max")
    above = dict(zip(body_of_max.names, body_of_max.parents, strict=True))
    parents = ["Bip01_Spine" if "Thigh" in name else above[name] for name in body_of_max.names]
    body = recognised(Skeleton(body_of_max.names, tuple(parents), body_of_max.heads))
    moved = {
        "Bip01_Spine": ("hips", "", 2),
        "Bip01_Spine1": ("spine", "", 1),
        "Bip01_Spine2": ("spine", "", 2),
    }
    assert found(body) == expected | moved
    assert body.holds()["hips"] == "Bip01_Pelvis"
    assert (body.kind, body.is_sure, body.doubtful) == ("human", True, ())


def test_which_way_is_up_is_told_where_parts_hang_on_a_root_without_one():
    """As games have it: pelvis and spine hang on a root, and bones to attach things double the feet."""
    body_of_game, expected = with_names("Unreal")
    above = dict(zip(body_of_game.names, body_of_game.parents, strict=True))
    parents = {**above, "pelvis": "SKEL_ROOT", "spine_01": "SKEL_ROOT", "SKEL_ROOT": None}
    heads = dict(zip(body_of_game.names, body_of_game.heads, strict=True))
    heads["SKEL_ROOT"] = heads["pelvis"]
    for side in "lr":
        parents[f"PH_foot_{side}"], heads[f"PH_foot_{side}"] = f"calf_{side}", heads[f"foot_{side}"]
    body = recognise(list(parents), list(parents.values()), np.array([heads[name] for name in parents]))
    assert found(body) == expected
    assert body.is_sure
    assert body.up @ (0, 0, 1) > 0.99


def test_a_double_of_an_ankle_is_no_toe():
    """Without names, as bones to attach things are."""
    feet = {f"double.{side}": (f"shin.{side}", HUMAN.names.index(f"foot.{side}")) for side in "LR"}
    doubled = HUMAN
    for name, (parent, foot) in feet.items():
        doubled = doubled.joined(name, parent, HUMAN.heads[foot])
    plain, name_of = numbered(doubled)
    body = recognised(plain)
    assert (body.kind, body.is_sure) == ("human", True)
    assert {name_of[bone] for bone in body.ends() if body.roles[bone].part == "foot"} == {"foot.L", "foot.R"}


def test_a_human_whose_bones_all_point_one_way_is_up_where_its_trunk_goes():
    """As motion capture has it that is given from a rest of zeros."""
    lined, _ = with_names("CMU")
    for side, sign in (("Left", 1), ("Right", -1)):
        over = Rotation.from_euler("x", 180, degrees=True).as_matrix()
        aside = Rotation.from_euler("y", -90 * sign, degrees=True).as_matrix()
        lined = lined.turned(f"{side}UpLeg", over).turned(f"{side}Arm", aside)
    turn = Rotation.from_rotvec([0.3, 1.1, -0.4]).as_matrix()
    body = recognised(lined.moved(turn))
    assert (body.kind, body.is_sure) == ("human", True)
    assert body.up @ turn @ (0, 0, 1) > 0.99
    assert body.left @ turn @ (1, 0, 0) > 0.99


BAT = skeleton(
    """
    hips 0 .06 .5
    hips > thigh.L .02 .07 .49
    thigh.L > shin.L .03 .1 .45
    shin.L > foot.L .03 .13 .42
    hips > spine 0 .02 .5
    spine > chest 0 -.02 .51
    chest > neck 0 -.05 .52
    neck > head 0 -.07 .53
    head > ear.L .02 -.07 .56
    chest > upper_arm.L .03 -.03 .52
    upper_arm.L > forearm.L .1 0 .53
    forearm.L > hand.L .2 -.04 .53
    hand.L > index 1.L .22 -.03 .53
    index 1.L > index 2.L .32 -.02 .53
    index 2.L > index 3.L .4 .02 .53
    hand.L > ring 1.L .2 -.01 .53
    ring 1.L > ring 2.L .22 .08 .53
    ring 2.L > ring 3.L .22 .15 .53
    """
)


def test_a_bat_with_a_humans_names_is_asked_for():
    """Its fingers are longer than its forearms, unlike those of a human that has the shape of a bird."""
    assert not recognised(BAT).is_sure


@pytest.mark.parametrize(
    ("joints", "name"), [(20, "spine{}"), (20, "Snake_spine_{}"), (6, "tail_{}"), (14, "Tail{}")]
)
def test_a_chain_is_one_whose_names_tell_of_a_back_or_a_tail(joints, name):
    body = recognised(chain(joints).renamed(lambda joint: "head" if joint == "19" else name.format(joint)))
    assert (body.kind, body.is_sure, len(body.roles)) == ("chain", True, joints)


def test_a_snake_is_held_by_its_head_not_by_its_jaw():
    names = {"20": "head", "21": "jaw"}
    body = recognised(chain(22).renamed(lambda joint: names.get(joint, f"spine{joint}")))
    assert body.holds() == {"base": "spine0", "tip": "head"}


def test_a_snake_without_a_bone_called_head_is_held_by_the_last_one_before_its_tongue():
    names = {"20": "tongue", "21": "tongue_tip"}
    body = recognised(chain(22).renamed(lambda joint: names.get(joint, f"link{joint}")))
    assert body.holds() == {"base": "link0", "tip": "link19"}


def test_a_short_back_with_a_head_is_no_chain():
    body = recognised(chain(6).renamed(lambda joint: "head" if joint == "5" else f"spine{joint}"))
    assert not body.is_sure


def test_an_arm_of_a_robot_is_told_by_the_names_of_its_joints():
    robot = chain(7)
    assert not recognised(robot).is_sure
    named = "base_link shoulder_link upper_arm_link forearm_link wrist_1_link wrist_2_link tool0".split()
    body = recognised(robot.renamed(lambda joint: named[int(joint)]))
    assert (body.kind, body.is_sure, body.holds()) == ("arm", True, {"base": "base_link", "tip": "tool0"})
    assert recognised(robot.renamed(lambda joint: f"Achse{joint}")).is_sure


def test_an_arm_of_a_robot_ends_where_its_gripper_parts():
    gripper = chain(6).renamed(lambda joint: f"axis_{joint}")
    for name, aside in (("finger_l", 0.03), ("finger_r", -0.03)):
        gripper = gripper.joined(name, "axis_5", gripper.heads[5] + (0.05, 0, aside))
    assert recognised(gripper).holds() == {"base": "axis_0", "tip": "axis_5"}
