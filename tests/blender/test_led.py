# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that a bake led away from where they are: the viewport measures against what the bake measured."""

import json
from dataclasses import asdict
from importlib import import_module
from types import SimpleNamespace

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

LAST, STANDS = 16, range(3, 11)
AWAY = armatures.Vector((0.02, 0.0, 0.05))
SEEN = 1e-3  # metres: less of a miss is not seen


@pytest.fixture
def ours(addon):
    overlay = import_module(f"{addon.name}.overlay.effectors")
    return SimpleNamespace(overlay=overlay, reports=import_module(f"{addon.name}.reports"))


@pytest.fixture
def walker(rigify):
    """Rigify's metarig whose right foot stands in a contact while its target rises and turns, hips down."""
    ob = rigify_rigs.metarig("human")
    bpy.ops.superpose.set_up_body(use_live=False)
    ob.superpose.use_comfort = ob.superpose.use_limits = False  # which take their time
    for name, end in (("foot.R", AWAY), ("spine", armatures.Vector((0, 0, -0.25)))):
        target = figures.target_of(ob, name)
        home = target.location.copy()
        for frame in range(1, LAST + 1):
            share = min(max((frame - 4) / 8, 0.0), 1.0)
            target.location, target.rotation_euler.y = home + share * end, 0.1 * share * (name == "foot.R")
            target.keyframe_insert("location", frame=frame)
            target.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, LAST
    span = {"frame_start": STANDS[0], "frame_end": STANDS[-1]}
    bpy.ops.superpose.mark_frames(kind='superpose_contact', bone="foot.R", **span)
    bpy.ops.superpose.mark_frames(kind='superpose_tip_contact', bone="foot.R", **span)
    return ob


def shown(ours, ob, frame):
    """How far off the viewport says that effectors are."""
    bpy.context.scene.frame_set(frame)
    armatures.refresh()
    return {handle.bone.name: handle.distance for handle in ours.overlay.handles_of(ob, frame)}


def test_what_is_met_where_a_contact_leads_it_has_no_line(ours, walker):
    bpy.ops.superpose.bake()
    report, away = ours.reports.clip_report_of(walker), []
    for frame, off in enumerate(report.missed | report.gave_way, 1):
        lines = {f"'{name}'" for name, distance in shown(ours, walker, frame).items() if distance}
        assert lines == {name for name, is_off in zip(report.names, off, strict=True) if is_off}
        assert "'foot.R'" not in lines
        away.append(figures.distance(walker, "foot.R"))
    assert max(away) > 10 * SEEN
    after = armatures.Vector((0, 0, 0.1))
    for frame in (STANDS[-1], LAST):
        bpy.context.scene.frame_set(frame)
        figures.target_of(walker, "foot.R").location += after
        armatures.refresh()
        found = {handle.bone.name: handle for handle in ours.overlay.handles_of(walker, frame)}["foot.R"]
        assert found.distance == pytest.approx(after.length, abs=SEEN)
        ends = np.array(found.wanted) - np.array(found.place)
        assert np.linalg.norm(ends) == pytest.approx(found.distance, abs=1e-6)  # single precision


def test_targets_that_are_put_where_the_foot_stands_have_no_line(ours, walker):
    bpy.ops.superpose.bake()
    bpy.context.scene.frame_set(STANDS[-1])
    armatures.refresh()
    bpy.ops.superpose.snap_targets()
    armatures.refresh()
    assert not any(handle.distance for handle in ours.overlay.handles_of(walker, STANDS[-1]))


@pytest.mark.parametrize("by", ["mask", "clean"])
def test_targets_that_are_bridged_have_no_line(ours, by):
    ob, lost = figures.ready(), 8
    target = figures.target_of(ob, "hand.L")
    for frame in range(1, LAST + 1):
        target.location.z += 0.01 + 0.6 * ((frame == lost) - (frame == lost + 1))
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, LAST
    if by == "mask":
        bpy.ops.superpose.mark_frames(kind='superpose_mask', bone="hand.L", frame_start=lost, frame_end=lost)
    bpy.ops.superpose.bake(use_clean=by == "clean")
    for frame in range(1, LAST + 1):
        assert not shown(ours, ob, frame)["hand.L"], frame
    bpy.context.scene.frame_set(lost)
    assert figures.distance(ob, "hand.L") > 0.5


def test_frames_that_were_not_baked_are_measured_against_targets(ours, walker):
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=8)
    walker.pose.bones["foot.R"].superpose.use_sole = False  # else its ball is measured
    bpy.context.scene.frame_set(LAST)
    assert shown(ours, walker, LAST)["foot.R"] == pytest.approx(figures.distance(walker, "foot.R"), abs=1e-5)
    assert shown(ours, walker, LAST)["foot.R"] > 10 * SEEN


def test_how_targets_were_led_is_in_the_report(ours, walker):
    bpy.ops.superpose.bake()
    report = ours.reports.clip_report_of(walker)
    foot = report.names.index("'foot.R'")
    assert set(np.flatnonzero(report.led.ways.any(axis=(0, 2)))) == {foot}
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        armatures.refresh()
        place = walker.matrix_world @ walker.pose.bones["foot.R"].head
        way = place - figures.target_of(walker, "foot.R").matrix_world.translation
        assert np.allclose(report.led.ways[frame - 1, foot], way, atol=SEEN)
    again = ours.reports.from_json(ours.reports.to_json(report))
    for name, values in asdict(report.led).items():
        assert np.array_equal(getattr(again.led, name), values)
    half = report.led_in(5.5)["'foot.R'"].way
    assert np.allclose(half, report.led.ways[4:6, foot].mean(axis=0))
    assert report.led_in(LAST + 1) == {}


def test_a_clip_in_which_no_target_is_led_says_nothing_of_it(ours):
    ob = figures.ready()
    figures.target_of(ob, "hand.L").keyframe_insert("location", frame=1)
    bpy.context.scene.frame_end = 3
    bpy.ops.superpose.bake()
    assert json.loads(ob.superpose.clip_report)["led"] is None
    assert ours.reports.clip_report_of(ob).led is None
