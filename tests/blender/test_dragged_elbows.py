# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way elbows point while hands of Rigify's human are dragged, set up in one press."""

import sys
from dataclasses import replace

import armatures
import bpy
import figures
import humanoids
import numpy as np
import pytest
import rigify_rigs
from armatures import Matrix, Quaternion

pytestmark = [pytest.mark.usefixtures("rigify"), pytest.mark.once]

ARM = ("upper_arm", "forearm", "hand")
# Ways of the left hand in metres, of which the first ends between shoulder and hips, close to the body.
WAYS = [(-0.2, 0.0, 0.22), (-0.3, -0.3, 0.3), (-0.15, -0.35, 0.45), (0.0, -0.25, 0.15), (-0.4, -0.35, 0.1)]
SEVERAL = [("R", WAYS[0]), *(("L", way) for way in WAYS[:3])]
SEVERAL += [pytest.param("L", way, marks=pytest.mark.slow) for way in WAYS[3:]]
UP = [(-0.165, 0.038, 0.369), pytest.param((0.057, 0.238, 0.508), marks=pytest.mark.slow)]
STEP, NEAR, SAME = 0.02, 0.06, 0.01
SWUNG = 0.8  # radians
TALL = 1.976  # metres, of the metarig


class Drags:
    """A human whose hands are dragged, metres of one as large as the metarig."""

    def __init__(self, addon, ob=None, arm=ARM):
        rooms = lambda room: sys.modules[f"{addon.name}.{room}"]  # noqa: E731
        self.ob, self.arm = ob or rigify_rigs.metarig("human"), arm
        self.metre = np.ptp([bone.head_local for bone in self.ob.data.bones], axis=0).max() / TALL
        bpy.ops.superpose.set_up_body(use_live=False)
        armatures.refresh()
        self.armature, self.solvers = rooms("armature"), rooms("solvers")
        self.drag = rooms("dragging").Drag

    def begin(self, side):
        """The drag of a hand, and which effector it is."""
        return self.begin_with(f"{self.arm[-1]}.{side}")

    def begin_with(self, bone):
        """The drag of a bone, and which effector it is."""
        rig = self.armature.read_rig(self.ob)
        frame = self.armature.read_frame(rig, self.ob, bpy.context.evaluated_depsgraph_get())
        # Without targets that count effectors stay where they are.
        frame = replace(frame, influences=np.zeros_like(frame.influences))
        row = [effector.bone for effector in rig.effectors].index(bone)
        return self.drag(rig, self.armature.settings_of(self.ob), frame, frozenset({row})), row

    def moves(self, side, way):
        """The drag after each move, and the joints of the arm (3, 3) there."""
        drag, row = self.begin(side)
        way = np.array(way) * (1 if side == "L" else -1, 1, 1)
        begin = drag.begin.matrices[drag.rig.places[row]]
        count = int(np.ceil(np.linalg.norm(way) / STEP))
        for share in np.arange(1, count + 1) / count:
            place = np.array(begin)
            place[:3, 3] += share * self.metre * way
            found = drag.move({row: place})
            yield drag, self.joints(found.skeleton, found.solution, side)

    def joints(self, skeleton, solution, side):
        heads = self.solvers.forward(skeleton, solution.pose)[1][0]
        return heads[[skeleton.index(f"{name}.{side}") for name in self.arm]] / self.metre

    def at_comfort(self, drag, side):
        """The joints where comfort counts in full and is where the search begins."""
        skeleton, pose = drag.batch.skeleton, drag.batch.pose
        rotations = pose.rotations.copy()
        for comfort in skeleton.comforts:
            rotations[:, skeleton.index(comfort.bone)] = comfort.rotation
        asked = drag.batch.request_in([drag.asked], drag.settings)
        start = self.solvers.Pose(rotations, pose.translations)
        asked = replace(asked, skeleton=skeleton, pose=start)
        given = asked.skeleton, asked.pose, asked.effectors, asked.targets, asked.settings
        return self.joints(skeleton, self.solvers.solve(*given, goals=asked.goals), side)


@pytest.fixture
def drags(addon):
    return Drags(addon)


def swivel(joints):
    """Which way the elbow points from the line between shoulder and hand, metres."""
    shoulder, elbow, hand = joints
    line = (hand - shoulder) / np.linalg.norm(hand - shoulder)
    return elbow - shoulder - line * ((elbow - shoulder) @ line)


@pytest.mark.parametrize(("side", "way"), SEVERAL)
def test_the_elbow_goes_the_way_that_comfort_has_it_and_does_not_flip(drags, side, way):
    path = [(drag, joints) for drag, joints in drags.moves(side, way)]
    elbows = np.array([elbow for _, (_, elbow, _) in path])
    assert np.linalg.norm(np.diff(elbows, axis=0), axis=1).max() < 4 * STEP
    for _, (shoulder, elbow, hand) in path:
        assert elbow[2] < max(shoulder[2], hand[2]) + STEP
    drag, joints = path[-1]
    assert np.linalg.norm(swivel(joints) - swivel(drags.at_comfort(drag, side))) < NEAR
    found = drag.rest()
    assert np.linalg.norm(drags.joints(found.skeleton, found.solution, side)[1] - joints[1]) < NEAR


def test_an_elbow_that_points_elsewhere_stays_there_at_first(drags):
    arm, forearm, hand = (drags.ob.pose.bones[f"{name}.L"] for name in ARM)
    for bone in (arm, forearm):
        bone.rotation_mode = 'QUATERNION'
    forearm.rotation_quaternion = Quaternion((1, 0, 0), 1.2)
    armatures.refresh()
    about = Matrix.Translation(arm.head)
    turn = Quaternion(hand.head - arm.head, SWUNG).to_matrix().to_4x4()
    arm.matrix = about @ turn @ about.inverted() @ arm.matrix
    armatures.refresh()
    begin = np.array(forearm.head) / drags.metre
    for drag, _ in drags.moves("L", (0.0, -STEP, 0.0)):
        found = drag.rest()
    elbow = drags.joints(found.skeleton, found.solution, "L")[1]
    assert np.linalg.norm(elbow - begin) < 2 * STEP
    assert np.linalg.norm(elbow - drags.at_comfort(drag, "L")[1]) > 4 * STEP


@pytest.mark.parametrize("way", UP)
def test_limbs_whose_twist_is_divided_follow_to_where_they_rest(addon, shared_data, way):
    """The next move goes on from the pose whose twist is not: comfort would have to undo that first."""
    ob = humanoids.makehuman(shared_data)
    figures.make_active(ob)
    drags = Drags(addon, ob, ("upperarm01", "lowerarm01", "wrist"))
    assert drags.begin("L")[0].rig.twists
    *_, (drag, joints) = drags.moves("L", way)
    found = drag.rest()
    assert np.abs(drags.joints(found.skeleton, found.solution, "L") - joints).max() < SAME
