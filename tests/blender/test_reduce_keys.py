# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: how far Blender's own poses are from those of all keys, between frames too, and what stays."""

from importlib import import_module
from math import radians

import armatures
import bpy
import figures
import numpy as np
import pytest
import swayed
from drawn_panels import Layout, draw
from test_bake_stopped import bake_of
from windowed import operator

pytestmark = pytest.mark.usefixtures("blend")

FIRST, LAST = 1, 19
SOLVED = ("chest", "arm.L", "forearm.L", "hand.L", "head")
SHELL = 0.03


def swinging(mode='QUATERNION', quick=1.0):
    """A figure whose hand and head are led along curves, its bones in a rotation mode.

    ``quick``: how many times as quickly.
    """
    ob = figures.ready()
    for name in SOLVED:
        ob.pose.bones[name].rotation_mode = mode
    for name, way in (("hand.L", (-0.2, 0.15, 0.2)), ("head", (0.05, 0.1, 0.0))):
        target = figures.target_of(ob, name)
        start = target.location.copy()
        for frame in range(FIRST, LAST + 1, 6):
            swing = np.sin(quick * frame / 5) ** 2 * np.array(way)  # within reach
            target.location = start + armatures.Vector(swing)
            target.rotation_euler.z = 0.3 * np.cos(quick * frame / 4)
            target.keyframe_insert("location", frame=frame)
            target.keyframe_insert("rotation_euler", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.frame_set(FIRST)
    return ob


def shown(ob):
    """All bones as Blender has them at sixteenths of frames (samples, bones, 4, 4)."""
    found = []
    for part in range(16 * (LAST - FIRST) + 1):
        bpy.context.scene.frame_set(FIRST + part // 16, subframe=part % 16 / 16)
        armatures.refresh()
        found.append([np.array(ob.matrix_world @ bone.matrix) for bone in ob.pose.bones])
    return np.array(found, np.float64)


def apart(before, after):
    """The largest distance of points off heads, and the largest angle, worked out anew."""
    shells = (SHELL * poses[..., :3, :3].swapaxes(-1, -2) for poses in (before, after))
    points = [poses[..., None, :3, 3] + shell for poses, shell in zip((before, after), shells, strict=True)]
    cosines = (np.einsum("sbij,sbij->sb", before[..., :3, :3], after[..., :3, :3]) - 1) / 2
    chords = np.linalg.norm(before[..., :3, :3] - after[..., :3, :3], axis=(-2, -1))
    angles = np.where(cosines < 0.9, np.arccos(np.clip(cosines, -1, 1)), chords / np.sqrt(2))
    return np.linalg.norm(points[0] - points[1], axis=-1).max(), angles.max()


def count(ob):
    return sum(len(points) for points in figures.keys(ob.animation_data.action).values())


def handles(ob):
    return {
        (curve.data_path, curve.array_index): [
            (*key.co, *key.handle_left, *key.handle_right) for key in curve.keyframe_points
        ]
        for curve in figures.curves(ob.animation_data.action)
    }


def beyond(ob, first, last):
    """What the F-curves are outside these frames, between keys and where they go on beyond all keys."""
    times = [*np.arange(FIRST - 12, first, 0.125), *np.arange(last, LAST + 22, 0.125)]
    return [[curve.evaluate(time) for time in times] for curve in figures.curves(ob.animation_data.action)]


def reduce_within_bounds(ob):
    """Reduce the keys of the present action, and see that Blender shows it within the bounds."""
    full, before = shown(ob), count(ob)
    bpy.ops.superpose.reduce_keys(action='CURRENT', largest_error=0.002, largest_turn=radians(0.2))
    distance, angle = apart(full, shown(ob))
    assert distance <= 0.002 * 1.001
    assert angle <= radians(0.2) * 1.001
    assert count(ob) < 0.8 * before


@pytest.mark.once
@pytest.mark.parametrize(
    ("mode", "quick"), [('QUATERNION', 1.0), ('YZX', 1.0), ('AXIS_ANGLE', 1.0), ('AXIS_ANGLE', 6.0)]
)
def test_bounds_hold_in_what_blender_shows(mode, quick):
    ob = swinging(mode, quick)
    bpy.ops.superpose.bake(action='CURRENT')
    reduce_within_bounds(ob)
    kept = handles(ob)
    with pytest.raises(RuntimeError, match="has keys in all frames from 1 to 19: Bake to Keyframes makes"):
        bpy.ops.superpose.reduce_keys(action='CURRENT', largest_error=0.002, largest_turn=radians(0.2))
    assert handles(ob) == kept


def test_where_a_part_has_keys_in_all_frames_it_is_said_which():
    swinging()
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=4, frame_end=15)
    figures.refused(bpy.ops.superpose.reduce_keys, "in all frames from 1 to 19: choose 4 to 15, which have")
    bpy.ops.superpose.reduce_keys(range='CUSTOM', frame_start=4, frame_end=15)
    figures.refused(bpy.ops.superpose.reduce_keys, "Bake to Keyframes makes such keys")


@pytest.mark.once
def test_a_clip_of_which_a_part_was_baked_again_is_reduced():
    ob = swinging()
    bpy.ops.superpose.bake(action='CURRENT')
    target = figures.target_of(ob, "hand.L")
    bpy.context.scene.frame_set(13)
    target.location.z += 0.05
    target.keyframe_insert("location", frame=13)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=9, frame_end=LAST - 3, action='CURRENT')
    kinds = {
        key.handle_left_type
        for curve in figures.curves(ob.animation_data.action)
        for key in curve.keyframe_points
    }
    assert 'FREE' in kinds
    reduce_within_bounds(ob)


@pytest.mark.once
@pytest.mark.parametrize("keys", ['REDUCED', 'EXTREMES'])
def test_a_strip_that_plays_backwards_keeps_the_same_keys(keys):
    kept = []
    for backwards in (False, True):
        armatures.empty_file()
        ob = swinging()
        for frame in (FIRST, LAST):
            ob.pose.bones["chest"].keyframe_insert("rotation_quaternion", frame=frame)
        swayed.into_strip(ob)
        track = ob.animation_data.nla_tracks[0]
        track.select = track.strips[0].select = True
        track.strips[0].use_reverse = backwards
        ob.animation_data.use_tweak_mode = True
        bpy.ops.superpose.bake(action='CURRENT', keys=keys)
        places = figures.keys(ob.animation_data.action)
        kept.append({name: sorted({round(time) for time, _ in points}) for name, points in places.items()})
    ends = FIRST + LAST
    assert kept[1] == {name: sorted(ends - time for time in times) for name, times in kept[0].items()}


@pytest.mark.once
def test_looser_bounds_leave_fewer_keys():
    ob = swinging('AXIS_ANGLE', quick=2.0)
    bpy.ops.superpose.bake(action='CURRENT')
    counts = [count(ob)]
    for times in (1, 10):
        figures.make_active(ob)
        bound = {"largest_error": 0.001 * times, "largest_turn": radians(0.1 * times)}
        action = ob.animation_data.action
        bpy.ops.superpose.reduce_keys(**bound)
        counts.append(count(ob))
        ob.animation_data.action = action
    assert counts[0] > counts[1] > counts[2]


@pytest.mark.once
def test_a_bone_that_a_limit_rotation_stops_is_thinned_too():
    ob = swinging()
    limit = ob.pose.bones["arm.L"].constraints.new('LIMIT_ROTATION')
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = 'LOCAL', True, -0.15, 0.15
    bpy.ops.superpose.bake(action='CURRENT')
    full, before = shown(ob), count(ob)
    bpy.ops.superpose.reduce_keys(action='CURRENT')
    distance, angle = apart(full, shown(ob))
    assert count(ob) < 0.8 * before
    assert distance <= 0.001
    assert angle <= radians(0.1)


@pytest.mark.once
def test_a_bake_says_how_many_keys_stay_and_how_far_off_they_are(addon):
    ob = swinging()
    bpy.ops.superpose.bake(keys='REDUCED')
    reduced = shown(ob)
    (note,) = (note for note in ob.superpose.notes.splitlines() if note.startswith("Keys: "))
    kept = import_module(f"{addon.name}.reports").clip_report_of(ob).keys
    assert note.startswith(f"Keys: {kept.kept} of {kept.full} (")
    assert kept.kept == count(ob)
    figures.make_active(ob)
    ob.animation_data_clear()
    bpy.ops.superpose.reset()
    bpy.ops.superpose.bake()
    assert count(ob) == kept.full
    distance, angle = apart(shown(ob), reduced)
    assert np.isclose(kept.distance, distance, rtol=0.01)
    assert np.isclose(kept.angle, angle, rtol=0.01)
    assert kept.distance <= 0.001
    assert kept.angle <= radians(0.1)


@pytest.mark.once
def test_the_box_says_how_many_keys_stay_before_what_the_bake_said(addon):
    ob = swinging()
    bpy.ops.superpose.bake()
    told, clip_report_of = ob.superpose.message, import_module(f"{addon.name}.reports").clip_report_of
    assert "Keys: " not in told
    for first, last in ((FIRST, 9), (10, LAST)):
        bpy.ops.superpose.reduce_keys(range='CUSTOM', frame_start=first, frame_end=last, action='CURRENT')
        kept = clip_report_of(ob).keys
        assert ob.superpose.message.startswith(f"Keys: {kept.kept} of {kept.full} (")
        assert "off by up to " in ob.superpose.message
        assert ob.superpose.notes.splitlines().count(told) == 1
        assert "Keys: " not in ob.superpose.notes
        assert any(str(line).startswith(f"Keys: {kept.kept} of ") for line in draw())


@pytest.mark.once
def test_keys_of_others_and_outside_stay():
    ob = swinging()
    ob.pose.bones["hand.R"].rotation_mode = 'XYZ'
    for frame in range(FIRST, LAST + 1):
        ob.pose.bones["hand.R"].scale.x = 1 + 0.01 * (frame % 2)
        ob.pose.bones["hand.R"].keyframe_insert("scale", frame=frame)
    bpy.ops.superpose.bake(action='CURRENT')
    before, motion = figures.keys(ob.animation_data.action), beyond(ob, 4, 16)
    bpy.ops.superpose.reduce_keys(range='CUSTOM', frame_start=4, frame_end=16, action='CURRENT')
    after = figures.keys(ob.animation_data.action)
    np.testing.assert_allclose(beyond(ob, 4, 16), motion, atol=1e-6)
    for place, points in after.items():
        outside = [key for key in points if not 4 <= key[0] <= 16]
        assert outside == [key for key in before[place] if not 4 <= key[0] <= 16]
        assert {4, 16} <= {key[0] for key in points}
    scale = ('pose.bones["hand.R"].scale', 0)
    assert after[scale] == before[scale]


@pytest.mark.once
@pytest.mark.parametrize(("interpolation", "extrapolation"), [('BEZIER', 'LINEAR'), ('CONSTANT', 'CONSTANT')])
def test_the_motion_to_keys_beyond_the_range_stays(interpolation, extrapolation):
    ob = swinging()
    for frame in (-9, 39):
        ob.pose.bones["arm.L"].rotation_quaternion = (0.9, 0.01 * frame, 0.2, 0.1)
        ob.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=frame)
    bpy.ops.superpose.bake(action='CURRENT')
    for curve in figures.curves(ob.animation_data.action):
        curve.extrapolation = extrapolation
        key = next(key for key in curve.keyframe_points if key.co.x == LAST)
        key.interpolation = interpolation
        curve.update()
    full, motion = count(ob), beyond(ob, FIRST, LAST)
    bpy.ops.superpose.reduce_keys(action='CURRENT')
    assert count(ob) < full
    np.testing.assert_allclose(beyond(ob, FIRST, LAST), motion, atol=1e-6)


@pytest.mark.once
def test_where_no_fewer_keys_keep_the_bounds_all_stay(addon, rng):
    ob = swinging()
    bpy.ops.superpose.bake(action='CURRENT')
    for curve in figures.curves(ob.animation_data.action):
        for key in curve.keyframe_points:
            key.co_ui.y += rng.normal()
        curve.update()
    before = figures.keys(ob.animation_data.action)
    bpy.ops.superpose.reduce_keys(action='CURRENT', largest_error=1e-6, largest_turn=radians(1e-4))
    assert figures.keys(ob.animation_data.action) == before
    reports = import_module(f"{addon.name}.reports")
    said = reports.keys_text(bpy.context.scene, reports.clip_report_of(ob).keys)
    assert said.startswith(f"Keys: all {count(ob)} stay: no smaller number that keeps the bounds was found")


@pytest.mark.once
def test_new_actions_leave_the_old_one():
    ob = swinging()
    bpy.ops.superpose.bake(action='CURRENT')
    old, before = ob.animation_data.action, handles(ob)
    bpy.ops.superpose.reduce_keys()
    assert ob.animation_data.action != old
    assert figures.keys(old) == {place: [key[:2] for key in keys] for place, keys in before.items()}


@pytest.mark.once
@pytest.mark.parametrize(("keys", "expected"), [('EXISTING', range(1, 20, 6)), ('MARKERS', (1, 7, 16, 19))])
def test_chosen_frames_have_keys(keys, expected):
    ob = swinging()
    for frame in (7, 16, 99):
        bpy.context.scene.timeline_markers.new(str(frame), frame=frame)
    bpy.ops.superpose.bake(keys=keys)
    points = figures.keys(ob.animation_data.action).values()
    times = {tuple(int(time) for time, _ in own) for own in points}
    assert times == {tuple(expected)}


@pytest.mark.once
def test_extremes_have_keys_of_the_whole_bone():
    ob = swinging()
    bpy.ops.superpose.bake(keys='EXTREMES', largest_error=0.01, largest_turn=radians(2))
    times = {}
    for (path, _), points in figures.keys(ob.animation_data.action).items():
        times.setdefault(path, set()).add(tuple(time for time, _ in points))
    assert all(len(of_bone) == 1 for of_bone in times.values())
    assert 2 < len(next(iter(times['pose.bones["arm.L"].rotation_quaternion']))) < 12


@pytest.mark.once
@pytest.mark.parametrize("keys", ['MARKERS', 'EXISTING'])
def test_no_chosen_frames_are_refused(keys):
    ob = swinging()
    for name in ("hand.L", "head"):
        figures.target_of(ob, name).animation_data_clear()
    figures.refused(bpy.ops.superpose.bake, "no marker|Neither 'Figure' nor its targets have keys", keys=keys)


@pytest.mark.once
def test_markers_of_mark_frames_choose_no_keys():
    ob = figures.ready()
    figures.target_of(ob, "hand.L").location.x += 9.0
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=5)
    bpy.ops.superpose.mark_worst_frames()
    choice = {"keys": 'MARKERS', "range": 'CUSTOM', "frame_start": 1, "frame_end": 5}
    figures.refused(bpy.ops.superpose.bake, "no marker of your own in frames 1 to 5", **choice)


@pytest.mark.once
def test_nothing_to_reduce_is_refused():
    swinging()
    figures.refused(bpy.ops.superpose.reduce_keys, "No bone of 'Figure' that a solve moves has keys in all")


@pytest.mark.once
@pytest.mark.parametrize("bound", ["largest_error", "largest_turn"])
def test_a_bound_that_is_no_number_is_refused(bound):
    swinging()
    choice = {"keys": 'REDUCED', bound: float("nan")}
    figures.refused(bpy.ops.superpose.bake, "must be more than 0, not .*nan", **choice)


@pytest.mark.once
def test_locked_curves_are_refused():
    ob = swinging()
    bpy.ops.superpose.bake(action='CURRENT')
    figures.curves(ob.animation_data.action)[3].lock = True
    figures.refused(bpy.ops.superpose.reduce_keys, "is locked", action='CURRENT')


@pytest.mark.once
@pytest.mark.parametrize("phase", ["Solving", "Reading the clip", "Finding keys", "Checking the keys"])
def test_a_reduction_that_is_stopped_leaves_all_as_it_was(phase):
    ob = swinging()
    before = figures.state()
    bake = bake_of('NEW', 'REDUCED')
    work = bake.work(bpy.context, ob)
    while not bake.phase.startswith(phase):
        next(work)
    work.close()
    assert figures.state() == before


@pytest.mark.once
def test_progress_is_told_out_of_how_much():
    """Of what is sought nobody knows how much that takes."""
    bake, told = bake_of('NEW', 'REDUCED'), {}
    work = bake.work(bpy.context, swinging())
    for done in work:
        told.setdefault(bake.phase, []).append((done, bake.total))
        if bake.phase == "Checking the keys, pose" and done == bake.total:
            break
    work.close()
    for phase in ("Reading the clip, pose", "Checking the keys, pose"):
        _, total = told[phase][-1]
        assert told[phase] == [(done, total) for done in range(1, total + 1)]
    assert all(not total for _, total in told["Finding keys, step"])


BOUNDS = ("largest_error", "largest_turn")


@pytest.mark.parametrize("name", ["bake", "reduce_keys"])
@pytest.mark.parametrize("keys", ["EVERY", "REDUCED", "EXTREMES", "EXISTING", "MARKERS"])
def test_the_dialog_shows_bounds_where_they_count_and_promises_them_where_they_are_kept(name, keys):
    figures.ready()
    dialog, layout = operator(name, keys=keys), Layout()
    dialog.bl_rna, dialog.layout = getattr(bpy.ops.superpose, name).get_rna_type(), layout
    dialog.draw(bpy.context)
    assert "keys" in layout.drawn
    assert all((bound in layout.drawn) == (keys in {"REDUCED", "EXTREMES"}) for bound in BOUNDS)
    assert ("Bones stay within 1 mm and 0.1°" in layout.drawn) == (keys == "REDUCED")
