# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input gets one clear message and changes nothing."""

import re

import armatures
import bpy
import figures
import numpy as np
import pytest
from shipped import shipped_files

pytestmark = pytest.mark.usefixtures("blend")


def solves(match):
    """Solve and Bake are refused alike."""
    figures.refused(bpy.ops.superpose.solve, match)
    figures.refused(bpy.ops.superpose.bake, match, range='CUSTOM', frame_start=1, frame_end=3)


IDENTIFIER = re.compile(r'^    bl_idname = "superpose\.(\w+)"$', re.MULTILINE)
EVERY = sorted(
    {  # a tool is called as its operator is
        name
        for path in shipped_files()
        if path.suffix == ".py"
        for name in IDENTIFIER.findall(path.read_text(encoding="utf-8"))
        if name != "paste_pose" or bpy.app.version < (4, 3)  # later ones paste poses without settings
    }
)
NEED_NONE = {"go_to_frame", "help", "paste_pose", "select_handle"}  # nothing, or Blender asks
every_operator = pytest.mark.parametrize("name", sorted({*EVERY} - NEED_NONE))


def test_every_operator_that_is_registered_is_tested():
    """But for those that join a step of undo, which are Blender's own."""
    assert sorted(name for name in dir(bpy.ops.superpose) if not name.startswith("join_")) == EVERY


@every_operator
def test_no_armature(name):
    bpy.ops.object.empty_add()
    figures.refused(getattr(bpy.ops.superpose, name), "is not an armature")


@pytest.mark.once
@every_operator
def test_nothing_active(name):
    figures.refused(getattr(bpy.ops.superpose, name), "[Cc]hoose an armature")


@pytest.mark.once
@pytest.mark.parametrize("name", sorted({*EVERY} - NEED_NONE - {"pose"}))  # which drags what is grabbed
def test_two_armatures_selected(name):
    other = figures.figure("Other")
    figures.ready()
    other.select_set(True)
    figures.refused(getattr(bpy.ops.superpose, name), "Several armatures are selected")


def test_two_armatures_in_pose_mode():
    other, ob = figures.figure("Other"), figures.ready()
    other.select_set(True)
    bpy.ops.object.mode_set(mode='POSE')
    assert other.mode == ob.mode == 'POSE'
    figures.refused(bpy.ops.superpose.solve, "Several armatures are in Pose Mode")


@pytest.mark.once
@every_operator
def test_edit_mode(name):
    figures.ready()
    bpy.ops.object.mode_set(mode='EDIT')
    figures.refused(getattr(bpy.ops.superpose, name), "edit mode")


@pytest.mark.parametrize("name", ["create_targets", "snap_targets", "solve", "reset", "bake"])
def test_no_effectors(name):
    figures.figure()
    figures.refused(getattr(bpy.ops.superpose, name), "effector")


def test_no_bones_selected():
    figures.figure()
    figures.refused(bpy.ops.superpose.add_effectors, "No bones of 'Figure' are selected")


def test_selected_bones_are_effectors_already():
    figures.ready()
    figures.refused(bpy.ops.superpose.add_effectors, "effectors already")


def test_every_effector_has_a_target():
    figures.ready()
    figures.refused(bpy.ops.superpose.create_targets, "has a target already")


def test_no_effector_is_active():
    ob = figures.ready()
    ob.superpose.active_bone_index = ob.pose.bones.find("chest")
    figures.refused(bpy.ops.superpose.remove_effector, "chosen in the list")
    figures.refused(bpy.ops.superpose.move_effector, "chosen in the list")


def test_nothing_to_remove():
    figures.figure()
    figures.refused(bpy.ops.superpose.remove_setup, "'Figure' has no set-up")


def test_deleted_bone():
    ob = figures.ready()
    ob.superpose.root_bone = "hips"
    with armatures.edited(ob) as bones:
        bones.remove(bones["hips"])
    solves("no bone 'hips'")


def test_root_bone_below_an_effector():
    ob = figures.ready()
    ob.superpose.root_bone = "arm.R"
    solves("'hips' carries the root bone 'arm.R' and so stays")


def test_deleted_target():
    ob = figures.ready()
    target = figures.target_of(ob, "head")
    with bpy.context.temp_override(selected_objects=[target], object=target, active_object=target):
        bpy.ops.object.delete()
    solves("target of 'head' is gone")


def test_missing_target_bone():
    ob, other = figures.ready(), figures.figure("Other")
    effector = ob.pose.bones["head"].superpose
    effector.target, effector.target_bone = other, "tail"
    figures.make_active(ob)
    solves("'Other' has no bone 'tail'")


def test_a_bone_of_another_target_is_forgotten_where_the_target_has_no_bones():
    """No field shows it then."""
    ob, other = figures.ready(), figures.figure("Other")
    effector, empty = ob.pose.bones["head"].superpose, figures.target_of(ob, "head")
    effector.target, effector.target_bone = other, "head"
    effector.target = empty
    figures.make_active(ob)
    assert effector.target_bone == ""
    assert bpy.ops.superpose.solve() == {'FINISHED'}


def test_a_target_without_bones_whose_bone_is_named_is_refused_while_live_too(capfd):
    ob = figures.ready()
    ob.superpose_live = True
    armatures.refresh()
    ob.pose.bones["head"].superpose.target_bone = "nobody"
    armatures.refresh()
    assert "has no bone 'nobody'" in bpy.types.SUPERPOSE_OT_solve.refusal_of(ob)
    assert "Traceback" not in capfd.readouterr().err


def test_a_target_that_is_carried_by_the_solved_chain():
    ob = figures.ready()
    target = figures.target_of(ob, "hand.L")
    target.parent, target.parent_type, target.parent_bone = ob, 'BONE', "forearm.L"
    solves("target of 'hand.L' moves with bone 'forearm.L'")


def test_a_target_bone_inside_the_solved_chain():
    ob = figures.ready()
    effector = ob.pose.bones["hand.L"].superpose
    effector.target, effector.target_bone = ob, "forearm.R"
    solves("forearm.R")


def test_nan_target():
    ob = figures.ready()
    figures.target_of(ob, "head").location.x = np.nan
    with pytest.raises(RuntimeError, match="'Figure head target' is not finite"):
        bpy.ops.superpose.solve()
    assert not ob.superpose.is_solved


def test_target_scaled_to_zero():
    ob = figures.ready()
    figures.target_of(ob, "head").scale = (0, 0, 0)
    solves("'Figure head target' is scaled to zero")


def test_armature_scaled_to_zero():
    ob = figures.ready()
    ob.scale.y = 0
    solves("'Figure' is scaled to zero")


def test_zero_weights():
    ob = figures.ready()
    for bone in figures.EFFECTORS:
        ob.pose.bones[bone].superpose_position_weight = ob.pose.bones[bone].superpose_rotation_weight = 0
    solves("zero weight")


def test_reversed_range():
    figures.ready()
    match = r"ends \(1\) before it starts \(9\)"
    figures.refused(bpy.ops.superpose.bake, match, range='CUSTOM', frame_start=9, frame_end=1)


def test_no_preview_range():
    figures.ready()
    figures.refused(bpy.ops.superpose.bake, "no preview range", range='PREVIEW')


def test_a_bone_under_a_constraint():
    ob = figures.ready()
    ob.pose.bones["forearm.L"].constraints.new('LIMIT_ROTATION').name = "Hinge"
    solves("'forearm.L' cannot be .*constraint 'Hinge'")


def test_a_bone_under_a_driver():
    ob = figures.ready()
    ob.pose.bones["forearm.L"].driver_add("rotation_quaternion", 1)
    solves("'forearm.L' cannot be .*driver")


def library(tmp_path):
    """A file with a set-up figure and an action of its own."""
    ob = figures.ready()
    ob.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=1)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def linked(path):
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Figure"]
    ob = bpy.data.objects["Figure"]
    bpy.context.scene.collection.objects.link(ob)
    figures.make_active(ob)
    return ob


@every_operator
def test_linked_armature_without_override(tmp_path, name):
    linked(library(tmp_path))
    figures.refused(getattr(bpy.ops.superpose, name), "is linked: make a library override")


def test_linked_armature_with_an_override_is_set_up_and_solved(tmp_path):
    ob = linked(library(tmp_path)).override_create(remap_local_usages=True)
    figures.make_active(ob)
    ob.animation_data.action = None
    for bone in figures.EFFECTORS:
        ob.pose.bones[bone].superpose.target = None
    bpy.ops.superpose.create_targets()
    figures.turned_away(ob)
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < 2e-4


def test_an_action_that_cannot_be_edited(tmp_path):
    path = library(tmp_path)
    ob = figures.ready()
    with bpy.data.libraries.load(path, link=True) as (source, wanted):
        wanted.actions = source.actions
    ob.animation_data_create().action = bpy.data.actions[0]
    figures.turned_away(ob)
    # The bone that has curves: by Blender 5.2's defaults only such channels are recorded.
    ob.pose.bones["arm.L"].rotation_quaternion = (0.9, 0.1, 0, 0)
    match = "linked and cannot be edited"
    figures.refused(bpy.ops.superpose.bake, match, range='CUSTOM', frame_end=3, action='CURRENT')
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    figures.refused(bpy.ops.superpose.solve, match)
    figures.refused(bpy.ops.superpose.reset, match)


def test_a_refused_bake_gives_back_a_pose_that_was_not_keyed():
    ob = figures.ready()
    arm = ob.pose.bones["arm.L"]
    for frame in (1, 20):
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    figures.turned_away(ob)
    bpy.ops.superpose.solve()
    figures.curves(ob.animation_data.action)[0].lock = True
    target = figures.target_of(ob, "hand.L")
    target.location.x -= 0.1
    figures.refused(bpy.ops.superpose.bake, "is locked", range='CUSTOM', frame_end=3, action='CURRENT')


@pytest.mark.parametrize("name", ["bake", "find_lost", "find_contacts"])
def test_a_target_that_was_moved_and_not_keyed_stays_through_frames(name):
    """Another frame shows its keys."""
    ob = figures.ready()
    ob.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=1)
    figures.curves(ob.animation_data.action)[0].lock = True
    target = figures.target_of(ob, "hand.L")
    for frame, away in ((1, 0.0), (20, 0.1)):
        target.location.x -= away
        target.keyframe_insert("location", frame=frame)
    target.location.y += 0.2
    place = target.location.copy()
    if name == "bake":
        asked = {"range": 'CUSTOM', "frame_end": 3, "action": 'CURRENT'}
        figures.refused(bpy.ops.superpose.bake, "is locked", **asked)
    else:
        getattr(bpy.ops.superpose, name)()
    assert target.location == place


@pytest.mark.parametrize("name", ["refused", "bake", "find_contacts"])
def test_another_armature_keeps_a_pose_that_is_not_keyed(name):
    """Another frame shows its keys."""
    other = figures.ready("Other")
    bone = other.pose.bones["arm.L"]
    for frame, turn in ((1, 0.0), (20, 1.0)):
        bone.rotation_quaternion = (1.0, turn, 0.0, 0.0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    ob = figures.ready()
    target = figures.target_of(ob, "hand.L")
    for frame in (1, 20):
        target.location.x -= 0.1
        target.keyframe_insert("location", frame=frame)
    bone.rotation_quaternion = (0.0, 0.0, 0.0, 1.0)
    asked = {"range": 'CUSTOM', "frame_end": 3}
    if name == "refused":
        ob.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=1)
        figures.curves(ob.animation_data.action)[0].lock = True
        figures.refused(bpy.ops.superpose.bake, "is locked", **asked, action='CURRENT')
    else:
        getattr(bpy.ops.superpose, name)(**asked)
    assert tuple(bone.rotation_quaternion) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("name", ["mark_frames", "find_lost", "find_contacts"])
def test_a_pose_that_is_not_keyed_stays_where_frames_are_marked(name, live):
    """Whoever has it: the armature, and another in the same action."""
    other, ob = figures.ready("Other"), figures.ready()
    for one in (other, ob):
        for frame in (1, 20):
            one.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=frame)
    if hasattr(ob.animation_data, "action_slot"):
        other.animation_data.action = ob.animation_data.action
        other.animation_data.action_slot = ob.animation_data.action.slots.new('OBJECT', "Other")
        other.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=1)
    target = figures.target_of(ob, "hand.L")
    for frame in range(1, 21):
        target.location.y = -0.02 * frame - 0.5 * (frame == 9)  # a spike
        target.keyframe_insert("location", frame=frame)
    figures.select_bones(ob, "hand.L")
    ob.superpose_live, bpy.context.scene.frame_end = live, 20
    bpy.context.scene.frame_set(1)
    for one in (other, ob):
        one.pose.bones["head"].rotation_quaternion = (0.8, 0.0, 0.6, 0.0)
    armatures.refresh()
    before = [figures.rotations(one) for one in (other, ob)]
    asked = {"kind": "superpose_contact", "frame_end": 3} if name == "mark_frames" else {}
    getattr(bpy.ops.superpose, name)(**asked)
    armatures.refresh()
    assert any("superpose_" in path for path, _ in figures.keys(ob.animation_data.action))
    assert np.array_equal([figures.rotations(one) for one in (other, ob)], before)


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="slots came in 4.4")
def test_another_armature_keeps_its_pose_where_both_have_one_action_each_its_own_slot(rooms):
    other, ob = figures.ready("Other"), figures.ready()
    bone = other.pose.bones["arm.L"]
    for frame, turn in ((1, 0.0), (20, 1.0)):
        bone.rotation_quaternion = (1.0, turn, 0.0, 0.0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    action, own = other.animation_data.action, ob.animation_data_create()
    own.action, own.action_slot = action, action.slots.new('OBJECT', ob.name)
    armatures.refresh()
    bone.rotation_quaternion = (0.0, 0.0, 0.0, 1.0)
    with rooms.armature.pose_kept(ob):
        bpy.context.scene.frame_set(3)
        bpy.context.scene.frame_set(1)
    assert tuple(bone.rotation_quaternion) == (0.0, 0.0, 0.0, 1.0)


def test_targets_that_all_cannot_be_moved():
    ob = figures.ready()
    for bone in figures.EFFECTORS:
        figures.target_of(ob, bone).lock_location[0] = True
    figures.refused(bpy.ops.superpose.snap_targets, "No target can be moved: 'Figure hips target' is locked")


@pytest.mark.parametrize("spoil", [figures.name_no_root, figures.cross_limit])
def test_what_cannot_be_solved_yet_is_set_up_all_the_same(spoil):
    ob = figures.figure()
    spoil(ob)
    figures.select_bones(ob, *figures.EFFECTORS)
    assert bpy.ops.superpose.add_effectors() == {'FINISHED'}
    assert bpy.ops.superpose.create_targets() == {'FINISHED'}
    figures.active(ob, "head")
    assert bpy.ops.superpose.add_goal(kind='AIM') == {'FINISHED'}
