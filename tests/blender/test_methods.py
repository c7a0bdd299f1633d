# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every method solves and bakes in Blender: a small figure, and a puppet cut out of paper."""

from math import radians

import armatures
import bpy
import figures
import numpy as np
import pytest

from solvers import METHODS

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]
every_method = pytest.mark.parametrize("method", METHODS)


def with_method(ob, method):
    ob.superpose.method, ob.superpose.iterations = method, 150
    return ob


def puppet():
    """A body with two arms in the plane x, z, every bone limited to turns about its own z, which is y."""
    ob = armatures.new_object("Puppet", bpy.data.armatures.new("Puppet"))
    parts = {  # name: (parent, head, tail)
        "body": (None, (0, 0, 0), (0, 0, 1)),
        "arm.L": ("body", (0, 0, 1), (0.5, 0, 0.9)),
        "hand.L": ("arm.L", (0.5, 0, 0.9), (1.0, 0, 1.0)),
        "arm.R": ("body", (0, 0, 1), (-0.5, 0, 0.9)),
        "hand.R": ("arm.R", (-0.5, 0, 0.9), (-1.0, 0, 1.0)),
    }
    with armatures.edited(ob) as bones:
        for name, (parent, head, tail) in parts.items():
            bone = bones.new(name)
            bone.head, bone.tail, bone.parent = head, tail, bones.get(parent or "")
            bone.align_roll((0, -1, 0))
    for bone in ob.pose.bones:
        bone.rotation_mode = 'XYZ'
        bone.lock_ik_x = bone.lock_ik_y = True
        bone.use_ik_limit_z, bone.ik_min_z, bone.ik_max_z = True, radians(-120), radians(120)
    figures.make_active(ob)
    for side, goal in (("L", (0.6, 0, 1.5)), ("R", (-0.75, 0, 0.75))):
        target = armatures.new_object(f"Target {side}")
        target.location = goal
        tip = (0, ob.data.bones[f"hand.{side}"].length, 0)
        armatures.add_effector(ob, f"hand.{side}", target, rotation_weight=0.0, offset=tip)
    ob.superpose.root_location = 'ANCHORED'
    armatures.refresh()
    return ob


def ends(ob):
    armatures.refresh()
    return {side: ob.matrix_world @ ob.pose.bones[f"hand.{side}"].tail for side in "LR"}


def distances_of(ob):
    targets = {side: bpy.data.objects[f"Target {side}"] for side in "LR"}
    return {side: (end - targets[side].location).length for side, end in ends(ob).items()}


@every_method
def test_a_puppet_meets_its_targets_in_its_own_plane(method):
    ob = with_method(puppet(), method)
    bpy.ops.superpose.solve()
    assert max(distances_of(ob).values()) < 0.02
    for bone in ob.pose.bones:
        assert np.abs(bone.rotation_euler[:2]).max() < 1e-6
        assert abs(bone.rotation_euler.z) <= radians(120) + 1e-6
        assert abs(bone.tail.y) < 1e-6


@every_method
def test_a_puppet_out_of_reach_stays_in_its_plane_and_says_so(method):
    ob = with_method(puppet(), method)
    bpy.data.objects["Target L"].location = (3, 0, 1)
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert ob.superpose.is_missed
    assert "Missed" in ob.superpose.message
    assert all(abs(bone.tail.y) < 1e-6 for bone in ob.pose.bones)


@every_method
def test_a_bake_follows_the_target_on_every_frame(method):
    ob = with_method(figures.ready(), method)
    target = figures.target_of(ob, "hand.L")
    for frame, shift in ((1, (0, 0, 0)), (3, (-0.2, 0.15, 0.2))):
        target.location = armatures.Vector((0.69, 0, 1.45)) + armatures.Vector(shift)
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 3
    assert bpy.ops.superpose.bake() == {'FINISHED'}
    curves = figures.keys(ob.animation_data.action).values()
    assert {time for points in curves for time, _ in points} == {1, 2, 3}
    for frame in range(1, 4):
        bpy.context.scene.frame_set(frame)
        assert figures.distance(ob, "hand.L") < 0.05


@every_method
def test_live_the_body_follows(method):
    ob = with_method(figures.ready(), method)
    ob.superpose_live = True
    for _ in range(2):
        figures.target_of(ob, "hand.L").location += armatures.Vector((-0.1, 0.08, 0.1))
        assert figures.distance(ob, "hand.L") < 0.05
