# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones of the usual human rigs are human joints, and the table of human joints makes sense."""

import numpy as np
import pytest

from bodies import recognise
from presets.animal_joints import ANIMAL_JOINTS, GUESSED_JOINTS
from presets.human_joints import HUMAN_JOINTS, Bend, Lean
from presets.joints_of_bodies import joints_of_body

OPPOSITE = [("FRONT", "BACK"), ("LEFT", "RIGHT"), ("UP", "DOWN"), ("OUT", "IN"), ("PALM", "KNUCKLES")]
OPPOSITE += [("THUMB", "LITTLE")]


def tree(text):
    """Bones as ``parent > child > grandchild`` chains, one a line."""
    parents = {}
    for line in text.strip().splitlines():
        above = None
        for name in (part.strip() for part in line.split(">")):
            parents.setdefault(name, above)
            above = name
    return parents


def joints_of(parents):
    """The joint of each bone, as names alone tell: all are in one place."""
    return joints_of_body(recognise(list(parents), list(parents.values()), np.zeros((len(parents), 3))))


MIXAMO = """
    mixamorig:Hips > mixamorig:Spine > mixamorig:Spine1 > mixamorig:Spine2 > mixamorig:Neck > mixamorig:Head
    mixamorig:Head > mixamorig:HeadTop_End
    mixamorig:Spine2 > mixamorig:LeftShoulder > mixamorig:LeftArm > mixamorig:LeftForeArm > mixamorig:LeftHand
    mixamorig:LeftHand > mixamorig:LeftHandIndex1 > mixamorig:LeftHandIndex2 > mixamorig:LeftHandIndex3
    mixamorig:LeftHandIndex3 > mixamorig:LeftHandIndex4
    mixamorig:Hips > mixamorig:LeftUpLeg > mixamorig:LeftLeg > mixamorig:LeftFoot > mixamorig:LeftToeBase
"""
RIGIFY = """
    spine > spine.001 > spine.002 > spine.003 > spine.004 > spine.005 > spine.006
    spine.003 > shoulder.L > upper_arm.L > forearm.L > hand.L > palm.01.L > f_index.01.L > f_index.02.L
    f_index.02.L > f_index.03.L
    palm.01.L > thumb.01.L > thumb.02.L > thumb.03.L
    spine.003 > breast.L
    spine > pelvis.L
    spine > thigh.L > shin.L > foot.L > toe.L
    foot.L > heel.02.L
"""
ENGINE = """
    root > pelvis > spine_01 > spine_02 > spine_03 > neck_01 > head > head_leaf
    spine_03 > clavicle_l > upperarm_l > upperarm_twist_01_l
    upperarm_l > lowerarm_l > hand_l > thumb_01_l > thumb_02_l > thumb_03_l > thumb_04_leaf_l
    pelvis > thigh_l > calf_l > foot_l > ball_l
"""
DAZ = """
    hip > abdomen > chest > neck > head
    chest > lCollar > lShldr > lForeArm > lHand > lThumb1 > lThumb2
    hip > lButtock > lThigh > lShin > lFoot
"""
MOCAP = """
    Hips > LHipJoint > LeftHip > LeftKnee > LeftAnkle > LeftToe
    Hips > lowerback > Chest > Chest2 > lowerneck > Neck > Head
    Chest2 > LeftCollar > LeftShoulder > LeftElbow > LeftWrist > LThumb
"""
MAKEHUMAN = """
    root > spine05 > spine04 > spine03 > spine02 > spine01 > neck01 > neck02 > head
    spine01 > clavicle.L > shoulder01.L > upperarm01.L > upperarm02.L > lowerarm01.L > lowerarm02.L > wrist.L
    wrist.L > finger1-1.L > finger1-2.L > finger1-3.L
    wrist.L > metacarpal1.L > finger2-1.L > finger2-2.L > finger2-3.L
    root > pelvis.L > upperleg01.L > upperleg02.L > lowerleg01.L > lowerleg02.L > foot.L > toe1-1.L > toe1-2.L
"""
RIGS = {
    "mixamo": (
        MIXAMO,
        """
        LUMBAR Spine
        THORACIC Spine1 Spine2
        NECK Neck
        HEAD Head
        CLAVICLE LeftShoulder
        SHOULDER LeftArm
        ELBOW LeftForeArm
        WRIST LeftHand
        FINGER_BASE LeftHandIndex1
        FINGER_MIDDLE LeftHandIndex2
        FINGER_TIP LeftHandIndex3
        HIP LeftUpLeg
        KNEE LeftLeg
        ANKLE LeftFoot
        TOES LeftToeBase
        """,
    ),
    "rigify": (
        RIGIFY,
        """
        LUMBAR spine.001
        THORACIC spine.002 spine.003
        NECK spine.004 spine.005
        HEAD spine.006
        CLAVICLE shoulder.L
        SHOULDER upper_arm.L
        ELBOW forearm.L
        WRIST hand.L
        PALM palm.01.L
        FINGER_BASE f_index.01.L
        FINGER_MIDDLE f_index.02.L
        FINGER_TIP f_index.03.L
        THUMB_BASE thumb.01.L
        THUMB_MIDDLE thumb.02.L
        THUMB_TIP thumb.03.L
        HIP thigh.L
        KNEE shin.L
        ANKLE foot.L
        TOES toe.L
        """,
    ),
    "engine": (
        ENGINE,
        """
        LUMBAR spine_01
        THORACIC spine_02 spine_03
        NECK neck_01
        HEAD head
        CLAVICLE clavicle_l
        SHOULDER upperarm_l
        ELBOW lowerarm_l
        WRIST hand_l
        THUMB_BASE thumb_01_l
        THUMB_MIDDLE thumb_02_l
        THUMB_TIP thumb_03_l
        HIP thigh_l
        KNEE calf_l
        ANKLE foot_l
        TOES ball_l
        """,
    ),
    "daz": (
        DAZ,
        """
        LUMBAR abdomen
        THORACIC chest
        NECK neck
        HEAD head
        CLAVICLE lCollar
        SHOULDER lShldr
        ELBOW lForeArm
        WRIST lHand
        THUMB_BASE lThumb1
        THUMB_MIDDLE lThumb2
        HIP lThigh
        KNEE lShin
        ANKLE lFoot
        """,
    ),
    "mocap": (
        MOCAP,
        """
        HIP LeftHip
        KNEE LeftKnee
        ANKLE LeftAnkle
        TOES LeftToe
        LUMBAR lowerback
        THORACIC Chest Chest2
        NECK lowerneck Neck
        HEAD Head
        CLAVICLE LeftCollar
        SHOULDER LeftShoulder
        ELBOW LeftElbow
        WRIST LeftWrist
        THUMB_BASE LThumb
        """,
    ),
    "makehuman": (
        MAKEHUMAN,
        """
        LUMBAR spine05 spine04
        THORACIC spine03 spine02 spine01
        NECK neck01 neck02
        HEAD head
        CLAVICLE clavicle.L
        SHOULDER upperarm01.L
        ELBOW lowerarm01.L
        WRIST wrist.L
        PALM metacarpal1.L
        THUMB_BASE finger1-1.L
        THUMB_MIDDLE finger1-2.L
        THUMB_TIP finger1-3.L
        FINGER_BASE finger2-1.L
        FINGER_MIDDLE finger2-2.L
        FINGER_TIP finger2-3.L
        HIP upperleg01.L
        KNEE lowerleg01.L
        ANKLE foot.L
        TOES toe1-1.L
        """,
    ),
}


@pytest.mark.parametrize("name", RIGS)
def test_the_joints_of_a_rig_are_recognised(name):
    text, wanted = RIGS[name]
    lines = (line.split() for line in wanted.strip().splitlines())
    found = {bone.rpartition(":")[2]: joint for bone, joint in joints_of(tree(text)).items()}
    assert found == {bone: joint for joint, *bones in lines for bone in bones}


def test_one_bone_of_a_trunk_is_all_of_it():
    assert joints_of(tree("hips > spine > upper_arm.L")) == {"spine": "TRUNK", "upper_arm.L": "SHOULDER"}


def test_other_creatures_have_no_human_limbs():
    horse = tree(
        "Body > Back > Neck1 > Head > Ear1.L\nBody > FrontShoulder.L > FrontUpperLeg.L\nBody > Tail1"
    )
    assert not set(joints_of(horse).values()) & HUMAN_JOINTS.keys()
    assert joints_of({}) == {}


@pytest.mark.parametrize("key", HUMAN_JOINTS)
def test_every_joint_has_a_source_and_a_range(key):
    joint = HUMAN_JOINTS[key]
    assert joint.title[0].isupper()
    assert any(source in joint.source for source in ("AAOS", "Levangie", "Ferrario", "Troke", "El-shennawy"))
    if isinstance(joint.motion, Bend):
        assert 0 <= joint.motion.extension <= joint.motion.flexion + 25 < 180
        return
    assert -180 < joint.motion.twist[0] < 0 < joint.motion.twist[1] < 180
    if isinstance(joint.motion, Lean):
        names = [name for name, _ in joint.motion.sides]
        assert {frozenset(names[:2]), frozenset(names[2:])} <= set(map(frozenset, OPPOSITE))
        assert all(0 < angle <= 120 for _, angle in joint.motion.sides)


@pytest.mark.parametrize("key", ANIMAL_JOINTS)
def test_every_joint_of_an_animal_has_a_source_and_a_range(key):
    joint = ANIMAL_JOINTS[key]
    sources = ("guesses",) if key in GUESSED_JOINTS else ("Jaegger", "Govoni", "Kambic", "Baliga")
    assert any(source in joint.source for source in sources)
    if isinstance(joint.motion, Bend):
        assert 0 <= joint.motion.extension < 20 < joint.motion.flexion < 180
        assert 2 <= joint.motion.play <= 3
    else:
        names = [name for name, _ in joint.motion.sides]
        assert {frozenset(names[:2]), frozenset(names[2:])} <= set(map(frozenset, OPPOSITE))


def most_of(*parts):
    """What joints do together to four sides, and in turning, degrees."""
    motions = [HUMAN_JOINTS[part].motion for part in parts]
    leans = [sum(motion.sides[column][1] for motion in motions) for column in range(4)]
    return np.array([*leans, sum(motion.twist[1] for motion in motions)])


def test_head_and_neck_add_up_to_what_was_measured_of_both():
    assert most_of("HEAD", "NECK") == pytest.approx((66, 66, 42, 42, 79), abs=0.11)


def test_the_parts_of_the_trunk_were_measured_to_do_no_less_than_the_whole():
    assert (most_of("LUMBAR", "THORACIC") >= most_of("TRUNK")).all()
