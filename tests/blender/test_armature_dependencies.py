# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that depend, in whatever way, on what the solve moves are refused, and no others."""

import armatures
import bpy
import pytest

pytestmark = pytest.mark.usefixtures("blend")


@pytest.fixture
def ob(rooms):
    return armatures.chain_with_target()


def refused(rooms, ob, match):
    with pytest.raises(rooms.armature.RigError, match=match):
        rooms.armature.read_rig(ob)


def accepted(rooms, ob):
    rooms.armature.read_rig(ob)


def effector(ob):
    return ob.pose.bones["b2"].superpose


@pytest.mark.parametrize("bone", ["b0", "b2", "b3"])
def test_target_inside_the_solved_chain(rooms, ob, bone):
    effector(ob).target, effector(ob).target_bone = ob, bone
    refused(rooms, ob, f"'{bone}'")


def test_own_bone_that_is_not_moved_is_a_target(rooms, ob):
    control_bone(ob)
    accepted(rooms, ob)


def parent_to_bone(target, ob):
    target.parent, target.parent_type, target.parent_bone = ob, 'BONE', "b1"


def parent_through_another(target, ob):
    target.parent = armatures.new_object("Between")
    parent_to_bone(target.parent, ob)


def constrain(target, ob):
    constraint = target.constraints.new('COPY_LOCATION')
    constraint.target, constraint.subtarget = ob, "b1"


def constrain_by_list(target, ob):
    entry = target.constraints.new('ARMATURE').targets.new()
    entry.target, entry.subtarget = ob, "b1"


def drive_by_transform(target, ob):
    variable = target.driver_add("location", 0).driver.variables.new()
    variable.type = 'TRANSFORMS'
    variable.targets[0].id, variable.targets[0].bone_target = ob, "b1"


def drive_by_turn(target, ob, path="rotation_quaternion[1]"):
    read = target.driver_add("location", 0).driver.variables.new().targets[0]
    read.id, read.data_path = ob, f'pose.bones["b1"].{path}'


def drive_by_location(target, ob):
    drive_by_turn(target, ob, "location[2]")


def skin(ob):
    """An object whose shape bone b1 deforms."""
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 1), (1, 0, 1), (0, 1, 1)], [], [(0, 1, 2)])
    thing = armatures.new_object("Skin", mesh)
    thing.vertex_groups.new(name="b1").add([0, 1, 2], 1.0, 'REPLACE')
    thing.modifiers.new("Armature", 'ARMATURE').object = ob
    return thing


def parent_to_vertices(target, ob):
    target.parent, target.parent_type, target.parent_vertices = skin(ob), 'VERTEX_3', (0, 1, 2)


def constrain_to_vertices(target, ob):
    constraint = target.constraints.new('COPY_LOCATION')
    constraint.target, constraint.subtarget = skin(ob), "b1"


def shrinkwrap(target, ob):
    target.constraints.new('SHRINKWRAP').target = skin(ob)


def parent_to_hooked_vertex(target, ob):
    target.parent, target.parent_type = skin(None), 'VERTEX'
    hook = target.parent.modifiers.new("Hook", 'HOOK')
    hook.object, hook.subtarget = ob, "b1"


OWN_TIES = (parent_to_bone, parent_through_another, constrain, constrain_by_list)
TIES_BY_DRIVERS = (drive_by_transform, drive_by_turn, drive_by_location)
TIES_BY_SHAPE = (parent_to_vertices, constrain_to_vertices, shrinkwrap, parent_to_hooked_vertex)


@pytest.mark.parametrize("tie", OWN_TIES + TIES_BY_DRIVERS + TIES_BY_SHAPE)
def test_targets_that_the_solve_would_move(rooms, ob, tie):
    tie(effector(ob).target, ob)
    refused(rooms, ob, "'b1'")


def control_bone(ob):
    """A bone beside the chain, which is the target."""
    with armatures.edited(ob) as bones:
        bones.new("control").tail = (0, 0, 1)
    effector(ob).target, effector(ob).target_bone = ob, "control"
    return ob.pose.bones["control"]


@pytest.mark.parametrize("drive", TIES_BY_DRIVERS)
def test_a_target_bone_that_the_solve_would_drive(rooms, ob, drive):
    drive(control_bone(ob), ob)
    refused(rooms, ob, "'b1'")


@pytest.mark.parametrize("drive", TIES_BY_DRIVERS)
def test_what_another_bones_drivers_read_does_not_move_a_target(rooms, ob, drive):
    control_bone(ob)
    with armatures.edited(ob) as bones:
        bones.new("helper").tail = (0, 0, 1)
    drive(ob.pose.bones["helper"], ob)
    accepted(rooms, ob)


def test_a_driver_that_reads_what_no_solve_changes_is_fine(rooms, ob):
    ob.pose.bones["b1"]["switch"] = 1.0
    drive_by_turn(effector(ob).target, ob)
    read = effector(ob).target.animation_data.drivers[0].driver.variables[0].targets[0]
    read.data_path = 'pose.bones["b1"]["switch"]'
    accepted(rooms, ob)


def test_a_target_on_an_object_that_is_skinned_is_fine(rooms, ob):
    effector(ob).target.parent = skin(ob)
    accepted(rooms, ob)


def test_a_target_parented_to_the_armature_object_is_fine(rooms, ob):
    effector(ob).target.parent = ob
    accepted(rooms, ob)


@pytest.mark.parametrize("drive", TIES_BY_DRIVERS)
def test_a_muted_driver_moves_nothing(rooms, ob, drive):
    drive(effector(ob).target, ob)
    effector(ob).target.animation_data.drivers[0].mute = True
    accepted(rooms, ob)
