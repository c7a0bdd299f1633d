# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that end in a point, without a foot: what stands on the ground stays while the body is dragged."""

from itertools import pairwise

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from mathutils import Matrix, Vector
from test_real_rigs import imported

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

HELD = 1e-4  # metres, of bodies some two metres wide
# Joints of a left leg of each body, from above: across, ahead and up, of which the last is its end.
LEGS = {
    "spider": [(0.1, 0.05, 0.2), (0.5, 0.3, 0.5), (0.8, 0.5, 0.3), (1.0, 0.6, 0.0)],
    "crab": [(0.1, 0.05, 0.2), (0.4, 0.2, 0.4), (0.8, 0.4, 0.1), (1.0, 0.5, 0.0)],
    "walker": [(0.1, 0.05, 0.5), (0.4, 0.2, 0.9), (0.9, 0.4, 0.6), (0.9, 0.4, 0.0)],
}
WAYS = [(0.0, 0.0, -0.1), (0.08, 0.05, 0.0), (0.0, -0.1, 0.04)]


def body(legs, pairs=4, mark="", named="leg"):
    """A body on pairs of equal legs; ``mark``: the name of a bone that marks the end of each leg."""
    ob = armatures.new_object("Body", bpy.data.armatures.new("Body"))
    with armatures.edited(ob) as bones:
        trunk = bones.new("body")
        trunk.head, trunk.tail = (0, 0, legs[0][2]), (0, -0.2, legs[0][2])
        for pair, way in enumerate(np.linspace(-1.2, 1.2, pairs)):
            turn = Matrix.Rotation(way, 3, 'Z')
            for side, out in (("L", 1), ("R", -1)):
                places = [turn @ Vector(place) for place in legs]
                places = [Vector((out * place.x, place.y, place.z)) for place in places]
                if mark:
                    places.append(places[-1] + Vector((0, 0, -0.3)))
                above = trunk
                for number, (head, tail) in enumerate(pairwise(places)):
                    is_mark = mark and number == len(places) - 2
                    bone = bones.new(f"{named}{pair}_{mark if is_mark else number}.{side}")
                    bone.head, bone.tail, bone.parent = head, tail, above
                    above = bone
    figures.make_active(ob)
    return ob


def feet(ob):
    return [bone for bone in ob.pose.bones if bone.superpose.hold == 'PINNED']


def in_scene(ob, points):
    """Where points of bones, along their axes from their heads, are as Blender shows the armature."""
    armatures.refresh()
    shown = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([shown.matrix_world @ shown.pose.bones[name].matrix @ Vector(at) for name, at in points])


def slid(ob, points, hips):
    """How far the points have slid at most, while the hips are dragged along all ways."""
    before, far = in_scene(ob, points), 0.0
    for way in WAYS:
        place = in_scene(ob, [(hips, (0, 0, 0))])
        bpy.ops.superpose.pose(bone=hips, translation=way)
        assert np.linalg.norm(in_scene(ob, [(hips, (0, 0, 0))]) - place) > 0.05
        far = max(far, np.linalg.norm(in_scene(ob, points) - before, axis=1).max())
    return far


@pytest.mark.parametrize("kind", LEGS)
@pytest.mark.parametrize("named", ["leg", "x"])
def test_tips_of_legs_stay_where_they_stand(kind, named):
    ob = body(LEGS[kind], named=named)
    bpy.ops.superpose.set_up_body(use_live=False)
    assert len(feet(ob)) == 8
    assert slid(ob, [(bone.name, (0, bone.length, 0)) for bone in feet(ob)], "body") < HELD


def test_tips_stay_with_live_and_targets():
    ob = body(LEGS["spider"], pairs=3)
    bpy.ops.superpose.set_up_body()
    tips = [(bone.name, (0, bone.length, 0)) for bone in feet(ob)]
    before = in_scene(ob, tips)
    for bone, place in zip(feet(ob), before, strict=True):
        np.testing.assert_allclose(bone.superpose.target.matrix_world.translation, place, atol=HELD)
    figures.target_of(ob, "body").location.z -= 0.1
    assert np.linalg.norm(in_scene(ob, tips) - before, axis=1).max() < HELD


def test_a_bone_that_marks_the_end_of_a_leg_is_no_part_of_it():
    ob = body(LEGS["spider"], mark="end")
    bpy.ops.superpose.set_up_body(use_live=False)
    marks = [bone.name for bone in ob.pose.bones if "end" in bone.name]
    assert not {bone.name for bone in feet(ob)} & set(marks)
    assert slid(ob, [(name, (0, 0, 0)) for name in marks], "body") < HELD


def skinned(ob, moved):
    """A mesh of the heads of bones and of places along their axes, as ``moved`` says, that they move."""
    mesh = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    bpy.context.collection.objects.link(mesh)
    points = [(name, ob.data.bones[name].matrix_local @ Vector(at)) for name, at in moved]
    points += [(name, ob.data.bones[name].head_local) for name, _ in moved]
    mesh.data.from_pydata([point for _, point in points], [], [])
    for index, (name, _) in enumerate(points):
        group = mesh.vertex_groups.get(name) or mesh.vertex_groups.new(name=name)
        group.add([index], 1.0, 'REPLACE')
    mesh.modifiers.new("Armature", 'ARMATURE').object = ob
    mesh.location, ob.location = (0.2, 0.1, 0), (0.2, 0.1, 0)
    armatures.refresh()


def lasts(ob):
    return [bone for bone in ob.data.bones if not bone.children]


def test_the_mesh_tells_where_legs_end_that_were_drawn_too_long():
    ob = body(LEGS["spider"])
    ends = [(bone.name, (0.0, 0.3 * bone.length, 0.02)) for bone in lasts(ob)]
    skinned(ob, ends)
    bpy.ops.superpose.set_up_body(use_live=False)
    assert slid(ob, ends, "body") < HELD


def test_vertices_that_are_nowhere_end_no_leg():
    ob = body(LEGS["spider"])
    skinned(ob, [(bone.name, (0.0, 0.3 * bone.length, 0.02)) for bone in lasts(ob)])
    for vertex in bpy.data.meshes["Skin"].vertices[:2]:
        vertex.co = (np.nan, np.inf, 0.0)
    bpy.ops.superpose.set_up_body(use_live=False)
    assert np.isfinite([bone.superpose_offset for bone in feet(ob)]).all()


def test_a_body_without_size_is_refused():
    ob = body(LEGS["spider"])
    skinned(ob, [(bone.name, (0.0, 0.3 * bone.length, 0.02)) for bone in lasts(ob)])
    ob.scale = 0.0, 0.0, 0.0
    armatures.refresh()
    figures.refused(bpy.ops.superpose.set_up_body, "is scaled to zero", use_live=False)


def test_a_last_bone_without_a_mesh_of_its_own_marks_where_the_leg_ends():
    ob = body(LEGS["spider"])
    skinned(ob, [(bone.parent.name, (0, bone.parent.length, 0)) for bone in lasts(ob)])
    bpy.ops.superpose.set_up_body(use_live=False)
    assert not any(any(bone.superpose_offset) for bone in feet(ob))


def test_tips_of_an_imported_spider_stay(shared_data):
    ob = imported(shared_data / "rigs" / "m2m_spider.glb")
    for bone in ob.pose.bones:
        bone.matrix_basis = Matrix()
    bpy.ops.superpose.set_up_body(use_live=False)
    tips = [(bone.name, tuple(bone.superpose_offset)) for bone in feet(ob)]
    assert len(tips) == 8
    assert all(0.03 < np.linalg.norm(at) < 0.06 for _, at in tips), "as far as their mesh goes"
    assert slid(ob, tips, "spine_1") < HELD


def without_toes(ob):
    """The names of the bones that are left of an animal's legs, their last ones."""
    with armatures.edited(ob) as bones:
        for bone in [bone for bone in bones if "toe" in bone.name or "heel" in bone.name]:
            bones.remove(bone)
    return [bone.name for bone in ob.data.bones if "foot" in bone.name]


def test_an_animal_without_toes_stands_on_the_ends_of_its_legs(rigify):
    ob = rigify_rigs.metarig("basic_quadruped")
    names = without_toes(ob)
    bpy.ops.superpose.set_up_body(use_live=False)
    assert sorted(bone.name for bone in feet(ob)) == sorted(names)
    assert not any(bone.superpose_rotation_weight for bone in feet(ob))
    tips = [(name, (0, ob.data.bones[name].length, 0)) for name in names]
    assert slid(ob, tips, "spine.005") < HELD


def test_hooves_and_paws_stay_flat(rigify):
    ob = rigify_rigs.metarig("horse")
    bpy.ops.superpose.set_up_body(use_live=False)
    assert all(bone.superpose_rotation_weight == 1.0 and not any(bone.superpose_offset) for bone in feet(ob))


def test_a_front_leg_that_the_mesh_says_is_bent_back_folds_back(shared_data):
    """The last bone of each leg is the shank, whose tail the importer made up, and hooves hang loose."""
    ob = imported(shared_data / "rigs" / "quaternius_horse.glb")
    bpy.ops.superpose.set_up_body(use_live=False)
    foot = ob.pose.bones["FrontLowerLeg.L"]
    tip = tuple(foot.superpose_offset)
    before, height = in_scene(ob, [(foot.name, tip)])[0], ob.dimensions.z
    knee = in_scene(ob, [(foot.name, (0, 0, 0))])[0]
    lift = np.array([0, 0, 0.15 * height])
    bpy.ops.superpose.pose(bone=foot.name, translation=lift)
    np.testing.assert_allclose(in_scene(ob, [(foot.name, tip)])[0], before + lift, atol=1e-3 * height)
    assert in_scene(ob, [(foot.name, (0, 0, 0))])[0][1] < knee[1] - 0.05 * height, "the knee goes ahead"


def test_legs_that_were_set_up_by_their_heads_stay_so():
    ob = body(LEGS["spider"])
    bpy.ops.superpose.set_up_body(use_live=False)
    for bone in feet(ob):
        bone.property_unset("superpose_offset")
    heads = [(bone.name, (0, 0, 0)) for bone in feet(ob)]
    bpy.ops.superpose.set_up_body(use_live=False)
    assert slid(ob, heads, "body") < HELD


def test_without_the_set_up_nothing_of_it_is_left():
    ob = body(LEGS["spider"])
    bpy.ops.superpose.set_up_body(use_live=False)
    assert all(any(bone.superpose_offset) for bone in feet(ob))
    bpy.ops.superpose.remove_setup()
    assert not any(any(bone.superpose_offset) for bone in ob.pose.bones)
