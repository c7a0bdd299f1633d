# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live posing of bodies whose build changes: edited rest poses, and sizes that constraints give."""

import armatures
import bpy
import figures
import pytest
import swayed
from live_figures import channels, move


def test_an_edited_rest_pose_is_followed(ob):
    with armatures.edited(ob) as bones:
        bones["forearm.L"].tail.x += 0.05
        bones["hand.L"].head.x += 0.05
    for bone in figures.EFFECTORS:
        assert figures.distance(ob, bone) < 1e-4
        assert figures.turn(ob, bone) < 2e-3


def copied_size(ob):
    """Copy Scale on an upper arm: the size, and the setting that says it."""
    size = armatures.new_object("Size")
    ob.pose.bones["arm.L"].constraints.new('COPY_SCALE').target = size
    return size, "scale", ((1, 1, 1), (1.6, 1.6, 1.6))


def limited_size(ob):
    """Limit Scale on an upper arm, which counts in part."""
    limit = ob.pose.bones["arm.L"].constraints.new('LIMIT_SCALE')
    for axis in "xyz":
        setattr(limit, f"use_min_{axis}", True)
        setattr(limit, f"min_{axis}", 1.6)
    limit.influence = 0
    return limit, "influence", (0.0, 1.0)


@pytest.mark.parametrize("sized", [copied_size, limited_size])
def test_the_size_of_a_bone_is_followed(ob, sized):
    move(ob)
    owner, setting, (small, large) = sized(ob)
    for value in (small, large, small):
        setattr(owner, setting, value)
        assert figures.distance(ob, "hand.L") < 1e-4


@pytest.mark.parametrize("sized", [copied_size, limited_size])
def test_a_keyed_size_is_followed_in_every_frame(ob, sized):
    move(ob)
    owner, setting, values = sized(ob)
    for frame, value in zip((1, 9), values, strict=True):
        setattr(owner, setting, value)
        owner.keyframe_insert(setting, frame=frame)
    there = {}
    for frame in (1, 5, 9, 5, 1):
        bpy.context.scene.frame_set(frame)
        assert figures.distance(ob, "hand.L") < 1e-4
        there.setdefault(frame, channels(ob))
        assert channels(ob) == there[frame]


def test_sizes_that_the_pose_decides_do_not_keep_it_going(ob):
    """What is written changes the build, which is no reason to write again."""
    swayed.scale_of_driven(ob)
    move(ob)
    for _ in range(5):
        before = channels(ob)
        ob.update_tag()
        armatures.refresh()
        assert channels(ob) == before
