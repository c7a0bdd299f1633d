# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where live posing begins without a switch being pressed, and where it ends: append, deletion, bakes."""

import sys

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import MOVE, channels, followers, handlers_of, move


@pytest.fixture
def saved(ob, tmp_path):
    path = str(tmp_path / "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


@pytest.mark.skipif(bpy.app.version < (4, 3), reason="4.2 tells of it only in a window")
@pytest.mark.parametrize("how", ["append", "libraries"])
def test_it_is_live_once_it_is_appended(saved, addon, how):
    assert not handlers_of(addon)
    if how == "append":
        bpy.ops.wm.append(filepath=f"{saved}/Object/Figure", directory=f"{saved}/Object/", filename="Figure")
        ob = bpy.data.objects["Figure"]
    else:
        with bpy.data.libraries.load(saved) as (_, there):
            there.objects = ["Figure"]
        ob = there.objects[0]
        bpy.context.scene.collection.objects.link(ob)
    for bone in figures.EFFECTORS:
        target = figures.target_of(ob, bone)
        if target.name not in bpy.context.scene.objects:
            bpy.context.scene.collection.objects.link(target)
    assert len(handlers_of(addon)) == 6
    armatures.refresh()
    move(ob)
    assert figures.distance(ob, "hand.L") < 1e-4


def test_nothing_is_kept_of_an_armature_that_is_deleted(ob, addon):
    other = figures.ready("Other")
    other.superpose_live = True
    move(ob)
    move(other)
    assert len(followers(addon)) == 2
    bpy.data.objects.remove(other)
    armatures.refresh()
    assert list(followers(addon)) == [ob.session_uid]
    bpy.data.objects.remove(ob)
    armatures.refresh()
    assert not followers(addon)
    assert not handlers_of(addon)


def test_a_deletion_that_is_undone_is_live_again(ob, addon):
    bpy.ops.ed.undo_push(message="live")
    bpy.data.objects.remove(ob)
    armatures.refresh()
    assert not handlers_of(addon)
    bpy.ops.ed.undo_push(message="deleted")
    bpy.ops.ed.undo()
    armatures.refresh()
    assert len(handlers_of(addon)) == 6
    move(bpy.data.objects["Figure"])
    assert figures.distance(bpy.data.objects["Figure"], "hand.L") < 1e-4


def keyed(ob, frames=(1, 20)):
    """The hand's target goes to and fro, nothing else is keyed."""
    target, begin = figures.target_of(ob, "hand.L"), figures.target_of(ob, "hand.L").location.copy()
    for frame, way in zip(frames, (0, 1), strict=True):
        target.location = begin + way * MOVE
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(frames[0])


def test_data_that_is_replaced_is_no_error(ob, capfd):
    keyed(ob)
    bpy.context.scene.frame_set(10)
    few = bpy.data.armatures.new("Few")
    other = armatures.new_object("Few", few)
    with armatures.edited(other) as bones:
        new = bones.new("only")
        new.head, new.tail = (0, 0, 0), (0, 0, 1)
    whole, ob.data = ob.data, few
    bpy.context.scene.frame_set(12)
    armatures.refresh()
    bpy.context.scene.frame_set(14)
    ob.data = whole
    armatures.refresh()
    bpy.context.scene.frame_set(15)
    captured = capfd.readouterr()
    assert "Traceback" not in captured.out + captured.err
    assert "Error" not in captured.out + captured.err


def baked_from(ob, frame):
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="before")
    bpy.context.scene.frame_set(frame)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=20)
    found = figures.keys(ob.animation_data.action)
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ed.undo()
    return found


def test_a_bake_does_not_depend_on_the_frame_that_it_is_begun_in(ob):
    """With half an influence the pose that is read decides where the effector goes."""
    keyed(ob)
    ob.pose.bones["hand.L"].superpose_influence = 0.5
    first = baked_from(ob, 1)
    second = baked_from(bpy.data.objects["Figure"], 20)
    assert first.keys() == second.keys()
    for path, points in first.items():
        assert np.allclose(points, second[path], atol=1e-6), path


def test_a_bake_does_not_depend_on_the_frame_that_it_was_switched_on_in():
    """Bones without keys begin from the pose before it was switched on."""
    ob = figures.ready()
    keyed(ob)
    ob.pose.bones["hand.L"].superpose_influence = 0.5
    found = []
    for frame in (1, 9):
        bpy.context.scene.frame_set(frame)
        ob.superpose_live = True
        armatures.refresh()
        found.append(baked_from(ob, frame))
        ob = bpy.data.objects["Figure"]
        ob.superpose_live = False
        for bone in ob.pose.bones:
            bone.matrix_basis.identity()
    assert found[0].keys() == found[1].keys()
    for path, points in found[0].items():
        assert np.allclose(points, found[1][path], atol=1e-6), path


def test_a_bake_that_is_stopped_leaves_it_on_and_the_pose(ob, addon):
    keyed(ob)
    bpy.context.scene.frame_set(20)
    before = channels(ob)
    frames = sys.modules[f"{addon.name}.armature.frames.ranges"]
    kept = sys.modules[f"{addon.name}.armature.frames.pose_kept"].pose_kept
    with kept(ob), frames.present_frame_kept(bpy.context.scene):
        bpy.context.scene.frame_set(3)
    assert channels(ob) == before
    assert ob.superpose_live
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(20)
    assert channels(ob) == before


def test_a_bake_ends_it_and_says_so(ob, addon):
    keyed(ob)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=20)
    assert not ob.superpose_live
    assert not handlers_of(addon)
    assert "Live is off" in ob.superpose.message
    arm = ob.pose.bones["arm.L"]
    bpy.context.scene.frame_set(20)
    arm.rotation_quaternion = (0.9, 0.3, 0.3, 0.1)
    arm.keyframe_insert("rotation_quaternion", frame=20)
    by_key = arm.rotation_quaternion.copy()
    bpy.context.scene.frame_set(1)
    bpy.context.scene.frame_set(20)
    assert arm.rotation_quaternion.rotation_difference(by_key).angle < 1e-3


def test_a_bake_without_it_does_not_speak_of_it(ob):
    ob.superpose_live = False
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=2)
    assert "Live" not in ob.superpose.message
