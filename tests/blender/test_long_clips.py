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

pytestmark = pytest.mark.usefixtures("blend")


@pytest.fixture
def clip(addon):
    """The rooms, the rig and the settings of a figure, and frames of it in which its bones turn."""
    rooms, ob = armatures.rooms(addon), figures.ready()
    rig, frame, _ = armatures.read(rooms.armature, ob)
    turns = np.random.default_rng(3).normal(size=(600, *frame.rotations.shape))
    frames = [replace(frame, rotations=turn.astype(np.float32)) for turn in turns]
    return rooms.armature, rig, rooms.armature.settings_of(ob), frames


def parts(request):
    skeleton, pose, targets = request.skeleton, request.pose, request.targets
    own = skeleton.offsets, skeleton.rests, pose.rotations, pose.translations
    return *own, targets.positions, targets.rotations


def test_rows_of_a_long_clip_are_those_of_its_frames_alone(clip):
    armature, rig, settings, frames = clip
    together = parts(armature.stack(rig, frames, settings))
    for row in (0, 511, 512, 599):
        alone = parts(armature.stack(rig, frames[row : row + 1], settings))
        assert all(np.array_equal(many[row], one[0]) for many, one in zip(together, alone, strict=True))


@pytest.mark.once
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
    assert sum(values.size for values in kept) == bones * (16 + 4 + 3 + 3) + roots * 9
