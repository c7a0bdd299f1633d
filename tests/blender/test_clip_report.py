# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bake went from frame to frame: measured again from what Blender shows, stored, and undone with it."""

import json
from dataclasses import replace
from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

FRAMES = tuple(range(1, 10))


@pytest.fixture
def reports(addon):
    return import_module(f"{addon.name}.reports")


def reaching(ob):
    """Let the left hand's target swing out of reach and back in frames 1 to 9."""
    target = figures.target_of(ob, "hand.L")
    for frame, shift in ((1, 0.0), (5, 0.9), (9, 0.0)):
        target.location = armatures.Vector((0.69 + shift, 0, 1.45))
        target.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = FRAMES[0], FRAMES[-1], 30
    for name in ("hips", "head", "hand.R"):
        ob.pose.bones[name].superpose.enabled = name != "hand.R"
    ob.superpose.root_location = 'ANCHORED'
    return ob


def shown(ob, bones, target):
    """Heads (frames, bones, 3) and a bone's target (frames, 3) as Blender shows them."""
    heads, targets = [], []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        armatures.refresh()
        heads.append([ob.matrix_world @ ob.pose.bones[bone].head for bone in bones])
        targets.append(figures.target_of(ob, target).matrix_world.translation.copy())
    return np.array(heads), np.array(targets)


def test_the_report_is_what_blender_shows(reports):
    ob = reaching(figures.ready())
    bpy.ops.superpose.bake()
    report = reports.clip_report_of(ob)
    assert (report.armature, report.frames, report.rate) == (ob.name, FRAMES, 30)
    assert report.names == ("'hips'", "'head'", "'hand.L'")
    column = report.names.index("'hand.L'")
    bones = ("hips", "chest", "head", "arm.L", "forearm.L", "hand.L")
    heads, targets = shown(ob, bones, "hand.L")
    assert np.allclose(report.distances[:, column], np.linalg.norm(heads[:, -1] - targets, axis=1), atol=1e-5)
    assert report.missed[4, column]
    assert not report.missed[[0, 8]].any()
    assert report.worst[0] == FRAMES[report.distances[:, column].argmax()]
    speeds = np.linalg.norm(np.gradient(heads, axis=0), axis=-1) * 30
    assert np.allclose(report.speeds, speeds.max(axis=1), rtol=1e-3, atol=1e-3)
    fastest = [bones.index(name) for name in report.fastest]
    assert np.allclose(speeds[range(len(FRAMES)), fastest], speeds.max(axis=1), rtol=1e-3, atol=1e-3)


def test_contacts_and_jumps_are_in_it(reports):
    ob = reaching(figures.ready())
    bpy.ops.superpose.mark_frames(kind="superpose_contact", bone="hand.L", frame_start=3, frame_end=5)
    target = figures.target_of(ob, "head")
    for frame, angle in ((1, 0.0), (6, 0.0), (7, 2.0), (9, 2.0)):
        target.rotation_euler.z = angle
        target.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.superpose.bake(frames='ALONE')
    report = reports.clip_report_of(ob)
    stands = np.isin(FRAMES, (3, 4, 5))
    assert (report.contacts == np.array(["hand.L" in name for name in report.names]) & stands[:, None]).all()
    assert [jump.frame for jump in report.jumps] == [int(n) for n in sorted({j.frame for j in report.jumps})]
    assert {jump.frame for jump in report.jumps} <= set(report.worst)
    assert bool(report.jumps + report.sudden_turns) == bool(ob.superpose.jumps)


@pytest.mark.parametrize("keys", [None, (12, 90, 0.001, 0.002, 4.25, "head")])
def test_json_comes_back_as_it_was(reports, keys):
    ob = reaching(figures.ready())
    bpy.ops.superpose.bake()
    text = ob.superpose.clip_report
    before = reports.from_json(text)
    kept = import_module(f"{reports.__name__}.clip").ReducedKeys(*keys) if keys else None
    again = reports.from_json(reports.to_json(replace(before, keys=kept)))
    for name in before.__dataclass_fields__:
        expected = kept if name == "keys" else getattr(before, name)
        assert np.array_equal(getattr(again, name), expected), name
    assert json.loads(text)["version"] == 4


def test_reports_of_version_2_are_read(reports):
    ob = reaching(figures.ready())
    bpy.ops.superpose.bake()
    before = reports.clip_report_of(ob)
    old = json.loads(ob.superpose.clip_report) | {"version": 2}
    for name in ("gave_way", "visible", "led"):
        del old[name]
    found = reports.from_json(json.dumps(old))
    assert not found.gave_way.any()
    for name in ("distances", "missed", "worst"):
        assert np.array_equal(getattr(found, name), getattr(before, name))
    row = found.frames.index(found.worst[0])
    assert found.worst_miss_in(row) == before.worst_miss_in(row)


def test_numbers_keep_six_digits(reports, rng):
    reaching(figures.ready())
    bpy.ops.superpose.bake()
    report = reports.clip_report_of(bpy.context.object)
    sizes = np.exp(rng.normal(size=report.distances.shape) * 10)
    sizes[0, :2] = 0.0, 999999.7
    found = json.loads(reports.to_json(replace(report, distances=sizes)))["distances"]
    assert found == [[float(f"{size:.6g}") for size in row] for row in sizes.tolist()]


def test_a_single_frame_has_a_report(reports):
    ob = reaching(figures.ready())
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=5, frame_end=5)
    report = reports.clip_report_of(ob)
    assert report.frames == (5,)
    assert report.speeds.tolist() == [0.0]


def test_it_goes_with_the_bake(reports):
    ob = reaching(figures.ready())
    bpy.ops.ed.undo_push(message="before")
    name = ob.name
    bpy.ops.superpose.bake()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ed.undo()
    assert reports.clip_report_of(bpy.data.objects[name]) is None
    bpy.ops.ed.redo()
    ob = bpy.data.objects[name]
    assert reports.clip_report_of(ob) is not None
    figures.make_active(ob)
    bpy.ops.superpose.solve()
    assert reports.clip_report_of(ob) is None
