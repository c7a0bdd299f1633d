# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scales that are not quite alike along all axes, as importers leave them: posed, and told as it is shown."""

from importlib import import_module

import bpy
import figures
import pytest
from mathutils import Vector

pytestmark = pytest.mark.usefixtures("blend")
NEARLY, UNEVEN = (1.0, 1.0004, 1.0), (1.0, 1.002, 1.0)


@pytest.fixture
def ob():
    """A figure whose left hand is asked for elsewhere, over an elbow and a shoulder that turn."""
    found = figures.ready()
    figures.target_of(found, "hand.L").location += Vector((-0.15, -0.2, 0.2))
    return found


def test_a_pose_is_told_as_it_is_shown(ob):
    ob.pose.bones["arm.L"].scale = NEARLY
    bpy.ops.superpose.solve()
    hand = ob.pose.bones["hand.L"].superpose
    assert hand.position_residual == pytest.approx(figures.distance(ob, "hand.L"), abs=1e-6)
    assert hand.position_residual < 5e-4


def test_a_bake_tells_what_all_keys_show(ob):
    scaled = ob.pose.bones["arm.L"]
    for frame, scale in ((1, (1, 1, 1)), (5, NEARLY)):
        scaled.scale = scale
        scaled.keyframe_insert("scale", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 5
    scene.frame_set(1)  # where all is even
    bpy.ops.superpose.bake(action='CURRENT')
    shown = []
    for frame in range(1, 6):
        scene.frame_set(frame)
        shown.append(figures.distance(ob, "hand.L"))
    assert ob.pose.bones["hand.L"].superpose.position_residual == pytest.approx(max(shown), abs=1e-6)


def test_the_scale_that_bends_is_named(ob, addon):
    ob.pose.bones["arm.L"].scale = NEARLY
    causes = import_module(f"{addon.name}.armature.rig.causes")
    assert causes.what_moves_bone(ob, "hand.L").startswith("the scale of 'arm.L', not quite alike")
    assert "scale" not in causes.what_moves_bone(ob, "hand.R")


def test_an_uneven_scale_is_refused(ob):
    ob.pose.bones["arm.L"].scale = UNEVEN
    figures.refused(bpy.ops.superpose.solve, "'forearm.L' has a sheared or non-uniform scale, inherited")
