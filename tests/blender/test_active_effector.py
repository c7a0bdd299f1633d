# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors and the active target go together."""

import armatures
import bpy
import figures
import pytest

pytestmark = pytest.mark.usefixtures("blend")


def active(ob):
    return ob.pose.bones[ob.superpose.active_bone_index].name


def choose(ob, bone):
    ob.superpose.active_bone_index = ob.pose.bones.find(bone)


@pytest.mark.parametrize("bone", figures.EFFECTORS)
def test_a_target_that_is_active_shows_its_own_effector(bone):
    ob = figures.ready()
    choose(ob, "chest")
    figures.make_active(figures.target_of(ob, bone))
    assert active(ob) == bone
    figures.make_active(ob)
    assert active(ob) == "chest"


def test_the_effector_of_the_active_target_is_the_one_removed():
    ob = figures.ready()
    choose(ob, "head")
    figures.make_active(figures.target_of(ob, "hand.L"))
    bpy.ops.superpose.remove_effector()
    assert figures.effectors(ob) == ["hips", "head", "hand.R"]
    assert active(ob) == "hand.R"


def test_choosing_in_the_list_while_a_target_is_active_selects_that_target():
    ob = figures.ready()
    figures.make_active(figures.target_of(ob, "head"))
    choose(ob, "hand.R")
    assert bpy.context.object == figures.target_of(ob, "hand.R")
    assert bpy.context.selected_objects == [bpy.context.object]
    assert active(ob) == "hand.R"


def pinned(ob):
    ob.pose.bones["hand.R"].superpose.target = None


def hidden(ob):
    figures.target_of(ob, "hand.R").hide_set(True)


def another_rigs(ob):
    effector = ob.pose.bones["hand.R"].superpose
    effector.target, effector.target_bone = armatures.chain(1, name="Other"), "b0"


@pytest.mark.parametrize("change", [pinned, hidden, another_rigs])
def test_choosing_an_effector_without_a_target_to_select_goes_back_to_the_armature(change):
    ob = figures.ready()
    change(ob)
    figures.make_active(figures.target_of(ob, "head"))
    choose(ob, "hand.R")
    assert bpy.context.object == ob
    assert active(ob) == "hand.R"


@pytest.mark.parametrize("mode", ['OBJECT', 'POSE'])
def test_choosing_while_the_armature_is_active_selects_nothing(mode):
    ob = figures.ready()
    bpy.ops.object.mode_set(mode=mode)
    choose(ob, "hand.R")
    assert bpy.context.object == ob
    assert bpy.context.selected_objects == [ob]
