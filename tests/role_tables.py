# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone of well-known rigs plays which role, told by people who looked at them.

One line for a part and its bones from the trunk outwards; * stands for both sides, one after the other.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """What is right for a rig: its kind and (part, side) with place by bone."""

    kind: str
    roles: dict


def table(kind, text, sides="LR"):
    """Return the table of lines like ``thigh.* thigh.*``; ``sides`` is how the rig writes left and right."""
    roles = {}
    for line in filter(str.strip, text.splitlines()):
        part, *bones = line.split()
        for side, written in zip("LR", sides.split() if " " in sides else sides, strict=True):
            here = side if ".*" in part else ""
            for place, bone in enumerate(bones, 1):
                roles[bone.replace("*", written)] = (part.removesuffix(".*"), here, place)
    return Table(kind, roles)


_RIGIFY_HUMAN = """
    hips spine
    spine spine.001 spine.002 spine.003
    neck spine.004 spine.005
    head spine.006
    clavicle.* shoulder.*
    upper_arm.* upper_arm.*
    forearm.* forearm.*
    hand.* hand.*
    thigh.* thigh.*
    shin.* shin.*
    foot.* foot.*
    toe.* toe.*
"""
_RIGIFY_FINGERS = """
    thumb.* thumb.01.* thumb.02.* thumb.03.*
    index.* f_index.01.* f_index.02.* f_index.03.*
    middle.* f_middle.01.* f_middle.02.* f_middle.03.*
    ring.* f_ring.01.* f_ring.02.* f_ring.03.*
    pinky.* f_pinky.01.* f_pinky.02.* f_pinky.03.*
"""
_RIGIFY_WOLF_LEGS = """
    clavicle.* shoulder.*
    upper_arm.* front_thigh.*
    forearm.* front_shin.*
    hand.* front_foot.*
    finger.* front_toe.*
    thigh.* thigh.*
    shin.* shin.*
    foot.* foot.*
    toe.* toe.*
"""
# The metarigs that come with Blender, by the names of their operators.
RIGIFY = {
    "human": table("human", _RIGIFY_HUMAN + _RIGIFY_FINGERS),
    "basic_human": table("human", _RIGIFY_HUMAN),
    "basic_quadruped": table(
        "quadruped",
        """
        hips spine.005
        spine spine.006 spine.007 spine.008
        neck spine.009 spine.010
        head spine.011
        tail spine.003 spine.002 spine.001 spine
        """
        + _RIGIFY_WOLF_LEGS,
    ),
    "wolf": table(
        "quadruped",
        """
        hips spine.004
        spine spine.005 spine.006 spine.007 spine.008
        neck spine.009 spine.010
        head spine.011
        tail spine.003 spine.002 spine.001 spine
        """
        + _RIGIFY_WOLF_LEGS,
    ),
    "cat": table(
        "quadruped",
        """
        hips spine
        spine spine.001 spine.002 spine.003
        neck spine.004 spine.005
        head spine.006
        tail tail.001 tail.002 tail.003 tail.004
        clavicle.* shoulder.*
        upper_arm.* upper_arm.*
        forearm.* forearm.*
        hand.* hand.*
        finger.* f_toe.*
        pelvis.* pelvis.*
        thigh.* thigh.*
        shin.* shin.*
        foot.* foot.*
        toe.* r_toe.*
        """,
    ),
    "horse": table(
        "quadruped",
        """
        hips spine.001
        spine spine.002 spine.003 spine.004 spine.005
        neck spine.006 neck.001 neck.002 neck.003 neck.004
        head head
        tail tail.001 tail.002 tail.003 tail.004 tail.005
        clavicle.* shoulder.*
        upper_arm.* upper_arm.*
        forearm.* forearm.*
        hand.* forefoot.*
        finger.* f_toe.* f_hoof.*
        pelvis.* pelvis.*
        thigh.* thigh.*
        shin.* lower_leg.*
        foot.* hind_foot.*
        toe.* r_toe.* r_hoof.*
        """,
    ),
    "bird": table(
        "bird",
        """
        hips spine.004
        spine spine.005
        neck spine.006 neck.001 neck.002
        head head
        tail spine.002 spine.001 spine
        clavicle.* shoulder.*
        upper_arm.* Wing.*
        forearm.* Wing.001.*
        hand.* Wing.002.*
        thigh.* thigh.*
        shin.* shin.*
        foot.* foot.*
        """,
    ),
    "shark": table("unknown", ""),
}
_CMU_DAZ = """
    hips hip
    spine abdomen chest
    neck neck
    head head
    clavicle.* *Collar
    upper_arm.* *Shldr
    forearm.* *ForeArm
    hand.* *Hand
    thumb.* *Thumb1 *Thumb2
    index.* *Index1 *Index2
    middle.* *Mid1 *Mid2
    ring.* *Ring1 *Ring2
    pinky.* *Pinky1 *Pinky2
    pelvis.* *Buttock
    thigh.* *Thigh
    shin.* *Shin
    foot.* *Foot
"""
# The rigs and skeletons that lie beside the checkout, by the beginning of their files' names.
SHARED = {
    "cmu_14_14_jumping_jacks_rawskel": table(
        "human",
        """
        hips Hips
        spine lowerback Chest Chest2
        neck lowerneck Neck
        head Head
        clavicle.* *Collar
        upper_arm.* *Shoulder
        forearm.* *Elbow
        hand.* *Wrist
        thigh.* *Hip
        shin.* *Knee
        foot.* *Ankle
        toe.* *Toe
        """,
        "Left Right",
    ),
    "cmu_0": table("human", _CMU_DAZ, "lr"),
    "fair_child8": table(
        "human",
        """
        hips Hips
        spine Spine Spine1 Spine2 Spine3
        neck Neck
        head Head
        clavicle.* *Shoulder
        upper_arm.* *Arm
        forearm.* *ForeArm
        hand.* *Hand
        thigh.* *UpLeg
        shin.* *Leg
        foot.* *Foot
        toe.* *ToeBase
        """,
        "Left Right",
    ),
    "m2m_human": table(
        "human",
        """
        hips pelvis
        spine spine_01 spine_02 spine_03
        neck neck_01
        head head
        clavicle.* clavicle_*
        upper_arm.* upperarm_*
        forearm.* lowerarm_*
        hand.* hand_*
        thumb.* thumb_01_* thumb_02_* thumb_03_*
        index.* index_01_* index_02_* index_03_*
        middle.* middle_01_* middle_02_* middle_03_*
        ring.* ring_01_* ring_02_* ring_03_*
        pinky.* pinky_01_* pinky_02_* pinky_03_*
        thigh.* thigh_*
        shin.* calf_*
        foot.* foot_*
        toe.* ball_*
        """,
        "lr",
    ),
    "mpfb2": table(
        "human",
        """
        hips root
        spine spine05 spine04 spine03 spine02 spine01
        neck neck01 neck02 neck03
        head head
        clavicle.* clavicle.* shoulder01.*
        upper_arm.* upperarm01.* upperarm02.*
        forearm.* lowerarm01.* lowerarm02.*
        hand.* wrist.*
        thumb.* finger1-1.* finger1-2.* finger1-3.*
        index.* finger2-1.* finger2-2.* finger2-3.*
        middle.* finger3-1.* finger3-2.* finger3-3.*
        ring.* finger4-1.* finger4-2.* finger4-3.*
        pinky.* finger5-1.* finger5-2.* finger5-3.*
        pelvis.* pelvis.*
        thigh.* upperleg01.* upperleg02.*
        shin.* lowerleg01.* lowerleg02.*
        foot.* foot.*
        """,
    ),
    "khronos_CesiumMan": Table(
        "human",
        {
            "Skeleton_torso_joint_1": ("hips", "", 1),
            "Skeleton_torso_joint_2": ("spine", "", 1),
            "torso_joint_3": ("spine", "", 2),
            "Skeleton_neck_joint_1": ("neck", "", 1),
            "Skeleton_neck_joint_2": ("head", "", 1),
            "Skeleton_arm_joint_L__4_": ("upper_arm", "L", 1),
            "Skeleton_arm_joint_L__3_": ("forearm", "L", 1),
            "Skeleton_arm_joint_L__2_": ("hand", "L", 1),
            "Skeleton_arm_joint_R": ("upper_arm", "R", 1),
            "Skeleton_arm_joint_R__2_": ("forearm", "R", 1),
            "Skeleton_arm_joint_R__3_": ("hand", "R", 1),
            **{
                f"leg_joint_{side}_{number}": (part, side, 1)
                for side in "LR"
                for number, part in ((1, "thigh"), (2, "shin"), (3, "foot"), (5, "toe"))
            },
        },
    ),
    "quaternius_horse": table(
        "quadruped",
        """
        hips Back
        spine Torso Torso2
        neck Torso3 Neck1 Neck2 Neck3
        head Head
        tail Tail1 Tail2 Tail3 Tail4 Tail5 Tail6 Tail7
        clavicle.* FrontShoulder.*
        upper_arm.* FrontUpperLeg.*
        forearm.* FrontLowerLeg.*
        hand.* IKFrontLeg.*
        finger.* FF.*
        pelvis.* BackShoulder.*
        thigh.* BackLeg.*
        shin.* BackUpperLeg.*
        foot.* BackLowerLeg.*
        toe.* IKBackLeg.* FFB.*
        """,
    ),
    "m2m_dragon": table(
        "quadruped",
        """
        hips hips
        spine spine_0 spine_1
        neck spine_2 spine_3 spine_4
        head head
        tail tail_1 tail_2 tail_3 tail_4 tail_5 tail_6 tail_tip
        clavicle.* collar_anchor_* front_leg_collar_*
        upper_arm.* front_leg_*
        forearm.* front_ankle_*
        hand.* front_foot_*
        finger.* front_toes_* front_toes_tip_*
        pelvis.* hips_anchor_* back_leg_hip_*
        thigh.* back_leg_*
        shin.* back_ankle_*
        foot.* back_foot_*
        toe.* back_toes_* back_toes_tip_*
        """,
        "lr",
    ),
    "m2m_spider": table(
        "insect",
        """
        leg1.* legs_anchor_1_* leg_a_1_* leg_a_2_* leg_a_3_* leg_a_tip_*
        leg2.* legs_anchor_2_* leg_b_1_* leg_b_2_* leg_b_3_* leg_b_tip_*
        leg3.* legs_anchor_3_* leg_c_1_* leg_c_2_* leg_c_3_* leg_c_tip_*
        leg4.* legs_anchor_4_* leg_d_1_* leg_d_2_* leg_d_3_* leg_d_tip_*
        """,
        "lr",
    ),
    "panda": table("arm", ""),
    "ur5": table("arm", ""),
    "leap_right_hand": table("arm", "forearm.* *Elbow\nhand.* *Hand", "Left Right"),
}
del SHARED["leap_right_hand"].roles["LeftElbow"], SHARED["leap_right_hand"].roles["LeftHand"]
