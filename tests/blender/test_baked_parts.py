# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a clip that is baked again goes on as the keys beside it lead there and from there."""

import bpy
import numpy as np
import pytest
import rigify_rigs
from armatures import Vector
from led_hands import heads, lead

LAST = 20


@pytest.fixture
def clip(rigify, made_once):
    """A set-up human whose hand is led down, where its head goes along, and up again: baked."""
    return made_once("hand down and up", bake)


def bake():
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    lead(ob.pose.bones["hand.L"].superpose.target, (-0.25, -0.3, -0.8), LAST)
    bpy.ops.superpose.bake()


def test_parts_do_not_leap_where_they_meet_what_is_beside_them(clip):
    for first, last in ((9, 12), (15, 15)):
        before = heads(clip)
        bpy.ops.superpose.bake(range='CUSTOM', frame_start=first, frame_end=last, action='CURRENT')
        after = heads(clip)
        baked = np.arange(first - 1, last)
        assert (np.delete(after, baked, axis=0) == np.delete(before, baked, axis=0)).all()
        seams = [first - 2, last - 1]
        leaps = np.linalg.norm(np.diff(after, axis=0) - np.diff(before, axis=0), axis=-1)[seams]
        assert leaps.max() < 0.02


def test_frames_beside_a_part_are_neither_told_of_nor_baked(clip):
    target = clip.pose.bones["hand.L"].superpose.target
    place = target.location.copy()
    for frame, far in ((7, 3.0), (8, 0.0)):
        target.location = place + Vector((far, 0, 0))
        target.keyframe_insert("location", frame=frame)
    for frame in (12, 13):
        target.scale = [13 - frame] * 3
        target.keyframe_insert("scale", frame=frame)
    before = heads(clip)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=9, frame_end=11, action='CURRENT')
    assert clip.superpose.message.startswith("Baked 3 frames: all met")
    outside = np.delete(np.arange(LAST), [8, 9, 10])
    assert (heads(clip)[outside] == before[outside]).all()
