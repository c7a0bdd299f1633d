# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that are no part of a body, as wings and plaits: they bend where they are dragged."""

import armatures
import bpy
import numpy as np
import pytest
from handheld import head_of, pose_mode

MET = 1e-3


def grown(ob, part, way, joints, length):
    """Give a part a chain of bones without a role, and return their names."""
    names = [f"plume.{place}" for place in range(joints)]
    with armatures.edited(ob) as bones:
        parent, way = bones[part], armatures.Vector(way).normalized() * (length / joints)
        for name in names:
            bone = bones.new(name)
            bone.parent, bone.head, bone.tail = parent, parent.tail, parent.tail + way
            parent, way = bone, way + way.cross(armatures.Vector((0.1, 0, 0)))  # no straight line
    pose_mode(ob)
    return names


@pytest.mark.parametrize("part", ["spine.003", "spine.006"])
def test_a_limb_of_its_own_bends_and_the_body_nearly_stays(metarig, part):
    *_, tip = names = grown(metarig, part, (0.7, 0.2, 0.7), 5, 0.8)
    before = {name: head_of(metarig, name) for name in (tip, "hand.L", "spine.006", "spine")}
    way = (-0.25, 0.1, -0.05)
    assert bpy.ops.superpose.pose(bone=tip, translation=way) == {'FINISHED'}
    np.testing.assert_allclose(head_of(metarig, tip) - before.pop(tip), way, atol=MET)
    for name, place in before.items():
        np.testing.assert_allclose(head_of(metarig, name), place, atol=0.08, err_msg=name)
    assert any(metarig.pose.bones[name].matrix_basis.to_quaternion().angle > 0.1 for name in names)


@pytest.mark.parametrize(("joints", "length"), [(2, 0.8), (5, 0.2)])
def test_a_sword_and_what_a_face_has_stay_stiff(metarig, joints, length):
    *_, tip = names = grown(metarig, "hand.L", (0.7, 0.2, 0.7), joints, length)
    before = head_of(metarig, tip)
    assert bpy.ops.superpose.pose(bone=tip, translation=(0, -0.1, 0.2)) == {'FINISHED'}
    np.testing.assert_allclose(head_of(metarig, tip) - before, (0, -0.1, 0.2), atol=MET)
    assert all(metarig.pose.bones[name].matrix_basis.to_quaternion().angle < 1e-6 for name in names)
