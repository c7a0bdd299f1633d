# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake: the keys that are written, what is left alone, and that the scene is as it was."""

import re
from types import SimpleNamespace

import armatures
import bpy
import figures
import numpy as np
import pytest
import windowed
from drawn_panels import draw_panel

pytestmark = pytest.mark.usefixtures("blend")

MET = 2e-4  # of a figure of about two units


def moving(ob):
    """Let the left hand's target go round for frames 1 to 9, and keep the present frame at 4."""
    target = figures.target_of(ob, "hand.L")
    for frame, shift in ((1, (0, 0, 0)), (5, (-0.2, 0.15, 0.2)), (9, (-0.2, 0.1, -0.2))):
        target.location = armatures.Vector((0.69, 0, 1.45)) + armatures.Vector(shift)
        target.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 9
    scene.frame_set(4, subframe=0.25)
    return ob


def baked_frames(ob):
    curves = figures.keys(ob.animation_data.action).values()
    times = {tuple(int(time) for time, _ in points) for points in curves}
    assert len(times) == 1
    return list(times.pop())


def distances(ob, frames, bone="hand.L"):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(figures.distance(ob, bone))
    return found


@pytest.mark.parametrize("frames", ["TOGETHER", "FOLLOWING", "ALONE"])
def test_every_frame_of_the_scene_meets_the_targets_when_read_again(frames):
    ob = moving(figures.ready())
    assert bpy.ops.superpose.bake(frames=frames) == {'FINISHED'}
    assert baked_frames(ob) == list(range(1, 10))
    assert max(distances(ob, range(1, 10))) < MET
    assert max(distances(ob, range(1, 10), "head")) < MET


@pytest.mark.once
@pytest.mark.parametrize("frames", ["TOGETHER", "FOLLOWING", "ALONE"])
def test_the_order_of_the_list_makes_no_difference_where_targets_are_missed_either(frames):
    baked = []
    for shown in (0, 3):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        ob = moving(figures.ready())
        figures.target_of(ob, "hand.R").location.x -= 0.4
        figures.target_of(ob, "head").location.z += 0.3
        for order, name in enumerate(np.roll(figures.effectors(ob), shown)):
            ob.pose.bones[name].superpose.order = order
        bpy.ops.superpose.bake(frames=frames)
        baked.append(figures.keys(ob.animation_data.action))
    assert baked[0] == baked[1]


def test_a_second_bake_leaves_frames_that_each_alone_can_be_no_nearer():
    ob, scene = armatures.chain(5), bpy.context.scene
    ob.superpose.root_location = 'ANCHORED'
    scene.frame_start, scene.frame_end = 1, 6
    for bone, shifts in (("b2", ((0.04, 0, 0), (0, 0.04, 0))), ("b4", ((0.3, 0, -0.1), (-0.1, 0.3, 0.2)))):
        target = armatures.new_object(bone)
        armatures.add_effector(ob, bone, target)
        for frame, shift in zip((1, 6), shifts, strict=True):
            target.location = ob.pose.bones[bone].head + armatures.Vector(shift)
            target.keyframe_insert("location", frame=frame)
    ob.pose.bones["b2"].superpose.hold = 'PINNED'
    bpy.ops.superpose.bake(frames='ALONE')
    once = figures.keys(ob.animation_data.action)
    assert max(distances(ob, range(1, 7), "b4")) > 0.01
    bpy.ops.superpose.bake(frames='ALONE')
    again = figures.keys(ob.animation_data.action)
    assert np.abs(np.concatenate([np.subtract(again[curve], once[curve]) for curve in once])).max() < 1e-6


def test_an_animated_bone_that_is_locked_carries_what_follows_in_sequence_too():
    ob = moving(figures.ready())
    chest = ob.pose.bones["chest"]
    chest.superpose.stiffness = 1
    for frame, angle in ((1, 0), (9, 0.2)):
        chest.rotation_quaternion = armatures.Euler((angle, 0, angle)).to_quaternion()
        chest.keyframe_insert("rotation_quaternion", frame=frame)
    ob.pose.bones["head"].superpose.enabled = ob.pose.bones["hips"].superpose.enabled = False
    bpy.ops.superpose.bake(frames='FOLLOWING')
    assert max(distances(ob, range(1, 10))) < MET


def test_frame_mode_and_selection_are_as_before():
    ob = moving(figures.ready())
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, "chest")
    bpy.ops.superpose.bake()
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (4, 0.25)
    assert ob.mode == 'POSE'
    assert figures.selected_bones(ob) == ["chest"]


@pytest.mark.parametrize("time", [(-12, 0.25), (-1, 0.5), (0, 0.0), (0, 0.75)])
def test_a_subframe_before_the_first_frame_is_as_before(time):
    moving(figures.ready())
    scene = bpy.context.scene
    scene.frame_set(time[0], subframe=time[1])
    before = scene.frame_float
    assert before == sum(time)
    bpy.ops.superpose.bake()
    assert scene.frame_float == before


def test_preview_range():
    ob = moving(figures.ready())
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 3, 6
    bpy.ops.superpose.bake(range='PREVIEW')
    assert baked_frames(ob) == [3, 4, 5, 6]


def test_custom_range_and_step():
    ob = moving(figures.ready())
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=2, frame_end=9, step=3)
    assert baked_frames(ob) == [2, 5, 8]


@pytest.mark.parametrize(("end", "left_out"), [(9, True), (8, False)])
def test_the_last_frame_that_a_step_leaves_out_is_said(end, left_out, capfd):
    ob = moving(figures.ready())
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=2, frame_end=end, step=3)
    assert ("Step leaves out the last frame, 9" in ob.superpose.notes) == left_out
    assert ("Step leaves out the last frame, 9" in "".join(capfd.readouterr())) == left_out


def test_motion_that_gives_way_to_targets_that_stand_still_is_noted(capfd):
    ob, note = moving(figures.ready()), "No target is animated, so targets hold their bones still in all"
    for _ in range(2):
        bpy.ops.superpose.bake()
        assert note not in ob.superpose.notes
    figures.target_of(ob, "hand.L").animation_data_clear()
    bpy.ops.superpose.bake()
    assert note in ob.superpose.notes
    assert note in "".join(capfd.readouterr())
    bpy.ops.superpose.bake()
    assert note not in ob.superpose.notes


def test_the_frame_that_cannot_be_solved_is_named():
    ob = moving(figures.ready())
    target = figures.target_of(ob, "hand.L")
    for frame, size in ((1, 1), (5, 1), (6, 0), (7, 1)):
        target.scale = (size,) * 3
        target.keyframe_insert("scale", frame=frame)
    figures.curves(target.animation_data.action)
    for curve in figures.curves(target.animation_data.action):
        for key in curve.keyframe_points:
            key.interpolation = 'CONSTANT'
    figures.refused(bpy.ops.superpose.bake, f"Frame 6: The target '{target.name}' is scaled to zero")


def test_bones_that_are_outside_their_limits_in_any_frame_are_noted(capfd):
    ob = moving(figures.ready())
    with armatures.edited(ob) as bones:
        new = bones.new("tail")
        new.head, new.tail, new.parent = (0, 0.1, 1), (0, 0.4, 1), bones["hips"]
    tail = ob.pose.bones["tail"]
    limit = tail.superpose.limit
    limit.kind, limit.axis, limit.hinge_min, limit.hinge_max = 'HINGE', (1, 0, 0), -0.2, 0.2
    tail.rotation_mode = 'XYZ'
    for frame, angle in ((1, 0.0), (5, 0.1), (6, 0.5), (7, 0.0)):
        tail.rotation_euler.x = angle
        tail.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=9)
    note = "Outside limits, not turned: 'tail', first at frame 6"
    assert note in ob.superpose.notes
    assert note in "".join(capfd.readouterr())
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=5)
    assert "Outside limits" not in ob.superpose.notes


@pytest.mark.parametrize(("name", "choice"), [("bake", "range"), ("limits_from_animation", "source")])
@pytest.mark.parametrize(("kind", "frames"), [('SCENE', (20, 90)), ('CUSTOM', (3, 7))])
def test_the_dialogs_begin_a_custom_range_with_the_scenes(name, choice, kind, frames):
    """A dialog needs a window, so one stands in."""
    figures.ready()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 20, 90
    window = windowed.Window()
    window.window_manager.invoke_props_dialog = lambda *_, **__: {'RUNNING_MODAL'}
    operator = windowed.operator(name, frame_start=3, frame_end=7, **{choice: kind})
    assert operator.invoke(window, None) == {'RUNNING_MODAL'}
    assert (operator.frame_start, operator.frame_end) == frames


@pytest.mark.parametrize("step", [1, 3])
def test_remapped_time_is_where_the_keys_go(step):
    ob = moving(figures.ready())
    scene = bpy.context.scene
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 250
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=22, step=step)
    frames = range(1, 23, step)
    times = {tuple(time for time, _ in points) for points in figures.keys(ob.animation_data.action).values()}
    assert np.allclose([*times], [frame / 2.5 for frame in frames])
    assert max(distances(ob, frames)) < MET


def test_frames_far_on_have_their_keys_where_remapped_time_shows_them():
    """Blender counts times in single precision: an hour on, frames are a 250th of one apart at best."""
    ob, start = figures.ready(), 400000
    bpy.context.scene.render.frame_map_old, bpy.context.scene.render.frame_map_new = 100, 150
    target = figures.target_of(ob, "hand.L")
    for frame, up in ((start, 0.0), (start + 2, 0.2)):
        target.location.z += up
        target.keyframe_insert("location", frame=frame / 1.5)
    counts = []
    for _ in range(2):
        bpy.ops.superpose.bake(
            range='CUSTOM', frame_start=start, frame_end=start + 3, action='CURRENT', frames='ALONE'
        )
        counts.append({len(keys) for keys in figures.keys(ob.animation_data.action).values()})
        assert max(distances(ob, range(start, start + 4))) < 1e-5
    assert counts == [{4}, {4}]


def test_a_single_frame():
    ob = moving(figures.ready())
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=5, frame_end=5)
    assert baked_frames(ob) == [5]
    assert ob.superpose.message == "Baked 1 frame: all met"


def test_one_bone_alone_meets_its_target():
    """What of a miss can be seen hangs on the figure's size, and all its heads are in one place."""
    ob = armatures.chain(1)
    target = armatures.new_object("Target")
    armatures.add_effector(ob, "b0", target)
    for frame, place in ((1, (0.0, 0.0, 0.0)), (6, (0.4, 0.3, -0.5))):
        target.location = place
        target.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=6)
    assert ob.superpose.message == "Baked 6 frames: all met"


def animated(ob):
    """The figure with an action: a forearm that the solve moves, and a channel that it does not."""
    for frame in (1, 20):
        ob.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=frame)
        ob.pose.bones["hand.R"].keyframe_insert("scale", frame=frame)
    return ob


def test_a_new_action_leaves_the_present_one_as_it_was():
    ob = moving(animated(figures.ready()))
    old = ob.animation_data.action
    before = figures.keys(old)
    bpy.ops.superpose.bake(action='NEW')
    assert ob.animation_data.action != old
    assert figures.keys(old) == before


def test_the_current_action_keeps_its_other_keys():
    ob = moving(animated(figures.ready()))
    action = ob.animation_data.action
    before = figures.keys(action)
    bpy.ops.superpose.bake(action='CURRENT')
    after = figures.keys(action)
    assert ob.animation_data.action == action
    scale = ('pose.bones["hand.R"].scale', 0)
    assert after[scale] == before[scale]
    forearm = ('pose.bones["forearm.L"].rotation_quaternion', 0)
    assert [time for time, _ in after[forearm]] == [*range(1, 11), 20]


def test_only_what_the_solve_moves_is_keyed():
    ob = moving(figures.ready())
    for name in ("hips", "head", "hand.R"):
        ob.pose.bones[name].superpose.enabled = False
    ob.superpose.root_bone, ob.superpose.root_location = "arm.L", 'ANCHORED'
    bpy.ops.superpose.bake()
    bones = {path.split('"')[1] for path, _ in figures.keys(ob.animation_data.action)}
    assert bones <= {"arm.L", "forearm.L", "hand.L"}


def test_a_bone_of_another_armature_drives_the_figure():
    ob, source = figures.ready(), figures.figure("Source")
    for frame, angle in ((1, 0.0), (6, 0.5)):
        source.pose.bones["arm.L"].rotation_quaternion = armatures.Euler((angle, 0, angle)).to_quaternion()
        source.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=frame)
    for bone in figures.EFFECTORS:
        effector = ob.pose.bones[bone].superpose
        effector.target, effector.target_bone = source, bone
    figures.make_active(ob)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=6)
    for frame in range(1, 7):
        bpy.context.scene.frame_set(frame)
        apart = ob.pose.bones["hand.L"].head - source.pose.bones["hand.L"].head
        assert apart.length < MET


def test_the_report_tells_frames_worst_and_mean(capfd):
    ob = moving(figures.ready())
    bpy.ops.superpose.bake()
    said = "".join(capfd.readouterr())
    assert "Baked 9 frames, 0 missed: worst" in said
    assert "mean" in said
    assert ob.superpose.is_solved
    assert not ob.superpose.is_missed


def test_missed_frames_are_counted(capfd):
    ob = moving(figures.ready())
    ob.superpose.root_location = 'ANCHORED'
    target = figures.target_of(ob, "hand.L")
    target.location.x = 3
    target.keyframe_insert("location", frame=5)
    bpy.ops.superpose.bake()
    said = "".join(capfd.readouterr())
    assert ob.superpose.message.startswith("Missed ")
    assert " 0 missed" not in said
    distances = {}
    for frame in range(1, 10):
        bpy.context.scene.frame_set(frame)
        distances[frame] = figures.distance(ob, "hand.L")
    worst = max(distances, key=distances.get)
    assert ob.superpose.message.endswith(f" at {worst}, 'hand.L'")
    miss = re.search(r"frames: (.*) at \d", ob.superpose.message)[1]
    assert f"most at frame {worst}, 'hand.L': {miss}; mean" in said, "as in the box"
    assert f"at {worst}, 'hand.L'" in " ".join(draw_panel("SUPERPOSE_PT_main")), "both fit into the box"
    assert ob.pose.bones["hand.L"].superpose.out_of_reach > 0


def test_smooth_targets_give_way_and_how_far_is_said(rng, capfd):
    ob = moving(figures.ready())
    target, scene = figures.target_of(ob, "hand.L"), bpy.context.scene
    for frame in range(1, 10):
        scene.frame_set(frame)
        target.location += armatures.Vector(rng.normal(scale=0.005, size=3))
        target.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.bake(smoothness=0.6)
    left = max(distances(ob, range(1, 10)))
    assert 1e-4 < left < 0.03
    said = "".join(capfd.readouterr())
    assert not ob.superpose.jumps
    told = re.search(r"Baked 9 frames, 0 missed: worst (\S+) (mm|cm),", said)
    assert np.isclose(float(told[1]) / {"mm": 1000, "cm": 100}[told[2]], left, rtol=0.1)


def test_smoothness_of_a_method_that_has_none_is_refused(capfd):
    ob = moving(figures.ready())
    ob.superpose.method = 'CCD'
    with pytest.raises(RuntimeError, match="Only the method 'SUPERPOSE' makes motion smooth, not 'CCD'"):
        bpy.ops.superpose.bake(smoothness=0.5)
    assert ob.animation_data is None


def test_one_undo_takes_it_all_back():
    moving(animated(figures.ready()))
    bpy.ops.ed.undo_push(message="before")
    before = figures.state()
    bpy.ops.superpose.bake()
    bpy.ops.ed.undo_push(message="after")
    assert figures.state() != before
    bpy.ops.ed.undo()
    assert figures.state() == before


def test_animated_influence_lets_the_animated_pose_through():
    ob = moving(figures.ready())
    hand = ob.pose.bones["hand.L"]
    for frame, influence in ((1, 1.0), (8, 1.0), (9, 0.0)):
        hand.superpose_influence = influence
        hand.keyframe_insert("superpose_influence", frame=frame)
    rest = (ob.matrix_world @ hand.bone.head_local).copy()
    bpy.ops.superpose.bake()
    assert distances(ob, [5])[0] < MET
    bpy.context.scene.frame_set(9)
    assert (ob.matrix_world @ hand.head - rest).length < MET


@pytest.mark.parametrize("name", ["bake", "compare_solvers", "limits_from_animation"])
def test_closing_the_dialog_ends_what_has_not_begun(name):
    kind = getattr(bpy.types, f"SUPERPOSE_OT_{name}")
    opened = SimpleNamespace(steps=None, timer=None)
    before = figures.state()
    kind.cancel(opened, bpy.context)
    assert figures.state() == before
