# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve and Reset: what comes to lie in Blender, what is keyed, and that one undo takes it back."""

import re

import armatures
import bpy
import figures
import numpy as np
import pytest

import solvers

pytestmark = pytest.mark.usefixtures("blend")

MET = 2e-4  # of a figure of about two units


def undo_once(change):
    bpy.ops.ed.undo_push(message="before")
    before = figures.state()
    change()
    assert figures.state() != before
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    return before


@pytest.mark.parametrize("mode", ['OBJECT', 'POSE'])
def test_solve_meets_the_targets_and_changes_neither_mode_nor_selection(mode):
    ob = figures.turned_away(figures.ready())
    bpy.ops.object.mode_set(mode=mode)
    figures.select_bones(ob, "chest")
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    assert max(figures.distance(ob, bone) for bone in figures.EFFECTORS) < MET
    assert max(figures.turn(ob, bone) for bone in figures.EFFECTORS) < 2e-3
    assert ob.mode == mode
    assert figures.selected_bones(ob) == ["chest"]
    assert bpy.context.object == ob


def test_solve_works_while_a_target_is_the_active_object():
    ob = figures.turned_away(figures.ready())
    figures.make_active(figures.target_of(ob, "hand.L"))
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < MET
    assert bpy.context.object == figures.target_of(ob, "hand.L")


def test_solve_leaves_what_it_found_on_armature_and_effectors():
    ob = figures.turned_away(figures.ready())
    bpy.ops.superpose.solve()
    assert ob.superpose.is_solved
    assert not ob.superpose.is_missed
    assert ob.superpose.message == "Solved 4 effectors: all met"
    for bone in figures.EFFECTORS:
        result = ob.pose.bones[bone].superpose
        assert result.is_solved
        assert not result.is_missed
        assert result.position_residual == pytest.approx(figures.distance(ob, bone), abs=1e-5)


def arm_alone(ob, beyond):
    """Solve the left arm alone; its target lies so far beyond full stretch."""
    effector = ob.pose.bones["hand.L"].superpose
    for name in figures.EFFECTORS:
        ob.pose.bones[name].superpose.enabled = name == "hand.L"
    ob.superpose.root_bone, ob.superpose.root_location = "arm.L", 'ANCHORED'
    ob.pose.bones["hand.L"].superpose_rotation_weight = 0
    arm, hand = (ob.data.bones[name] for name in ("arm.L", "hand.L"))
    reach = arm.length + ob.data.bones["forearm.L"].length + beyond
    effector.target.location = arm.head_local + reach * (hand.head_local - arm.head_local).normalized()
    armatures.refresh()
    bpy.ops.superpose.solve()
    return effector


@pytest.mark.parametrize("scale", [1.0, 10.0])
@pytest.mark.parametrize(("beyond", "missed"), [(3e-4, False), (6e-4, False), (8e-4, True), (2e-3, True)])
def test_what_cannot_be_seen_in_the_whole_figure_is_not_missed_though_an_arm_is_solved(beyond, missed, scale):
    """The figure is 1.4 m wide, of which one in two thousand can be seen."""
    ob = figures.ready()
    effector = arm_alone(ob, beyond)
    assert effector.position_residual == pytest.approx(beyond, abs=1e-5)
    assert (effector.is_missed, ob.superpose.is_missed) == (missed, missed)
    ob.scale = (scale,) * 3
    effector.target.location *= scale
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert (effector.is_missed, ob.superpose.is_missed) == (missed, missed)


def test_bones_parked_far_away_make_no_larger_figure():
    ob = figures.ready()
    with armatures.edited(ob) as bones:
        parked = bones.new("Parked")
        parked.head, parked.tail = (100, 0, 0), (100, 0, 1)
    effector = arm_alone(ob, 5e-3)
    assert effector.is_missed
    assert "Missed" in ob.superpose.message


def test_of_a_miss_what_can_be_seen_is_shown():
    ob = figures.ready()
    assert arm_alone(ob, 2e-3).miss == "2 mm"
    effector = arm_alone(ob, 3e-4)
    ob.pose.bones["hand.L"].superpose_rotation_weight = 1e-6
    effector.target.rotation_euler = ob.pose.bones["hand.L"].matrix.to_euler()
    effector.target.rotation_euler.rotate_axis('Y', 0.2)
    effector.stiffness = 1
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert effector.position_residual < 6e-4
    assert effector.is_missed
    assert effector.miss.endswith("°")


def test_a_root_that_can_only_turn_is_named():
    """Loose feet, and roots that the user anchors: no pose takes them to their targets' places."""
    ob = figures.ready()
    with armatures.edited(ob) as bones:
        bones["hand.R"].parent = None
    note = "'hand.R' can only turn: no bone above it is solved, and its own location is not free"
    bpy.ops.superpose.solve()
    assert note not in ob.superpose.notes
    ob.superpose.root_location = 'ANCHORED'
    bpy.ops.superpose.solve()
    assert note in ob.superpose.notes.splitlines()
    ob.pose.bones["hand.R"].superpose_position_weight = 0
    bpy.ops.superpose.solve()
    assert note not in ob.superpose.notes


def test_solve_says_what_is_out_of_reach(capfd):
    ob = figures.ready()
    ob.superpose.root_location = 'ANCHORED'
    figures.target_of(ob, "hand.L").location.x += 5
    bpy.ops.superpose.solve()
    result = ob.pose.bones["hand.L"].superpose
    assert result.is_missed
    assert 0 < result.out_of_reach <= result.position_residual * 1.001
    assert ob.superpose.is_missed
    said = "".join(capfd.readouterr())
    assert said.count("Missed") == 1
    short = "too short by at least (.+) while 'hips' stays"
    (lack,) = re.findall(rf"'hand\.L' is missed by \S+ m(?:, \S+°)?: {short}; .+", said)
    beyond = bpy.utils.units.to_value('METRIC', 'LENGTH', lack)
    assert beyond == pytest.approx(result.out_of_reach, rel=0.05)


def test_of_two_targets_too_far_apart_the_nearer_one_is_not_called_out_of_reach():
    ob = figures.ready()
    figures.target_of(ob, "hand.R").location.x -= 5
    ob.pose.bones["hand.R"].superpose_position_weight = 0.01
    bpy.ops.superpose.solve()
    near, far = (ob.pose.bones[name].superpose for name in ("hand.L", "hand.R"))
    assert near.position_residual < 0.5 < far.out_of_reach
    assert near.out_of_reach == 0


def test_solve_says_which_limits_held_an_effector_back(capfd):
    ob = figures.figure()
    figures.select_bones(ob, "hand.L")
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    ob.superpose.root_location = 'ANCHORED'
    for name in ("hips", "chest"):
        ob.pose.bones[name].superpose.stiffness = 1
    for name in ("arm.L", "forearm.L"):
        limit = ob.pose.bones[name].superpose.limit
        limit.kind, limit.radii = 'ELLIPSE', (0.1,) * 4
    figures.target_of(ob, "hand.L").location.z += 0.5
    bpy.ops.superpose.solve()
    said = "".join(capfd.readouterr())
    why = "too short by at least 11 cm; 'arm.L' and 1 more at their limits"
    assert f"'hand.L' is missed by 38 cm: {why}" in said


def test_a_locked_bone_outside_its_limit_stays_there_and_is_noted():
    ob = figures.figure()
    figures.select_bones(ob, "hand.L")
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    locked = ob.pose.bones["arm.L"]
    locked.superpose.stiffness = 1
    locked.superpose.limit.kind, locked.superpose.limit.hinge_min, locked.superpose.limit.hinge_max = (
        'HINGE',
        0.5,
        1,
    )
    figures.target_of(ob, "hand.L").location.z += 0.1
    before = locked.rotation_quaternion.copy()
    bpy.ops.superpose.solve()
    assert locked.rotation_quaternion == before
    assert ob.superpose.notes == "Outside limits, not turned: 'arm.L'"


def test_bones_that_no_effector_moves_are_noted_where_they_lie_outside_their_limits():
    ob = figures.figure()
    figures.select_bones(ob, "hand.L")
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    ob.pose.bones["hand.R"].superpose.limit.kind = 'CONES'  # without any it allows nothing
    for name in ("arm.R", "forearm.R", "head"):
        limit = ob.pose.bones[name].superpose.limit
        limit.kind, limit.hinge_min, limit.hinge_max = 'HINGE', 0.5 * (name != "head"), 1
    ob.pose.bones["arm.R"].rotation_quaternion = (np.cos(0.3), np.sin(0.3), 0, 0)
    bpy.ops.superpose.solve()
    assert ob.superpose.notes == "Outside limits, not turned: 'forearm.R', 'hand.R'"
    ob.superpose.use_limits = False
    bpy.ops.superpose.solve()
    assert ob.superpose.notes == ""


def test_of_many_missed_effectors_the_first_few_are_named(capfd):
    ob = figures.ready()
    for number, name in enumerate(figures.BONES):
        armatures.add_effector(ob, name, armatures.new_object(f"Far {number}"))
        figures.target_of(ob, name).location = (5 + number, 5 * number, 5)
    armatures.refresh()
    bpy.ops.superpose.solve()
    said = "".join(capfd.readouterr())
    assert said.count("' is missed by ") == 4
    assert "Info: 5 more are missed" in said


def test_residuals_are_in_scene_units():
    ob = figures.figure()
    ob.scale = (100, 100, 100)
    armatures.refresh()
    figures.select_bones(ob, "hand.L")
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    ob.superpose.root_location = 'ANCHORED'
    figures.target_of(ob, "hand.L").location.x += 500
    bpy.ops.superpose.solve()
    residual = ob.pose.bones["hand.L"].superpose.position_residual
    assert residual == pytest.approx(figures.distance(ob, "hand.L"), rel=1e-3)


def test_disabled_effectors_and_those_without_weight_are_not_followed():
    ob = figures.turned_away(figures.ready())
    figures.target_of(ob, "hand.R").location.z += 0.3
    ob.pose.bones["hand.R"].superpose.enabled = False
    ob.pose.bones["head"].superpose_rotation_weight = 0
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < MET
    assert figures.distance(ob, "hand.R") > 0.1
    assert not ob.pose.bones["hand.R"].superpose.is_solved
    assert ob.pose.bones["head"].superpose.rotation_residual == 0


def test_scope_of_selected_bones_leaves_the_other_arm():
    ob = figures.turned_away(figures.ready())
    ob.superpose.scope, ob.superpose.root_bone = 'SELECTED', ""
    figures.select_bones(ob, "hand.L")
    right = ob.pose.bones["arm.R"].rotation_quaternion.copy()
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < MET
    assert ob.pose.bones["arm.R"].rotation_quaternion == right
    assert not ob.pose.bones["hand.R"].superpose.is_solved


@pytest.mark.once
@pytest.mark.parametrize("method", solvers.METHODS)
def test_every_method_brings_the_hand_nearer(method):
    ob = figures.turned_away(figures.ready())
    ob.superpose.method, ob.superpose.iterations = method, 400
    before = figures.distance(ob, "hand.L")
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < 0.2 * before


def test_undo_brings_the_former_state_back_in_one_step():
    figures.turned_away(figures.ready())
    before = undo_once(bpy.ops.superpose.solve)
    assert figures.state() == before


def test_reset_brings_the_solved_bones_to_rest_and_leaves_others_and_locked_ones():
    ob = figures.turned_away(figures.ready())
    for bone in ob.pose.bones:
        bone.rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    ob.pose.bones["hips"].location = (0.1, 0.2, 0.3)
    ob.pose.bones["arm.L"].lock_rotation = (True, True, True)
    ob.pose.bones["hand.R"].superpose.enabled = False
    kept = {name: tuple(ob.pose.bones[name].rotation_quaternion) for name in ("arm.L", "forearm.R", "hand.R")}
    armatures.refresh()
    bpy.ops.superpose.reset()
    for name in ("hips", "chest", "head", "forearm.L", "hand.L"):
        assert np.allclose(ob.pose.bones[name].rotation_quaternion, (1, 0, 0, 0), atol=1e-6)
    assert np.allclose(ob.pose.bones["hips"].location, 0, atol=1e-6)
    assert {name: tuple(ob.pose.bones[name].rotation_quaternion) for name in kept} == kept


def test_undo_of_reset():
    figures.turned_away(figures.ready())
    bpy.ops.superpose.solve()
    before = undo_once(bpy.ops.superpose.reset)
    assert figures.state() == before


def recorded(ob):
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.scene.frame_set(12)
    bpy.ops.superpose.solve()
    animation = ob.animation_data
    return figures.keys(animation.action) if animation and animation.action else {}


def test_no_keys_without_automatic_keyframing():
    ob = figures.turned_away(figures.ready())
    bpy.ops.superpose.solve()
    assert ob.animation_data is None


@pytest.mark.usefixtures("only_available")
def test_keys_of_the_changed_channels_with_automatic_keyframing():
    ob = figures.turned_away(figures.ready())
    keys = recorded(ob)
    assert ('pose.bones["arm.L"].rotation_quaternion', 0) in keys
    assert {path.rpartition(".")[2] for path, _ in keys} <= {"rotation_quaternion", "location"}
    for (path, index), points in keys.items():
        assert points == [(12.0, pytest.approx(ob.path_resolve(path)[index]))]


@pytest.mark.usefixtures("only_available")
@pytest.mark.parametrize("only_available", [True], indirect=True)
def test_only_available_channels_are_keyed_when_the_user_wants_that():
    ob = figures.turned_away(figures.ready())
    ob.pose.bones["arm.L"].keyframe_insert("rotation_quaternion", frame=1)
    keys = recorded(ob)
    assert {path for path, _ in keys} == {'pose.bones["arm.L"].rotation_quaternion'}
    assert all(len(points) == 2 for points in keys.values())


@pytest.mark.usefixtures("only_available")
def test_only_the_active_keying_set_is_keyed_when_the_user_wants_that():
    ob = figures.turned_away(figures.ready())
    scene = bpy.context.scene
    scene.keying_sets.new(name="Arm").paths.add(ob, 'pose.bones["arm.L"].rotation_quaternion')
    scene.keying_sets.active_index = 0
    scene.tool_settings.use_keyframe_insert_keyingset = True
    keys = recorded(ob)
    assert {path for path, _ in keys} == {'pose.bones["arm.L"].rotation_quaternion'}


def test_the_same_solve_twice_gives_the_same_pose():
    ob = figures.turned_away(figures.ready())
    poses = []
    for _ in range(2):
        bpy.ops.superpose.reset()
        bpy.ops.superpose.solve()
        poses.append(figures.rotations(ob))
    assert np.array_equal(*poses)


def straight_arm():
    """The left hand's target near the shoulder, of an anchored figure whose elbow hardly bends."""
    ob = figures.ready()
    ob.superpose.root_location = 'ANCHORED'
    for bone in ("hips", "chest"):
        ob.pose.bones[bone].superpose.stiffness = 1.0
    limit = ob.pose.bones["forearm.L"].superpose.limit
    limit.kind, limit.axis, limit.hinge_min, limit.hinge_max = 'HINGE', (1, 0, 0), 0.0, 0.1
    figures.target_of(ob, "hand.L").location = (0.3, 0, 1.45)
    armatures.refresh()
    return ob


def test_a_missed_effector_names_the_bones_at_their_limits():
    ob = straight_arm()
    bpy.ops.superpose.solve()
    result = ob.pose.bones["hand.L"].superpose
    assert result.is_missed
    assert result.held_back == "forearm.L"
    assert not any(ob.pose.bones[name].superpose.held_back for name in ("hips", "head", "hand.R"))


def test_what_is_met_names_no_bones():
    ob = straight_arm()
    bpy.ops.superpose.solve()
    ob.pose.bones["forearm.L"].superpose.limit.kind = 'FREE'
    bpy.ops.superpose.solve()
    result = ob.pose.bones["hand.L"].superpose
    assert (result.is_missed, result.held_back) == (False, "")


def test_a_bake_names_the_bones_of_the_worst_frame():
    ob = straight_arm()
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=2)
    assert ob.pose.bones["hand.L"].superpose.held_back == "forearm.L"
