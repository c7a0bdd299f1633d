# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits are brought to other bones and converted from what a rig has; what cannot be is refused by name."""

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

WITHIN = radians(0.01)
EXAMPLES = hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
ops = bpy.ops.superpose


@pytest.fixture(autouse=True)
def _empty_file(blend):
    """Examples of one test share a file, so they say themselves when they want a new one."""


def test_copy_gives_the_selected_bones_the_limit_of_the_active_one(rooms):
    ob = figures.figure()
    bone = figures.active(ob, "hand.L")
    limited.limit_at_random(bone, np.random.default_rng(3), 'CONES')
    figures.select_bones(ob, "hand.L", "hand.R", "head")
    ops.copy_limit()
    for name in ("hand.R", "head"):
        found = rooms.limits.read_limit(ob.pose.bones[name])
        assert (found.cones, found.lower) == (
            rooms.limits.read_limit(bone).cones,
            rooms.limits.read_limit(bone).lower,
        )
        assert found.bone == name
    figures.select_bones(ob, "hand.L")
    figures.refused(ops.copy_limit, "Select the bones")


def pair_of_bones(rng, aligned):
    """Two bones that mirror each other, below one that leans, with rolls of their own."""
    ob = armatures.new_object("Rig", bpy.data.armatures.new("Rig"))
    head, tail = rng.normal(size=3), rng.normal(size=3)
    with armatures.edited(ob) as bones:
        root = bones.new("root")
        root.head, root.tail, root.roll = (0, 0, 0), (0, rng.normal(), rng.normal()), rng.uniform(-3, 3)
        for side, x in (("L", 1), ("R", -1)):
            bone = bones.new(f"arm.{side}")
            bone.head, bone.tail = head * (x, 1, 1), (head + tail) * (x, 1, 1)
            bone.parent, bone.roll = root, rng.uniform(-3, 3)
        if aligned:
            quarter = radians(90) * rng.integers(4)
            bones["arm.R"].roll = -bones["arm.L"].roll + quarter
    figures.make_active(ob)
    return ob, *(ob.pose.bones[f"arm.{side}"] for side in "LR")


@pytest.mark.once
@EXAMPLES
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(['HINGE', 'CONES', 'ELLIPSE', 'EULER']))
def test_the_mirror_image_of_an_allowed_pose_is_allowed_and_of_others_not(rooms, seed, kind):
    """How far a pose is outside is how far its mirror image is; ellipses and angles need axes that match."""
    armatures.empty_file()
    rng = np.random.default_rng(seed)
    ob, left, right = pair_of_bones(rng, aligned=kind in {'ELLIPSE', 'EULER'})
    limit = limited.limit_at_random(left, rng, kind)
    if rng.random() < 0.5:
        limit.hinge_play, limit.limb = rng.uniform(0, 0.5), rng.normal(size=3)
    figures.select_bones(ob, "arm.L")
    assert ops.mirror_limits() == {'FINISHED'}
    for _ in range(20):
        turn = rooms.geometry.rotation_vector_to_matrix(0.7 * rng.normal(size=3))
        image = mirrored_turn(left, right, turn)
        distances = [
            limited.outside(rooms, *pair)
            for pair in ((left.superpose.limit, turn), (right.superpose.limit, image))
        ]
        assert np.isclose(*distances, atol=WITHIN)


def mirrored_turn(bone, other, turn):
    """The turn of the other bone that looks mirrored, by Blender's own rest matrices."""
    reflection = np.diag([-1, 1, 1])
    rest, image = (armatures.array(b.bone.matrix_local)[:3, :3] for b in (bone, other))
    return image.T @ reflection @ (rest @ turn @ rest.T) @ reflection @ image


@pytest.mark.once
@EXAMPLES
@given(seed=st.integers(0, 2**32 - 1))
def test_the_mirror_image_of_a_comfort_pose_is_as_comfortable(rooms, seed):
    """Comfort is how far a turn strays, weighed by the spread, to which side it bends a limb, and what it has
    in common with others; a mirrored turn does as much of all, and the opposite of every other tie."""
    armatures.empty_file()
    rng = np.random.default_rng(seed)
    ob, left, right = pair_of_bones(rng, aligned=False)
    spread, way = rng.normal(size=(3, 3)), rooms.solvers.OneWay(*rng.normal(size=(2, 3)))
    turn, ties = rooms.geometry.normalised(rng.normal(size=4)), rng.uniform(-0.2, 0.2, size=(3, 8))
    comfort = rooms.solvers.Comfort("arm.L", turn, spread @ spread.T + 0.1 * np.eye(3), way, ties)
    rooms.comfort.store_comfort(left, comfort)
    figures.select_bones(ob, "arm.L")
    ops.mirror_limits()
    assert rooms.limits.limit_kind(right) == 'NONE'
    turn = rooms.geometry.rotation_vector_to_matrix(0.7 * rng.normal(size=3))
    strays = [stray(rooms, *pair) for pair in ((left, turn), (right, mirrored_turn(left, right, turn)))]
    assert np.allclose(*(stray[:2] for stray in strays), rtol=1e-3)
    assert np.allclose(strays[0][2], strays[1][2] * ([1, -1] * 4), atol=1e-4)


def stray(rooms, bone, turn):
    comfort = rooms.comfort.read_comfort(bone)
    away = rooms.geometry.matrix_to_quaternion(rooms.geometry.quaternion_to_matrix(comfort.rotation).T @ turn)
    vector = rooms.geometry.quaternion_to_rotation_vector(away)
    bent = comfort.one_way.towards @ turn @ comfort.one_way.limb
    return vector @ np.linalg.inv(comfort.spread) @ vector, bent, vector @ comfort.ties


def test_bones_that_are_no_pair_at_rest_are_refused_by_name():
    ob = figures.figure()
    with armatures.edited(ob) as bones:
        bones["arm.R"].tail = bones["arm.R"].head + armatures.Vector((0, 0, 0.3))
    ob.pose.bones["arm.L"].superpose.limit.kind = 'HINGE'
    figures.select_bones(ob, "arm.L")
    figures.refused(ops.mirror_limits, "'arm.R' does not mirror 'arm.L' at rest: they point 90 degrees apart")


def test_mirroring_whole_poses_looks_mirrored():
    """The definition above is that of Blender's own mirrored paste."""
    ob = figures.figure()
    left, right = ob.pose.bones["arm.L"], ob.pose.bones["arm.R"]
    bpy.ops.object.mode_set(mode='POSE')
    left.rotation_quaternion = (0.8, 0.3, -0.4, 0.2)
    figures.select_bones(ob, "arm.L")
    figures.active(ob, "arm.L")
    bpy.ops.pose.copy()
    bpy.ops.pose.paste(flipped=True)
    assert np.allclose(limited.turn_of(right), mirrored_turn(left, right, limited.turn_of(left)), atol=1e-5)


@pytest.mark.parametrize("kind", ['ELLIPSE', 'EULER'])
def test_axes_that_do_not_match_are_refused_by_name(kind):
    ob, left, _ = pair_of_bones(np.random.default_rng(2), aligned=False)
    limited.limit_at_random(left, np.random.default_rng(3), kind)
    figures.select_bones(ob, "arm.L")
    figures.refused(ops.mirror_limits, "axes of 'arm.R' do not mirror those of 'arm.L'")


def test_all_of_one_side_are_mirrored_and_middle_bones_left_alone():
    ob = figures.figure()
    for name in ("arm.L", "hand.L", "head"):
        ob.pose.bones[name].superpose.limit.kind = 'FREE'
    ops.mirror_limits(source='LEFT')
    assert [b.name for b in ob.pose.bones if b.superpose.limit.kind == 'FREE'] == [
        "head",
        "arm.L",
        "hand.L",
        "arm.R",
        "hand.R",
    ]


def test_both_sides_at_once_are_refused():
    ob = figures.figure()
    ob.pose.bones["hand.L"].superpose.limit.kind = 'HINGE'
    figures.select_bones(ob, "hand.L", "hand.R")
    figures.refused(ops.mirror_limits, "both selected")
    figures.select_bones(ob, "head")
    ob.pose.bones["head"].superpose.limit.kind = 'HINGE'
    figures.refused(ops.mirror_limits, "'head' has no opposite")


def limited_rig(rng):
    """A random tree with what rigs say of joints, and targets."""
    armatures.empty_file()
    ob = armatures.random_tree(rng, count=6)
    armatures.pose_at_random(ob, rng)
    for bone in ob.pose.bones:
        for axis in "xyz":
            if rng.random() < 0.4:
                setattr(bone, f"use_ik_limit_{axis}", True)
                setattr(bone, f"ik_min_{axis}", -rng.uniform(0, 1.5))
                setattr(bone, f"ik_max_{axis}", rng.uniform(0, 1.5))
            setattr(bone, f"lock_ik_{axis}", bool(rng.random() < 0.2))
        if rng.random() < 0.4:
            bone.lock_rotation = (rng.random(3) < 0.3).tolist()
        elif rng.random() < 0.4:
            constraint = bone.constraints.new('LIMIT_ROTATION')
            constraint.owner_space, constraint.use_limit_x = 'LOCAL', True
            constraint.min_x, constraint.max_x = np.sort(rng.uniform(-1.5, 1.5, 2))
    for tip in armatures.tips(ob):
        target = armatures.new_object("Target")
        armatures.transform_at_random(target, rng, 'MOVED')
        armatures.add_effector(ob, tip, target)
    figures.make_active(ob)
    return ob


@pytest.mark.once
@EXAMPLES
@given(seed=st.integers(0, 2**32 - 1))
def test_converted_limits_are_the_same_to_the_solver(rooms, seed):
    ob = limited_rig(np.random.default_rng(seed))
    before = armatures.read(rooms.armature, ob)[2][0]
    ops.convert_limits()
    assert bpy.context.scene.superpose_show_limits
    after = armatures.read(rooms.armature, ob)[2][0]
    assert (after.stiffness == before.stiffness).all()
    assert len(after.limits) == len(before.limits)
    for old, new in zip(before.limits, after.limits, strict=True):
        assert new.bone == old.bone
        assert np.allclose(ranges_of(rooms, new), ranges_of(rooms, old), atol=1e-6)


def ranges_of(rooms, limit):
    """The ranges of the angles about X, Y and Z; hinges about one of them have them too."""
    if isinstance(limit, rooms.solvers.Hinge):
        assert sorted(limit.axis) == [0, 0, 1]
        return [np.multiply(limit.axis, end) for end in (limit.lower, limit.upper)]
    return [limit.lower[0], limit.upper[0]]


def test_a_converted_rig_solves_the_same(rooms):
    ob = figures.turned_away(figures.ready())
    for name in ("forearm.L", "forearm.R"):
        bone = ob.pose.bones[name]
        bone.lock_ik_x = bone.lock_ik_y = bone.use_ik_limit_z = True
    ob.pose.bones["chest"].lock_ik_y = True
    before = solved(rooms, ob).pose.rotations
    ops.convert_limits()
    assert np.abs(solved(rooms, ob).pose.rotations - before).max() < 1e-6


def solved(rooms, ob):
    rig, _, (skeleton, pose, targets) = armatures.read(rooms.armature, ob)
    return rooms.solvers.solve(skeleton, pose, rig.effectors, targets)


def test_an_elbow_becomes_a_hinge_and_limits_of_its_own_stay():
    ob = figures.figure()
    for name in ("forearm.L", "forearm.R"):
        bone = ob.pose.bones[name]
        bone.lock_ik_y = bone.lock_ik_z = bone.use_ik_limit_x = True
        bone.ik_min_x, bone.ik_max_x = radians(-5), radians(140)
    ob.pose.bones["forearm.R"].superpose.limit.kind = 'FREE'
    ops.convert_limits()
    limit = ob.pose.bones["forearm.L"].superpose.limit
    assert limit.kind == 'HINGE'
    assert np.allclose(np.degrees((limit.hinge_min, limit.hinge_max)), (-5, 140), atol=1e-4)
    assert ob.pose.bones["forearm.R"].superpose.limit.kind == 'FREE'
    figures.refused(ops.convert_limits, "limits none of these bones")
