# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of a body that has no effectors."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from drawn_panels import draw_panel
from mathutils import Vector

pytestmark = pytest.mark.usefixtures("blend")

TURN = 2e-3


def looking(scope='ALL'):
    """A figure whose head is asked to look at a lamp, and the goal."""
    ob = figures.figure()
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.collection.objects.link(lamp)
    lamp.location = (0.6, -1.0, 1.9)
    goal = ob.superpose.goals.add()
    goal.name, goal.kind, goal.bone, goal.target, goal.axis = "Look", 'AIM', "head", lamp, "Y"
    ob.superpose.scope = scope
    armatures.refresh()
    return ob, goal


def off(ob, goal):
    """How far the head's axis points beside the target, radians."""
    armatures.refresh()
    head = ob.pose.bones["head"]
    matrix = ob.matrix_world @ head.matrix
    return matrix.col[1].to_3d().angle(goal.target.matrix_world.translation - matrix.translation)


def test_a_goal_alone_is_solved_and_reported():
    ob, goal = looking()
    assert off(ob, goal) > 0.1
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    assert off(ob, goal) < TURN
    assert ob.superpose.message.startswith("Solved 1 goal")
    assert (goal.is_missed, goal.miss) == (False, "0 m")
    assert bpy.types.SUPERPOSE_OT_solve.is_outdated(ob) is False
    ob.pose.bones["head"].rotation_mode = 'XYZ'
    ob.pose.bones["head"].rotation_euler.x += 0.3
    armatures.refresh()
    assert bpy.types.SUPERPOSE_OT_solve.is_outdated(ob) is True


def test_nothing_but_the_way_to_its_bones_is_turned():
    ob, _ = looking()
    before = figures.rotations(ob)
    bpy.ops.superpose.solve()
    way = {"head", *(bone.name for bone in ob.pose.bones["head"].parent_recursive)}
    for bone, one, other in zip(ob.pose.bones, before, figures.rotations(ob), strict=True):
        assert bone.name in way or np.array_equal(one, other)


def test_a_goal_alone_is_baked():
    ob, goal = looking()
    goal.target.keyframe_insert("location", frame=1)
    goal.target.location += Vector((-1.2, 0.0, 0.3))
    goal.target.keyframe_insert("location", frame=4)
    assert bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=4) == {'FINISHED'}
    for frame in range(1, 5):
        bpy.context.scene.frame_set(frame)
        assert off(ob, goal) < TURN


def test_live_follows_a_goal_alone():
    ob, goal = looking()
    ob.superpose_live = True
    goal.target.location += Vector((-1.2, 0.0, 0.3))
    armatures.refresh()
    armatures.refresh()
    assert off(ob, goal) < TURN


def test_live_leaves_a_bone_as_it_is_turned_by_hand(capfd):
    ob, goal = looking()
    ob.superpose_live = True
    armatures.refresh()
    chest = ob.pose.bones["chest"]
    chest.rotation_quaternion = (0.9, 0, 0.3, 0)
    armatures.refresh()
    assert tuple(chest.rotation_quaternion) == pytest.approx((0.9, 0, 0.3, 0))
    assert "Traceback" not in capfd.readouterr().err
    assert off(ob, goal) > TURN


@pytest.mark.parametrize(("selected", "solved"), [("chest", True), ("hand.L", False)])
def test_of_selected_bones_goals_take_part_whose_way_has_one(selected, solved):
    ob, goal = looking('SELECTED')
    figures.select_bones(ob, selected)
    if solved:
        bpy.ops.superpose.solve()
        assert off(ob, goal) < TURN
    else:
        figures.refused(bpy.ops.superpose.solve, "No bone on the way from an enabled .* is selected")


def test_a_balance_alone_needs_a_target():
    ob = figures.figure()
    ob.superpose.goals.add().kind = 'BALANCE'
    figures.refused(bpy.ops.superpose.solve, "The balance has no effectors to stand on: choose a target")


def test_a_plane_of_the_whole_body_alone_has_nothing_to_hold():
    ob = figures.figure()
    ob.superpose.goals.add().kind = 'PLANE'
    figures.refused(bpy.ops.superpose.solve, "The plane.*choose its Bone")


def test_neither_effector_nor_goal():
    looking()[1].enabled = False
    figures.refused(bpy.ops.superpose.solve, "'Figure' has no enabled effector or goal")


def test_solvers_cannot_be_compared_on_goals_alone(tmp_path):
    looking()
    figures.refused(bpy.ops.superpose.compare_solvers, "compared by effectors", directory=str(tmp_path))


def test_the_panel_offers_goals_first_and_solves_them():
    ob = figures.figure()
    assert "SUPERPOSE_MT_add_goal" in draw_panel("SUPERPOSE_PT_goals")
    assert not ob.is_property_set("superpose")
    figures.make_active(looking()[0])
    assert "superpose.solve" in draw_panel("SUPERPOSE_PT_main")
