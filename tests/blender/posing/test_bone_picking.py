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


def test_a_half_of_a_pelvis_that_hangs_on_the_next_bone_of_the_spine_leaves_the_joint_to_the_hips(bone_under):
    ob = armatures.new_object("Horse", bpy.data.armatures.new("Horse"))
    with armatures.edited(ob) as bones:
        hips, spine, half = bones.new("hips"), bones.new("spine"), bones.new("half")
        hips.head, hips.tail = (0, 0, 0), (0.4, 0, 0)
        spine.head, spine.tail, spine.parent = hips.tail, (0.6, 0, -0.1), hips
        half.head, half.tail, half.parent = hips.head, (0.35, -0.2, 0.2), spine
    pose_mode(ob)
    armatures.refresh()
    joint = ob.matrix_world @ ob.pose.bones["hips"].head
    view = Viewport(joint)
    for aside in ((0, 0), (3, 3), (-3, 3), (3, -3)):
        assert at(bone_under, view, joint, aside) == "hips"
    assert at(bone_under, Viewport(place_of(ob, "half")), place_of(ob, "half")) == "half"


@pytest.mark.parametrize("has_balls", [False, True])
def test_a_hand_is_taken_at_its_joint_and_not_the_thumb_that_is_drawn_over_it(bone_under, has_balls):
    """From afar, with short sticks or with the balls around joints that importers of glTF draw."""
    ob = pose_mode(hand_with_thumb())
    if has_balls:
        ball = round_ball()
        for bone in ob.pose.bones:
            bone.custom_shape, bone.custom_shape_scale_xyz = ball, (0.3,) * 3
    armatures.refresh()
    wrist, thumb = (ob.matrix_world @ ob.pose.bones[name].head for name in ("hand", "thumb"))
    view = Viewport(wrist, FRONT, distance=4)
    apart = view.seen(thumb) - view.seen(wrist)
    assert 4 < np.linalg.norm(apart) < 8
    for aside in ((0, 0), 0.2 * apart, -0.2 * apart):
        assert at(bone_under, view, wrist, aside) == "hand"
    assert at(bone_under, view, thumb) == "thumb"
    assert at(bone_under, Viewport(thumb, FRONT, distance=0.5), thumb, (5, -5)) == "thumb"


def test_a_joint_far_behind_in_line_with_another_is_not_taken(bone_under):
    ob = armatures.new_object("Leg", bpy.data.armatures.new("Leg"))
    with armatures.edited(ob) as bones:
        thigh, shin = bones.new("thigh"), bones.new("shin")
        thigh.head, thigh.tail = (0, 0, 0.5), (0, -0.4, 0.5)
        shin.head, shin.tail = thigh.tail, (0, -0.4, 0)
        shin.parent = thigh
    pose_mode(ob)
    armatures.refresh()
    knee = ob.matrix_world @ ob.pose.bones["shin"].head
    assert at(bone_under, Viewport(knee, FRONT, False), knee) == "shin"


def hand_with_thumb():
    """A forearm along X, a hand that points back as an importer may have it, and a thumb before it."""
    ob = armatures.new_object("Arm", bpy.data.armatures.new("Arm"))
    with armatures.edited(ob) as bones:
        parent = None
        for name, head, tail in (
            ("forearm", (0, 0, 0), (0.25, 0, 0)),
            ("hand", (0.25, 0, 0), (0.25, 0.08, 0)),
            ("thumb", (0.265, -0.03, -0.005), (0.235, -0.06, 0)),
        ):
            bone = bones.new(name)
            bone.head, bone.tail, bone.parent, parent = head, tail, parent, bone
    return ob


def round_ball():
    mesh, ring = bpy.data.meshes.new("Ball"), np.linspace(0, 2 * np.pi, 12, endpoint=False)
    points = [(np.cos(angle), np.sin(angle), 0) for angle in ring] + [
        (0, np.cos(angle), np.sin(angle)) for angle in ring
    ]
    edges = [(i, i // 12 * 12 + (i + 1) % 12) for i in range(24)]
    mesh.from_pydata(points, edges, [])
    return armatures.new_object("Ball", mesh)


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
