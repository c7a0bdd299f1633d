# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""In Object Mode, where nobody sees which bones are selected, targets stand for theirs."""

import armatures
import bpy
import figures
import pytest
from drawn_panels import draw

pytestmark = pytest.mark.usefixtures("blend")
ops = bpy.ops.superpose


@pytest.fixture
def ob():
    """A figure whose left hand's target is active and selected; all bones are selected, the chest active."""
    ob = figures.ready()
    figures.active(ob, "chest")
    figures.select_bones(ob, *figures.BONES)
    figures.make_active(figures.target_of(ob, "hand.L"))
    return ob


def limited(ob):
    set_up = [bone for bone in ob.pose.bones if bone.is_property_set("superpose")]
    return {bone.name for bone in set_up if bone.superpose.limit.kind != 'NONE'}


def test_a_limit_is_for_the_bones_of_the_selected_targets(ob):
    ops.add_limit(kind='HINGE')
    assert limited(ob) == {"hand.L"}
    figures.target_of(ob, "head").select_set(True)
    ops.add_limit(kind='CONES')
    assert limited(ob) == {"hand.L", "head"}
    ops.remove_limit()
    assert not limited(ob)


def test_without_targets_the_button_says_how_many_bones_it_is_for(ob):
    assert "Add Limit" in draw()
    figures.make_active(ob)
    assert f"Add Limit to {len(figures.BONES)} Bones" in draw()
    ops.add_limit(kind='HINGE')
    assert limited(ob) == set(figures.BONES)


def test_the_panel_shows_the_bone_of_the_active_target(ob):
    assert "hand.L" in draw()
    figures.make_active(ob)
    assert "chest" in draw()


def test_in_pose_mode_bones_stand_for_themselves(ob):
    figures.make_active(ob)
    figures.target_of(ob, "hand.L").select_set(True)
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, "chest")
    ops.add_limit(kind='HINGE')
    assert limited(ob) == {"chest"}


def test_an_aim_is_for_the_bone_of_the_active_target_and_not_at_it(ob):
    ops.add_goal(kind='AIM')
    goal = ob.superpose.goals[0]
    assert (goal.bone, goal.target.name) == ("hand.L", "Figure hand.L aim")


def test_an_aim_is_at_the_other_selected_object(ob):
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.collection.objects.link(lamp)
    lamp.select_set(True)
    ops.add_goal(kind='AIM')
    goal = ob.superpose.goals[0]
    assert (goal.bone, goal.target) == ("hand.L", lamp)


def test_an_attachment_is_for_the_bones_of_two_selected_targets(ob):
    figures.target_of(ob, "hand.R").select_set(True)
    ops.add_goal(kind='ATTACH')
    goal = ob.superpose.goals[0]
    assert (goal.bone, goal.other_bone) == ("hand.L", "hand.R")


def skin_of(ob):
    """An active mesh that the armature deforms, selected with it as importers leave both."""
    skin = armatures.new_object("Skin", bpy.data.meshes.new("Skin"))
    skin.modifiers.new("Armature", 'ARMATURE').object = ob
    figures.make_active(skin)
    ob.select_set(True)
    return skin


def test_in_object_mode_a_mesh_stands_for_the_armature_that_deforms_it():
    ob = figures.figure()
    skin = skin_of(ob)
    assert "superpose.set_up_body" in draw()
    ops.set_up_body(kind='HUMAN')
    assert figures.effectors(ob)
    assert "superpose.solve" in draw()
    bpy.ops.object.mode_set(mode='EDIT')
    assert draw()[:2] == ["Make an armature the active", "object"]
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.context.view_layer.active_layer_collection.collection.objects.unlink(ob)
    assert bpy.context.object == skin
    assert not ops.solve.poll()


def test_an_aim_is_not_at_the_mesh_of_the_body_itself():
    ob = figures.ready()
    figures.active(ob, "head")
    skin_of(ob)
    ops.add_goal(kind='AIM')
    assert ob.superpose.goals[0].target.name == "Figure head aim"
