# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that are built as humans and dogs are: each joint is a link for each axis that it turns about."""

import numpy as np
import pytest
from skeletons import skeleton

from bodies import recognise
from bodies.machines import without_axes

ROBOT = skeleton(
    """
    > pelvis 0 0 0.8
    pelvis > waist_yaw 0 0 0.84
    waist_yaw > waist_pitch 0 0 0.84
    waist_pitch > torso 0 0 0.86
    torso > head_yaw 0 -0.01 1.24
    head_yaw > head_pitch 0 -0.01 1.27
    pelvis > hip_yaw.L 0.09 0 0.74
    hip_yaw.L > hip_roll.L 0.09 0 0.74
    hip_roll.L > hip_pitch.L 0.09 0 0.74
    hip_pitch.L > knee_pitch.L 0.09 -0.01 0.41
    knee_pitch.L > ankle_pitch.L 0.09 0 0.08
    ankle_pitch.L > ankle_roll.L 0.09 0 0.06
    torso > shoulder_pitch.L 0.14 0 1.12
    shoulder_pitch.L > shoulder_roll.L 0.19 0 1.12
    shoulder_roll.L > shoulder_yaw.L 0.19 0 1.08
    shoulder_yaw.L > elbow_pitch.L 0.19 0 0.86
    elbow_pitch.L > wrist_roll.L 0.19 -0.1 0.86
    wrist_roll.L > wrist_pitch.L 0.19 -0.19 0.86
    wrist_pitch.L > wrist_yaw.L 0.19 -0.21 0.86
    """
)
FINGERS = ((0.1, 0.03), (0.12, 0.0), (0.11, -0.03))
HOLDS = {"hips": "pelvis", "chest": "torso", "head": "head_pitch"}
HOLDS |= {
    f"{limb}.{side}": f"{last}.{side}"
    for limb, last in (("hand", "wrist_yaw"), ("foot", "ankle_roll"))
    for side in "LR"
}


def in_snake_case(name):
    part, _, side = name.partition(".")
    return f"{ {'L': 'left_', 'R': 'right_'}[side] if side else '' }{part}_link"


def in_camel_case(name):
    part, _, side = name.partition(".")
    return side + part.title().replace("_", "")


def by_numbers(skeleton):
    """Names that tell of a link nothing but its limb: ``leg_left_3_link``."""
    limbs = {"hip": "leg", "knee": "leg", "ankle": "leg", "shoulder": "arm", "elbow": "arm", "wrist": "arm"}
    limbs |= {"waist": "torso", "head": "head"}
    given, counts = {}, {}
    for name in skeleton.names:
        part, _, side = name.partition(".")
        limb = limbs.get(part.split("_")[0], part)
        counts[limb, side] = counts.get((limb, side), 0) + 1
        sided = {"L": f"{limb}_left", "R": f"{limb}_right"}.get(side, limb)
        given[name] = f"{sided}_{counts[limb, side]}_link"
    return given


def known(skeleton):
    return recognise(skeleton.names, skeleton.parents, skeleton.heads)


@pytest.mark.parametrize("spell", [in_snake_case, in_camel_case])
def test_a_robot_is_held_by_the_last_link_of_a_joint(spell):
    body = known(ROBOT.renamed(spell))
    assert (body.kind, body.is_sure, body.doubtful, body.missing()) == ("human", True, (), ())
    assert {hold: body.bone(hold) for hold in HOLDS} == {hold: spell(bone) for hold, bone in HOLDS.items()}
    assert body.bones("thigh", "L") == tuple(spell(f"hip_{axis}.L") for axis in ("yaw", "roll", "pitch"))


def test_links_of_an_ankle_are_no_toes():
    body = known(ROBOT.renamed(in_snake_case))
    assert not body.bones("toe", "L")


@pytest.mark.parametrize(
    "spell", [by_numbers, lambda skeleton: {name: f"x{at}" for at, name in enumerate(skeleton.names)}]
)
def test_links_in_one_place_are_one_joint_by_their_shape(spell):
    new = spell(ROBOT)
    body = known(ROBOT.renamed(new))
    assert (body.kind, body.is_sure) == ("human", True)
    assert body.bone("hips") == new["pelvis"]


def test_long_fingers_of_a_robot_are_no_wings():
    robot = ROBOT
    for side, sign in (("L", 1), ("R", -1)):
        for number, (reach, aside) in enumerate(FINGERS):
            for joint in (0, 1):
                above = f"wrist_yaw.{side}" if not joint else f"finger_{number}_0.{side}"
                head = (sign * (0.19 + aside), -0.25 - reach * (0.4 + 0.6 * joint), 0.86)
                robot = robot.joined(f"finger_{number}_{joint}.{side}", above, head)
    body = known(robot.renamed(in_snake_case))
    assert (body.kind, body.is_sure) == ("human", True)


def test_a_bone_that_rolls_is_a_link_of_robots_alone():
    names = ["LeftForeArm", "LeftForeArmRoll", "RightForeArm", "RightForeArmRoll", "LeftHand", "RightHand"]
    assert without_axes(names) == tuple(names)
    links = [f"{side}_{part}_link" for side in ("left", "right") for part in ("elbow", "wrist_roll")]
    assert without_axes(links) == ("left elbow", "left wrist", "right elbow", "right wrist")


def dog(legs, parts, ends=("foot",)):
    """A robot that is the same in front and behind, its legs straight as at zero of all motors."""
    names, parents, heads = ["trunk", "imu"], [None, "trunk"], [(0.0, 0.0, 0.4), (0.1, 0.0, 0.45)]
    for leg, x, y in zip(legs, (0.2, 0.2, -0.2, -0.2), (0.05, -0.05, 0.05, -0.05), strict=True):
        at = [(x, y, 0.4), (x, 2.5 * y, 0.4), (x, 2.5 * y, 0.2), (x, 2.5 * y, 0.0)]
        own = [f"{leg}_{part}" for part in (*parts, *ends)]
        names += own
        parents += ["trunk", *own[:-1]]
        heads += at[: len(own)]
    return recognise(names, parents, np.array(heads))


@pytest.mark.parametrize(
    "legs",
    [
        ("FL", "FR", "RL", "RR"),
        ("lf", "rf", "lh", "rh"),
        ("front_left", "front_right", "rear_left", "rear_right"),
    ],
)
@pytest.mark.parametrize(
    "parts",
    [
        ("hip", "thigh", "calf"),
        ("hip", "upper_leg", "lower_leg"),
        ("HIP", "THIGH", "SHANK"),
        ("hipassembly", "upperleg", "lowerleg"),
    ],
)
@pytest.mark.parametrize("ends", [("foot",), ()])
def test_names_tell_which_legs_of_a_robot_are_in_front(legs, parts, ends):
    body = dog(legs, parts, ends)
    assert (body.kind, body.is_sure, body.doubtful, body.missing()) == ("quadruped", True, (), ())
    last = (ends or parts)[-1]
    feet = {hold: body.bone(hold) for hold in ("forefoot.L", "forefoot.R", "hindfoot.L", "hindfoot.R")}
    assert list(feet.values()) == [f"{leg}_{last}" for leg in legs]
    np.testing.assert_allclose(body.forward, (1, 0, 0), atol=1e-6)
    assert "imu" not in body.roles
