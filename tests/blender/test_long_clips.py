# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of many frames as arrays: the same rows as frames alone, in little more memory than these take."""

import tracemalloc
from dataclasses import replace

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("blend")]


@pytest.fixture
def clip(rooms):
    """The rooms, the rig and the settings of a figure, and frames of it in which its bones turn."""
    ob = figures.ready()
    rig, frame, _ = armatures.read(rooms.armature, ob)
    turns = np.random.default_rng(3).normal(size=(600, *frame.rotations.shape))
    frames = [replace(frame, rotations=turn.astype(np.float32)) for turn in turns]
    return rooms.armature, rig, rooms.armature.settings_of(ob), frames


def parts(request):
    """The arrays of a request, each with a row for every frame: of a skeleton one row may serve all."""
    skeleton, pose, targets = request.skeleton, request.pose, request.targets
    own = skeleton.offsets, skeleton.rests, pose.rotations, pose.translations
    whole = *own, targets.positions, targets.rotations
    return [np.broadcast_to(values, (len(request), *values.shape[1:])) for values in whole]


def test_a_skeleton_that_is_built_alike_in_all_frames_has_one_row(clip):
    armature, rig, settings, (first, *_) = clip
    longer = replace(first, matrices=first.matrices * np.array([[1, 1, 1, 1.5]] * 3 + [[1] * 4], np.float32))
    same, differing = (armature.stack(rig, [first, other], settings).skeleton for other in (first, longer))
    assert (len(same.offsets), len(same.rests)) == (1, 1)
    assert (len(differing.offsets), len(differing.rests)) == (2, 1)


def test_rows_of_a_long_clip_are_those_of_its_frames_alone(clip):
    armature, rig, settings, frames = clip
    together = parts(armature.stack(rig, frames, settings))
    for row in (0, 511, 512, 599):
        alone = parts(armature.stack(rig, frames[row : row + 1], settings))
        assert all(np.array_equal(many[row], one[0]) for many, one in zip(together, alone, strict=True))


def test_arrays_of_a_long_clip_are_made_in_little_more_room_than_they_take(clip):
    armature, rig, settings, frames = clip
    peaks, sizes = [], []
    for count in (5, 15):
        tracemalloc.start()
        made = armature.stack(rig, frames * count, settings)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(sum(values.nbytes for values in parts(made)))
    assert np.diff(peaks)[0] < 4 * np.diff(sizes)[0]


def test_a_frame_keeps_of_bones_what_blender_has(clip):
    armature, rig, _, _ = clip
    frame = armature.present_frame(rig, bpy.context.object)
    kept = frame.matrices, frame.carriers, frame.rotations, frame.locations, frame.scales
    assert {values.dtype for values in kept} == {np.dtype(np.float32)}
    bones, roots = len(rig.names), int((rig.parents < 0).sum())
    assert sum(values.size for values in kept) == bones * (16 + 4 + 3 + 3) + roots * 16
