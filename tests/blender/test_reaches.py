# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses at the ends of what bodies do, on humans that are set up in one press and asked for little else."""

from importlib import import_module

import armatures
import bpy
import figures
import humanoids
import numpy as np
import pytest
import rigify_rigs
from armatures import Vector

from solvers.geometry.rotations import quaternion_to_matrix

pytestmark = [pytest.mark.usefixtures("rigify"), pytest.mark.once]

COLLARBONE = 35.0  # degrees
JOINTS = {"hand": "WRIST", "foot": "ANKLE", "forearm": "ELBOW", "shin": "KNEE"}


class Human:
    """A humanoid that is set up, its body's directions and where its joints are at rest."""

    def __init__(self, addon, ob):
        self.ob, self.rooms = ob, lambda name: import_module(f"{addon.name}.{name}")
        for bone in ob.pose.bones:
            bone.rotation_mode, bone.matrix_basis = 'QUATERNION', armatures.Matrix()
        figures.make_active(ob)
        figures.select_bones(ob)
        bpy.ops.superpose.set_up_body(use_live=False)
        self.body = self.rooms("armature.setup.body").recognised_body(ob)
        self.anatomy = self.rooms("armature.limits.anatomy").anatomy_of(ob)
        self.up, self.front, self.left = self.anatomy.up, self.anatomy.front, self.anatomy.left

    def bone(self, part, side=""):
        return self.body.bones(part, side)[0]

    def head(self, part, side=""):
        return armatures.array(self.ob.data.bones[self.bone(part, side)].head_local)

    def length(self, *parts):
        heads = np.array([self.head(part, "L") for part in parts])
        return np.linalg.norm(np.diff(heads, axis=0), axis=1).sum()

    def effector(self, part, side=""):
        return self.ob.pose.bones[self.bone(part, side)].superpose

    def move(self, part, side, to):
        """Put the target where the bone's head comes to a place in armature space; the bone may turn."""
        away = self.ob.matrix_world.to_3x3() @ Vector((to - self.head(part, side)).tolist())
        self.effector(part, side).target.location += away
        self.ob.pose.bones[self.bone(part, side)].superpose_rotation_weight = 0.0

    def turn(self, bone):
        """How the bone is turned from rest, degrees."""
        return np.degrees(self.ob.pose.bones[bone].matrix_basis.to_quaternion().normalized().angle)

    def outside(self, part, side):
        """How far the joint is outside the range that is published of it, degrees."""
        bone, presets = self.bone(part, side), self.rooms("armature.limits.anatomical")
        limit = presets.anatomical_limit(self.anatomy, self.ob.data.bones[bone], JOINTS[part])
        turn = self.ob.pose.bones[bone].matrix_basis.to_quaternion().normalized()
        local = quaternion_to_matrix(np.array(turn))[None, None]
        (group,) = self.rooms("solvers.limits").group_limits([limit], {bone: 0})
        away = self.rooms("solvers.geometry").angle_between(group.nearest(local), local)
        return float(np.degrees(away)[0, 0])


def overhead(human):
    arm = human.length("upper_arm", "forearm", "hand")
    human.move("hand", "L", human.head("upper_arm", "L") + arm * (0.9 * human.up + 0.15 * human.left))


def behind_the_back(human):
    arm = human.length("upper_arm", "forearm", "hand")
    way = 0.25 * human.up + 0.1 * human.left - 0.2 * human.front
    human.move("hand", "L", human.head("hips") + arm * way)


def high_kick(human):
    leg = human.length("thigh", "shin", "foot")
    human.move("foot", "L", human.head("thigh", "L") + leg * (0.9 * human.front + 0.15 * human.up))


def to_the_toes(human):
    leg = human.length("thigh", "shin", "foot")
    human.effector("head").enabled = False
    human.move("hips", "", human.head("hips") - leg * (0.2 * human.front + 0.05 * human.up))
    for side in "LR":
        human.move("hand", side, human.head("foot", side) + leg * (0.12 * human.front + 0.22 * human.up))


def deep_squat(human):
    leg = human.length("thigh", "shin", "foot")
    human.effector("head").enabled = False
    human.move("hips", "", human.head("hips") - leg * (0.36 * human.front + 0.45 * human.up))
    for side in "LR":
        human.move("hand", side, human.head("hand", side) - leg * 0.45 * human.up)


MAKERS = (None, humanoids.imported, humanoids.captured, humanoids.makehuman)


def reaches():
    """Every body, and every reach of one body at least; the others take long and are slow."""
    for name, make in zip(("metarig", "imported", "captured", "makehuman"), MAKERS, strict=True):
        for pose in POSES:
            marks = pytest.mark.slow if pose in LONG.get(name, ()) else ()
            yield pytest.param(make, pose, id=f"{name}-{pose.__name__}", marks=marks)


POSES = (overhead, behind_the_back, high_kick, to_the_toes, deep_squat)
LONG = {
    "imported": (to_the_toes, overhead),
    "captured": (high_kick, to_the_toes, deep_squat),
    "makehuman": (deep_squat, behind_the_back),
}


@pytest.mark.parametrize(("make", "pose"), reaches())
def test_a_human_reaches_as_humans_do(request, addon, make, pose):
    ob = make(request.getfixturevalue("shared_data")) if make else rigify_rigs.metarig("human")
    human = Human(addon, ob)
    pose(human)
    armatures.refresh()
    bpy.ops.superpose.solve()
    armatures.refresh()
    for side in "LR":
        assert human.turn(human.bone("clavicle", side)) < COLLARBONE
        for part in JOINTS:
            assert human.outside(part, side) < 0.1
    moved = [bone.name for bone in ob.pose.bones if bone.superpose.is_effector and bone.superpose.enabled]
    size = np.ptp([bone.head_local for bone in ob.data.bones], axis=0).max()
    for name in moved:
        if ob.pose.bones[name].superpose_position_weight > 0:
            assert figures.distance(ob, name) < 0.01 * size
