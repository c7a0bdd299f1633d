# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Markers on the frames of a bake that need a look: put there, and taken away again."""

from importlib import import_module

import bpy
import figures
import pytest
from test_clip_report_shown import bake

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


@pytest.fixture
def reports(addon):
    return import_module(f"{addon.name}.reports")


@pytest.fixture
def baked(blend, made_once):
    return made_once("baked", bake)


def marked():
    return sorted((marker.frame, marker.name) for marker in bpy.context.scene.timeline_markers)


def test_markers_are_put_on_frames_that_need_a_look_and_taken_away(reports, baked):
    ob = baked
    bpy.context.scene.timeline_markers.new("Mine", frame=2)
    worst = reports.clip_report_of(ob).worst
    for _ in range(2):  # those of before go
        bpy.ops.superpose.mark_worst_frames()
    made = [(frame, name) for frame, name in marked() if name != "Mine"]
    assert [frame for frame, _ in made] == sorted(worst)
    assert all(name.startswith(f"Superpose: {ob.name}, 'hand.L' ") for _, name in made)
    bpy.ops.superpose.unmark_worst_frames()
    assert marked() == [(2, "Mine")]


@pytest.mark.parametrize("name", ["Figure", "L" * 63, "A" * 40 + "\u00fc" * 11])
def test_only_markers_that_were_made_for_the_armature_go(name, baked):
    ob = baked
    ob.name = name
    own = [(4, f"Superpose: {name}, mine"), (5, f"Superpose: {name}, B, 'hand.L' 2 cm")]
    for frame, words in own:
        bpy.context.scene.timeline_markers.new(words, frame=frame)
    before = marked()
    for _ in range(2):
        bpy.ops.superpose.mark_worst_frames()
    assert len(marked()) > len(before)
    ob.name = "Renamed"
    bpy.ops.superpose.unmark_worst_frames()
    assert marked() == before


def test_a_marker_that_a_camera_was_bound_to_stays(baked):
    """Blender binds to the marker of the frame, if there is one: without it the cut would be gone."""
    bpy.ops.superpose.mark_worst_frames()
    bound = bpy.context.scene.timeline_markers[0]
    bound.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    before = bound.frame, bound.name
    bpy.ops.superpose.mark_worst_frames()
    bpy.ops.superpose.unmark_worst_frames()
    assert marked() == [before]


def test_a_copy_of_the_armature_has_markers_of_its_own(baked):
    ob = baked
    bpy.ops.superpose.mark_worst_frames()
    before = marked()
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != ob
    figures.refused(bpy.ops.superpose.unmark_worst_frames, "There are no markers")
    bpy.ops.superpose.mark_worst_frames()
    assert len(marked()) == 2 * len(before)
    bpy.ops.superpose.unmark_worst_frames()
    assert marked() == before
    bpy.data.objects.remove(copy)
    ob.name = "Renamed"
    figures.make_active(ob)
    bpy.ops.superpose.unmark_worst_frames()
    assert not marked()


def test_markers_that_were_renamed_are_the_users(baked):
    bpy.ops.superpose.mark_worst_frames()
    for marker in bpy.context.scene.timeline_markers:
        marker.name = "Look"
    before = marked()
    figures.refused(bpy.ops.superpose.unmark_worst_frames, "There are no markers")
    assert marked() == before


def test_markers_go_with_the_setup(baked):
    bpy.ops.superpose.mark_worst_frames()
    bpy.ops.superpose.remove_setup()
    assert not marked()
