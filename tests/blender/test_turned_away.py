# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that are recorded the wrong way round: no neighbour in time tells, but the body cannot turn so."""

import re
from math import pi

import bpy
import figures
import pytest

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

LAST = 5
NOTE = "Turned away from their targets nearly throughout: 'head' by "


def stiff_necked(until=LAST):
    """A figure whose trunk only nods, and whose head's target is the wrong way round up to a frame."""
    ob = figures.ready()
    for name in ("chest", "head"):
        limit = ob.pose.bones[name].superpose.limit
        limit.kind, limit.axis, limit.hinge_min, limit.hinge_max = 'HINGE', (1, 0, 0), -0.2, 0.2
    head, hand = (figures.target_of(ob, bone) for bone in ("head", "hand.L"))
    hand.location.x -= 0.2
    for bone in ("hips", "hand.R"):
        for path in ("location", "rotation_euler"):
            figures.target_of(ob, bone).keyframe_insert(path, frame=1)
    for frame in range(1, LAST + 1):
        hand.location.z += 0.01
        hand.keyframe_insert("location", frame=frame)
        head.rotation_euler.z = pi if frame <= until else 0.0
        head.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_end = LAST
    return ob


def test_a_target_that_is_the_wrong_way_round_in_all_frames_is_named(capfd):
    ob = stiff_necked()
    bpy.ops.superpose.bake()
    assert re.search(NOTE + r"\d+°; turn those", ob.superpose.notes)
    assert NOTE in "".join(capfd.readouterr())
    ob.pose.bones["head"].superpose_rotation_weight = 0
    bpy.ops.superpose.bake()
    assert NOTE not in ob.superpose.notes


@pytest.mark.parametrize(("until", "frames"), [(1, LAST), (1, 1)])
def test_single_frames_are_not_said_to_be_so_throughout(until, frames):
    ob = stiff_necked(until)
    bpy.context.scene.frame_end = frames
    bpy.ops.superpose.bake()
    assert ob.pose.bones["head"].superpose.is_missed
    assert NOTE not in ob.superpose.notes


@pytest.mark.parametrize(("away", "unit"), [(0.02, "°"), (3.0, "m")])
def test_the_list_shows_by_what_a_target_is_missed_more(away, unit):
    """A head that is turned by half a turn and two centimetres away is not two centimetres off."""
    ob = stiff_necked()
    figures.target_of(ob, "head").location.z += away
    bpy.ops.superpose.bake()
    assert ob.pose.bones["head"].superpose.miss.endswith(unit)
