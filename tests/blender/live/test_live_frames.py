# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live posing while frames change: each is posed as a bake would, in whatever order they are visited."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import MOVE, apart, channels, move


def animated(ob):
    """The hand's target goes to and fro; one bone is keyed, which the solve turns."""
    target, bone = figures.target_of(ob, "hand.L"), ob.pose.bones["arm.R"]
    begin = target.location.copy()
    for frame, way in ((1, 0), (10, 1), (20, 0.4)):
        target.location = begin + way * MOVE
        target.keyframe_insert("location", frame=frame)
        bone.rotation_quaternion = (1, 0.2 * way, 0, 0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)


def poses_of(ob, frames):
    poses = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        poses[frame] = channels(ob)
        assert figures.distance(ob, "hand.L") < 1e-4
    return poses


@pytest.mark.once
def test_frames_do_not_depend_on_the_order_they_are_visited_in(ob):
    animated(ob)
    there = poses_of(ob, range(1, 21))
    assert there == poses_of(ob, range(20, 0, -1))
    assert there == poses_of(ob, np.random.default_rng(0).permutation(np.arange(1, 21)).tolist())
    assert len({str(pose) for pose in there.values()}) > 15


@pytest.mark.parametrize("way", [(2, 15, 2), (15, 2)])
def test_a_pose_of_another_frame_is_not_kept_where_targets_are_animated(ob, way):
    """Though just that is asked in both: after any other frame it would be solved."""
    target = figures.target_of(ob, "hand.L")
    for frame in (1, 10, 20):
        target.location += MOVE * (frame == 20)
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    move(ob, "head", 4 * MOVE)
    dragged = channels(ob)
    bpy.context.scene.frame_set(1)
    assert channels(ob) == dragged
    solved = poses_of(ob, way)
    assert solved == poses_of(ob, way[::-1])
    assert solved[2] != dragged


def switch_off(ob, is_off):
    ob.hide_viewport = is_off


def exclude(_ob, is_off):
    bpy.context.view_layer.layer_collection.children["Group"].exclude = is_off


def edit(ob, is_off):
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='EDIT' if is_off else 'OBJECT')


@pytest.mark.parametrize(
    ("away", "is_saved"),
    [(switch_off, False), (switch_off, True), (exclude, False), (exclude, True), (edit, False)],
)
@pytest.mark.parametrize("frames", [(10,), (10, 1)])
def test_frames_that_go_by_while_it_is_away_are_posed_once_it_is_back(ob, away, frames, is_saved, tmp_path):
    group, scene = bpy.data.collections.new("Group"), bpy.context.scene
    scene.collection.children.link(group)
    group.objects.link(ob)
    scene.collection.objects.unlink(ob)
    animated(ob)
    shown = poses_of(ob, (10, 1))
    away(ob, True)
    for frame in frames:
        scene.frame_set(frame)
    if is_saved:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "away.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "away.blend"))
        ob = bpy.data.objects["Figure"]
    away(ob, False)
    armatures.refresh()
    assert channels(ob) == shown[frames[-1]]
    assert poses_of(ob, (10, 1)) == shown


@pytest.mark.parametrize("frames", [(10,), (10, 1)])
def test_frames_are_posed_that_go_by_in_a_view_layer_without_it(ob, frames):
    scene, group = bpy.context.scene, bpy.data.collections.new("Group")
    scene.collection.children.link(group)
    group.objects.link(ob)
    scene.collection.objects.unlink(ob)
    animated(ob)
    shown = poses_of(ob, (10, 1))
    without = scene.view_layers.new("Without")
    without.layer_collection.children["Group"].exclude = True
    without.update()
    for frame in frames:
        scene.frame_set(frame)
    armatures.refresh()
    assert channels(ob) == shown[frames[-1]]
    assert poses_of(ob, (10, 1)) == shown


def at_rest(ob, is_refused):
    ob.data.pose_position = 'REST' if is_refused else 'POSE'


def aimed_at_nothing(ob, is_refused):
    figures.target_of(ob, "hand.R").scale = [not is_refused] * 3


def constrained(ob, is_refused):
    constraints = ob.pose.bones["arm.L"].constraints
    constraints.new('COPY_ROTATION').target = armatures.new_object("Copied") if is_refused else None
    for constraint in list(constraints) if not is_refused else ():
        constraints.remove(constraint)


@pytest.mark.parametrize("refuse", [at_rest, aimed_at_nothing, constrained])
@pytest.mark.parametrize("frames", [(), (20,), (10,), (1, 10)])
def test_frames_are_posed_as_if_it_had_never_been_refused(ob, refuse, frames):
    animated(ob)
    shown = poses_of(ob, (1, 20, 10))
    refuse(ob, True)
    armatures.refresh()
    assert channels(ob) == shown[10]
    for frame in frames:
        bpy.context.scene.frame_set(frame)
    refuse(ob, False)
    armatures.refresh()
    assert channels(ob) == shown[(10, *frames)[-1]]
    assert poses_of(ob, (1, 20, 10)) == shown


@pytest.mark.parametrize("frames", [(), (1,)])
def test_frames_are_posed_so_too_where_undo_takes_the_reason_away(ob, frames):
    animated(ob)
    ob.animation_data_clear()
    shown = poses_of(ob, (1, 20, 10))
    bpy.ops.ed.undo_push(message="Posed")
    at_rest(ob, True)
    armatures.refresh()
    bpy.ops.ed.undo_push(message="At rest")
    for frame in frames:
        bpy.context.scene.frame_set(frame)
    bpy.ops.ed.undo()
    ob, scene = bpy.data.objects["Figure"], bpy.context.scene
    armatures.refresh()
    assert channels(ob) == shown[scene.frame_current]
    assert poses_of(ob, (1, 20, 10)) == shown


@pytest.mark.parametrize("frames", [(1,), (20, 1, 20)])
def test_what_undo_brings_back_of_a_frame_is_not_begun_from_in_others(ob, frames):
    animated(ob)
    ob.animation_data_clear()
    shown = poses_of(ob, (1, 20, 10))
    bpy.ops.ed.undo_push(message="Posed")
    armatures.new_object("Other")
    bpy.ops.ed.undo_push(message="Added")
    for frame in frames:
        bpy.context.scene.frame_set(frame)
    bpy.ops.ed.undo()
    armatures.refresh()
    assert poses_of(bpy.data.objects["Figure"], (1, 20, 10)) == shown


def test_what_is_posed_by_hand_while_it_is_refused_stays(ob):
    animated(ob)
    constrained(ob, True)
    armatures.refresh()
    ob.pose.bones["head"].rotation_quaternion = (1, 0.2, 0, 0)
    armatures.refresh()
    posed = channels(ob)
    constrained(ob, False)
    armatures.refresh()
    assert channels(ob) == posed


@pytest.mark.parametrize("saved_in", [1, 10])
def test_a_file_that_is_opened_shows_frames_as_they_were_shown(ob, tmp_path, saved_in):
    animated(ob)
    shown = poses_of(ob, (1, 10, 20))
    bpy.context.scene.frame_set(saved_in)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "live.blend"))
    assert not ob.superpose.begun
    for _ in range(2):  # it is as it was saved when it is saved once more
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "live.blend"))
        ob = bpy.data.objects["Figure"]
        ob.update_tag()  # as a window does in a moment
        armatures.refresh()
        assert channels(ob) == shown[saved_in]
        bpy.ops.wm.save_mainfile()
    assert poses_of(ob, (20, 1, 10)) == shown


def test_what_a_script_poses_in_a_file_that_was_just_opened_stays(ob, tmp_path):
    animated(ob)
    ob.animation_data_clear()  # keys of bones are evaluated as a file is opened
    figures.select_bones(ob, *figures.BONES)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.set_comfort()  # which counts in frames, and less in drags
    bpy.context.scene.frame_set(10)
    path, found = str(tmp_path / "live.blend"), []
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for is_evaluated in (True, False):
        bpy.ops.wm.open_mainfile(filepath=path)
        ob = bpy.data.objects["Figure"]
        if is_evaluated:
            ob.update_tag()  # as a window does in a moment
            armatures.refresh()
        bpy.ops.superpose.pose(bone="hand.R", translation=(-0.5, 0.2, 0.5))
        armatures.refresh()
        found.append(channels(ob))
    assert found[0] == found[1]


def test_so_does_one_that_was_saved_while_another_scene_was_shown(ob, tmp_path):
    animated(ob)
    shown, path, name = poses_of(ob, (1, 10, 20)), str(tmp_path / "live.blend"), bpy.context.scene.name
    bpy.context.scene.frame_set(10)
    bpy.context.window.scene = bpy.data.scenes.new("Other")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.ops.wm.save_mainfile()  # before anything is posed
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.window.scene, ob = bpy.data.scenes[name], bpy.data.objects["Figure"]
    armatures.refresh()
    assert channels(ob) == shown[10]
    assert poses_of(ob, (20, 1, 10)) == shown


def test_a_save_that_fails_leaves_nothing_behind(ob, tmp_path):
    animated(ob)
    bpy.context.scene.frame_set(10)
    with pytest.raises(RuntimeError):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "nowhere" / "live.blend"))
    assert not ob.superpose.begun


def test_what_others_pose_in_the_file_is_where_frames_begin(ob, addon, tmp_path):
    animated(ob)
    path = str(tmp_path / "live.blend")
    bpy.context.scene.frame_set(10)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    addon.disable()
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.data.objects["Figure"].pose.bones["chest"].rotation_quaternion = turned = (0.8, 0.0, 0.6, 0.0)
    bpy.ops.wm.save_mainfile()
    addon.enable()
    bpy.ops.wm.open_mainfile(filepath=path)
    np.testing.assert_allclose(bpy.data.objects["Figure"].pose.bones["chest"].rotation_quaternion, turned)


def test_a_frame_is_posed_as_it_is_baked(ob):
    animated(ob)
    live = {}
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        live[frame] = figures.rotations(ob)
    bpy.context.scene.frame_set(1)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=20, frames='ALONE')
    ob.superpose_live = False
    for frame, pose in live.items():
        bpy.context.scene.frame_set(frame)
        assert apart(figures.rotations(ob), pose) < 0.02


def test_a_bake_reads_the_animated_pose_though_it_is_live(ob):
    """With half an influence the pose that is read decides where the effector goes."""
    animated(ob)
    ob.pose.bones["hand.L"].superpose_influence = 0.5
    baked = []
    for live in (True, False):
        ob.superpose_live = live
        bpy.context.scene.frame_set(1)
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=20)
        baked.append(figures.keys(ob.animation_data.action))
        bpy.ops.ed.undo_push(message="baked")
        bpy.ops.ed.undo()
        ob = bpy.data.objects["Figure"]
    assert baked[0].keys() == baked[1].keys()
    for path, points in baked[0].items():
        assert np.allclose(points, baked[1][path], atol=1e-4), path


def test_a_drag_stays_on_the_next_frame(ob):
    """What the user has done on a frame without keys is not taken back by leaving it."""
    move(ob)
    before = channels(ob)
    bpy.context.scene.frame_set(7)
    assert channels(ob) == before


def test_an_override_that_is_opened_shows_frames_as_they_were_shown(ob, tmp_path):
    animated(ob)
    group = bpy.data.collections.new("All")
    bpy.context.scene.collection.children.link(group)
    for thing in bpy.data.objects:
        group.objects.link(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    armatures.empty_file()
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.collections = ["All"]
    scene, layer = bpy.context.scene, bpy.context.view_layer
    scene.collection.children.link(wanted.collections[0])
    wanted.collections[0].override_hierarchy_create(scene, layer, do_fully_editable=True)
    ob = next(thing for thing in bpy.data.objects if thing.type == 'ARMATURE' and thing.override_library)
    ob.superpose_live = True  # Blender 4.2 does not tell of what is linked
    scene.frame_set(10)
    ob.pose.bones["chest"].rotation_quaternion = (1, 0.1, 0, 0)
    armatures.refresh()
    shown = poses_of(ob, (1, 20, 10))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    ob = next(thing for thing in bpy.data.objects if thing.type == 'ARMATURE' and thing.override_library)
    assert poses_of(ob, (20, 1, 10)) == shown
