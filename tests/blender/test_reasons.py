# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why an effector was missed, in a set-up body, and what the buttons beside it do."""

import armatures
import bpy
import figures
import pytest

pytestmark = pytest.mark.once

HIPS, HAND, FEET = "spine", "hand.L", ("foot.L", "foot.R")


@pytest.fixture
def human(rigify):
    """A metarig as Set Up Body leaves it, without Live."""
    bpy.ops.object.armature_human_metarig_add()
    ob = bpy.context.object
    bpy.ops.superpose.set_up_body(use_live=False)
    for foot in FEET:
        ob.pose.bones[foot].superpose.hold = 'PINNED'
    return ob


def missed(ob, name, *by):
    """The kinds and the subjects of the reasons, the effector's target being moved."""
    figures.target_of(ob, name).location += armatures.Vector(by)
    armatures.refresh()
    figures.make_active(ob)
    bpy.ops.superpose.solve()
    effector = ob.pose.bones[name].superpose
    assert effector.is_missed
    return {reason.kind: reason.about for reason in effector.reasons}


def test_hips_that_are_missed_have_a_reason_that_the_warning_of_solve_says_too(human, capfd):
    assert missed(human, HIPS, 0, 0, 0.5)['PIN'] in FEET
    assert "the pin of 'foot." in capfd.readouterr().out


def test_a_hand_far_away_is_too_short_and_held_by_a_foot(human):
    found = missed(human, HAND, 1.5, 0, 1.0)
    assert found['PIN'] in FEET
    assert 'SHORT' in found


def test_where_nothing_is_pinned_it_is_what_pulls_the_other_way(human):
    for foot in FEET:
        human.pose.bones[foot].superpose.hold = 'FOLLOWS'
    assert 'EFFECTOR' in missed(human, HIPS, 0, 0, 0.5)


def test_a_floor_that_must_hold_is_named(blend):
    ob = figures.ready()
    table = armatures.new_object("Table")
    table.location.z = 1.2
    goal = ob.superpose.goals.add()
    goal.kind, goal.rank, goal.name, goal.bone, goal.target = 'PLANE', 'MUST', "Table Top", HAND, table
    assert missed(ob, HAND, -0.2, -0.2, -0.6)['GOAL'] == "Table Top"
    (reason,) = (reason for reason in ob.pose.bones[HAND].superpose.reasons if reason.kind == 'GOAL')
    assert reason.words == "the plane of 'hand.L' must hold"
    ob.superpose.goals.add()
    ob.superpose.active_goal_index = 1
    bpy.ops.superpose.show_goal(goal="Table Top")
    assert ob.superpose.active_goal_index == 0
    with pytest.raises(RuntimeError, match="has no goal 'Wall'"):
        bpy.ops.superpose.show_goal(goal="Wall")


def test_what_is_met_has_no_reasons(human):
    missed(human, HIPS, 0, 0, 0.5)
    bpy.ops.superpose.reset()
    bpy.ops.superpose.snap_targets()
    bpy.ops.superpose.solve()
    assert not any(len(human.pose.bones[name].superpose.reasons) for name in (HIPS, HAND, *FEET))


def test_releasing_the_pin_lets_the_effector_be_met(human):
    """One by the ankle: a foot that is pinned by its sole has its heel give way to the hips already."""
    for name in FEET:
        human.pose.bones[name].superpose.use_sole = False
    pin = missed(human, HIPS, 0, 0, 0.3)['PIN']
    before = human.pose.bones[HIPS].superpose.position_residual
    for name in FEET:
        bpy.ops.superpose.release_pin(bone=name)
        assert human.pose.bones[name].superpose.hold == 'FOLLOWS'
    assert pin in FEET
    bpy.ops.superpose.solve()
    assert human.pose.bones[HIPS].superpose.position_residual < before
    figures.refused(bpy.ops.superpose.release_pin, "'spine.001' is no effector", bone="spine.001")
    figures.refused(bpy.ops.superpose.release_pin, "has no bone 'nobody'", bone="nobody")


def test_a_limit_is_shown_with_its_bone_active(human):
    bpy.context.scene.superpose_show_limits = False
    bpy.context.scene.superpose_limits_of = 'SELECTED'
    bpy.ops.superpose.show_limit(bone="forearm.L")
    assert human.data.bones.active.name == "forearm.L"
    assert bpy.context.scene.superpose_show_limits
    assert bpy.context.scene.superpose_limits_of == 'ACTIVE'
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.show_limit(bone="upper_arm.L")
    assert figures.selected_bones(human) == ["upper_arm.L"]


def test_an_effector_is_made_active_in_the_list(human):
    bpy.ops.superpose.show_effector(bone="foot.R")
    assert human.pose.bones[human.superpose.active_bone_index].name == "foot.R"
