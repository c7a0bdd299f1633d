# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots read from URDF files as chains of hinges."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from solvers import Hinge, Skeleton
from solvers.geometry import euler_to_matrix, matrix_to_quaternion

ROBOTS = {"panda": "panda_link8", "ur5_robot": "ee_link"}  # file and the link at its tip
FOLDERS = (Path(__file__).resolve().parents[2] / "shared", Path("/work/shared"))


def rigs_folder():
    """The folder of real rigs that lies beside the checkout."""
    found = [folder / "data" / "rigs" for folder in FOLDERS]
    return next(folder for folder in found if folder.is_dir())


def joints_to(root, tip):
    """The joints from the base to the link ``tip``."""
    above = {joint.find("child").get("link"): joint for joint in root.findall("joint")}
    joints, link = [], tip
    while link in above:
        joints.insert(0, above[link])
        link = above[link].find("parent").get("link")
    return joints


def numbers(joint, tag, attribute):
    """Three numbers of an element of the joint, zeros where it has none."""
    element = joint.find(tag)
    text = None if element is None else element.get(attribute)
    return [float(number) for number in (text or "0 0 0").split()]


def hinge(joint):
    """The limit of a revolute joint."""
    ends = (float(joint.find("limit").get(name)) for name in ("lower", "upper"))
    return Hinge(joint.get("name"), tuple(numbers(joint, "axis", "xyz")), *ends)


def read_robot(name, tip):
    """The robot as a skeleton: a bone for each joint, locked where the joint is fixed."""
    root = ElementTree.parse(rigs_folder() / f"{name}.urdf").getroot()
    joints = joints_to(root, tip)
    angles = np.array([numbers(joint, "origin", "rpy") for joint in joints])
    turns = [joint.get("type") == "revolute" for joint in joints]
    return Skeleton(
        names=[joint.get("name") for joint in joints],
        parents=np.arange(len(joints)) - 1,
        offsets=np.array([[numbers(joint, "origin", "xyz") for joint in joints]]),
        rests=matrix_to_quaternion(euler_to_matrix(angles, "XYZ"))[None],
        stiffness=np.where(turns, 0.0, 1.0),
        limits=tuple(hinge(joint) for joint, turned in zip(joints, turns, strict=True) if turned),
    )
