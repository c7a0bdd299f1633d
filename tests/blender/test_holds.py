# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What effectors do while others are dragged: pinned, following or free, on Rigify's human metarig."""

import sys

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("blend", "rigify")]

HIPS, HEAD, HAND, FEET = "spine", "spine.006", "hand.L", ("foot.L", "foot.R")
BALLS = ("toe.L", "toe.R")  # whose heads are the balls of the feet, by which these are held
FAR = np.array([1.5, -0.5, 1.0])
MET, SEEN = 1e-4, 0.02  # metres


class Dragged:
    """The metarig, its feet pinned, its hips free, with one effector that is dragged as an operator does."""

    def __init__(self, addon, name, **holds):
        self.ob, rooms = rigify_rigs.metarig("basic_human"), lambda room: sys.modules[f"{addon.name}.{room}"]
        figures.select_bones(self.ob, HIPS, HEAD, HAND, "hand.R", *FEET)
        bpy.ops.superpose.add_effectors()
        for bone, hold in ({HIPS: 'FREE'} | dict.fromkeys(FEET, 'PINNED') | holds).items():
            self.ob.pose.bones[bone].superpose.hold = hold
        self.write_pose, read_rig = rooms("armature").write_pose, rooms("armature").read_rig
        armatures.refresh()
        rig, depsgraph = read_rig(self.ob), bpy.context.evaluated_depsgraph_get()
        frame = rooms("armature").read_frame(rig, self.ob, depsgraph)
        self.row = [effector.bone for effector in rig.effectors].index(name)
        settings = rooms("armature").settings_of(self.ob)
        self.drag = rooms("dragging").Drag(rig, settings, frame, frozenset({self.row}))
        self.begin = {bone.name: bone.matrix.copy() for bone in self.ob.pose.bones}
        self.name = name

    def by(self, way, steps=3):
        for share in np.linspace(1 / steps, 1, steps):
            place = np.array(self.ob.matrix_world @ self.begin[self.name])
            place[:3, 3] += share * np.asarray(way)
            found = self.drag.move({self.row: place})
        self.write_pose(self.drag.rig, self.ob, found.solution.pose)
        armatures.refresh()
        return found

    def strayed(self, bone, way=(0.0, 0.0, 0.0)):
        """How far the bone is from where it began, moved along, metres."""
        now = self.ob.pose.bones[bone].matrix.translation
        return float(np.linalg.norm(np.array(now - self.begin[bone].translation) - way))


@pytest.mark.parametrize("way", [FAR, -2 * FAR, (0, 0, 3)], ids=["aside", "down", "up"])
def test_what_is_pinned_stays_however_far_another_is_dragged(addon, way):
    dragged = Dragged(addon, HAND)
    dragged.by(way)
    assert dragged.strayed(HAND, way) > SEEN
    assert max(dragged.strayed(ball) for ball in BALLS) < MET


def test_hips_go_down_over_pinned_feet_and_what_follows_gives_way(addon):
    dragged = Dragged(addon, HIPS)
    way = (0, 0, -0.44)
    dragged.by(way)
    assert dragged.strayed(HIPS, way) < MET
    assert max(dragged.strayed(ball) for ball in BALLS) < MET
    assert dragged.strayed(HEAD) > 0.3


def test_what_is_dragged_comes_before_what_follows(addon):
    """The head is far off where it was, and what pulls it back costs the hand nothing."""
    dragged = Dragged(addon, HAND, **dict.fromkeys(FEET, 'FREE'))
    dragged.by(FAR)
    assert dragged.strayed(HAND, FAR) < MET


def test_what_is_free_goes_along_and_is_not_missed(addon):
    dragged = Dragged(addon, HAND)
    found = dragged.by((0.4, -0.3, 0.1))
    assert dragged.strayed(HIPS) > SEEN
    hips = [effector.bone for effector in found.rig.effectors].index(HIPS)
    assert dragged.drag.along == {hips}
    missed = (
        sys.modules[f"{addon.name}.reports"]
        .report_of(found.rig, [found.frame], found.skeleton, found.solution)
        .missed
    )
    assert not missed[0, hips]


def test_hips_that_are_free_stay_while_a_hand_is_moved_a_little(addon):
    dragged = Dragged(addon, HAND)
    dragged.by((0, -0.1, 0))
    assert dragged.strayed(HIPS) < SEEN


@pytest.mark.parametrize("way", [(0, 0, 0.3), (0, -0.7, 0)], ids=["up", "forwards"])
def test_what_cannot_get_to_its_place_does_not_turn_over(addon, way):
    dragged = Dragged(addon, HIPS)
    dragged.by(way)
    assert dragged.strayed(HIPS, way) > SEEN
    turned = (
        dragged.begin[HIPS]
        .to_quaternion()
        .rotation_difference(dragged.ob.pose.bones[HIPS].matrix.to_quaternion())
    )
    assert turned.angle < 0.02


def test_pins_that_are_released_go_along_until_they_hold_again(addon):
    dragged = Dragged(addon, HIPS)
    way = (0, 0, 0.5)
    dragged.by(way)
    assert dragged.strayed(HIPS, way) > SEEN
    dragged.drag.are_pins_released = True
    dragged.by(way)
    assert dragged.strayed(HIPS, way) < MET
    assert min(dragged.strayed(foot) for foot in FEET) > SEEN
    dragged.drag.are_pins_released = False
    dragged.by(way)
    assert max(dragged.strayed(ball) for ball in BALLS) < MET


def test_hips_take_all_of_the_body_along_while_pins_are_released(addon):
    dragged = Dragged(addon, HIPS)
    way = (0.3, -0.2, 0.5)
    dragged.drag.are_pins_released = True
    dragged.by(way)
    assert max(dragged.strayed(bone, way) for bone in (HIPS, HEAD, HAND, "hand.R", *FEET)) < MET


def test_a_hand_takes_no_other_hand_along_while_pins_are_released(addon):
    dragged = Dragged(addon, HAND)
    way = (0, -0.2, 0.2)
    dragged.drag.are_pins_released = True
    dragged.by(way)
    assert dragged.strayed(HAND, way) < MET
    assert dragged.strayed("hand.R") < SEEN


def test_a_free_effector_that_is_dragged_is_met(addon):
    dragged = Dragged(addon, HIPS, **dict.fromkeys(FEET, 'FOLLOWS'))
    dragged.by((0.05, 0, -0.1))
    assert dragged.strayed(HIPS, (0.05, 0, -0.1)) < MET
