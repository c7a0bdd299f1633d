# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Human joints on human rigs: elbows bend forwards, knees backwards, with any rolls, facing any way."""

from math import radians

import armatures
import bpy
import figures
import humanoids
import limited
import numpy as np
import pytest
from mathutils import Matrix
from preset_limits import (
    BACK,
    DOWN,
    FRONT,
    LEFT,
    RIGHT,
    UP,
    bends_towards,
    beyond,
    leaning,
    limit_of,
    limited_bones,
    refused,
    rest_of,
    towards,
)

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


WITHIN = radians(0.1)


LIMBS_OF_A_HUMAN = {
    f"{part}.{side}"
    for part in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "f_index.02")
    for side in "LR"
}


@pytest.fixture
def metarig(rigify):
    bpy.ops.object.armature_human_metarig_add()
    return bpy.context.object


def test_all_joints_of_the_metarig_are_limited_and_allow_its_rest(rooms, metarig):
    assert bpy.ops.superpose.apply_limit_preset() == {'FINISHED'}
    names = limited_bones(metarig)
    assert len(names) == 6 + 2 * (8 + 4 + 15)
    for name in names:
        assert limited.outside(rooms, limit_of(metarig, name), np.eye(3)) < 1e-6, name


def test_elbows_bend_forwards_knees_backwards_fingers_to_the_palm_toes_down(metarig):
    bpy.ops.superpose.apply_limit_preset()
    for side in "LR":
        assert bends_towards(metarig, f"forearm.{side}") @ FRONT > 0.7
        assert bends_towards(metarig, f"shin.{side}") @ BACK > 0.9
        assert bends_towards(metarig, f"toe.{side}") @ DOWN > 0.9
        inwards = RIGHT if side == "L" else LEFT
        for finger in ("index", "middle", "ring", "pinky"):
            for part in ("02", "03"):
                assert bends_towards(metarig, f"f_{finger}.{part}.{side}") @ inwards > 0.5


def test_a_joint_is_measured_from_straight(rooms, metarig):
    """A forearm that is bent at rest has so much less to go."""
    bpy.ops.superpose.apply_limit_preset()
    limit = limit_of(metarig, "forearm.L")
    upper, lower = (rest_of(metarig, f"{name}.L")[:, 1] for name in ("upper_arm", "forearm"))
    bent = np.degrees(np.arccos(upper @ lower))
    assert bent > 4
    assert np.allclose(np.degrees((limit.hinge_min, limit.hinge_max)), (-bent, 150 - bent), atol=1e-3)


@pytest.mark.parametrize(
    ("name", "direction", "most"),
    [
        ("thigh.L", FRONT, 120),
        ("thigh.L", BACK, 30),
        ("shoulder.L", UP, 48),
        ("foot.L", UP, 40),
        ("foot.L", DOWN, 50),
        ("spine.002", FRONT, 20.2),
        ("spine.006", LEFT, 28),
    ],
)
def test_leans_end_where_they_were_measured(rooms, metarig, name, direction, most):
    """To 3 degrees: the region's ends are round, and its middle lies between unequal sides."""
    bpy.ops.superpose.apply_limit_preset()
    assert beyond(rooms, metarig, name, leaning(rooms, metarig, name, direction, most - 3)) == 0
    assert beyond(rooms, metarig, name, leaning(rooms, metarig, name, direction, most + 0.5)) > 0


def test_arms_reach_what_arms_reach(rooms, metarig):
    """Where the bone points decides, not how the shortest way there twists it."""
    bpy.ops.superpose.apply_limit_preset()
    for side, out in (("L", 1), ("R", -1)):
        name = f"upper_arm.{side}"
        limit_of(metarig, name).use_twist = False
        for direction in (UP, FRONT, DOWN, (out, 0, 0), (-0.5 * out, -1, 0), (out, 0.9, 0), (0, 1, -1)):
            assert beyond(rooms, metarig, name, towards(rooms, metarig, name, direction)) == 0, direction
        for direction in (BACK, (-out, 0, 0), (-out, 1, 0), (0, 1, 1), (-out, 0.5, -1)):
            assert beyond(rooms, metarig, name, towards(rooms, metarig, name, direction)) > 0, direction


def made_symmetric(ob):
    """The axes of the two sides of Rigify's metarig are up to 0.2 degrees from mirroring each other."""
    with armatures.edited(ob) as bones:
        for bone in bones:
            if bone.name.endswith(".L"):
                other = bones[f"{bone.name[:-1]}R"]
                other.head = bone.head * armatures.Vector((-1, 1, 1))
                other.tail = bone.tail * armatures.Vector((-1, 1, 1))
                other.roll = -bone.roll


def test_the_right_side_is_the_mirror_image_of_the_left(rooms, metarig, rng):
    made_symmetric(metarig)
    bpy.ops.superpose.apply_limit_preset()
    mirror = np.diag([-1, 1, 1])
    for name in limited_bones(metarig):
        if not name.endswith(".L"):
            continue
        for vector in 0.7 * rng.normal(size=(10, 3)):
            turn = rooms.geometry.rotation_vector_to_matrix(vector)
            left = beyond(rooms, metarig, name, turn)
            right = beyond(rooms, metarig, f"{name[:-1]}R", mirror @ turn @ mirror)
            assert np.isclose(left, right, atol=WITHIN), name


CHANGES = {
    "rolls": None,
    "sideways": Matrix.Rotation(radians(90), 4, 'Z'),
    "lying": Matrix.Rotation(radians(90), 4, 'X'),
    "small": Matrix.Scale(0.01, 4),
}


@pytest.mark.parametrize("change", CHANGES)
def test_rolls_size_and_the_way_it_faces_make_no_difference(rooms, metarig, rng, change):
    """The regions are the same ones in the body's own directions."""
    bpy.ops.superpose.apply_limit_preset()
    names = limited_bones(metarig)
    vectors = 0.7 * rng.normal(size=(len(names), 5, 3))
    turns = rooms.geometry.rotation_vector_to_matrix(vectors)
    before = [
        [beyond(rooms, metarig, name, turn) for turn in row] for name, row in zip(names, turns, strict=True)
    ]
    facing = np.eye(3)
    if CHANGES[change] is None:
        with armatures.edited(metarig) as bones:
            for bone in bones:
                bone.roll += rng.uniform(-3, 3)
    else:
        metarig.data.transform(CHANGES[change])
        facing = rooms.geometry.nearest_rotation(armatures.array(CHANGES[change])[:3, :3])
    bpy.ops.superpose.apply_limit_preset()
    turns = facing @ turns @ facing.T
    after = [
        [beyond(rooms, metarig, name, turn) for turn in row] for name, row in zip(names, turns, strict=True)
    ]
    assert np.allclose(before, after, atol=WITHIN)


def test_one_joint_is_given_to_the_selected_bones_only():
    ob = figures.figure()
    figures.select_bones(ob, "forearm.L", "forearm.R")
    bpy.ops.superpose.apply_limit_preset(joint='ELBOW')
    assert limited_bones(ob) == ["forearm.L", "forearm.R"]
    assert all(bends_towards(ob, name) @ FRONT > 0.9 for name in limited_bones(ob))


def test_several_bones_of_a_spine_share_what_it_does():
    ob = figures.figure()
    figures.select_bones(ob, "chest", "head")
    bpy.ops.superpose.apply_limit_preset(joint='NECK')
    assert np.isclose(np.degrees(limit_of(ob, "chest").twist_max), 26.3 / 2, atol=0.01)


def test_guessing_keeps_to_the_selected_bones_if_asked(metarig):
    figures.select_bones(metarig, "forearm.L", "spine")
    bpy.ops.superpose.apply_limit_preset(scope='SELECTED')
    assert limited_bones(metarig) == ["forearm.L"]


def test_limits_are_shown_once_there_are_any(metarig):
    assert not bpy.context.scene.superpose_show_limits
    bpy.ops.superpose.apply_limit_preset()
    assert bpy.context.scene.superpose_show_limits


def test_one_undo_takes_it_back(metarig):
    name = metarig.name
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.superpose.apply_limit_preset()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert not limited_bones(bpy.data.objects[name])


def test_a_human_without_known_names_gets_the_same_limits(rooms, metarig):
    bpy.ops.superpose.apply_limit_preset()
    named = [bone.superpose.limit.kind for bone in metarig.pose.bones if bone.name in LIMBS_OF_A_HUMAN]
    bpy.ops.superpose.remove_setup()
    number = {bone.name: str(index) for index, bone in enumerate(metarig.data.bones)}
    for bone in metarig.data.bones:
        bone.name = number[bone.name]
    bpy.ops.superpose.apply_limit_preset()
    limbs = {number[name] for name in LIMBS_OF_A_HUMAN}
    assert [bone.superpose.limit.kind for bone in metarig.pose.bones if bone.name in limbs] == named
    assert limbs <= set(limited_bones(metarig))


def test_bones_whose_rest_lies_outside_are_left_out_by_name(rooms, metarig, capfd):
    """Arms that are held up behind the back are no rest pose of a human."""
    with armatures.edited(metarig) as bones:
        for bone in bones["upper_arm.L"].children_recursive:
            bone.use_connect = False
        bones["upper_arm.L"].tail = bones["upper_arm.L"].head + armatures.Vector((0, 0.3, 0.02))
        bones["forearm.L"].head = bones["upper_arm.L"].tail
        bones["forearm.L"].tail = bones["upper_arm.L"].tail + armatures.Vector((0, 0.3, 0.02))
    bpy.ops.superpose.apply_limit_preset()
    assert "upper_arm.L" not in limited_bones(metarig)
    assert "upper_arm.R" in limited_bones(metarig)
    assert "left out, as their rest pose does not fit such joints: 'upper_arm.L'" in "".join(
        capfd.readouterr()
    )


def test_bones_that_are_posed_outside_their_new_limits_are_named(metarig, capfd):
    metarig.pose.bones["shin.L"].rotation_quaternion = (np.cos(0.3), -np.sin(0.3), 0, 0)
    armatures.refresh()
    bpy.ops.superpose.apply_limit_preset()
    said = "".join(capfd.readouterr())
    assert "Limited 60 bones as human joints; outside their new limits as they are posed: 'shin.L'" in said


def test_a_finger_without_a_hand_is_refused_by_name():
    ob = figures.figure()
    figures.select_bones(ob, "head")
    refused("'head' belongs to no hand", joint='FINGER_TIP')


def scramble(ob, rng):
    """Let every bone lie anyhow, its joint where it was."""
    with armatures.edited(ob) as bones:
        for bone in bones:
            bone.use_connect = False
        for bone in bones:
            bone.tail = bone.head + 0.1 * armatures.Vector(rng.normal(size=3)).normalized()
            bone.roll = rng.uniform(-3, 3)


@pytest.mark.parametrize("make", [None, humanoids.imported, humanoids.captured, humanoids.makehuman])
def test_where_tails_are_makes_no_difference(request, rooms, rng, make):
    """Limbs go from joint to joint, so the regions are the same ones in the body's own directions."""
    ob = make(request.getfixturevalue("shared_data")) if make else request.getfixturevalue("metarig")
    figures.make_active(ob)
    bpy.ops.superpose.apply_limit_preset()
    names = limited_bones(ob)
    assert len(names) > 20
    turns = rooms.geometry.rotation_vector_to_matrix(0.7 * rng.normal(size=(len(names), 8, 3)))
    before = [[beyond(rooms, ob, name, turn) for turn in row] for name, row in zip(names, turns, strict=True)]
    scramble(ob, rng)
    for bone in ob.pose.bones:
        bone.property_unset("superpose")
    bpy.ops.superpose.apply_limit_preset()
    assert limited_bones(ob) == names
    after = [[beyond(rooms, ob, name, turn) for turn in row] for name, row in zip(names, turns, strict=True)]
    assert np.allclose(before, after, atol=WITHIN)


HINGED = ("lForeArm", "rForeArm", "lShin", "rShin")


def test_elbows_and_knees_are_hinges_with_little_play(shared_data):
    ob = humanoids.captured(shared_data)
    bpy.ops.superpose.apply_limit_preset()
    for name in HINGED:
        limit = limit_of(ob, name)
        assert np.degrees(limit.hinge_play) == pytest.approx(3)
        assert np.degrees(limit.hinge_min) > -25  # at rest, from which it is counted, elbows are bent by 18


def test_knees_of_bones_that_lie_across_their_limbs_bend_backwards(rooms, metarig, rng):
    scramble(metarig, rng)
    bpy.ops.superpose.apply_limit_preset()
    for side in "LR":
        for name, following, way in (("forearm", "hand", FRONT), ("shin", "foot", BACK)):
            heads = [armatures.array(metarig.data.bones[f"{n}.{side}"].head_local) for n in (name, following)]
            axis = rest_of(metarig, f"{name}.{side}") @ np.array(limit_of(metarig, f"{name}.{side}").axis)
            assert np.cross(axis, heads[1] - heads[0]) @ way > 0.7 * np.linalg.norm(heads[1] - heads[0])


@pytest.mark.parametrize("name", ["m2m_human_fingers"])
def test_rigs_of_others_bend_the_right_way(shared_data, rooms, name):
    bpy.ops.import_scene.gltf(filepath=str(shared_data / "rigs" / f"{name}.glb"))
    ob = next(ob for ob in bpy.context.scene.objects if ob.type == 'ARMATURE')
    figures.make_active(ob)
    bpy.ops.superpose.apply_limit_preset()
    for side in "lr":
        assert bends_towards(ob, f"lowerarm_{side}") @ FRONT > 0.5
        assert bends_towards(ob, f"calf_{side}") @ BACK > 0.5
    for bone in limited_bones(ob):
        assert limited.outside(rooms, limit_of(ob, bone), np.eye(3)) < 1e-6, bone
