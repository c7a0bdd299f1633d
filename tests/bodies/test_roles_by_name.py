# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies with the names of well-known rigs, and names that say something else than the shape."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from skeletons import DOG, HUMAN, skeleton

from bodies import recognise
from bodies.words import finger_of, is_animal, part_of, side_of

OSTRICH = skeleton(
    """
    hips 0 0 1.1
    hips > spine 0 -.25 1.15
    spine > neck 1 0 -.4 1.3
    neck 1 > neck 2 0 -.45 1.6
    neck 2 > neck 3 0 -.45 1.9
    neck 3 > head 0 -.5 2.05
    head > beak 0 -.62 2.03
    hips > tail 1 0 .25 1.15
    tail 1 > tail 2 0 .45 1.1
    hips > thigh.L .15 0 1.05
    thigh.L > shin.L .16 -.15 .85
    shin.L > tarsus.L .16 .1 .45
    tarsus.L > foot.L .16 0 .05
    foot.L > toe.L .16 -.14 .01
    spine > wing 1.L .14 -.2 1.2
    wing 1.L > wing 2.L .3 .05 1.15
    wing 2.L > wing 3.L .35 .3 1.1
    wing 3.L > wing 4.L .36 .45 1.05
    """
)
ROLES = """hips spine_1 spine_2 spine_3 neck head clavicle upper_arm forearm hand
thumb_1 thumb_2 thumb_3 index_1 index_2 index_3 thigh shin foot toe"""
# The names of these roles; * is the side as the rig writes it.
RIGS = {
    "Rigify": (
        "L R",
        """spine spine.001 spine.002 spine.003 spine.004 spine.006 shoulder.* upper_arm.* forearm.* hand.*
        thumb.01.* thumb.02.* thumb.03.* f_index.01.* f_index.02.* f_index.03.*
        thigh.* shin.* foot.* toe.*""",
    ),
    "Mixamo": (
        "Left Right",
        """mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2 mixamorig:Neck mixamorig:Head
        mixamorig:*Shoulder mixamorig:*Arm mixamorig:*ForeArm mixamorig:*Hand
        mixamorig:*HandThumb1 mixamorig:*HandThumb2 mixamorig:*HandThumb3
        mixamorig:*HandIndex1 mixamorig:*HandIndex2 mixamorig:*HandIndex3
        mixamorig:*UpLeg mixamorig:*Leg mixamorig:*Foot mixamorig:*ToeBase""",
    ),
    "Unreal": (
        "l r",
        """pelvis spine_01 spine_02 spine_03 neck_01 head clavicle_* upperarm_* lowerarm_* hand_*
        thumb_01_* thumb_02_* thumb_03_* index_01_* index_02_* index_03_* thigh_* calf_* foot_* ball_*""",
    ),
    "VRM": (
        "L R",
        """J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head
        J_Bip_*_Shoulder J_Bip_*_UpperArm J_Bip_*_LowerArm J_Bip_*_Hand J_Bip_*_Thumb1 J_Bip_*_Thumb2
        J_Bip_*_Thumb3 J_Bip_*_Index1 J_Bip_*_Index2 J_Bip_*_Index3 J_Bip_*_UpperLeg J_Bip_*_LowerLeg
        J_Bip_*_Foot J_Bip_*_ToeBase""",
    ),
    "Auto-Rig Pro": (
        "l r",
        """root.x spine_01.x spine_02.x spine_03.x neck.x head.x shoulder.* arm_stretch.* forearm_stretch.*
        hand.* thumb1.* c_thumb2.* c_thumb3.* index1.* c_index2.* c_index3.*
        thigh_stretch.* leg_stretch.* foot.* toes_01.*""",
    ),
    "MakeHuman": (
        "L R",
        """root spine03 spine02 spine01 neck01 head clavicle.* upperarm01.* lowerarm01.* wrist.*
        finger1-1.* finger1-2.* finger1-3.* finger2-1.* finger2-2.* finger2-3.*
        upperleg01.* lowerleg01.* foot.* toe1-1.*""",
    ),
    "CMU": (
        "Left Right",
        """Hips LowerBack Spine Spine1 Neck Head *Shoulder *Arm *ForeArm *Hand *HandThumb1 *HandThumb2
        *HandThumb3 *HandIndex1 *HandIndex2 *HandIndex3 *UpLeg *Leg *Foot *ToeBase""",
    ),
    "Rokoko": (
        "Left Right",
        """Hips Spine1 Spine2 Spine3 Neck Head *Shoulder *Arm *ForeArm *Hand
        *Finger1Proximal *Finger1Medial *Finger1Distal *Finger2Proximal *Finger2Medial *Finger2Distal
        *Thigh *Shin *Foot *Toe""",
    ),
    "Daz Genesis": (
        "l r",
        """hip abdomenLower abdomenUpper chestLower neckLower head *Collar *ShldrBend *ForearmBend *Hand
        *Thumb1 *Thumb2 *Thumb3 *Index1 *Index2 *Index3 *ThighBend *Shin *Foot *Toe""",
    ),
    "Character Creator": (
        "L R",
        """CC_Base_Hip CC_Base_Waist CC_Base_Spine01 CC_Base_Spine02 CC_Base_NeckTwist01 CC_Base_Head
        CC_Base_*_Clavicle CC_Base_*_Upperarm CC_Base_*_Forearm CC_Base_*_Hand CC_Base_*_Thumb1
        CC_Base_*_Thumb2 CC_Base_*_Thumb3 CC_Base_*_Index1 CC_Base_*_Index2 CC_Base_*_Index3
        CC_Base_*_Thigh CC_Base_*_Calf CC_Base_*_Foot CC_Base_*_ToeBase""",
    ),
    "3ds Max": (
        "L R",
        """Bip01_Pelvis Bip01_Spine Bip01_Spine1 Bip01_Spine2 Bip01_Neck Bip01_Head Bip01_*_Clavicle
        Bip01_*_UpperArm Bip01_*_Forearm Bip01_*_Hand Bip01_*_Finger0 Bip01_*_Finger01 Bip01_*_Finger02
        Bip01_*_Finger1 Bip01_*_Finger11 Bip01_*_Finger12 Bip01_*_Thigh Bip01_*_Calf Bip01_*_Foot
        Bip01_*_Toe0""",
    ),
    "plain": (
        "left right",
        """hips spine chest upper_chest neck head *_shoulder *_upper_arm *_lower_arm *_hand
        *_thumb_1 *_thumb_2 *_thumb_3 *_index_1 *_index_2 *_index_3 *_upper_leg *_lower_leg *_foot *_toes""",
    ),
}


def with_names(rig):
    """The human with a rig's names, and the role of each."""
    sides, names = RIGS[rig]
    role_of, new = {}, {}
    for role, name in zip(ROLES.split(), names.split(), strict=True):
        sided = f"{role.replace('_', ' ') if role[-1].isdigit() else role}"
        part, _, place = sided.partition(" ")
        for side, written in zip("LR", sides.split(), strict=True):
            joint = f"{sided}.{side}" if "*" in name else sided
            new[joint] = name.replace("*", written)
            role_of[new[joint]] = part, side if "*" in name else "", int(place or 1)
    gone = [joint for joint in HUMAN.names if joint not in new]
    return HUMAN.without(*gone).renamed(new), role_of


def found(body):
    return {name: (role.part, role.side, role.place) for name, role in body.roles.items()}


@pytest.mark.parametrize("rig", RIGS)
def test_every_role_of_well_known_rigs_is_told(rig):
    skeleton, expected = with_names(rig)
    body = recognise(skeleton.names, skeleton.parents, skeleton.heads)
    assert found(body) == expected
    assert (body.kind, body.is_sure, body.doubtful) == ("human", True, ())


@pytest.mark.parametrize(
    "trunk", ["SpineNavel SpineMid SpineShoulder", "stomach Spine Chest", "Spine LeftSide Chest"]
)
def test_what_lies_between_hips_and_neck_is_trunk_whatever_its_name(trunk):
    """Words for fingers and arms, of a side, and unknown ones."""
    skeleton, expected = with_names("Mixamo")
    named = [name for name, role in expected.items() if role[0] == "spine"]
    new = dict(zip(named, trunk.split(), strict=True))
    odd = skeleton.renamed(lambda name: new.get(name, name))
    body = recognise(odd.names, odd.parents, odd.heads)
    assert found(body) == {new.get(name, name): role for name, role in expected.items()}


@pytest.mark.parametrize("rig", RIGS)
def test_names_alone_do_where_the_shape_tells_nothing(rig, rng):
    skeleton, expected = with_names(rig)
    body = recognise(skeleton.names, skeleton.parents, rng.normal(size=skeleton.heads.shape))
    assert found(body) == expected
    assert (body.kind, body.is_sure) == ("human", True)


@pytest.mark.parametrize("rig", RIGS)
def test_joints_in_one_place_have_the_roles_of_their_names_and_are_asked_for(rig):
    skeleton, expected = with_names(rig)
    body = recognise(skeleton.names, skeleton.parents, np.ones_like(skeleton.heads))
    assert (found(body), body.is_sure) == (expected, False)
    assert body.notes == ("All joints are in one place",)


@pytest.mark.parametrize("rig", RIGS)
def test_a_human_is_held_by_hips_head_hands_and_feet(rig):
    skeleton, expected = with_names(rig)
    body = recognise(skeleton.names, skeleton.parents, skeleton.heads)
    assert [expected[name][:2] for name in body.ends()] == [
        ("hips", ""),
        ("head", ""),
        *((part, side) for part in ("hand", "foot") for side in "LR"),
    ]


def test_twists_ik_bones_and_controls_are_no_part_of_the_body():
    skeleton, expected = with_names("Unreal")
    helpers = ("upperarm_twist_01_l", "ik_hand_l", "weapon_l", "hand_l_end")
    names = (*skeleton.names, *helpers)
    parents = (*skeleton.parents, "upperarm_l", None, "hand_l", "hand_l")
    heads = np.concatenate([skeleton.heads, np.random.default_rng(3).normal(size=(len(helpers), 3))])
    assert found(recognise(names, parents, heads)) == expected


def test_joints_and_what_deforms_in_their_place_are_one():
    """Rigify's ORG- bones are the joints, and often hang on controls, where its DEF- bones hang together."""
    skeleton, expected = with_names("Rigify")
    joints = skeleton.renamed(lambda name: f"ORG-{name}")
    deform = skeleton.renamed(lambda name: f"DEF-{name}")
    loose = tuple(
        None if "spine" in name else parent for name, parent in zip(joints.names, joints.parents, strict=True)
    )
    heads = np.concatenate([skeleton.heads] * 2)
    body = recognise(joints.names + deform.names, loose + deform.parents, heads)
    assert found(body) == {f"ORG-{name}": role for name, role in expected.items()}


def test_names_tell_the_sides_even_of_a_body_that_shows_others():
    swapped = HUMAN.renamed(lambda name: name.replace(".L", ".*").replace(".R", ".L").replace(".*", ".R"))
    body = recognise(swapped.names, swapped.parents, swapped.heads)
    assert all(role.side == name.partition(".")[2] for name, role in body.roles.items())
    assert body.left @ (1, 0, 0) < -0.99
    assert any("left" in note for note in body.notes)
    assert body.doubtful


def test_an_animal_with_human_words_is_an_animal():
    """Rigify's cat has upper arms and hands."""
    body = recognise(DOG.names, DOG.parents, DOG.heads)
    assert (body.kind, body.is_sure) == ("quadruped", True)
    assert [str(body.roles[name]) for name in body.ends()][2:] == ["finger.L", "finger.R", "toe.L", "toe.R"]


def test_parts_that_no_human_has_are_asked_for_where_the_shape_is_a_humans_or_tells_nothing():
    """Folded wings hang as arms do; and of joints that are all in one place names alone tell."""
    flat = DOG.renamed(lambda name: name.replace("finger", "paw"))
    assert not recognise(flat.names, flat.parents, np.zeros_like(flat.heads)).is_sure
    for wing in ("wing", "w"):
        bird = OSTRICH.renamed(lambda name, wing=wing: name.replace("wing", wing))
        body = recognise(bird.names, bird.parents, bird.heads)
        assert body.kind != "human" or not body.is_sure


def test_half_a_body_is_asked_for_and_says_what_is_missing():
    half = HUMAN.without("clavicle.R", "thigh.R")
    body = recognise(half.names, half.parents, half.heads)
    assert not body.is_sure
    assert any("hand.R" in note and "foot.R" in note for note in body.notes)
    assert str(body.roles["hand.L"]) == "hand.L"


def test_the_shape_tells_the_side_of_limbs_whose_names_do_not():
    """As motion capture has them: LUArm, LFArm."""
    new = {
        f"{part}.{side}": f"{side}{short}Arm"
        for part, short in (("upper_arm", "U"), ("forearm", "F"))
        for side in "LR"
    }
    odd = HUMAN.renamed(lambda name: new.get(name, name))
    body = recognise(odd.names, odd.parents, odd.heads)
    assert all(str(body.roles[name]) == role for role, name in new.items())


def test_a_forearm_stays_one_where_no_hand_hangs_on_it():
    arms = HUMAN.without("hand.L", "hand.R")
    body = recognise(arms.names, arms.parents, arms.heads)
    assert str(body.roles["forearm.L"]) == "forearm.L"
    assert body.missing() == ("hand.L", "hand.R")


def test_a_neck_that_ends_a_body_is_no_head():
    headless = HUMAN.without("head")
    body = recognise(headless.names, headless.parents, headless.heads)
    assert str(body.roles["neck"]) == "neck"
    assert body.missing() == ("head",)


def test_a_humans_names_and_a_tail_are_asked_for_where_the_shape_is_no_humans():
    """As a cat's, which has arms and hands in Rigify, and which lies."""
    lying = DOG
    for joint, degrees in (("thigh", -50), ("shin", 95), ("upper_arm", 60), ("forearm", -110)):
        turn = Rotation.from_rotvec(np.radians(degrees) * np.eye(3)[0]).as_matrix()
        lying = lying.turned(f"{joint}.L", turn).turned(f"{joint}.R", turn)
    body = recognise(lying.names, lying.parents, lying.heads)
    assert body.kind != "human" or not body.is_sure


def test_a_shape_that_names_contradict_does_not_tell_which_way_is_up():
    """A human that sits on the ground with its legs stretched has the shape of a bird."""
    turn = Rotation.from_rotvec([-np.pi / 2, 0, 0]).as_matrix()
    sitting = HUMAN.turned("thigh.L", turn).turned("thigh.R", turn)
    body = recognise(sitting.names, sitting.parents, sitting.heads)
    assert (body.kind, body.is_sure) == ("human", True)
    assert body.up is None or body.up @ (0, 0, 1) > 0.9


def test_two_bodies_without_known_names_are_asked_for():
    first, second = (HUMAN.renamed(lambda name, n=n: f"{n}{HUMAN.names.index(name)}") for n in "AB")
    heads = np.concatenate([first.heads, second.moved(by=(3, 0, 0)).heads])
    body = recognise(first.names + second.names, first.parents + second.parents, heads)
    assert not body.is_sure
    assert body.ends()
    assert any("More than one body" in note and "B0" in note for note in body.notes)


def test_two_bodies_in_one_armature_are_refused_with_a_reason():
    first, second = (HUMAN.renamed(lambda name, n=n: f"{n}_{name}") for n in "AB")
    heads = np.concatenate([first.heads, second.moved(by=(3, 0, 0)).heads])
    body = recognise(first.names + second.names, first.parents + second.parents, heads)
    assert (body.kind, body.is_sure, body.ends()) == ("unknown", False, ())
    assert any("More than one body" in note and "hand.L" in note for note in body.notes)


def test_without_hips_the_lowest_joint_of_the_trunk_is_them():
    """Legs and trunk may hang on nothing in common."""
    above = dict(zip(HUMAN.names, HUMAN.parents, strict=True))
    names = [name for name in HUMAN.names if name != "hips"]
    parents = [None if above[name] == "hips" else above[name] for name in names]
    body = recognise(names, parents, HUMAN.heads[[HUMAN.names.index(name) for name in names]])
    assert body.ends() == ("spine 1", "head", "hand.L", "hand.R", "foot.L", "foot.R")


SIDES = {
    "L": ("hand.L", "LeftHand", "LThumb", "Left_Arm", "f_toe.L", "r_index.01.L", "lhand", "CC_Base_L_Thigh"),
    "R": ("hand_r", "rThumb1", "upper_arm.R.001", "mixamorig:RightLeg", "J_Bip_R_Hand"),
    "": ("head", "lowerarm", "Rollbone", "ring", "root.x"),
}
FINGERS = {
    0: ("hand.L", "LFingers", "thumb.01.L"),
    1: ("f_index.01.L", "finger2-1.L", "index_01_l", "Bip01_L_Finger11"),
    2: ("LeftHandMiddle2", "rMid1"),
    3: ("ring_01_l", "LeftFinger4Proximal"),
    4: ("pinky_01_l", "finger5-3.R", "J_Bip_L_Little1"),
}
NO_PARTS = (
    "upperarm_twist_01_l",
    "ik_hand_l",
    "HeadTop_End",
    "hair_01",
    "breast.L",
    "Bone.001",
    "",
    "hand_ctrl",
)


@pytest.mark.parametrize(
    ("animal", "name"),
    [
        (True, "front_leg.L"),
        (True, "fore_foot_r"),
        (True, "Wing.L"),
        (False, "mixamorig:LeftForeArm"),
        (False, "fore"),
    ],
)
def test_parts_of_animals(animal, name):
    assert is_animal(name) == animal


@pytest.mark.parametrize(("side", "name"), [(side, name) for side in SIDES for name in SIDES[side]])
def test_sides(side, name):
    assert side_of(name) == side


@pytest.mark.parametrize(("finger", "name"), [(rank, name) for rank in FINGERS for name in FINGERS[rank]])
def test_fingers(finger, name):
    assert finger_of(name) == finger


@pytest.mark.parametrize("name", NO_PARTS)
def test_what_is_no_part_of_a_body_has_no_role(name):
    assert part_of(name) == ""
