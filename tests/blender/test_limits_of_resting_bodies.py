# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Humans that sit, kneel or crouch at rest get the limits that they have standing."""

from math import radians

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest
from mathutils import Matrix
from preset_limits import limit_of, limited_bones, rest_of

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

JOINTS = """
hips - 0 0 1
spine hips 0 0 1.2
chest spine 0 0 1.35
neck chest 0 0 1.5
head neck 0 0 1.6
shoulder.L chest .02 0 1.45
upper_arm.L shoulder.L .18 0 1.45
forearm.L upper_arm.L .46 .02 1.45
hand.L forearm.L .72 0 1.45
thigh.L hips .1 0 .95
shin.L thigh.L .1 0 .52
foot.L shin.L .1 0 .09
toe.L foot.L .1 -.12 .03
"""
# How far, in degrees, bones of a body at rest are turned from standing: about its left, up and back.
RESTS = {
    "sitting": {"thigh": (-90, 0, 0), "shin": (90, 0, 0)},
    "kneeling": {"shin": (90, 0, 0)},
    "on its heels": {"thigh": (-70, 0, 0), "shin": (130, 0, 0), "foot": (40, 0, 0)},
    "crouching": {"thigh": (-110, 0, 0), "shin": (125, 0, 0)},
    "legs bent": {"thigh": (-45, 0, 0), "shin": (70, 0, 0)},
    "legs crossed": {"thigh": (-80, 0, 35), "shin": (100, 0, 0)},
    "arms ahead": {"upper_arm": (0, 0, -90)},
    "arms ahead and apart": {"upper_arm": (0, 0, -70)},
    "elbows bent": {"upper_arm": (0, 80, 0), "forearm": (0, 0, -80)},
    "arms crossed": {"upper_arm": (0, 50, -70), "forearm": (0, 0, -90)},
}
TOLERANCE, LIKED = radians(2.0), radians(10.0)


def human():
    """A human that stands with straight legs, its bones along their limbs."""
    ob = armatures.new_object("Human", bpy.data.armatures.new("Human"))
    with armatures.edited(ob) as bones:
        for line in filter(None, JOINTS.splitlines()):
            name, parent, *head = line.split()
            for side in "LR" if name.endswith(".L") else " ":
                bone = bones.new(name.replace(".L", f".{side}"))
                bone.head = np.array(head, float) * (-1 if side == "R" else 1, 1, 1)
                bone.parent = bones.get(parent.replace(".L", f".{side}"))
        for bone in bones:
            up = bone.head + armatures.Vector((0, 0, 0.1))
            bone.tail = bone.children[0].head if len(bone.children) == 1 else up
    figures.make_active(ob)
    figures.select_bones(ob)
    return ob


def resting(rest):
    """The same human, posed and with the pose as its rest."""
    ob = human()
    bpy.ops.object.mode_set(mode='POSE')
    for part, degrees in rest.items():
        for side, sign in (("L", 1), ("R", -1)):
            bone = ob.pose.bones[f"{part}.{side}"]
            vector = np.radians(degrees) * (1, sign, sign)
            angle = np.linalg.norm(vector)
            turn = Matrix.Rotation(angle, 3, armatures.Vector((vector / angle).tolist()))
            axes = bone.bone.matrix_local.to_3x3()
            bone.matrix_basis = (axes.transposed() @ turn @ axes).to_4x4()
            armatures.refresh()
    bpy.ops.pose.armature_apply()
    return ob


def local_rests(ob):
    """The rest rotation of each bone in its parent's frame."""
    above = {b.name: rest_of(ob, b.parent.name) if b.parent else np.eye(3) for b in ob.data.bones}
    return {name: rotation.T @ rest_of(ob, name) for name, rotation in above.items()}


def turns(rooms, rng, count):
    vectors = rng.normal(size=(count, 3))
    return rooms.geometry.rotation_vector_to_matrix(vectors * rng.uniform(0, 1, (count, 1)))


def outside(rooms, limit, turn):
    """How far a turn is outside where the bone may point, or bend; twists of limbs that swing aside."""
    if limit.kind == 'CONES':
        return limited.of_cones(rooms, limit, turn)
    return limited.outside(rooms, limit, turn)


@pytest.mark.parametrize("rest", RESTS)
def test_limits_are_in_the_same_places_as_of_the_body_that_stands(rooms, rng, rest):
    standing = human()
    bpy.ops.superpose.apply_limit_preset()
    ob = resting(RESTS[rest])
    assert bpy.ops.superpose.apply_limit_preset() == {'FINISHED'}
    names = limited_bones(standing)
    assert limited_bones(ob) == names
    as_standing, as_resting = local_rests(standing), local_rests(ob)
    for name in names:
        if name.startswith("hand"):  # without fingers arms tell how hands are turned
            continue
        from_standing = as_resting[name].T @ as_standing[name]
        for turn in turns(rooms, rng, 12):
            wanted = outside(rooms, limit_of(standing, name), turn)
            found = outside(rooms, limit_of(ob, name), from_standing @ turn)
            assert abs(wanted - found) < TOLERANCE, name


@pytest.mark.parametrize("rest", ["sitting", "legs bent", "legs crossed"])
def test_thighs_twist_as_far_as_standing_where_they_are(rooms, rest):
    """A range of twist is measured from where the limb is at rest."""
    standing = human()
    bpy.ops.superpose.apply_limit_preset()
    ob = resting(RESTS[rest])
    bpy.ops.superpose.apply_limit_preset()
    for name in ("thigh.L", "thigh.R"):
        from_standing = local_rests(ob)[name].T @ local_rests(standing)[name]
        for degrees in range(-80, 81, 20):
            twist = np.array(Matrix.Rotation(radians(degrees), 3, 'Y'))
            wanted = limited.outside(rooms, limit_of(standing, name), from_standing.T @ twist)
            assert abs(wanted - limited.outside(rooms, limit_of(ob, name), twist)) < TOLERANCE


def test_limits_have_the_sides_of_the_shape_where_names_say_left_of_both(rooms, rng):
    named = human()
    bpy.ops.superpose.apply_limit_preset()
    copied = human()
    for bone in copied.data.bones:
        bone.name = bone.name.replace(".R", ".L.001")
    assert bpy.ops.superpose.apply_limit_preset() == {'FINISHED'}
    for name in limited_bones(named):
        for turn in turns(rooms, rng, 12):
            wanted = outside(rooms, limit_of(named, name), turn)
            found = outside(rooms, limit_of(copied, name.replace(".R", ".L.001")), turn)
            assert abs(wanted - found) < TOLERANCE, name


@pytest.mark.parametrize("rest", RESTS)
def test_elbows_and_knees_like_to_bend_as_their_hinges_do(rooms, rest):
    ob = resting(RESTS[rest])
    bpy.ops.superpose.set_up_body(use_live=False)
    for name in (f"{part}.{side}" for part in ("forearm", "shin") for side in "LR"):
        limit, comfort = limit_of(ob, name), rooms.comfort.read_comfort(ob.pose.bones[name])
        turn = rooms.geometry.quaternion_to_matrix(np.array(comfort.rotation))
        assert limited.outside(rooms, limit, turn) < LIKED, name
