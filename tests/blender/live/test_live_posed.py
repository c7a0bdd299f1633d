# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators of ours pose while the armature is live: it is no edit by hand."""

import armatures
import bpy
import figures
import pytest
from armatures import Vector
from live_figures import channels, move


def solve():
    bpy.ops.superpose.solve()


def flip():
    bpy.ops.superpose.flip()


def drag_the_other_hand(way=(0.1, -0.1, 0.1)):
    bpy.ops.superpose.pose(bone="hand.R", translation=way)


def drag_nowhere():
    drag_the_other_hand((0, 0, 0))


def snap(_ob):
    bpy.ops.superpose.snap_targets()


def pin(ob):
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(ob, "hand.R", "head")
    bpy.ops.superpose.set_hold(hold='PINNED')


def rename(ob):
    ob.name = "Somebody"


@pytest.mark.parametrize("act", [snap, pin, rename])
def test_the_body_stays_where_nothing_asks_it_to_move(ob, act):
    move(ob, way=Vector((0.8, -0.3, 0.2)))
    before = channels(ob)
    act(ob)
    armatures.refresh()
    assert channels(ob) == before
    if act is not rename:
        assert max(figures.distance(ob, bone) for bone in ("hand.R", "head")) < 1e-5


def rename_bone(ob):
    ob.data.bones["chest"].name = "Thorax"


def rename_effector(ob):
    ob.data.bones["hand.R"].name = "Paw"


def rename_target(ob):
    figures.target_of(ob, "head").name = "Gaze"


@pytest.mark.parametrize("rename_it", [rename, rename_bone, rename_effector, rename_target])
def test_the_body_stays_after_undo_where_something_gets_another_name(ob, rename_it):
    """Of the drag before nothing is known any more, and no other name asks the body to move."""
    move(ob, way=Vector((0.8, -0.3, 0.2)))
    bpy.ops.ed.undo_push(message="Far")
    move(ob, "head")
    bpy.ops.ed.undo_push(message="Next")
    bpy.ops.ed.undo()
    ob = bpy.context.object
    armatures.refresh()
    before = list(channels(ob).values())
    rename_it(ob)
    ob.update_tag()
    armatures.refresh()
    assert list(channels(ob).values()) == before
    move(ob)
    assert ob.superpose.message == "Solved 1 effector: all met"  # that of the target that was moved


@pytest.mark.parametrize("act", [solve, drag_the_other_hand])
def test_targets_that_are_missed_stay(ob, act):
    move(ob, way=Vector((0.8, -0.3, 0.2)))
    assert figures.distance(ob, "head") > 0.02
    before = {name: figures.target_of(ob, name).matrix_world.copy() for name in ("hips", "head")}
    act()
    armatures.refresh()
    for name, place in before.items():
        assert figures.target_of(ob, name).matrix_world == place
        told = ob.pose.bones[name].superpose.position_residual
        assert abs(figures.distance(ob, name) - told) < 1e-5


@pytest.mark.parametrize("act", [solve, flip, drag_nowhere])
def test_what_leaves_the_pose_as_it_is_leaves_it_live(ob, act):
    act()
    armatures.refresh()
    move(ob)
    assert figures.distance(ob, "hand.L") < 1e-4
