# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""While an armature is live its body follows its targets; read from Blender's own evaluation."""

import armatures
import bpy
import figures
import pytest
from armatures import Vector
from live_figures import MOVE, apart, channels, handlers_of, move

AWAY = Vector((0.2, 0.15, 0.2))


@pytest.mark.parametrize("steps", [1, 10])
def test_the_body_follows(ob, steps):
    move(ob, steps=steps)
    for bone in figures.EFFECTORS:
        assert figures.distance(ob, bone) < 1e-4
        assert figures.turn(ob, bone) < 2e-3
    assert "Solved 4" in ob.superpose.message


def test_it_solves_as_soon_as_it_is_on():
    ob = figures.turned_away(figures.ready())
    assert figures.distance(ob, "hand.L") > 0.1
    ob.superpose_live = True
    assert figures.distance(ob, "hand.L") < 1e-4


def test_switched_off_it_stays(ob):
    ob.superpose_live = False
    before = channels(ob)
    move(ob)
    assert channels(ob) == before


@pytest.mark.once
def test_back_where_it_was_the_pose_is_what_it_was(ob):
    """Esc in the midst of a move puts the target back."""
    figures.target_of(ob, "head").rotation_euler.x += 0.3
    armatures.refresh()
    before, place = channels(ob), figures.target_of(ob, "hand.L").location.copy()
    move(ob, steps=5, way=Vector((2, 0, 1)))
    assert channels(ob) != before
    figures.target_of(ob, "hand.L").location = place
    armatures.refresh()
    assert channels(ob) == before


@pytest.mark.once
def test_the_way_there_hardly_matters(ob):
    """From a bent elbow: which way a straight one bends is as good as any other."""
    ob.pose.bones["forearm.L"].rotation_mode = 'XYZ'
    ob.pose.bones["forearm.L"].rotation_euler.x = 0.7
    bpy.ops.superpose.snap_targets()
    armatures.refresh()
    begin = figures.target_of(ob, "hand.L").location.copy()
    poses = []
    for way in ([MOVE], [(-0.5, -0.3, 0), (0.1, 0.4, 0.3), MOVE], [(0, 0, -0.5), (-0.6, 0, 0.4), MOVE]):
        for point in way:
            figures.target_of(ob, "hand.L").location = begin + Vector(point)
            armatures.refresh()
        poses.append(figures.rotations(ob))
        figures.target_of(ob, "hand.L").location = begin
        armatures.refresh()
    assert apart(poses[0], poses[1]) < 0.5
    assert apart(poses[0], poses[2]) < 0.5


@pytest.mark.once
def test_pins_do_not_creep(ob):
    ob.pose.bones["head"].superpose.target = None
    armatures.refresh()
    head = ob.pose.bones["head"].matrix.copy()
    move(ob, steps=20)
    move(ob, "hand.R", way=AWAY, steps=20)
    assert (ob.pose.bones["head"].matrix.translation - head.translation).length < 1e-4


@pytest.mark.once
def test_half_an_influence_brings_half_way_and_no_further(ob):
    ob.pose.bones["hand.R"].superpose_influence = 0.5
    armatures.refresh()
    begin = ob.pose.bones["hand.R"].head.copy()
    move(ob, "hand.R", way=AWAY, steps=20)
    assert (ob.pose.bones["hand.R"].head - begin - AWAY / 2).length < 1e-4
    move(ob, steps=20)
    assert (ob.pose.bones["hand.R"].head - begin - AWAY / 2).length < 1e-4


def test_a_bone_posed_by_hand_stays_as_posed_until_a_target_moves(ob):
    bone = ob.pose.bones["forearm.R"]
    bone.rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    armatures.refresh()
    before = channels(ob)
    armatures.refresh()
    assert channels(ob) == before
    move(ob)
    assert figures.distance(ob, "hand.R") < 1e-4


def test_other_bones_are_left_alone(ob):
    with armatures.edited(ob) as bones:
        new = bones.new("tail")
        new.head, new.tail, new.parent = (0, 0.1, 1), (0, 0.4, 1), bones["hips"]
    ob.pose.bones["tail"].rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    before = channels(ob)["tail"]
    move(ob, steps=3)
    move(ob, steps=3, way=-MOVE)
    assert channels(ob)["tail"] == before


def test_settings_are_followed_too(ob):
    """Those of what gives way; what is dragged comes before it, whatever its weight."""
    move(ob, way=Vector((3, 0, 0)))
    missed = figures.distance(ob, "hand.R")
    ob.pose.bones["hand.R"].superpose_position_weight = 10
    assert figures.distance(ob, "hand.R") < missed - 0.01
    assert figures.distance(ob, "hand.L") < 1e-4


def test_an_influence_is_followed_from_where_the_drag_began(ob):
    begin = ob.pose.bones["hand.L"].head.copy()
    move(ob)
    for influence in (0.0, 0.5, 0.25, 1.0):
        ob.pose.bones["hand.L"].superpose_influence = influence
        armatures.refresh()
        assert (ob.pose.bones["hand.L"].head - begin - influence * MOVE).length < 1e-4


def test_the_armature_is_moved_under_its_targets(ob):
    ob.location.x += 0.1
    for bone in figures.EFFECTORS:
        assert figures.distance(ob, bone) < 1e-4


def test_undo_and_redo_bring_poses_back_to_the_bit(ob):
    name = ob.name
    bpy.ops.ed.undo_push(message="at rest")
    poses = [channels(ob)]
    for _ in range(3):
        move(ob, way=Vector((-0.2, 0.9, 0.1)), steps=4)  # far: missed, so that solving again would change it
        bpy.ops.ed.undo_push(message="moved")
        poses.append(channels(ob))
    for pose in poses[-2::-1]:
        bpy.ops.ed.undo()
        armatures.refresh()
        assert channels(bpy.data.objects[name]) == pose
    for pose in poses[1:]:
        bpy.ops.ed.redo()
        armatures.refresh()
        assert channels(bpy.data.objects[name]) == pose
    move(bpy.data.objects[name], way=Vector((0.2, -2.7, 0)))
    assert figures.distance(bpy.data.objects[name], "hand.L") < 1e-4


def test_a_file_keeps_it_and_its_pose(ob, addon, tmp_path):
    move(ob, way=Vector((0, 2, 0)), steps=4)
    before, saved = channels(ob), str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=saved)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not handlers_of(addon)
    bpy.ops.wm.open_mainfile(filepath=saved)
    armatures.refresh()
    ob = bpy.data.objects["Figure"]
    assert channels(ob) == before
    move(ob, way=Vector((0, -2, 0)))
    assert figures.distance(ob, "hand.L") < 1e-4


def test_nothing_runs_while_nothing_is_live(addon):
    ob = figures.ready()
    assert not handlers_of(addon)
    ob.superpose_live = True
    assert len(handlers_of(addon)) == 6
    ob.superpose_live = True
    assert len(handlers_of(addon)) == 6
    ob.superpose_live = False
    assert not handlers_of(addon)


def test_undo_turns_it_too(addon):
    ob = figures.ready()
    bpy.ops.ed.undo_push(message="off")
    ob.superpose_live = True
    bpy.ops.ed.undo_push(message="on")
    bpy.ops.ed.undo()
    assert not handlers_of(addon)
    bpy.ops.ed.redo()
    assert len(handlers_of(addon)) == 6


def test_removing_the_set_up_or_the_addon_ends_it(ob, addon):
    addon.disable()
    assert not handlers_of(addon)
    addon.enable()
    bpy.context.view_layer.objects.active = ob
    ob.superpose_live = True
    assert len(handlers_of(addon)) == 6
    bpy.ops.superpose.remove_setup()
    assert not handlers_of(addon)
    assert not ob.is_property_set("superpose_live")


def test_a_refusal_is_said_and_changes_nothing(ob, addon):
    before = channels(ob)
    figures.target_of(ob, "hand.L").scale = (0, 0, 0)
    move(ob, "hand.R", way=AWAY)
    refused = bpy.types.SUPERPOSE_OT_solve.refusal_of(ob)
    assert figures.target_of(ob, "hand.L").name in refused
    assert channels(ob) == before
    figures.target_of(ob, "hand.L").scale = (1, 1, 1)
    assert figures.distance(ob, "hand.R") < 1e-4
    assert not bpy.types.SUPERPOSE_OT_solve.refusal_of(ob)


def test_a_target_that_is_turned_nowhere_in_a_drag_is_named(ob):
    move(ob, "hand.L", way=AWAY)
    before = channels(ob)
    figures.target_of(ob, "hand.L").rotation_euler.x = float("nan")
    armatures.refresh()
    refused = bpy.types.SUPERPOSE_OT_solve.refusal_of(ob)
    assert f"'{figures.target_of(ob, 'hand.L').name}' is not finite" in refused
    assert channels(ob) == before


def test_edit_mode_is_waited_for(ob):
    with armatures.edited(ob) as bones:
        figures.target_of(ob, "hand.L").location += MOVE
        bones["hand.L"].roll += 0.1
        armatures.refresh()
    assert figures.distance(ob, "hand.L") < 1e-4


def test_one_armature_hangs_on_another(ob):
    """Both are live; the second one's target is a bone of the first."""
    figures.make_active(ob)
    other = figures.ready("Other")
    figures.select_bones(other)
    effector = other.pose.bones["hand.L"].superpose
    effector.target, effector.target_bone = ob, "hand.L"
    other.superpose_live = True
    for _ in range(2):
        move(ob)
        hand = ob.matrix_world @ ob.pose.bones["hand.L"].head
        assert (other.matrix_world @ other.pose.bones["hand.L"].head - hand).length < 1e-4
        move(ob, way=-0.5 * MOVE)


def next_frame():
    bpy.context.scene.frame_set(bpy.context.scene.frame_current + 1)


@pytest.mark.parametrize("update", [armatures.refresh, next_frame])
def test_two_follow_the_same_targets_while_objects_are_added(ob, update):
    """Blender crashes going through the new ones if it is not helped, mostly, if they are many."""
    other = ob.copy()
    bpy.context.scene.collection.objects.link(other)
    update()
    for way in (MOVE, -MOVE / 2):
        added = [armatures.new_object("More") for _ in range(300)]
        figures.target_of(ob, "hand.L").location += way
        update()
        for more in added:
            more.update_tag()
        armatures.refresh()
        assert max(figures.distance(armature, "hand.L") for armature in (ob, other)) < 1e-3
