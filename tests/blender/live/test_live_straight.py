# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live posing of a human whose legs are straight at rest, of single bones or of two that share the twist."""

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from armatures import Vector
from live_figures import move

pytestmark = pytest.mark.once


def human(is_split):
    """Rigify's basic human, its ankles straight below its hips, set up and live."""
    ob = rigify_rigs.metarig("basic_human")
    with armatures.edited(ob) as bones:
        for side in "LR":
            thigh, shin, foot = (bones[f"{part}.{side}"] for part in ("thigh", "shin", "foot"))
            for joint in (thigh.tail, shin.head, shin.tail, foot.head):
                joint.x, joint.y = thigh.head.x, thigh.head.y
            if is_split:
                for first, next_one in ((thigh, shin), (shin, foot)):
                    second = bones.new(first.name.replace(".", "_twist."))
                    second.head, second.tail = (first.head + first.tail) / 2, first.tail
                    second.roll, second.parent = first.roll, first
                    next_one.use_connect, next_one.parent = False, second  # else its head goes with the tail
                    first.tail = second.head
    figures.make_active(ob)
    bpy.ops.superpose.set_up_body()
    ob.superpose_live = True
    armatures.refresh()
    return ob


def heads(ob, *names):
    return np.array([ob.pose.bones[name].head for name in names])


@pytest.mark.parametrize("is_split", [False, True])
def test_hips_go_down_over_straight_legs_while_the_mouse_moves(rigify, mouse, is_split):
    ob = human(is_split)
    for _ in range(10):
        move(ob, "spine", Vector((0.0, 0.0, -0.02)))
        assert figures.distance(ob, "spine") < 1e-4
    knees, feet = heads(ob, "shin.L", "shin.R"), heads(ob, "foot.L", "foot.R")
    assert (knees[:, 1] < feet[:, 1] - 0.2).all()  # they bend forwards


@pytest.mark.parametrize("steps", [1, 3])
def test_legs_that_are_split_bend_as_whole_ones(rigify, mouse, steps):
    """Twist bones that turned by themselves gave feet turns that no ankle has, and knees crossed."""
    knees = []
    for is_split in (False, True):
        ob = human(is_split)
        move(ob, "spine", Vector((0.0, 0.0, -0.27)), steps)
        mouse.rest()
        knees.append(heads(ob, "shin.L", "shin.R"))
    assert np.linalg.norm(knees[1] - knees[0], axis=1).max() < 0.05
    assert knees[1][0, 0] > 0.05
    assert knees[1][1, 0] < -0.05
