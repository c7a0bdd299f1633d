# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of a rig whose joints follow controls is made, and posed as the rig is."""

import re

import armatures
import bpy
import figures
import pytest
import rigify_rigs
from jointed import apart, jointed, made_body


@pytest.fixture
def rig(rigify):
    return jointed()


def test_set_up_body_says_what_is_to_be_done(rig):
    with pytest.raises(RuntimeError, match=r"Press Make Body.*the body of 'Rig' follows controls"):
        bpy.ops.superpose.set_up_body()


def test_the_body_lies_in_the_joints_and_hangs_together(rig):
    rig.pose.bones["move_upper_arm.L"].rotation_mode = 'XYZ'
    rig.pose.bones["move_upper_arm.L"].rotation_euler = 0.3, 0.2, -0.4
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.1, 0.2, 0.3), (2, 2, 2)
    armatures.refresh()
    body = made_body(rig)
    distance, angle = apart(body, rig)
    assert distance < 1e-5
    assert angle < 1e-3
    assert [bone.name for bone in body.pose.bones if bone.parent is None] == ["spine"]
    assert body.data.bones["hand.L"].parent.name == "forearm.L"
    assert bpy.context.object == figures.target_of(body, "hand.L")


def test_the_body_follows_the_rig_again(rig):
    body = made_body(rig)
    rig.pose.bones["move_thigh.L"].location.z += 0.1
    armatures.refresh()
    figures.make_active(rig)
    bpy.ops.superpose.make_body()
    armatures.refresh()
    assert apart(body, rig)[0] < 1e-5
    assert len([ob for ob in bpy.data.objects if ob.type == 'ARMATURE']) == 2


@pytest.mark.parametrize("is_there", [False, True])
def test_a_body_that_cannot_be_posed_as_its_rig_is_says_so(rig, is_there, capfd):
    if is_there:
        made_body(rig)
        figures.make_active(rig)
    rig.data.bones["move_thigh.L"].inherit_scale = 'NONE'
    rig.pose.bones["move_spine"].scale = (1.0, 1.5, 0.7)
    rig.pose.bones["move_thigh.L"].rotation_mode = 'XYZ'
    rig.pose.bones["move_thigh.L"].rotation_euler = (0.5, 0.4, 0.3)
    armatures.refresh()
    body = made_body(rig)
    armatures.refresh()
    assert apart(body, rig)[0] > 0.01
    assert re.search("'Rig body' cannot be posed as 'Rig' is, .*: '.*' is .* cm off", capfd.readouterr().out)


def test_another_body_is_refused(rig):
    body = made_body(rig)
    with armatures.edited(body) as bones:
        bones["hand.L"].head.x += 0.1
    figures.make_active(body)
    with pytest.raises(RuntimeError, match=r"'Rig body' is not the body of 'Rig': at rest 'hand.L'"):
        bpy.ops.superpose.fit_controls()


def test_an_armature_without_controls_needs_no_body(rigify):
    rigify_rigs.metarig("basic_human")
    with pytest.raises(RuntimeError, match="follow no controls: press Set Up Body"):
        bpy.ops.superpose.make_body()


def test_the_body_takes_the_pose_of_its_rig_and_targets_come_along(rig):
    body = made_body(rig)
    turn_of_rig = rig.pose.bones["move_upper_arm.L"]
    turn_of_rig.rotation_quaternion = 0.8, 0.3, 0.3, 0.2
    armatures.refresh()
    bpy.ops.superpose.make_body()  # the target of a hand is active
    armatures.refresh()
    assert apart(body, rig)[0] < 1e-5
    figures.make_active(body)
    bpy.ops.superpose.solve()
    armatures.refresh()
    assert apart(body, rig)[0] < 1e-4


def test_the_body_has_every_joint_whatever_is_recognised_of_it(rig, rooms):
    body = made_body(rig)
    joints = rooms.joints.joints_alike(body, rig)
    assert joints == {bone.name: f"ORG-{bone.name}" for bone in body.data.bones}


def test_a_refused_body_leaves_mode_and_selection(rig, monkeypatch, rooms):
    other = armatures.new_object("Other")
    other.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode='POSE')

    def refuse(*_):
        raise rooms.armature.RigError("No")

    monkeypatch.setattr(bpy.types.SUPERPOSE_OT_make_body, "set_up", refuse)
    figures.refused(bpy.ops.superpose.make_body, "No")
