# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets are made where the bones are, and snapped back to them."""

from math import pi

import armatures
import bpy
import figures
import pytest
from mathutils import Euler, Matrix

pytestmark = pytest.mark.usefixtures("blend")

NEAR = 1e-5
POSE = {"chest": (0.3, 0.2, 0.1), "arm.L": (0.5, -0.2, 0.4), "head": (-0.3, 0.5, 0.2)}


def posed(ob):
    for name, angles in POSE.items():
        ob.pose.bones[name].rotation_quaternion = Euler(angles).to_quaternion()
    armatures.refresh()
    return ob


def test_targets_are_made_at_the_effectors_present_place():
    ob = posed(figures.figure())
    figures.select_bones(ob, *figures.EFFECTORS)
    bpy.ops.superpose.add_effectors()
    assert bpy.ops.superpose.create_targets() == {'FINISHED'}
    for bone in figures.EFFECTORS:
        assert figures.distance(ob, bone) < NEAR
        assert figures.turn(ob, bone) < 1e-3  # an angle of two single-precision matrices


@pytest.mark.parametrize("quarters", range(4))
def test_sides_have_their_colours_whichever_way_the_body_faces(quarters):
    ob = figures.figure()
    ob.data.transform(Matrix.Rotation(quarters * pi / 2, 4, 'Z'))
    figures.select_bones(ob, "hand.L", "hand.R", "head")
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    left, right, middle = (figures.target_of(ob, name).color[:3] for name in ("hand.L", "hand.R", "head"))
    assert left[2] > max(left[:2])
    assert right[0] > max(right[1:])
    assert min(middle[:2]) > middle[2]


def test_targets_are_named_coloured_and_in_one_collection():
    ob = figures.ready()
    targets = [figures.target_of(ob, bone) for bone in figures.EFFECTORS]
    assert [target.name for target in targets] == [f"Figure {bone} target" for bone in figures.EFFECTORS]
    assert {target.users_collection[0].name for target in targets} == {"Figure Targets"}
    assert len({tuple(target.color) for target in targets}) == 3  # left, right, middle
    assert all(0.001 < target.empty_display_size < 0.2 for target in targets)
    assert bpy.data.collections["Figure Targets"] in bpy.context.scene.collection.children_recursive


def test_targets_are_made_only_where_there_is_none():
    ob = figures.ready()
    old = figures.target_of(ob, "head")
    ob.pose.bones["hips"].superpose.target = None
    bpy.ops.superpose.create_targets()
    assert figures.target_of(ob, "head") == old
    assert figures.target_of(ob, "hips").name.startswith("Figure hips target")
    assert len(bpy.data.collections) == 1


def test_a_target_that_the_user_deleted_is_made_anew():
    ob = figures.ready()
    figures.make_active(figures.target_of(ob, "head"))
    bpy.ops.object.delete()
    figures.make_active(ob)
    assert bpy.ops.superpose.create_targets() == {'FINISHED'}
    assert figures.target_of(ob, "head").users_scene
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    bpy.ops.superpose.remove_setup()
    assert list(bpy.data.objects) == [ob]


def test_making_targets_changes_neither_mode_nor_selection():
    ob = figures.figure()
    figures.select_bones(ob, "head")
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    assert ob.mode == 'POSE'
    assert bpy.context.selected_objects == [ob]
    assert bpy.context.object == ob


@pytest.mark.parametrize("kind", armatures.OBJECTS)
def test_a_solve_right_after_making_targets_leaves_the_pose(rng, kind):
    ob = posed(figures.figure())
    armatures.transform_at_random(ob, rng, kind)
    armatures.refresh()
    figures.select_bones(ob, *figures.EFFECTORS)
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    before = figures.rotations(ob)
    bpy.ops.superpose.solve()
    assert not ob.superpose.is_missed
    assert abs(figures.rotations(ob) - before).max() < 1e-3


def test_snapped_targets_meet_their_bones():
    ob = posed(figures.ready())
    assert bpy.ops.superpose.snap_targets() == {'FINISHED'}
    assert max(figures.distance(ob, bone) for bone in figures.EFFECTORS) < NEAR


def test_an_outcome_that_no_longer_holds_is_not_shown():
    ob = figures.ready()
    figures.target_of(ob, "hand.L").location.z += 5
    bpy.ops.superpose.solve()
    assert ob.superpose.message
    assert bpy.ops.superpose.reset() == {'FINISHED'}
    assert not ob.superpose.message
    assert not any(shown.superpose.is_solved for shown in (ob, *map(ob.pose.bones.get, figures.EFFECTORS)))


@pytest.mark.parametrize("stays", [False, True])
def test_the_panel_tells_how_the_pose_stands_to_targets_that_were_snapped(stays):
    ob = figures.ready()
    figures.target_of(ob, "hand.L").location.z += 5
    bpy.ops.superpose.solve()
    assert ob.superpose.is_missed
    figures.target_of(ob, "hand.L").lock_location[0] = stays
    bpy.ops.superpose.snap_targets()
    assert ob.superpose.message.startswith("Missed 1 of 4" if stays else "Solved 4 effectors: all met")
    assert ob.pose.bones["hand.L"].superpose.is_missed == stays
    assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(ob)


def test_snapped_to_a_rig_that_cannot_be_solved_it_says_why(capfd):
    ob = figures.ready()
    ob.pose.bones["chest"].constraints.new('COPY_ROTATION').target = figures.target_of(ob, "head")
    armatures.refresh()
    assert bpy.ops.superpose.snap_targets() == {'FINISHED'}
    assert "This cannot be solved yet: Bone 'chest'" in capfd.readouterr().out
    assert not ob.superpose.is_solved


def test_snapping_works_under_parents_that_are_targets_too():
    ob = figures.ready()
    hand, head = figures.target_of(ob, "hand.L"), figures.target_of(ob, "head")
    hand.parent, head.parent = head, armatures.new_object("Parent")
    head.parent.matrix_basis = Euler((1, 2, 3)).to_matrix().to_4x4() * 2
    head.parent.location = (1, 2, 3)
    posed(ob)
    bpy.ops.superpose.snap_targets()
    assert max(figures.distance(ob, bone) for bone in figures.EFFECTORS) < NEAR


def constrain(ob):
    figures.target_of(ob, "head").constraints.new('LIMIT_LOCATION')


def lock(ob):
    figures.target_of(ob, "head").lock_location[1] = True


def drive(ob):
    figures.target_of(ob, "head").driver_add("location", 0)


@pytest.mark.parametrize("obstacle", [constrain, lock, drive])
def test_what_cannot_be_moved_stays_and_the_rest_is_snapped(obstacle, capfd):
    ob = figures.ready()
    obstacle(ob)
    posed(ob)
    place = figures.target_of(ob, "head").matrix_world.copy()
    assert bpy.ops.superpose.snap_targets() == {'FINISHED'}
    assert figures.target_of(ob, "head").matrix_world == place
    assert figures.distance(ob, "hand.L") < NEAR
    assert "'Figure head target' is" in "".join(capfd.readouterr())


@pytest.mark.usefixtures("only_available")
def test_snapped_targets_are_keyed_when_the_user_records():
    ob = posed(figures.ready())
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.ops.superpose.snap_targets()
    for bone in figures.EFFECTORS:
        paths = {path for path, _ in figures.keys(figures.target_of(ob, bone).animation_data.action)}
        assert paths == {"location", "rotation_euler"}


def test_a_target_that_is_scaled_to_zero_stays_and_hinders_no_others(blend):
    ob = figures.ready()
    figures.target_of(ob, "hand.L").scale = (0, 0, 0)
    turned = figures.target_of(ob, "head")
    turned.location.z += 0.1
    armatures.refresh()
    assert bpy.ops.superpose.snap_targets() == {'FINISHED'}
    assert figures.distance(ob, "head") < 1e-5
    bpy.ops.object.mode_set(mode='POSE')
    figures.refused(bpy.ops.superpose.pose, "scaled to zero", bone="hand.L", translation=(0, 0.1, 0))


@pytest.mark.parametrize("is_moving", [False, True])
@pytest.mark.parametrize("is_keyed", [False, True])
def test_it_is_said_that_a_vehicle_leaves_targets_behind(is_moving, is_keyed, capfd):
    """Of a body that is keyed they go along."""
    ob, car = figures.ready(), armatures.new_object("car")
    ob.parent = car
    if is_moving:
        car.keyframe_insert("location", frame=1)
    if is_keyed:
        ob.pose.bones["hips"].keyframe_insert("location", frame=1)
    bpy.data.objects.remove(figures.target_of(ob, "hand.L"))
    armatures.refresh()
    capfd.readouterr()
    bpy.ops.superpose.create_targets()
    told = "'car' carries the body and not its targets" in capfd.readouterr().out
    assert told == (is_moving and not is_keyed)
