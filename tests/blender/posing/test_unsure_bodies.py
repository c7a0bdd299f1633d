# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drag of what may be a body, but is none for sure, says that nothing holds it."""

import armatures
import bpy
import figures
import pytest
from jointed import jointed

pytestmark = pytest.mark.usefixtures("blend")

NOTE = "Nothing holds the body (human,"


def dragged(ob, bone):
    figures.make_active(ob)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.pose(bone=bone, translation=(0, -0.1, 0))
    return ob.superpose.notes


def test_half_a_body_is_told_of_until_it_is_set_up():
    ob = figures.figure()
    assert NOTE in dragged(ob, "hand.L")
    figures.select_bones(ob, "hand.L")
    bpy.ops.superpose.add_effectors()
    assert NOTE not in dragged(ob, "hand.L")


def test_a_chain_is_no_body_to_hold():
    assert "Nothing holds" not in dragged(armatures.chain(4), "b3")


def test_a_body_that_is_set_up_on_the_way_is_held(rigify):
    bpy.ops.object.armature_human_metarig_add()
    assert "Nothing holds" not in dragged(bpy.context.object, "hand.L")


def test_a_rig_whose_controls_move_the_body_says_how_all_of_it_is_dragged(rigify):
    """A control goes alone; the panel said no more than that it is too short."""
    assert "Controls move the body: press Make Body" in dragged(jointed(), "move_hand.L")
