# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals that cannot be asked for are refused by name, and nothing is changed."""

import bpy
import figures
import numpy as np
import pytest
from figure_goals import add, ready, shown

pytestmark = pytest.mark.usefixtures("blend")


def carried(ob):
    """An empty that hangs on the hand."""
    empty = bpy.data.objects.new("Carried", None)
    bpy.context.collection.objects.link(empty)
    empty.parent, empty.parent_type, empty.parent_bone = ob, 'BONE', "hand.L"
    return empty


def leave_out(target):
    """Put a target into a collection that the view layer has not: Blender keeps a copy that does not move."""
    group = bpy.data.collections.new("Left Out")
    bpy.context.scene.collection.children.link(group)
    target.users_collection[0].objects.unlink(target)
    group.objects.link(target)
    bpy.context.view_layer.layer_collection.children[group.name].exclude = True


def attach_without_turn(goal):
    goal.kind, goal.other_bone, goal.turn = 'ATTACH', "hand.L", (0, 0, 0, 0)


REFUSED = {
    "its target is gone": ("needs a target", lambda ob, goal: setattr(goal, "target", None)),
    "its bone is gone": (
        "The aim of 'Neck' is gone.*no bone 'Neck'",
        lambda ob, goal: setattr(goal, "bone", "Neck"),
    ),
    "its turn is zero": ("press Set to Pose", lambda ob, goal: attach_without_turn(goal)),
    "it has no bone": ("needs a bone", lambda ob, goal: setattr(goal, "bone", "")),
    "its target hangs on a solved bone": (
        "moves with bone 'hand.L'",
        lambda ob, goal: setattr(goal, "target", carried(ob)),
    ),
    "its target is the armature": ("its own armature", lambda ob, goal: setattr(goal, "target", ob)),
    "its target is switched off": (
        "'head' is switched off in viewports, so it stands still",
        lambda ob, goal: setattr(goal.target, "hide_viewport", True),
    ),
    "its target is left out": (
        "'head' is in a collection that is excluded from the view layer, so it stands still",
        lambda ob, goal: leave_out(goal.target),
    ),
    "its target is nowhere": (
        "not finite",
        lambda ob, goal: setattr(goal.target, "location", (np.nan, 0.0, 0.0)),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_asked_is_refused_by_name_and_changes_nothing(case):
    ob = ready("hips", "hand.L")
    goal = add(ob, 'AIM', "head")
    words, spoil = REFUSED[case]
    spoil(ob, goal)
    bpy.context.view_layer.update()
    before = shown(ob)
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.superpose.solve()
    assert all(np.array_equal(matrix, before[name]) for name, matrix in shown(ob).items())


@pytest.mark.parametrize("kind", ['PLANE', 'BALANCE'])
def test_what_a_script_deletes_is_not_taken_for_what_there_is_without_a_target(kind):
    ob = ready("hips", "hand.L")
    goal = add(ob, kind)
    goal.target = bpy.data.objects.new("Table", None)
    bpy.context.collection.objects.link(goal.target)
    bpy.data.objects.remove(goal.target)
    figures.refused(bpy.ops.superpose.solve, f"The target of the {kind.lower()} was deleted: choose another")
    goal.target = figures.target_of(ob, "hips")
    goal.target = None
    assert bpy.ops.superpose.solve() == {'FINISHED'}


def test_bones_that_are_to_stay_beside_each_other_in_a_circle_are_refused():
    ob = ready("hips")
    add(ob, 'ATTACH', "hand.L", "hand.R")
    add(ob, 'ATTACH', "hand.R", "hand.L")
    figures.refused(bpy.ops.superpose.solve, "'hand.[LR]'.*circle")


def test_an_aim_at_the_bones_own_head_is_refused():
    ob = ready("hips")
    goal = add(ob, 'AIM', "head")
    goal.target.location = ob.matrix_world @ ob.pose.bones["head"].head
    figures.refused(bpy.ops.superpose.solve, "aim of 'head'")


def test_a_mirrored_bone_is_refused():
    ob = ready("hips")
    goal = add(ob, 'AIM', "head")
    ob.pose.bones["head"].scale.x = -1
    bpy.context.view_layer.update()
    figures.refused(bpy.ops.superpose.solve, "'head' is mirrored")
    goal.enabled = False
    bpy.ops.superpose.solve()


@pytest.mark.parametrize(
    ("kind", "selected", "words"),
    [
        ('ATTACH', ("hand.L",), "Select one other bone"),
        ('POLE', ("hips",), "not the middle of a limb"),
    ],
)
def test_a_goal_that_makes_no_sense_is_not_added(kind, selected, words):
    ob = ready("hips")
    figures.select_bones(ob, *selected)
    figures.active(ob, selected[0])
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.superpose.add_goal(kind=kind)
    assert not ob.superpose.goals


def spoilt(goal, **values):
    """Give a goal a target with these values."""
    goal.target = bpy.data.objects.new("Spoilt", None)
    bpy.context.collection.objects.link(goal.target)
    for name, value in values.items():
        setattr(goal.target, name, value)


@pytest.mark.once
@pytest.mark.parametrize(
    ("kind", "bone", "spoil", "words"),
    [
        (
            'POLE',
            "forearm.L",
            {"location": (np.nan, 0, 0)},
            "target of the pole of 'forearm.L' is not finite",
        ),
        ('PLANE', "hips", {"location": (np.nan, 0, 0)}, "target of the plane is not finite"),
        ('BALANCE', "hips", {"location": (0, np.nan, 0)}, "target of the balance is not finite"),
        ('PLANE', "hips", {"scale": (0, 0, 0)}, "target of the plane is scaled to zero"),
    ],
)
def test_a_target_that_says_nothing_is_refused_and_changes_nothing(kind, bone, spoil, words):
    ob = ready("hips", "hand.L")
    spoilt(add(ob, kind, bone), **spoil)
    bpy.context.view_layer.update()
    before = shown(ob)
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.superpose.solve()
    assert all(np.array_equal(matrix, before[name]) for name, matrix in shown(ob).items())


@pytest.mark.once
def test_a_bone_that_is_to_stay_beside_itself_is_refused():
    ob = ready("hips", "hand.L")
    add(ob, 'ATTACH', "hand.R", "hand.L").other_bone = "hand.R"
    figures.refused(bpy.ops.superpose.solve, "The attachment of 'hand.R' is to the bone itself")


@pytest.mark.parametrize("kind", ['BALANCE', 'PLANE'])
def test_what_would_take_the_body_absurdly_far_is_refused(kind):
    ob, target = ready("hips", "hand.L"), figures.armatures.new_object("Far")
    goal = add(ob, kind)
    goal.target, target.location = target, (3e9, 0.0, 3e9)
    bpy.ops.object.mode_set(mode='OBJECT')
    figures.make_active(ob)
    figures.refused(
        bpy.ops.superpose.solve, f"The {kind.lower()} is more than a million times the rig's size"
    )
    goal.influence = 0
    assert bpy.ops.superpose.solve() == {'FINISHED'}


def test_a_plane_far_below_is_met():
    ob, target = ready("hips", "hand.L"), figures.armatures.new_object("Far")
    goal = add(ob, 'PLANE')
    goal.target, target.location.z = target, -3e9
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    assert not goal.is_missed
