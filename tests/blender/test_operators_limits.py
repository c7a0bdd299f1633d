# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits are added, changed and removed; what cannot be is refused by name."""

from importlib import import_module
from math import radians

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from solvers.limits.kinds import LONGEST_CHAIN

WITHIN = radians(0.01)
EXAMPLES = hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
ops = bpy.ops.superpose


@pytest.fixture(autouse=True)
def _empty_file(blend):
    """Examples of one test share a file, so they say themselves when they want a new one."""


@pytest.mark.parametrize("add", [lambda: ops.add_limit(kind='HINGE'), ops.add_cone], ids=["limit", "cone"])
def test_a_new_limit_is_shown(add):
    ob = armatures.chain()
    figures.make_active(ob)
    figures.select_bones(ob, "b1")
    figures.active(ob, "b1")
    ops.add_limit(kind='FREE')
    assert not bpy.context.scene.superpose_show_limits
    add()
    assert bpy.context.scene.superpose_show_limits


@pytest.mark.once
@EXAMPLES
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(['HINGE', 'CONES', 'ELLIPSE', 'EULER']))
def test_a_new_limit_allows_the_present_pose(rooms, seed, kind):
    armatures.empty_file()
    rng = np.random.default_rng(seed)
    ob = armatures.random_tree(rng, count=3)
    armatures.pose_at_random(ob, rng, scaling='NONE')
    figures.make_active(ob)
    figures.select_bones(ob, "b0", "b2")
    assert ops.add_limit(kind=kind) == {'FINISHED'}
    assert rooms.limits.limit_kind(ob.pose.bones["b1"]) == 'NONE'
    for bone in (ob.pose.bones["b0"], ob.pose.bones["b2"]):
        limit = bone.superpose.limit
        assert limit.kind == kind
        assert limited.outside(rooms, limit, limited.turn_of(bone)) < WITHIN


def test_new_cones_allow_a_bone_that_points_straight_back(addon):
    kinds = import_module(f"{addon.name}.armature.limit_kinds").KINDS
    outside = import_module(f"{addon.name}.solvers.limits").angles_outside
    back = np.array([0.0, 1.0, 0.0, 0.0])
    assert outside([kinds['CONES'].around("b0", back, 'XYZ')], back[None]).max() < WITHIN


def test_a_new_hinge_of_a_straight_bone_bends_about_x():
    ob = figures.figure()
    figures.select_bones(ob, "forearm.L")
    ops.add_limit(kind='HINGE')
    limit = ob.pose.bones["forearm.L"].superpose.limit
    assert tuple(limit.axis) == (1, 0, 0)
    assert np.allclose(np.degrees((limit.hinge_min, limit.hinge_max)), (-5, 140))


def test_remove_takes_away_what_was_added(rooms):
    ob = figures.figure()
    figures.select_bones(ob, "head", "chest")
    ops.add_limit(kind='FREE')
    assert rooms.limits.limit_kind(ob.pose.bones["head"]) == 'FREE'
    ops.remove_limit()
    assert {rooms.limits.limit_kind(bone) for bone in ob.pose.bones} == {'NONE'}


@pytest.mark.once
def test_it_is_said_of_which_bones_a_limit_is_set_and_removed(capfd):
    ob = figures.figure()
    names = [bone.name for bone in ob.pose.bones]
    figures.select_bones(ob, *names)
    bpy.ops.object.mode_set(mode='OBJECT')  # in which nobody sees that
    ops.add_limit(kind='HINGE')
    ops.remove_limit()
    told = "".join(capfd.readouterr())
    some = f"{', '.join(map(repr, names[:4]))} and {len(names) - 4} more"
    assert f"Limit set for {some}: Hinge" in told
    assert f"Limit removed from {some}" in told


@pytest.mark.parametrize("name", ["add_limit", "remove_limit", "mirror_limits"])
def test_without_a_selected_bone_there_is_nothing_to_do(name):
    figures.figure().data.bones.active = None
    figures.refused(getattr(ops, name), "No bones of 'Figure' are selected")


def test_a_limit_that_is_not_there_cannot_be_removed_nor_changed():
    ob = figures.figure()
    figures.select_bones(ob, "head")
    figures.active(ob, "head")
    figures.refused(ops.remove_limit, "No selected bone has a limit")
    figures.refused(ops.set_limit_end, "'head' has no limit of its own")
    figures.refused(ops.copy_limit, "'head' has no limit of its own")
    figures.refused(ops.remove_cone, "'head' has no cones")
    figures.refused(ops.mirror_limits, "None of these bones has a limit")


def test_the_ends_of_a_hinge_are_set_from_the_pose():
    ob = figures.figure()
    bone = figures.active(ob, "forearm.L")
    figures.select_bones(ob, "forearm.L")
    ops.add_limit(kind='HINGE')
    bone.rotation_mode = 'XYZ'
    for end, degrees in (('MIN', 20), ('MAX', 75)):
        bone.rotation_euler = (radians(degrees), 0, 0)
        ops.set_limit_end(end=end)
    limit = bone.superpose.limit
    assert np.allclose(np.degrees((limit.hinge_min, limit.hinge_max)), (20, 75), atol=1e-4)
    bone.rotation_euler = (radians(5), 0, 0)
    figures.refused(ops.set_limit_end, "'forearm.L' allows nothing", end='MAX')


def test_the_ends_of_twist_and_of_angles_are_set_from_the_pose():
    ob = figures.figure()
    bone = figures.active(ob, "head")
    figures.select_bones(ob, "head")
    bone.rotation_mode = 'YXZ'
    for kind, name in (('CONES', "twist_max"), ('ELLIPSE', "twist_max"), ('EULER', "euler_max")):
        bone.rotation_euler = (0, 0, 0)
        ops.add_limit(kind=kind)
        bone.rotation_euler = (0, radians(33), 0)
        ops.set_limit_end(end='MAX', axis=1)
        found = np.atleast_1d(getattr(bone.superpose.limit, name))
        assert np.isclose(np.degrees(found[min(1, len(found) - 1)]), 33, atol=1e-4)


def test_cones_are_added_where_the_bone_points_and_removed():
    ob = figures.figure()
    bone = figures.active(ob, "head")
    bone.rotation_mode = 'XYZ'
    for x in (0.0, 0.5, 1.0):
        bone.rotation_euler.x = x
        assert ops.add_cone() == {'FINISHED'}
    limit = bone.superpose.limit
    directions = np.array([cone.direction for cone in limit.cones])
    assert np.allclose(directions, [(0, np.cos(x), np.sin(x)) for x in (0, 0.5, 1)], atol=1e-6)
    limit.active_cone_index, bone.rotation_euler.x = 0, 0.25
    ops.add_cone()  # between the first and the second
    assert np.isclose(limit.cones[1].direction[2], np.sin(0.25))
    assert limit.active_cone_index == 1
    for left in (3, 2, 1):
        ops.remove_cone()
        assert len(limit.cones) == left
        assert 0 <= limit.active_cone_index < left
    ops.remove_cone()
    assert bone.superpose.limit.kind == 'NONE'


@pytest.mark.parametrize("name", ["add_limit", "remove_limit", "add_cone", "mirror_limits", "convert_limits"])
def test_one_undo_takes_it_back(rooms, name):
    ob = figures.figure()
    figures.active(ob, "hand.L").lock_ik_x = True
    figures.select_bones(ob, "hand.L")
    if name not in {"add_limit", "convert_limits"}:
        ops.add_limit(kind='HINGE')
    before = kinds(rooms)
    bpy.ops.ed.undo_push(message="before")
    getattr(ops, name)()
    assert kinds(rooms) != before
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert kinds(rooms) == before


def kinds(rooms):
    return [rooms.limits.limit_kind(bone) for bone in bpy.data.objects["Figure"].pose.bones]


def test_cones_have_names_of_their_own():
    """By which library overrides tell those that were added."""
    ob = figures.figure()
    bone = figures.active(ob, "head")
    for _ in range(3):
        ops.add_cone()
    limit = bone.superpose.limit
    limit.active_cone_index = 1
    ops.remove_cone()
    ops.add_cone()
    assert len({cone.name for cone in limit.cones}) == len(limit.cones) == 3
    assert all(cone.name for cone in limit.cones)


def test_a_chain_of_cones_has_an_end():
    ob = figures.figure()
    bone = figures.active(ob, "head")
    for _ in range(LONGEST_CHAIN):
        ops.add_cone()
    figures.refused(ops.add_cone, f"'head' has {LONGEST_CHAIN} cones: there may be no more")
    bone.superpose.limit.cones.add()
    figures.refused(bpy.ops.superpose.export_limits, f"'head' has {LONGEST_CHAIN + 1} cones", filepath="x")


def test_a_limit_that_allows_nothing_can_be_replaced():
    ob = figures.figure()
    figures.select_bones(ob, "head")
    ob.pose.bones["head"].superpose.limit.kind = 'CONES'
    bpy.ops.superpose.add_limit(kind='HINGE')
    assert ob.pose.bones["head"].superpose.limit.kind == 'HINGE'
