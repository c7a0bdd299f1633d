# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What names a bone goes on naming it, whatever it is called."""

import armatures
import bpy
import figures
import pytest

pytestmark = pytest.mark.usefixtures("blend")


def setting_up():
    """A figure, and every setting that names a bone of it: its owner and the property's name."""
    ob, other = figures.ready(), figures.figure("Other")
    figures.make_active(ob)
    goal, asked = ob.superpose.goals.add(), ob.pose.bones["head"].superpose
    goal.target = asked.target = other
    named = [(goal, name) for name in ("bone", "upper_bone", "end_bone", "other_bone", "target_bone")]
    return ob, other, [*named, (asked, "target_bone"), (ob.superpose, "root_bone")]


def rename(ob, name, to):
    ob.data.bones[name].name = to


def rename_in_edit_mode(ob, name, to):
    with armatures.edited(ob) as bones:
        bones[name].name = to


@pytest.mark.parametrize("change", [rename, rename_in_edit_mode])
def test_a_renamed_bone_is_named_still(change):
    ob, other, named = setting_up()
    for owner, name in named:
        setattr(owner, name, "chest")
    change(ob, "chest", "Brust")
    change(other, "chest", "Torso")
    for owner, name in named:
        assert getattr(owner, name) == ("Torso" if name == "target_bone" else "Brust")
    change(ob, "Brust", "chest")
    assert named[0][0].bone == "chest"


def test_bones_that_change_names_are_told_apart():
    ob, _, ((goal, _), *_) = setting_up()
    goal.bone, goal.other_bone = "hand.L", "hand.R"
    for name, to in (("hand.L", "spare"), ("hand.R", "hand.L"), ("spare", "hand.R")):
        rename(ob, name, to)
    assert (goal.bone, goal.other_bone) == ("hand.R", "hand.L")
    rename(ob, "head", "Kopf")
    rename(ob, "chest", "head")
    goal.bone = "head"
    assert (goal.bone, ob.pose.bones[goal.bone].bone.name) == ("head", "head")


def test_another_bone_of_the_old_name_is_another_bone():
    ob, _, ((goal, _), *_) = setting_up()
    goal.bone = "hand.L"
    rename(ob, "hand.L", "paw")
    rename(ob, "head", "hand.L")
    assert goal.bone == "paw"
    goal.other_bone = "hand.L"
    assert (goal.bone, goal.other_bone) == ("paw", "hand.L")


def test_names_hold_through_saving_and_undo(tmp_path):
    ob, _, ((goal, _), *_) = setting_up()
    goal.bone = "hand.L"
    bpy.ops.ed.undo_push(message="before")
    rename(ob, "hand.L", "paw")
    bpy.ops.ed.undo_push(message="renamed")
    path = str(tmp_path / "renamed.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.ed.undo()
    assert bpy.data.objects["Figure"].superpose.goals[0].bone == "hand.L"
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.data.objects["Figure"].superpose.goals[0].bone == "paw"


def test_a_bone_that_is_gone_is_named_as_it_was_chosen():
    ob, _, ((goal, _), *_) = setting_up()
    goal.bone = "hand.L"
    with armatures.edited(ob) as bones:
        bones.remove(bones["hand.L"])
    assert goal.bone == "hand.L"
    goal.bone = ""
    assert goal.bone == ""


def test_a_goal_is_solved_after_its_bone_was_renamed():
    ob = figures.ready()
    figures.select_bones(ob, "head")
    ob.data.bones.active = ob.data.bones["head"]
    bpy.ops.superpose.add_goal(kind='AIM')
    rename(ob, "head", "Kopf")
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    bpy.ops.superpose.remove_effector()
    assert ob.superpose.goals[0].bone == "Kopf"


def test_a_copy_of_a_bone_is_another_bone():
    ob, other, named = setting_up()
    for owner, name in named:
        setattr(owner, name, "hand.L")
    for copied in (ob, other):
        armatures.symmetrize_from_the_left(copied)
    for owner, name in named:
        assert getattr(owner, name) == "hand.L"
        setattr(owner, name, "hand.R")
        assert getattr(owner, name) == "hand.R"
