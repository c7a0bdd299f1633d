# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone the mouse takes: what is drawn under it, and nothing that is not shown."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest
from armatures import Vector
from handheld import FRONT, Viewport, place_of, pose_mode


@pytest.fixture
def bone_under(addon):
    return import_module(f"{addon.name}.overlay.bone_picking").bone_under


def at(bone_under, viewport, place, aside=(0, 0)):
    found = bone_under(viewport, viewport.seen(place) + np.array(aside))
    return found and found[1]


@pytest.mark.parametrize("perspective", [False, True])
@pytest.mark.parametrize("placed", armatures.OBJECTS)
def test_every_bone_is_taken_by_its_middle(ob, bone_under, rng, placed, perspective):
    armatures.transform_at_random(ob, rng, placed)
    armatures.refresh()
    size = max(ob.dimensions)
    for bone in figures.BONES:
        view = Viewport(place_of(ob, bone), FRONT, perspective, distance=3 * size)
        assert at(bone_under, view, place_of(ob, bone)) == bone


def test_a_miss_by_a_little_takes_the_bone_and_by_more_nothing(ob, bone_under):
    view = Viewport(place_of(ob, "head"))
    assert at(bone_under, view, place_of(ob, "head"), (20, 0)) == "head"
    assert at(bone_under, view, place_of(ob, "head"), (30, 0)) is None


def test_at_a_joint_the_bone_that_begins_there_is_taken(bone_under):
    ob = pose_mode(armatures.chain(3))
    armatures.refresh()
    joint = ob.matrix_world @ ob.pose.bones["b1"].head
    view = Viewport(joint)
    for aside in ((0, 0), (4, 4), (-4, 4), (-4, -4), (4, -4)):
        assert at(bone_under, view, joint, aside) == "b1"
    end = ob.matrix_world @ ob.pose.bones["b2"].tail
    assert at(bone_under, Viewport(end), end) == "b2"


def test_where_several_bones_begin_the_one_that_the_others_hang_on_is_taken(metarig, bone_under):
    """Hips, and not half of the pelvis, on whichever side of the joint the press is."""
    joint = metarig.matrix_world @ metarig.pose.bones["spine"].head
    view = Viewport(joint)
    for aside in ((0, 0), (3, 3), (-3, 3), (3, -3), (0, 6)):
        assert at(bone_under, view, joint, aside) == "spine"
    assert at(bone_under, view, place_of(metarig, "pelvis.L")) == "pelvis.L"


def test_what_is_hidden_is_not_taken(ob, bone_under):
    view, place = Viewport(place_of(ob, "head")), place_of(ob, "head")
    bone = ob.pose.bones["head"]
    (bone if hasattr(bone, "hide") else bone.bone).hide = True
    assert at(bone_under, view, place) is None


def test_outside_pose_mode_nothing_is_taken(ob, bone_under):
    view, place = Viewport(place_of(ob, "head")), place_of(ob, "head")
    bpy.ops.object.mode_set(mode='OBJECT')
    assert at(bone_under, view, place) is None


def test_a_control_is_taken_by_its_shape(bone_under):
    ob = pose_mode(armatures.chain(3))
    mesh = bpy.data.meshes.new("Ring")
    mesh.from_pydata([(-1, 0, 0), (1, 0, 0)], [(0, 1)], [])
    bone = ob.pose.bones["b1"]
    bone.custom_shape = armatures.new_object("Ring", mesh)
    bone.custom_shape_translation = (0, 0, 0)
    bone.custom_shape_scale_xyz = (2, 2, 2)
    armatures.refresh()
    end = ob.matrix_world @ bone.matrix @ (bone.bone.length * Vector((2, 0, 0)))
    view = Viewport(end)
    assert at(bone_under, view, end) == "b1"
    bone.custom_shape = None
    assert at(bone_under, view, end) is None
