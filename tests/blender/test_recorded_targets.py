# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that were recorded: dropouts found, masked, kept and bridged; and noise taken out."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from drawn_panels import Layout, draw, draw_panel
from led_hands import heads

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("blend")]

LAST, LOST = 60, range(25, 33)
HOME = np.array([0.69, 0.0, 1.45])


def way(frame):
    """Where the left hand's target really is."""
    angle = frame / 12
    return HOME + 0.12 * np.array([np.sin(angle) - 1, np.cos(angle), np.sin(0.7 * angle)])


def recorded(ob, rng=None, lost=LOST, away=(0.0, 0.0, 0.0)):
    """Key the left hand's target in every frame, with noise if ``rng`` is given, and lose it for a while."""
    target = figures.target_of(ob, "hand.L")
    for frame in range(1, LAST + 1):
        noise = 0 if rng is None else 0.003 * rng.normal(size=3)
        target.location = away if frame in lost else way(frame) + noise
        target.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    scene.frame_set(7)
    return ob


def hand_errors(ob, frames):
    """How far the hand is shown from where its target really is."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        armatures.refresh()
        found.append(np.linalg.norm(np.array(ob.pose.bones["hand.L"].head) - way(frame)))
    return np.array(found)


def masks(ob, bone="hand.L"):
    kind = bpy.types.SUPERPOSE_OT_mark_frames
    return kind.spans(bpy.context, ob.pose.bones[bone], "superpose_mask")


def mask_curve(ob):
    return next(c for c in figures.curves(ob.animation_data.action) if "superpose_mask" in c.data_path)


def found_masks(rng=None):
    ob = recorded(figures.ready(), rng)
    assert bpy.ops.superpose.find_lost() == {'FINISHED'}
    return ob


def test_dropouts_are_masked_by_keys_of_the_bone_and_nothing_else_changes():
    ob = recorded(figures.ready())
    before = [bone.matrix.copy() for bone in ob.pose.bones]
    bpy.ops.superpose.find_lost()
    assert masks(ob) == [(25, 32)]
    assert not any(masks(ob, bone) for bone in ("hand.R", "head", "hips"))
    assert bpy.context.scene.frame_current == 7
    bpy.context.view_layer.update()
    assert before == [bone.matrix for bone in ob.pose.bones]
    bpy.context.scene.frame_set(30)
    assert ob.pose.bones["hand.L"].superpose_mask
    bpy.context.scene.frame_set(33)
    assert not ob.pose.bones["hand.L"].superpose_mask


@pytest.mark.parametrize("frames", ["TOGETHER", "ALONE"])
def test_masked_frames_are_bridged_and_others_met(frames, capfd):
    ob = found_masks()
    assert bpy.ops.superpose.bake(frames=frames) == {'FINISHED'}
    off = hand_errors(ob, range(1, LAST + 1))
    lost = np.isin(np.arange(1, LAST + 1), LOST)
    assert off[~lost].max() < 2e-4
    assert off[lost].max() < 0.02
    assert "Bridged: 'hand.L' at 25 to 32" in ob.superpose.notes
    assert "Bridged: 'hand.L' at 25 to 32" in "".join(capfd.readouterr())


def test_masked_frames_are_told_by_the_other_targets_though_nothing_is_cleaned():
    """A hand that goes to and fro with the other one, lost for most of a period."""
    ob, lost = figures.ready(), range(25, 41)
    left, right = (figures.target_of(ob, f"hand.{side}") for side in "LR")
    places = [np.array(target.location) for target in (left, right)]
    swing = {
        frame: 0.1 * np.sin(2 * np.pi * frame / 20) * np.array([0, 0, 1]) for frame in range(1, LAST + 1)
    }
    for frame in swing:
        for target, place in zip((left, right), places, strict=True):
            target.location = (0, 0, 0) if target == left and frame in lost else place + swing[frame]
            target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_end = LAST
    assert bpy.ops.superpose.find_lost() == {'FINISHED'}
    assert masks(ob) == [(25, 40)]
    bpy.ops.superpose.bake(use_clean=False)
    shown = []
    for frame in lost:
        bpy.context.scene.frame_set(frame)
        armatures.refresh()
        shown.append(np.array(ob.pose.bones["hand.L"].head) - places[0] - swing[frame])
    assert np.linalg.norm(shown, axis=1).max() < 0.02


def test_frames_that_a_driver_masks_are_bridged():
    ob = recorded(figures.ready())
    driver = ob.pose.bones["hand.L"].driver_add("superpose_mask").driver
    driver.expression = f"frame >= {LOST.start} and frame < {LOST.stop}"
    assert bpy.ops.superpose.bake(use_clean=False) == {'FINISHED'}
    assert hand_errors(ob, LOST).max() < 0.02


def test_what_is_not_to_be_believed_is_told_and_followed_unless_it_is_to_be_cleaned():
    ob = recorded(figures.ready())
    bpy.ops.superpose.bake()
    assert "Doubtful, but followed" in ob.superpose.notes
    assert "'hand.L' at 25 to 32" in ob.superpose.notes
    assert hand_errors(ob, [28])[0] > 0.1
    bpy.ops.superpose.bake(use_clean=True)
    assert hand_errors(ob, LOST).max() < 0.02
    assert "Bridged: 'hand.L' at 25 to 32" in ob.superpose.notes
    assert "Doubtful, but followed" not in ob.superpose.notes


def test_a_target_that_turns_over_stays_where_it_is_said_to_be():
    ob, flipped = recorded(figures.ready(), lost=()), range(20, 45)
    target = figures.target_of(ob, "hand.L")
    for frame in range(1, LAST + 1):
        target.rotation_euler.z = np.pi * (frame in flipped)
        target.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.superpose.bake(use_clean=True)
    assert "Bridged: 'hand.L' at 20 to 44" in ob.superpose.notes
    assert hand_errors(ob, flipped).max() < 2e-4


def test_targets_that_are_taken_for_each_other_are_put_right():
    ob, taken = recorded(figures.ready(), lost=()), range(12, 58)
    left, right = (figures.target_of(ob, f"hand.{side}") for side in "LR")
    there, turns = np.array(right.location), [tuple(target.rotation_euler) for target in (left, right)]
    for frame in range(1, LAST + 1):
        one, other = (right, left) if frame in taken else (left, right)
        places = way(frame), there + 0.001 * np.sin(frame)
        for target, place, turn in zip((one, other), places, turns, strict=True):
            target.location, target.rotation_euler = place, turn
            target.keyframe_insert("location", frame=frame)
            target.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.superpose.bake(use_clean=True)
    assert "Exchanged: 'hand.L', 'hand.R' at 12 to 57" in ob.superpose.notes
    assert hand_errors(ob, range(1, LAST + 1)).max() < 0.004
    bpy.ops.superpose.bake()
    assert "Exchanged" not in ob.superpose.notes
    assert "Clean Targets or mask: 'hand.L', 'hand.R' at 12 to 57" in ob.superpose.notes
    bpy.ops.superpose.find_lost()
    assert masks(ob) == []


def test_the_user_decides_what_is_masked():
    ob = found_masks()
    bpy.ops.superpose.mark_frames(bone="hand.L", use_mark=False, frame_start=25, frame_end=32)
    assert masks(ob) == []
    bpy.ops.superpose.bake(use_clean=True)
    assert hand_errors(ob, [28])[0] > 0.1  # and so it is followed, there and back
    assert "Bridged" not in ob.superpose.notes


def test_spans_are_added_cut_and_joined():
    ob = recorded(figures.ready(), lost=())
    add = bpy.ops.superpose.mark_frames
    add(bone="hand.R", frame_start=10, frame_end=20)
    add(bone="hand.R", frame_start=30, frame_end=30)
    assert masks(ob, "hand.R") == [(10, 20), (30, 30)]
    add(bone="hand.R", frame_start=21, frame_end=29)
    assert masks(ob, "hand.R") == [(10, 30)]
    add(bone="hand.R", use_mark=False, frame_start=15, frame_end=18)
    assert masks(ob, "hand.R") == [(10, 14), (19, 30)]
    add(bone="hand.R", frame_start=1, frame_end=LAST)
    assert masks(ob, "hand.R") == [(1, LAST)]


def test_spans_go_no_farther_than_frames_do():
    ob = recorded(figures.ready(), lost=())
    scene, far = bpy.context.scene, 2**31 - 1
    bpy.ops.superpose.mark_frames(bone="hand.R", frame_start=1 - far, frame_end=far)
    scene.frame_start, scene.frame_end = 0, far
    ((first, last),) = masks(ob, "hand.R")
    assert (first, last) == (-scene.frame_end, scene.frame_end)


def test_taking_a_span_back_asks_nothing_and_is_not_remembered():
    ob, mark = found_masks(), bpy.ops.superpose.mark_frames
    mark('INVOKE_DEFAULT', bone="hand.L", use_mark=False, frame_start=25, frame_end=32)
    assert masks(ob) == []
    said = set(mark.get_rna_type().properties) - {mark.get_rna_type().properties["rna_type"]}
    assert said
    assert all(setting.is_skip_save for setting in said)


def test_masks_are_moved_like_any_keys():
    ob = found_masks()
    curve = mask_curve(ob)
    assert {key.interpolation for key in curve.keyframe_points} == {'CONSTANT'}
    for key in curve.keyframe_points[1:]:
        key.co.x += 5
    curve.update()
    assert masks(ob) == [(30, 37)]


def test_noise_is_taken_out(rng):
    ob = recorded(figures.ready(), rng, lost=())
    bpy.ops.superpose.bake(use_clean=True)
    off = hand_errors(ob, range(1, LAST + 1))
    assert np.sqrt((off**2).mean()) < 0.75 * 0.003 * np.sqrt(3)


@pytest.mark.parametrize(("first", "last"), [(4, 20), (28, 45)])
@pytest.mark.parametrize("use_clean", [True, False])
def test_a_part_of_a_clip_is_cleaned_as_the_clip_was(rng, use_clean, first, last):
    ob = recorded(figures.ready(), rng) if use_clean else found_masks(rng)
    bpy.ops.superpose.bake(use_clean=use_clean)
    before = heads(ob)
    part = {"range": 'CUSTOM', "frame_start": first, "frame_end": last, "action": 'CURRENT'}
    bpy.ops.superpose.bake(**part, use_clean=use_clean)
    assert np.abs(heads(ob) - before).max() < 1e-6


def test_targets_that_are_not_finite_in_some_frames_are_bridged_and_named():
    ob = recorded(figures.ready(), lost=range(40, 45), away=(np.nan,) * 3)
    bpy.ops.superpose.bake()
    assert "Bridged: 'hand.L' at 40 to 44" in ob.superpose.notes
    assert hand_errors(ob, range(1, LAST + 1)).max() < 0.02


def test_without_targets_there_is_nothing_to_clean():
    ob = figures.figure()
    figures.select_bones(ob, *figures.EFFECTORS)
    bpy.ops.superpose.add_effectors()
    ob.superpose.goals.add().kind = 'PLANE'
    frames = {"range": 'CUSTOM', "frame_start": 1, "frame_end": 5}
    assert bpy.ops.superpose.bake(use_clean=True, **frames) == {'FINISHED'}


def test_a_target_that_is_never_finite_is_refused_by_name():
    ob = recorded(figures.ready(), lost=range(1, LAST + 1), away=(np.nan,) * 3)
    target = figures.target_of(ob, "hand.L")
    for use_clean in (False, True):
        with pytest.raises(RuntimeError, match=f"The transform of the target '{target.name}' is not finite"):
            bpy.ops.superpose.bake(use_clean=use_clean)
    assert ob.animation_data is None


def test_a_target_that_is_masked_in_every_frame_is_refused_by_name():
    ob = recorded(figures.ready(), lost=())
    bpy.ops.superpose.mark_frames(bone="hand.L", frame_start=1, frame_end=LAST)
    target = figures.target_of(ob, "hand.L")
    figures.refused(bpy.ops.superpose.bake, f"The target '{target.name}' is masked")


def test_locked_masks_are_refused_and_nothing_is_changed():
    ob = found_masks()
    curve = mask_curve(ob)
    curve.lock = True
    figures.refused(bpy.ops.superpose.find_lost, "superpose_mask' is locked")
    assert masks(ob) == [(25, 32)]


def test_undo_takes_back_what_was_done_in_a_frame_that_was_gone_to_and_stays_there():
    ob = figures.ready()
    bpy.context.scene.frame_set(1)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.superpose.go_to_frame('EXEC_DEFAULT', True, frame=7)
    bone = ob.pose.bones["hand.L"]
    before = bone.location.copy()
    bone.location.x += 1.0
    bpy.ops.ed.undo_push(message="Moved")
    bpy.ops.ed.undo()
    assert bpy.context.scene.frame_current == 7
    assert bpy.context.object.pose.bones["hand.L"].location == before
    bpy.ops.ed.undo()
    assert bpy.context.scene.frame_current == 1


def test_undo_takes_masks_back():
    ob = recorded(figures.ready())
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.superpose.find_lost()
    assert masks(ob) == [(25, 32)]
    bpy.ops.ed.undo_push(message="Found")
    bpy.ops.ed.undo()
    assert masks(bpy.context.object) == []


def test_the_panel_lists_the_masked_spans_of_the_active_effector():
    ob = found_masks()
    ob.superpose.chosen_bone_index = ob.pose.bones.find("hand.L")
    assert draw().count("superpose.go_to_frame") == 1


@pytest.mark.parametrize(("last", "words"), [(5, "Masked 5"), (6, "Masked 5 to 6")])
def test_a_span_is_named_by_its_frames_and_by_one_alone_where_it_is_one(monkeypatch, last, words):
    ob = recorded(figures.ready())
    ob.superpose.chosen_bone_index = ob.pose.bones.find("hand.L")
    bpy.ops.superpose.mark_frames(bone="hand.L", kind="superpose_mask", frame_start=5, frame_end=last)
    said = []
    operator = Layout.operator
    monkeypatch.setattr(
        Layout, "operator", lambda *about, text="", **how: [said.append(text), operator(*about, **how)][1]
    )
    draw_panel("SUPERPOSE_PT_recording")
    assert words in said


def test_bridges_that_are_not_reached_are_not_missed():
    ob = recorded(figures.ready(), lost=range(1, LAST + 1), away=(5.0, 5.0, 5.0))
    ob.superpose.root_location = 'ANCHORED'
    for bone in ("hips", "head", "hand.R"):
        ob.pose.bones[bone].superpose.enabled = False
    bpy.ops.superpose.bake()
    assert f"Missed in {LAST} of {LAST} frames: " in ob.superpose.message
    bpy.ops.superpose.mark_frames(bone="hand.L", frame_start=21, frame_end=30)
    bpy.ops.superpose.bake()
    assert f"Missed in {LAST - 10} of {LAST} frames: " in ob.superpose.message
