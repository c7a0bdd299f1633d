# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A front foot of an animal that is lifted folds its leg, and the body stays where it is."""

import armatures
import bpy
import numpy as np
import pytest
import rigify_rigs

pytestmark = pytest.mark.usefixtures("blend")

# By animal the bone that holds a front foot, its shoulder, elbow and carpus, and how high it is lifted.
LEGS = {
    "horse": ("f_hoof.L", "upper_arm.L", "forearm.L", "forefoot.L", 0.2),
    "wolf": ("front_toe.L", "front_thigh.L", "front_shin.L", "front_foot.L", 0.1),
}


def turns(ob, names):
    """By how much bones are turned from rest, degrees."""
    armatures.refresh()
    shown = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    found = {}
    for name in names:
        bone = shown.pose.bones[name]
        local = bone.bone.convert_local_to_pose(
            bone.matrix,
            bone.bone.matrix_local,
            parent_matrix=bone.parent.matrix,
            parent_matrix_local=bone.parent.bone.matrix_local,
            invert=True,
        )
        found[name] = np.degrees(local.to_quaternion().angle)
    return found


@pytest.mark.parametrize("animal", LEGS)
@pytest.mark.parametrize("times", [1, 4])
def test_a_lifted_front_foot_folds_its_leg(rigify, animal, times):
    ob = rigify_rigs.metarig(animal)
    bpy.ops.superpose.set_up_body(use_live=False)
    foot, shoulder, elbow, carpus, height = LEGS[animal]
    ob.pose.bones[foot].superpose_rotation_weight = 0
    trunk = [bone.name for bone in ob.pose.bones if bone.name.startswith("spine") and bone.parent]
    for _ in range(times):
        bpy.ops.superpose.pose(bone=foot, translation=(0, 0, height / times))
    found = turns(ob, [shoulder, elbow, carpus, *trunk])
    assert found[carpus] > 1.5 * found[elbow] > 1.5 * 2 * found[shoulder]
    assert max(found[name] for name in trunk) < 6


def test_a_front_foot_that_stays_level_overstretches_no_carpus(rigify):
    ob = rigify_rigs.metarig("horse")
    bpy.ops.superpose.set_up_body(use_live=False)
    bpy.ops.superpose.pose(bone="f_hoof.L", translation=(0, 0, 0.2))
    found = turns(ob, ["upper_arm.L", "forearm.L", "forefoot.L"])
    assert found["forefoot.L"] > 60
    assert found["upper_arm.L"] < 10
