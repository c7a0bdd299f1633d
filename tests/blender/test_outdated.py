# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel says of a solve holds for one pose; it is told when that is another."""

import sys

import armatures
import bpy
import figures
import pytest
import swayed
from drawn_panels import draw


@pytest.fixture
def ob(blend):
    ob = figures.turned_away(figures.ready())
    bpy.ops.superpose.solve()
    armatures.refresh()
    return ob


def outdated(ob):
    armatures.refresh()
    return bpy.types.SUPERPOSE_OT_solve.is_outdated(ob)


def turn_elbow(ob):
    ob.pose.bones["forearm.L"].rotation_quaternion = (0.9, 0.3, 0.2, 0.1)


def move_target(ob):
    figures.target_of(ob, "head").location.x += 1e-3


def turn_target(ob):
    figures.target_of(ob, "head").rotation_euler.x += 1e-3


def move_armature(ob):
    ob.location.x += 1e-3


def choose_other_target(ob):
    ob.pose.bones["head"].superpose.target = figures.target_of(ob, "hand.L")


def offset(ob):
    ob.pose.bones["head"].superpose_offset.x = 0.1


def hold_otherwise(ob):
    ob.pose.bones["head"].superpose.hold = 'FREE'


def constrain_elbow(ob):
    swayed.copied(ob, "forearm.L")


def size_arm(ob):
    size = armatures.new_object("Size")
    size.scale = (1.6, 1.6, 1.6)
    ob.pose.bones["arm.L"].constraints.new('COPY_SCALE').target = size


def edit_rest(ob):
    with armatures.edited(ob) as bones:
        bones["forearm.L"].tail.x += 0.05
        bones["hand.L"].head.x += 0.05


def inherit_no_rotation(ob):
    ob.data.bones["hand.L"].use_inherit_rotation = False


CHANGES = [
    turn_elbow,
    move_target,
    turn_target,
    move_armature,
    choose_other_target,
    offset,
    hold_otherwise,
    size_arm,
    edit_rest,
    inherit_no_rotation,
]


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_what_was_solved_is_seen(ob, change):
    assert not outdated(ob)
    before = figures.state()
    assert not outdated(ob)
    assert figures.state() == before
    change(ob)
    assert outdated(ob)
    bpy.ops.superpose.solve()
    assert not outdated(ob)


def test_the_rest_position_is_another_pose(ob):
    ob.data.pose_position = 'REST'
    assert outdated(ob)
    ob.data.pose_position = 'POSE'
    assert not outdated(ob)


def test_other_frames_and_back_change_nothing(ob):
    ob.location, ob.scale = (700, -300, 20), (3, 3, 3)
    armatures.refresh()
    bpy.ops.superpose.solve()
    for frame in (7, 1):
        bpy.context.scene.frame_set(frame)
        assert not outdated(ob)


@pytest.mark.parametrize("change", [constrain_elbow, edit_rest, inherit_no_rotation])
def test_what_live_has_found_is_outdated_too(ob, change):
    ob.superpose_live = True
    move_target(ob)
    for _ in range(2):  # what is written last is seen by the next update
        assert not outdated(ob)
        ob.update_tag()
    assert not outdated(ob)
    ob.superpose_live = False
    assert not outdated(ob)
    change(ob)
    assert outdated(ob)


def test_bones_that_were_not_solved_do_not_matter(blend):
    ob = figures.ready()
    with armatures.edited(ob) as bones:
        new = bones.new("tail")
        new.head, new.tail, new.parent = (0, 0.1, 1), (0, 0.4, 1), bones["hips"]
    figures.make_active(ob)
    bpy.ops.superpose.solve()
    ob.pose.bones["tail"].rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    assert not outdated(ob)


def test_undo_and_files_bring_it_back(ob, tmp_path):
    bpy.ops.ed.undo_push(message="solved")
    turn_elbow(ob)
    bpy.ops.ed.undo_push(message="turned")
    bpy.ops.ed.undo()
    assert not outdated(bpy.data.objects["Figure"])
    path = str(tmp_path / "solved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert not outdated(bpy.data.objects["Figure"])
    turn_elbow(bpy.data.objects["Figure"])
    assert outdated(bpy.data.objects["Figure"])


def test_other_data_is_no_error(ob):
    ob.data = bpy.data.armatures.new("Empty")
    assert outdated(ob)


def test_live_keeps_up(ob, addon):
    ob.superpose_live = True
    move_target(ob)
    assert not outdated(ob)
    turn_elbow(ob)
    assert outdated(ob)
    sys.modules[f"{addon.name}.live.handlers"]._on_rest()
    assert not outdated(ob)
    hand = ob.pose.bones["hand.L"].superpose
    assert hand.position_residual == pytest.approx(figures.distance(ob, "hand.L"), rel=1e-3)


def test_keys_that_automatic_keyframing_sets_are_the_pose(ob, only_available):
    tools = bpy.context.scene.tool_settings
    tools.use_keyframe_insert_auto = True
    try:
        move_target(ob)
        armatures.refresh()
        bpy.ops.superpose.solve()
    finally:
        tools.use_keyframe_insert_auto = False
    assert not outdated(ob)
    for frame, angle in ((-3, 0.2), (9, 0.7)):  # between keys curves round
        for bone in ob.pose.bones:
            bone.rotation_quaternion = (1, angle, 0.3, 0.1)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)
    assert not outdated(ob)
    bpy.context.scene.frame_set(5)
    assert outdated(ob)


def test_a_bake_speaks_of_keys(ob):
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=3, frame_end=3)
    assert not outdated(ob)
    turn_elbow(ob)
    assert not outdated(ob)


def test_the_panel_says_so_and_shows_no_result(ob):
    figures.active(ob, "head")
    solved = draw()
    assert "Met: 0 m, 0° off" in solved
    assert any(text.startswith("Solved 4") for text in solved)
    turn_elbow(ob)
    changed = draw()
    assert "Met: 0 m, 0° off" not in changed
    assert not any(text.startswith("Solved 4") for text in changed)
    assert "Changed since" in " ".join(changed)


def test_in_another_frame_it_is_said_whose_pose_was_solved(ob):
    scene, message = bpy.context.scene, ob.superpose.message
    elbow = ob.pose.bones["forearm.L"]
    elbow.keyframe_insert("rotation_quaternion", frame=1)
    turn_elbow(ob)
    elbow.keyframe_insert("rotation_quaternion", frame=20)
    scene.frame_set(20)
    elsewhere = " ".join(draw())
    assert f"In frame 1 ({message})" in elsewhere
    assert "Solved in frame 1" in elsewhere
    assert "Changed since" not in elsewhere
    scene.frame_set(1)
    assert message in draw()
    turn_elbow(ob)
    assert f"Changed since ({message})" in " ".join(draw())
