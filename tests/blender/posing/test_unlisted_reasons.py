# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that are no effectors and are dragged in vain: the panel says why, with a button for what helps."""

import bpy
from drawn_panels import draw_panel

UP = (0.0, 0.0, 0.15)


def test_a_knee_that_a_pinned_foot_holds_has_a_button_that_releases_it(metarig):
    bpy.ops.superpose.set_up_body(use_live=False)
    assert bpy.ops.superpose.pose(bone="shin.L", translation=UP) == {'FINISHED'}
    reasons = metarig.superpose.reasons
    assert [(reason.kind, reason.about) for reason in reasons if reason.kind == 'PIN'] == [('PIN', "foot.L")]
    assert "superpose.release_pin" in draw_panel("SUPERPOSE_PT_main")


def test_reasons_go_with_the_report_that_they_belong_to(metarig):
    bpy.ops.superpose.set_up_body(use_live=False)
    bpy.ops.superpose.pose(bone="shin.L", translation=UP)
    bpy.ops.superpose.pose(bone="hand.L", translation=(0.0, -0.05, 0.05))
    assert not metarig.superpose.reasons
    assert "superpose.release_pin" not in draw_panel("SUPERPOSE_PT_main")
