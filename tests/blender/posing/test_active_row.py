# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the list of effectors shows once a bone was dragged."""

import bpy
import pytest
from drawn_panels import draw_panel

pytestmark = pytest.mark.once


def pose(bone, move):
    return bpy.ops.superpose.pose(bone=bone, translation=move)


def listed(ob):
    return ob.pose.bones[ob.superpose.active_bone_index].name


def test_the_list_shows_the_effector_that_was_dragged(ob):
    for bone in ("hand.L", "head"):
        pose(bone, (0, -0.02, 0))
        assert listed(ob) == bone
    pose("forearm.L", (0, -0.02, 0))  # no effector, so it has no row
    assert "No effector is active" in " ".join(draw_panel("SUPERPOSE_PT_effectors"))
    assert not ob.pose.bones["forearm.L"].is_property_set("superpose")
