# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that slide on their parents, as the sections of a crane: Limit Location leaves the solve alone."""

import armatures
import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("blend")

LONGEST = 0.5


def slide(ob, name, location, **settings):
    """Have a bone slide along itself by up to LONGEST, and beyond that as Blender has it: not."""
    with armatures.edited(ob) as bones:
        bones[name].use_connect = False
    bone = ob.pose.bones[name]
    bone.location.y = location
    constraint = bone.constraints.new('LIMIT_LOCATION')
    constraint.owner_space, constraint.use_max_y, constraint.max_y = 'LOCAL', True, LONGEST
    for key, value in settings.items():
        setattr(constraint, key, value)


@pytest.mark.parametrize("location", [0.2, 2.0], ids=["within its limit", "beyond"])
@pytest.mark.parametrize("influence", [1.0, 0.5])
@pytest.mark.parametrize("moved", ["b2", "b3"], ids=["in between", "the effector itself"])
def test_a_bone_that_slides_is_carried_and_keeps_its_place_on_its_parent(moved, influence, location):
    ob = armatures.reaching_chain()
    slide(ob, moved, location, influence=influence)
    armatures.refresh()
    bone, target = ob.pose.bones[moved], ob.pose.bones["b3"].superpose.target
    before = np.array(bone.parent.matrix.inverted() @ bone.head)
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    armatures.refresh()
    end = ob.matrix_world @ ob.pose.bones["b3"].head
    assert np.allclose(end, target.matrix_world.translation, atol=1e-4)
    assert np.allclose(bone.parent.matrix.inverted() @ bone.head, before, atol=1e-5)
    assert ob.superpose.message == "Solved 1 effector: all met"


@pytest.mark.parametrize("space", ['WORLD', 'POSE', 'LOCAL_WITH_PARENT'])
def test_a_limit_of_where_a_bone_is_in_the_scene_is_an_obstacle(rooms, space):
    ob = armatures.reaching_chain()
    slide(ob, "b2", 0.2, owner_space=space)
    with pytest.raises(rooms.armature.RigError, match=r"'b2'.*'Limit Location' places it"):
        armatures.read(rooms.armature, ob)


def test_a_limit_of_a_root_that_the_solve_may_move_is_an_obstacle(rooms):
    ob = armatures.reaching_chain()
    ob.superpose.root_location = 'FREE'
    slide(ob, "b0", 0.2)
    with pytest.raises(rooms.armature.RigError, match=r"'b0'.*'Limit Location' places it"):
        armatures.read(rooms.armature, ob)


def test_an_effector_that_only_slides_stays_where_nothing_carries_it(rooms):
    ob = armatures.chain(3)
    ob.pose.bones["b1"].constraints.new('COPY_LOCATION').target = armatures.new_object("Elsewhere")
    ob.data.bones["b1"].use_deform = False  # a mechanism
    slide(ob, "b2", 0.2)
    armatures.add_effector(ob, "b2", armatures.new_object("Target"))
    rig = armatures.read(rooms.armature, ob)[0]
    assert not rig.free_location.any()
    assert any("'b2' can only turn" in note for note in rig.notes)
