# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits on animals: joints bend the way they are made, and other creatures are refused."""

from itertools import pairwise
from math import radians

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest
import rigify_rigs
from mathutils import Matrix
from preset_limits import (
    BACK,
    FRONT,
    bends_towards,
    limit_of,
    refused,
)

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


def test_what_is_no_body_is_refused():
    figures.make_active(armatures.chain(4))
    refused(r"No limits are known for a body like 'Rig' \(arm\)")


@pytest.mark.parametrize("creature", ["shark", "spider"])
@pytest.mark.parametrize("turned", [0, 90])
def test_other_creatures_are_refused_whichever_way_they_lie(rigify, creature, turned):
    if creature == "spider":
        spider()
    else:
        getattr(bpy.ops.object, f"armature_{creature}_metarig_add")()
    bpy.context.object.data.transform(Matrix.Rotation(radians(turned), 4, 'X'))
    refused("No joints were recognised|No limits are known")


def spider():
    """Four pairs of legs on one body."""
    ob = armatures.new_object("Spider", bpy.data.armatures.new("Spider"))
    with armatures.edited(ob) as bones:
        hips = bones.new("body")
        hips.head, hips.tail = (0, 0, 0.2), (0, -0.2, 0.2)
        for side, out in (("L", 1), ("R", -1)):
            for leg in range(4):
                above, way = hips, 0.4 * (leg - 1.5)
                places = [(0.1, 0.1 * way, 0.2), (0.5, way, 0.5), (0.9, 2 * way, 0), (1.0, 2.2 * way, 0)]
                for number, (start, end) in enumerate(pairwise(places)):
                    bone = bones.new(f"leg{leg}_{number}.{side}")
                    bone.head, bone.tail = ((out * x, y, z) for x, y, z in (start, end))
                    bone.parent = above = above if number == 0 else bones[f"leg{leg}_{number - 1}.{side}"]
    figures.make_active(ob)


QUADRUPEDS = {
    "horse": {"forearm": FRONT, "forefoot": BACK, "lower_leg": BACK, "hind_foot": FRONT},
    "cat": {"forearm": FRONT, "hand": BACK, "shin": BACK, "foot": FRONT},
    "wolf": {"front_shin": FRONT, "front_foot": BACK, "shin": BACK, "foot": FRONT},
}


# What Rigify calls the shin of a bird begins at its heel, as its rest pose shows.
HINGES = QUADRUPEDS | {"bird": {"Wing.001": FRONT, "Wing.002": BACK, "shin": FRONT, "foot": FRONT}}


@pytest.mark.parametrize("turned", [0, 90])
@pytest.mark.parametrize("creature", HINGES)
def test_animals_bend_their_joints_the_way_they_are_made(rooms, rigify, creature, turned):
    getattr(bpy.ops.object, f"armature_{creature}_metarig_add")()
    ob, turn = bpy.context.object, Matrix.Rotation(radians(turned), 4, 'X')
    ob.data.transform(turn)
    figures.make_active(ob)
    bpy.ops.superpose.apply_limit_preset()
    for name, way in HINGES[creature].items():
        for side in "LR":
            bone, limit = f"{name}.{side}", limit_of(ob, f"{name}.{side}")
            assert limit.kind == 'HINGE'
            assert limited.outside(rooms, limit, np.eye(3)) < 1e-4
            towards_it = armatures.array(turn.to_3x3()) @ way
            assert bends_towards(ob, bone) @ towards_it > 0
            # Nothing bends backwards: from rest to the end it takes no more than makes the limb straight.
            overstretch = 16 if way is BACK and name in {"forefoot", "hand", "front_foot"} else 0
            assert np.degrees(-limit.hinge_min) <= bent_at_rest(ob, bone) + overstretch + 0.1


def bent_at_rest(ob, name):
    """How far a bone of a limb is from being in line with its parent's joint, degrees."""
    bone = ob.data.bones[name]
    heads = [armatures.array(b.head_local) for b in (bone.parent, bone)]
    ends = [armatures.array(bone.children[0].head_local if bone.children else bone.tail_local)]
    above, along = heads[1] - heads[0], ends[0] - heads[1]
    return np.degrees(np.arccos(above @ along / np.linalg.norm(above) / np.linalg.norm(along)))


@pytest.mark.parametrize(("across", "back"), [(0, 0), (0, 0.9), (1, -0.5), (0.5, -1)])
def test_a_birds_elbow_bends_from_straight_in_the_plane_in_which_it_is_bent_at_rest(rigify, across, back):
    """Wings fold in any plane, and straight is the way of the upper arm, whose joint is in no table."""
    bpy.ops.object.armature_bird_metarig_add()
    ob = bpy.context.object
    with armatures.edited(ob) as bones:
        for side in "LR":
            upper, fore, hand = (bones[f"Wing{number}.{side}"] for number in ("", ".001", ".002"))
            along = (upper.tail - upper.head).normalized()
            bent = along * back + armatures.Vector((0, 0, 1)) * across
            if bent.length:
                fore.tail = fore.head + bent.normalized() * fore.length
                hand.head = fore.tail
    bpy.ops.superpose.set_up_body(kind='BIRD', use_live=False)
    for side in "LR":
        limit, bent = limit_of(ob, f"Wing.001.{side}"), bent_at_rest(ob, f"Wing.001.{side}")
        assert np.degrees(limit.hinge_min) == pytest.approx(-bent, abs=0.1)
        assert np.degrees(limit.hinge_max) == pytest.approx(160 - bent, abs=0.1)


@pytest.mark.parametrize(
    ("creature", "times"),
    [("horse", 1), *(pytest.param(creature, 5, marks=pytest.mark.slow) for creature in QUADRUPEDS)],
)
def test_knees_hocks_and_elbows_of_animals_stay_the_way_they_are_made(rooms, rigify, creature, times, rng):
    """Whatever the targets ask for."""
    ob = rigify_rigs.metarig(creature)
    bpy.ops.superpose.set_up_body(use_live=False)
    targets = {name: figures.target_of(ob, name) for name in figures.effectors(ob)}
    rests = {name: target.location.copy() for name, target in targets.items() if target}
    size = np.ptp([bone.head_local for bone in ob.data.bones], axis=0).max()
    for _ in range(times):
        for name, place in rests.items():
            targets[name].location = place + armatures.Vector(rng.normal(0, 0.1 * size, 3))
        armatures.refresh()
        bpy.ops.superpose.solve()
        armatures.refresh()
        for name in QUADRUPEDS[creature]:
            for side in "LR":
                bone = ob.pose.bones[f"{name}.{side}"]
                turned = armatures.array(bone.matrix_basis.to_quaternion().normalized().to_matrix())
                assert limited.outside(rooms, limit_of(ob, bone.name), turned) < 1e-4


# Degrees, by the bone of Rigify's: of the back, the neck, the head, and what hangs on wrists and shoulders.
BALLS = {
    "horse": {"spine.004": 50, "neck.002": 60, "head": 70, "shoulder.L": 45, "f_hoof.L": 80},
    "cat": {"spine.002": 50, "spine.005": 60, "spine.006": 70, "r_toe.R": 80},
    "bird": {"spine.005": 25, "spine.006": 75, "head": 80, "Wing.R": 100},
}


@pytest.mark.parametrize("creature", BALLS)
def test_backs_necks_heads_and_what_hangs_freely_lean_as_far_to_all_sides(rooms, rigify, creature, rng):
    getattr(bpy.ops.object, f"armature_{creature}_metarig_add")()
    ob = bpy.context.object
    bpy.ops.superpose.apply_limit_preset()
    for name, angle in BALLS[creature].items():
        limit = limit_of(ob, name)
        limb = armatures.array(limit.limb)
        across = np.cross(limb, rng.normal(size=3))
        for share, is_allowed in ((0.98, True), (1.02, False)):
            turn = Matrix.Rotation(radians(share * angle), 3, armatures.Vector(across))
            assert (limited.outside(rooms, limit, armatures.array(turn)) < 1e-4) is is_allowed


BACK_AND_NECK = {
    "cat": ("spine.006", [f"spine.00{number}" for number in range(1, 6)]),
    "horse": ("head", [*(f"spine.00{number}" for number in range(2, 7)), "neck.001", "neck.002", "neck.003"]),
}


@pytest.mark.parametrize("creature", BACK_AND_NECK)
def test_a_neck_folds_no_farther_than_flesh_does_where_the_head_is_led_through_the_body(rigify, creature):
    ob, (head, row) = rigify_rigs.metarig(creature), BACK_AND_NECK[creature]
    bpy.ops.superpose.set_up_body(use_live=False)
    size = np.ptp([bone.head_local for bone in ob.data.bones], axis=0).max()
    bpy.ops.superpose.pose(bone=head, translation=(0, 0.35 * size, -0.35 * size))
    turns = (ob.pose.bones[name].matrix_basis.to_quaternion().normalized() for name in row)
    folded = np.degrees([turn.angle for turn in turns])
    assert folded.max() < 75  # 60 aside with a twist of 40
    assert np.count_nonzero(folded > 10) > 2  # the back takes its part


def test_a_joint_that_nobody_measured_gets_as_wide_as_the_animals_own_motion(rooms, rigify):
    bpy.ops.object.armature_cat_metarig_add()
    ob = bpy.context.object
    bone = ob.pose.bones["spine.005"]
    bone.rotation_mode = 'XYZ'
    for frame in range(1, 101, 5):
        bone.rotation_euler = (radians(95 * (frame > 50)), 0, 0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.superpose.apply_limit_preset()
    limit = limit_of(ob, "spine.005")
    assert np.degrees(limit.cones[0].radius) == pytest.approx(95, abs=0.5)
    assert np.degrees(limit_of(ob, "spine.004").cones[0].radius) == pytest.approx(60)


def test_a_bird_crouches(rigify):
    bpy.ops.object.armature_bird_metarig_add()
    ob = bpy.context.object
    bpy.ops.superpose.set_up_body(use_live=False)
    height = ob.pose.bones["spine.004"].head.z
    bpy.ops.superpose.pose(bone="spine.004", translation=(0, 0, -0.25 * height))
    assert "all met" in ob.superpose.message
    assert ob.pose.bones["spine.004"].head.z == pytest.approx(0.75 * height, rel=1e-4)


def test_a_joint_that_is_chosen_fits_an_animal_where_it_lies_so_at_rest(rooms, rigify):
    bpy.ops.object.armature_cat_metarig_add()
    ob = bpy.context.object
    figures.select_bones(ob, "shin.L", "shin.R")
    bpy.ops.superpose.apply_limit_preset(joint='KNEE')
    for name in ("shin.L", "shin.R"):
        assert limited.outside(rooms, limit_of(ob, name), np.eye(3)) < 1e-6
