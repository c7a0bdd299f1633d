# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs that are already set up: Limit Rotation, IK settings and rotation locks are limits as they stand."""

from math import pi, radians

import armatures
import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from mathutils import Euler

WITHIN = radians(0.01)
EXAMPLES = hypothesis_settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _empty_file(blend):
    """Examples of one test share a file, so they say themselves when they want a new one."""


@pytest.fixture
def ob():
    return armatures.reaching_chain()


def limit_rotation(ob, name, **settings):
    """A Limit Rotation in local space with ranges x, y, z in degrees and anything else that is set."""
    constraint = ob.pose.bones[name].constraints.new('LIMIT_ROTATION')
    constraint.name, constraint.owner_space = "Keep", 'LOCAL'
    for key, value in settings.items():
        if key in "xyz":
            setattr(constraint, f"use_limit_{key}", True)
            setattr(constraint, f"min_{key}", radians(value[0]))
            setattr(constraint, f"max_{key}", radians(value[1]))
        else:
            setattr(constraint, key, value)
    return constraint


def ik_limit(ob, name, axis, low, high):
    bone = ob.pose.bones[name]
    setattr(bone, f"use_ik_limit_{axis}", True)
    setattr(bone, f"ik_min_{axis}", radians(low))
    setattr(bone, f"ik_max_{axis}", radians(high))


def local_turns(ob, names):
    """Blender's own evaluated rotations of bones against rest, in their parents' frames."""
    turns = []
    for bone in (ob.pose.bones[name] for name in names):
        matrix = ob.convert_space(pose_bone=bone, matrix=bone.matrix, from_space='POSE', to_space='LOCAL')
        turns.append(armatures.array(matrix.to_quaternion().normalized().to_matrix()))
    return np.array(turns)


def channel_turns(ob, names):
    quaternions = [ob.pose.bones[name].matrix_basis.to_quaternion() for name in names]
    return np.array([armatures.array(quaternion.normalized().to_matrix()) for quaternion in quaternions])


def solve_and_write(rooms, ob):
    rig, _, (skeleton, pose, targets) = armatures.read(rooms.armature, ob)
    settings = rooms.solvers.Settings(iterations=6, restarts=0)  # how near it comes makes no difference
    solution = rooms.solvers.solve(skeleton, pose, rig.effectors, targets, settings)
    written = rooms.armature.write_pose(rig, ob, solution.pose)
    armatures.refresh()
    return rig, skeleton, solution, written


def angles_of(rooms, ob, name, order='XYZ'):
    """Blender's evaluated angles of a bone in degrees."""
    return np.degrees(rooms.geometry.matrix_to_euler(local_turns(ob, [name])[0], order))


def limit_at_random(ob, name, rng):
    constraint = limit_rotation(ob, name, use_legacy_behavior=bool(rng.random() < 0.3))
    constraint.euler_order = ('AUTO', 'XYZ', 'ZXY')[rng.integers(3)]
    for axis in "xyz":
        if rng.random() < 0.7:
            low, high = np.sort(rng.uniform(-1.5, 1.5, 2))
            setattr(constraint, f"use_limit_{axis}", True)
            setattr(constraint, f"min_{axis}", low)
            setattr(constraint, f"max_{axis}", high)


@EXAMPLES
@given(seed=st.integers(0, 2**32 - 1))
def test_solved_poses_come_out_of_blender_as_the_solver_meant_them(rooms, seed):
    armatures.empty_file()
    rng = np.random.default_rng(seed)
    ob = armatures.random_tree(rng, count=6)
    armatures.pose_at_random(ob, rng)
    for bone in ob.pose.bones:
        limit_at_random(ob, bone.name, rng)
    for tip in armatures.tips(ob):
        target = armatures.new_object("Target")
        armatures.transform_at_random(target, rng, 'MOVED')
        armatures.add_effector(ob, tip, target)
    _, skeleton, solution, written = solve_and_write(rooms, ob)
    rotations, _ = rooms.solvers.forward(skeleton, solution.pose)
    _, _, (again, reread, _) = armatures.read(rooms.armature, ob)
    assert rooms.geometry.angle_between(rotations, rooms.solvers.forward(again, reread)[0]).max() < WITHIN
    turned = sorted({change.bone.name for change in written if change.path.startswith("rotation")})
    apart = rooms.geometry.angle_between(local_turns(ob, turned), channel_turns(ob, turned))
    assert apart.max(initial=0) < WITHIN  # the constraints have nothing left to do


def turn_of(bone, mode, euler):
    """Turn a bone by the angles in whatever its rotation mode is to be."""
    bone.rotation_mode = mode
    bone.matrix_basis = euler.to_matrix().to_4x4()


@pytest.mark.parametrize("mode", ['QUATERNION', 'XYZ', 'ZYX', 'AXIS_ANGLE'])
def test_channels_beyond_a_limit_are_read_as_blender_shows_them(rooms, ob, mode):
    bone = ob.pose.bones["b1"]
    turn_of(bone, mode, Euler((0.5, -0.4, 0.9)))
    limit_rotation(ob, "b1", x=(-10, 10), y=(-5, 5), z=(0, 20))
    rig, _, (skeleton, pose, _) = armatures.read(rooms.armature, ob)
    shown = local_turns(ob, ["b1"])
    assert rooms.geometry.angle_between(channel_turns(ob, ["b1"]), shown).max() > 0.1
    turned = rooms.geometry.quaternion_to_matrix(pose.rotations[0, 1])
    assert rooms.geometry.angle_between(turned, shown).max() < WITHIN
    # rests are those of the rig, not of the pose
    bones = ob.data.bones
    rest = armatures.array(bones["b0"].matrix_local.inverted() @ bones["b1"].matrix_local)[:3, :3]
    measured = rooms.geometry.quaternion_to_matrix(skeleton.rests[0, 1])
    assert rooms.geometry.angle_between(measured, rest) < WITHIN
    assert rooms.armature.write_pose(rig, ob, pose) == []


@pytest.mark.parametrize("y", [-1.5, 1.5])
@pytest.mark.parametrize("mode", ['QUATERNION', 'XYZ', 'AXIS_ANGLE'])
def test_an_elbow_never_bends_backwards(rooms, ob, mode, y):
    ob.pose.bones["b2"].rotation_mode = mode
    limit_rotation(ob, "b2", x=(0, 150), y=(0, 0), z=(0, 0))
    ob.superpose.root_bone = "b2"
    target = bpy_target(ob)
    target.location = (0, y, 2.5)  # in front of the elbow and behind it
    solve_and_write(rooms, ob)
    x, *others = angles_of(rooms, ob, "b2")
    assert -0.01 <= x <= 150.01
    assert np.abs(others).max() < 0.01


def bpy_target(ob):
    return ob.pose.bones["b3"].superpose.target


def test_an_elbow_asked_to_bend_backwards_stays_straight_and_the_other_way_bends(rooms, ob):
    limit_rotation(ob, "b2", x=(0, 150), y=(0, 0), z=(0, 0))
    ob.superpose.root_bone = "b2"
    bends = []
    for y in (-1, 1):
        ob.pose.bones["b2"].rotation_quaternion = (1, 0, 0, 0)
        bpy_target(ob).location = (0, y, 2.2)
        solve_and_write(rooms, ob)
        bends.append(angles_of(rooms, ob, "b2")[0])
    assert min(bends) < 0.01
    assert max(bends) > 10


def test_a_knee_keeps_to_its_ik_settings(rooms, ob, rng):
    knee = ob.pose.bones["b2"]
    knee.lock_ik_y = knee.lock_ik_z = True
    ik_limit(ob, "b2", "x", -5, 140)
    for _ in range(10):
        bpy_target(ob).location = rng.uniform(-2, 2, 3)
        solve_and_write(rooms, ob)
        x, *others = angles_of(rooms, ob, "b2")
        assert -5.01 <= x <= 140.01
        assert np.abs(others).max() < 0.01


def test_ik_ranges_are_those_of_twist_before_swing(rooms, ob, rng):
    for axis, high in zip("xyz", (20, 15, 30), strict=True):
        ik_limit(ob, "b1", axis, -10, high)
    for _ in range(5):
        bpy_target(ob).location = rng.uniform(-3, 3, 3)
        solve_and_write(rooms, ob)
        angles = angles_of(rooms, ob, "b1", 'YXZ')
        assert (angles > -10.01).all()
        assert (angles < np.array([20, 15, 30]) + 0.01).all()


def test_a_muted_constraint_limits_nothing(rooms, ob):
    limit_rotation(ob, "b2", x=(0, 1), y=(0, 0), z=(0, 0), mute=True)
    _, skeleton, solution, _ = solve_and_write(rooms, ob)
    assert skeleton.limits == ()
    assert solution.converged.all()


def test_ik_stiffness_counts_where_there_is_none_of_ours(rooms, ob):
    for name in ("b0", "b1"):
        ob.pose.bones[name].ik_stiffness_y = 0.5
    ob.pose.bones["b1"].superpose.stiffness = 0.2
    rig = armatures.read(rooms.armature, ob)[0]
    assert np.allclose(rig.stiffness, [0.5, 0.2, 0, 0])


def test_three_locked_ik_axes_hold_a_bone(rooms, ob):
    bone = ob.pose.bones["b1"]
    bone.lock_ik_x = bone.lock_ik_y = bone.lock_ik_z = True
    rig = armatures.read(rooms.armature, ob)[0]
    assert rig.stiffness[1] == 1


def limit_of(rooms, ob, name):
    rig, _, (skeleton, _, _) = armatures.read(rooms.armature, ob)
    found = [limit for limit in skeleton.limits if limit.bone == name]
    return rig, found[0] if found else None


def test_a_rig_without_limits_has_none(rooms, ob):
    assert armatures.read(rooms.armature, ob)[2][0].limits == ()


def test_locks_ranges_and_ik_hold_together(rooms, ob):
    bone = ob.pose.bones["b1"]
    bone.rotation_mode, bone.lock_rotation = 'ZYX', (False, True, False)
    bone.rotation_euler = (0, 0.2, 0)
    limit_rotation(ob, "b1", x=(-20, 50), y=(-30, 30))
    ik_limit(ob, "b1", "x", -60, 40)
    rig, limit = limit_of(rooms, ob, "b1")
    assert limit.order == 'ZYX'
    assert np.allclose(limit.lower[0, :2], (radians(-20), 0.2))
    assert np.allclose(limit.upper[0, :2], (radians(40), 0.2))
    assert rig.notes == ()


def test_two_constraints_hold_together(rooms, ob):
    limit_rotation(ob, "b1", x=(-20, 50))
    limit_rotation(ob, "b1", x=(-60, 40))
    _, limit = limit_of(rooms, ob, "b1")
    assert np.allclose((limit.lower[0, 0], limit.upper[0, 0]), np.radians((-20, 40)))


def test_a_constraint_that_contradicts_ik_limits_wins_and_a_note_says_so(rooms, ob):
    limit_rotation(ob, "b1", x=(30, 60))
    ik_limit(ob, "b1", "x", -10, 10)
    rig, limit = limit_of(rooms, ob, "b1")
    assert np.allclose((limit.lower[0, 0], limit.upper[0, 0]), np.radians((30, 60)))
    assert len(rig.notes) == 1
    assert "'b1' keeps to its Limit Rotation" in rig.notes[0]


def test_locks_and_a_constraint_of_another_order_hold_the_bone(rooms, ob):
    bone = ob.pose.bones["b1"]
    bone.rotation_mode, bone.lock_rotation = 'XYZ', (False, True, False)
    limit_rotation(ob, "b1", x=(-20, 50), euler_order='ZYX')
    rig, limit = limit_of(rooms, ob, "b1")
    assert limit is None
    assert rig.stiffness[1] == 1
    assert "differ in their order" in rig.notes[0]


def test_without_joint_limits_ik_settings_do_not_count(rooms, ob):
    ik_limit(ob, "b1", "x", -10, 10)
    ob.pose.bones["b2"].ik_stiffness_x = 0.5
    ob.pose.bones["b2"].lock_rotation = (True, True, True)
    ob.superpose.use_limits = False
    rig, limit = limit_of(rooms, ob, "b1")
    assert limit is None
    assert np.allclose(rig.stiffness, [0, 0, 1, 0])


@pytest.mark.parametrize(
    "settings",
    [
        {"owner_space": 'POSE'},
        {"owner_space": 'WORLD'},
        {"owner_space": 'LOCAL_WITH_PARENT'},
        {"influence": 0.5},
        {"x": (20, 10)},
        {"x": (190, 200), "use_legacy_behavior": True},
    ],
)
def test_other_constraints_stay_in_the_way(rooms, ob, settings):
    limit_rotation(ob, "b1", **settings)
    refused(rooms, ob)


def refused(rooms, ob):
    with pytest.raises(rooms.armature.RigError, match=r"'b1'.*'Keep'"):
        armatures.read(rooms.armature, ob)


@pytest.mark.parametrize("name", ["influence", "min_x"])
def test_an_animated_constraint_stays_in_the_way(rooms, ob, name):
    limit_rotation(ob, "b1", x=(-10, 10)).keyframe_insert(name, frame=1)
    refused(rooms, ob)


def test_without_joint_limits_a_constraint_is_in_the_way(rooms, ob):
    limit_rotation(ob, "b1", x=(-10, 10))
    ob.superpose.use_limits = False
    refused(rooms, ob)


def test_constraints_that_differ_in_order_stay_in_the_way(rooms, ob):
    limit_rotation(ob, "b1", x=(-10, 10))
    limit_rotation(ob, "b1", x=(-10, 10), euler_order='ZYX')
    refused(rooms, ob)


def test_a_negative_scale_under_a_constraint_is_refused(rooms, ob):
    limit_rotation(ob, "b1", x=(-10, 10))
    ob.pose.bones["b1"].scale = (-1, 1, 1)
    with pytest.raises(rooms.armature.RigError, match="'b1' has a negative scale"):
        armatures.read(rooms.armature, ob)


def test_ranges_that_blender_reads_otherwise_stay_in_the_way(rooms, ob):
    limit_rotation(ob, "b1", x=(100, 170), y=(60, 80), z=(120, 170))
    refused(rooms, ob)


def test_wide_ranges_are_kept_to_what_blender_reads_the_same_way(rooms, ob):
    limit_rotation(ob, "b1", x=(-45, 45))
    _, limit = limit_of(rooms, ob, "b1")
    assert np.allclose(limit.upper[0, 0], radians(45))
    assert np.abs(limit.upper).sum() <= 1.5 * pi + 1e-6


def test_baked_frames_keep_to_a_constraint_each_from_its_own_pose(rooms, ob):
    bone, scene = ob.pose.bones["b2"], bpy.context.scene
    limit_rotation(ob, "b2", x=(0, 60), y=(0, 0), z=(0, 0))
    bone.rotation_mode = 'XYZ'
    for frame, x in ((1, -0.5), (5, 2.0)):
        bone.rotation_euler.x = x
        bone.keyframe_insert("rotation_euler", frame=frame)
    frames, rig = [], rooms.armature.read_rig(ob)
    for number in range(1, 6):
        scene.frame_set(number)
        frames.append(rooms.armature.read_frame(rig, ob, armatures.refresh()))
    request = rooms.armature.stack(rig, frames, rooms.armature.settings_of(ob))
    skeleton = request.skeleton
    solution = rooms.solvers.solve(skeleton, request.pose, rig.effectors, request.targets)
    turned = rooms.armature.channels(rig, frames, solution.pose).rotations[:, 2, :3]
    assert (turned > -WITHIN).all()
    assert (turned < np.array([radians(60), 0, 0]) + WITHIN).all()
    assert np.ptp(skeleton.rests, axis=0).max() < 1e-5
