# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows gives way gradually in a bake, and a bake of what was baked leaves it."""

import sys
from functools import partial

import armatures
import bpy
import figures
import numpy as np
import pytest
from led_hands import heads, lead

HIPS, HEAD, HAND = "hips", "head", "hand.L"
LAST = 40


@pytest.fixture
def clip(blend):
    """A figure whose hand is led down and up again, from some way on with the head, which follows."""
    ob = figures.ready()
    ob.pose.bones[HIPS].superpose.hold = 'PINNED'
    lead(figures.target_of(ob, HAND), (-0.1, -0.3, -0.6), LAST)
    armatures.refresh()
    yield ob
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def test_a_body_does_not_pop_and_a_second_bake_leaves_it(clip):
    bpy.ops.superpose.bake()
    assert "all met" in clip.superpose.message
    assert HEAD in clip.superpose.notes  # gave way
    once = heads(clip)
    speeds = np.linalg.norm(np.diff(once, axis=0), axis=-1)
    changes = np.linalg.norm(np.diff(once, 2, axis=0), axis=-1)
    assert changes.max() < 0.25 * speeds.max()
    bpy.ops.superpose.bake()
    assert np.abs(heads(clip) - once).max() < 5e-3


@pytest.fixture
def asked(monkeypatch):
    """How each motion of a bake is asked for."""
    solving, calls = sys.modules[bpy.types.SUPERPOSE_OT_bake.__module__.replace(".bake", ".solving")], []

    def noted(inner, *args, **how):
        calls.append(how)
        return inner(*args, **how)

    for name in ("solve_clip_in_parts", "give_way_in_parts"):
        monkeypatch.setattr(solving, name, partial(noted, getattr(solving, name)))
    return calls


def lead_all(ob, names=figures.EFFECTORS):
    """Lead the hand out of reach, and the others with the names hardly."""
    for name in names:
        lead(figures.target_of(ob, name), (0.0, -0.3, -1.2) if name == HAND else (0.0, -0.02, 0.0), LAST)


@pytest.mark.parametrize("names", [figures.EFFECTORS, (HAND,)])
def test_what_is_animated_gives_way_firmly_where_it_is_missed_though_something_follows(clip, asked, names):
    lead_all(clip, names)
    bpy.ops.superpose.bake()
    missed = clip.superpose.message.partition(":")[0]
    assert missed.startswith("Missed in")
    firmly = [how["firmly"] for how in asked if "firmly" in how]
    assert [met.any() and not met.all() for met in firmly] == [True]
    once = heads(clip)
    bpy.ops.superpose.bake()
    assert clip.superpose.message.partition(":")[0] == missed
    assert np.abs(heads(clip) - once).max() < 1e-5


@pytest.mark.parametrize("stands", [True, False])
def test_ways_of_missing_are_left_to_what_gives_way_beside_contacts(clip, asked, stands):
    lead_all(clip)
    head = figures.target_of(clip, HEAD)
    head.location.x += 0.05  # no loop
    head.keyframe_insert("location", frame=LAST)
    if stands:
        bpy.ops.superpose.mark_frames(kind="superpose_contact", bone="hand.R", frame_start=1, frame_end=LAST)
    bpy.ops.superpose.bake()
    assert [how.get("goes_on", False) for how in asked] == [stands, False]
    assert (asked[1]["firmly"] is None) == stands
