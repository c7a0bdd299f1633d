# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A front foot of an animal that is lifted bends its leg as it is made, and the body stays where it is."""

import armatures
import bpy
import numpy as np
import pytest
import rigify_rigs

pytestmark = pytest.mark.usefixtures("blend")

# By animal the bone that holds a front foot, its carpus, and how high the foot is lifted.
LEGS = {
    "horse": ("f_hoof.L", "forefoot.L", 0.2),
    "wolf": ("front_toe.L", "front_foot.L", 0.1),
}


def turns(ob, names):
    """By how much bones are turned from rest, rotation vectors in degrees."""
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
        found[name] = np.degrees(local.to_quaternion().to_exponential_map())
    return found


@pytest.mark.parametrize("animal", LEGS)
@pytest.mark.parametrize("times", [1, 4])
def test_a_lifted_front_foot_leaves_the_body_and_overstretches_no_carpus(rigify, animal, times):
    ob = rigify_rigs.metarig(animal)
    bpy.ops.superpose.set_up_body(use_live=False)
    foot, carpus, height = LEGS[animal]
    trunk = [bone.name for bone in ob.pose.bones if bone.name.startswith("spine") and bone.parent]
    axis = np.array(ob.pose.bones[carpus].superpose.limit.axis)
    for _ in range(times):
        bpy.ops.superpose.pose(bone=foot, translation=(0, 0, height / times))
    found = turns(ob, [carpus, *trunk])
    assert found[carpus] @ axis > -7
    assert max(np.linalg.norm(found[name]) for name in trunk) < 6
