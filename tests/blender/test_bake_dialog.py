# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dialog of a bake warns where the motion that is keyed would be lost to targets that stand still."""

from types import SimpleNamespace

import bpy
import drawn_panels
import figures
import pytest

pytestmark = pytest.mark.usefixtures("blend")


def key_body(ob):
    ob.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=1)


def key_target(ob):
    figures.target_of(ob, "hand.L").keyframe_insert("location", frame=1)


def key_influence(ob):
    ob.pose.bones["hand.L"].keyframe_insert("superpose_influence", frame=1)


def key_prop(ob):
    ob.keyframe_insert("location", frame=1)


def without_targets(ob):
    for bone in figures.effectors(ob):
        ob.pose.bones[bone].superpose.target = None


@pytest.mark.parametrize(
    ("acts", "warned"),
    [
        ((key_body,), True),
        ((), False),
        ((key_prop,), False),
        ((key_body, key_target), False),
        ((key_body, key_influence), False),
        ((key_body, without_targets), False),
    ],
)
def test_a_warning_stands_in_the_dialog_where_the_body_would_stand_still(acts, warned):
    ob, layout = figures.ready(), drawn_panels.Layout()
    for act in acts:
        act(ob)
    asked = SimpleNamespace(bl_rna=SimpleNamespace(properties={"action"}))
    bpy.types.SUPERPOSE_OT_bake.draw_solved_action(asked, bpy.context, layout)
    assert any("No target is animated" in str(line) for line in layout.drawn) == warned
