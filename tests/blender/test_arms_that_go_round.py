# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both hands go round the shoulders at once, as those of one that swims: no arm turns over in a hurry."""

from itertools import pairwise

import bpy
import numpy as np
import pytest
import rigify_rigs

LAST = 48
# Ways from the shoulder to a left hand in a round, and how much of the arm's length it is away.
PULL = (0.07, -0.29, 0.97), (0.09, -1.01, 0.39), (0.0, -0.85, -0.73)
BACK = (-0.05, -0.33, -0.99), (0.58, 0.24, -0.49), (0.86, 0.29, 0.5)
LONG_PULL = (0.14, -0.16, 1.05), (0.13, -0.98, 0.39), (-0.03, -0.64, -0.77)
WIDE_BACK = (0.22, 0.0, -1.09), (0.75, 0.03, -0.55), (0.78, 0.31, 0.54)
STROKES = (0.86, (*PULL, *BACK)), (0.91, (*LONG_PULL, *WIDE_BACK))


def ways(keys):
    """Unit ways (LAST, 3), the last of which is the first: the wave through the keys."""
    keys = np.array(keys) / np.linalg.norm(keys, axis=1)[:, None]
    waves, turns = np.fft.fft(keys, axis=0) / len(keys), np.fft.fftfreq(len(keys)) * len(keys)
    rounds = -np.arange(LAST) / (LAST - 1)
    found = np.real(np.exp(2j * np.pi * np.outer(rounds, turns)) @ waves)
    return found / np.linalg.norm(found, axis=1)[:, None]


def swim(ob, reach, keys):
    for side, sign in (("L", 1), ("R", -1)):
        shoulder = ob.pose.bones[f"upper_arm.{side}"].head
        arm = sum(ob.pose.bones[f"{bone}.{side}"].length for bone in ("upper_arm", "forearm"))
        target = ob.pose.bones[f"hand.{side}"].superpose.target
        for frame, way in enumerate(ways(keys), 1):
            target.location = np.array(shoulder) + reach * arm * way * (sign, 1, 1)
            target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, LAST


def largest_turn(ob):
    """The largest turn of an upper arm in its shoulder from one frame to the next, degrees."""
    bones, found = [ob.pose.bones[f"upper_arm.{side}"] for side in "LR"], []
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        found.append([(bone.parent.matrix.inverted() @ bone.matrix).to_quaternion() for bone in bones])
    pairs = [pair for two in pairwise(found) for pair in zip(*two, strict=True)]
    return np.degrees(max(before.rotation_difference(after).angle for before, after in pairs))


@pytest.mark.once
@pytest.mark.parametrize(("reach", "keys"), STROKES)
def test_no_arm_turns_over_in_a_hurry(rigify, reach, keys):
    ob = rigify_rigs.metarig("human")
    bpy.ops.superpose.set_up_body(use_live=False)
    swim(ob, reach, keys)
    bpy.ops.superpose.bake()
    assert "all met" in ob.superpose.message
    assert largest_turn(ob) < 20
