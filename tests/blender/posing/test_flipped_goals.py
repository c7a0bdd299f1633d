# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body is flipped of which more is asked than that effectors meet their targets."""

from importlib import import_module

import armatures
import bpy
import figure_goals
import figures
import numpy as np
import pytest

SAME = 1e-4
ASKED = {  # what is asked: of each goal its kind, bone, other bones, and where its target is
    "an aim": [('AIM', "head", (), (0.8, -1, 2))],
    "two poles": [('POLE', "forearm.L", (), (0.6, 0.8, 0.5)), ('POLE', "forearm.R", (), (-0.6, 0.8, 2.5))],
    "two aims": [('AIM', "hand.L", (), (2, 1, 0)), ('AIM', "hand.R", (), (-2, -1, 3))],
}
LEFT_OUT = {
    "a pole of one side": [('POLE', "forearm.L", (), (0.6, 0.8, 0.5))],
    "an attachment of one side": [('ATTACH', "hand.R", ("head",), None)],
}


def asking(goals):
    """A figure with an arm raised and a head turned, posed as its goals have it."""
    ob = figure_goals.ready("hips", "hand.L", "hand.R")
    for name, place in (("hand.L", (0.5, -0.3, 1.6)), ("hand.R", (-0.45, 0.1, 1.2))):
        figures.target_of(ob, name).location = place
        ob.pose.bones[name].superpose_rotation_weight = 0
    armatures.refresh()
    bpy.ops.superpose.solve()
    for kind, bone, others, place in goals:
        goal = figure_goals.add(ob, kind, bone, *others)
        if place:
            goal.target.location = place
    figures.make_active(ob)
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert not any(goal.is_missed for goal in ob.superpose.goals)
    return ob


def after_a_solve(ob):
    """By how much a solve changes what is shown."""
    before = figure_goals.shown(ob)
    bpy.ops.superpose.solve()
    return max(np.abs(matrix - before[name]).max() for name, matrix in figure_goals.shown(ob).items())


@pytest.mark.parametrize("case", ASKED)
def test_goals_ask_for_the_flipped_pose(case):
    ob = asking(ASKED[case])
    before = {goal.name: goal.target.location.copy() for goal in ob.superpose.goals}
    assert bpy.ops.superpose.flip() == {'FINISHED'}
    assert after_a_solve(ob) < SAME
    bpy.ops.superpose.flip()
    for goal in ob.superpose.goals:
        np.testing.assert_allclose(goal.target.location, before[goal.name], atol=SAME)


def test_a_target_goes_to_the_mirror_image_of_the_bone_that_the_other_side_has_as_its_target():
    ob = asking(ASKED["two poles"])
    other = armatures.new_object("Other", ob.data.copy())
    other.location = (0.5, 0.2, 0)
    left, right = ob.superpose.goals
    left.target, left.target_bone = other, "head"
    armatures.refresh()
    image = other.matrix_world @ other.pose.bones["head"].head
    image.x *= -1
    bpy.ops.superpose.flip()
    np.testing.assert_allclose(right.target.location, image, atol=SAME)


@pytest.mark.parametrize("case", LEFT_OUT)
def test_goals_that_ask_for_something_else_are_named_by_what_they_are(addon, case, capfd):
    words = import_module(f"{addon.name}.armature.goals.setting").words_of
    ob = asking(LEFT_OUT[case])
    ob.superpose.goals[0].name = ""
    assert bpy.ops.superpose.flip() == {'FINISHED'}
    assert f"the flipped pose misses {words(ob.superpose.goals[0])}" in capfd.readouterr().out


def test_an_object_of_the_users_own_stays_and_its_goal_is_named(capfd):
    ob = asking(ASKED["an aim"])
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.collection.objects.link(lamp)
    lamp.location = ob.superpose.goals[0].target.location
    ob.superpose.goals[0].target = lamp
    armatures.refresh()
    place = lamp.location.copy()
    bpy.ops.superpose.flip()
    assert lamp.location == place
    assert "misses the aim of 'head'" in capfd.readouterr().out


def test_a_pose_that_is_sheared_once_flipped_is_flipped_whole(capfd):
    ob = asking(ASKED["an aim"])
    ob.data.bones["forearm.L"].inherit_scale = 'NONE'
    ob.pose.bones["arm.L"].scale = (1, 1, 2)
    ob.pose.bones["hand.L"].superpose.hold = 'PINNED'
    armatures.refresh()
    assert bpy.ops.superpose.flip() == {'FINISHED'}
    assert ob.pose.bones["arm.R"].scale[2] == 2
    assert ob.pose.bones["hand.R"].superpose.hold == 'PINNED'
    told = capfd.readouterr().out
    assert told.count("the flipped pose cannot be measured: Bone 'forearm.R' has a sheared") == 1
