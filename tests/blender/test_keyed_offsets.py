# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors of which another point meets the target in each frame: by keys."""

from itertools import pairwise

import bpy
import figures
import numpy as np
import pytest
from figure_goals import ready
from keyed_frames import FRAMES, at, baked_alone, key, live, solved_alone
from mathutils import Vector

pytestmark = pytest.mark.usefixtures("blend")

OFFSETS = ((0.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.05, 0.15, -0.1))


def reaching():
    """A figure with a hand that is to meet its target by another point in each frame."""
    ob = ready("hips", "hand.L")
    figures.target_of(ob, "hand.L").location += Vector((-0.1, -0.2, 0.1))
    for bone in ("hips", "hand.L"):
        figures.target_of(ob, bone).keyframe_insert("location", frame=1)
    bpy.context.scene.frame_end = FRAMES[-1]
    hand = ob.pose.bones["hand.L"]
    key(hand, "superpose_offset", *OFFSETS)
    return ob, hand


def away(ob, hand, frame):
    """How far the frame's point of the hand is from its target."""
    at(frame)
    point = ob.matrix_world @ hand.matrix @ Vector(OFFSETS[FRAMES.index(frame)])
    return (point - hand.superpose.target.matrix_world.translation).length


def test_frames_baked_alone_are_what_solve_makes_of_them():
    ob, hand = reaching()
    wanted = solved_alone(ob)
    assert all(np.abs(a["hand.L"] - b["hand.L"]).max() > 1e-2 for a, b in pairwise(wanted))
    assert baked_alone(ob, wanted)
    assert all(away(ob, hand, frame) < 1e-4 for frame in FRAMES)


@pytest.mark.once
def test_baked_together_each_frame_meets_its_point():
    ob, hand = reaching()
    assert bpy.ops.superpose.bake(frames='TOGETHER') == {'FINISHED'}
    assert not hand.superpose.is_missed
    assert all(away(ob, hand, frame) < 1e-4 for frame in FRAMES)


@pytest.mark.once
def test_live_shows_each_frame_as_solve_has_it():
    ob, _ = reaching()
    assert live(ob, solved_alone(ob))


@pytest.mark.once
def test_keys_that_change_nothing_make_no_other_pose():
    ob, hand = reaching()
    ob.animation_data.action = None
    hand.superpose_offset = OFFSETS[-1]
    (plain, *_) = solved_alone(ob)
    hand.keyframe_insert("superpose_offset", frame=1)
    (keyed, *_) = solved_alone(ob)
    assert all((matrix == plain[name]).all() for name, matrix in keyed.items())


@pytest.mark.once
def test_a_point_that_is_not_finite_is_refused_by_name():
    ob, _ = reaching()
    figures.curves(ob.animation_data.action)[-1].keyframe_points[1].co.y = np.nan
    with pytest.raises(
        RuntimeError, match=r"Frame 2: The effector on 'hand\.L' has a value that is not finite"
    ):
        bpy.ops.superpose.bake(frames='ALONE')
