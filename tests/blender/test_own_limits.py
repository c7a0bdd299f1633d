# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits that bones have of their own: they hold in Blender, and come before those that the rig has."""

from math import nan, pi, radians

import armatures
import bpy
import figures
import limited
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

pytestmark = pytest.mark.once

WITHIN = radians(0.01)
EXAMPLES = hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _empty_file(blend):
    """Examples of one test share a file, so they say themselves when they want a new one."""


@pytest.fixture
def ob():
    return armatures.reaching_chain()


def solve_and_write(rooms, ob):
    rig, _, (skeleton, pose, targets) = armatures.read(rooms.armature, ob)
    settings = rooms.solvers.Settings(iterations=6, restarts=0)  # how near it comes makes no difference
    solution = rooms.solvers.solve(skeleton, pose, rig.effectors, targets, settings)
    rooms.armature.write_pose(rig, ob, solution.pose)
    armatures.refresh()
    return rig, skeleton


def limit_of(rooms, ob, name):
    rig, _, (skeleton, _, _) = armatures.read(rooms.armature, ob)
    return rig, next((limit for limit in skeleton.limits if limit.bone == name), None)


@EXAMPLES
@given(seed=st.integers(0, 2**32 - 1))
def test_every_kind_holds_when_read_again_from_blender(rooms, seed):
    """Random branches, rolls, rotation modes, scales and ways to inherit."""
    armatures.empty_file()
    rng = np.random.default_rng(seed)
    ob = armatures.random_tree(rng, count=6)
    armatures.pose_at_random(ob, rng)
    for bone in ob.pose.bones:
        limited.limit_at_random(bone, rng)
    for tip in armatures.tips(ob):
        target = armatures.new_object("Target")
        armatures.transform_at_random(target, rng, 'MOVED')
        armatures.add_effector(ob, tip, target)
    rig, _ = solve_and_write(rooms, ob)
    for name in rig.names:
        turn = limited.local_turn(ob, name)
        assert limited.outside(rooms, ob.pose.bones[name].superpose.limit, turn) < WITHIN


@EXAMPLES
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(limited.KINDS))
def test_a_limit_that_is_stored_is_read_again(rooms, seed, kind):
    armatures.empty_file()
    bone, other = armatures.chain(2).pose.bones
    limited.limit_at_random(bone, np.random.default_rng(seed), kind)
    limit = rooms.limits.read_limit(bone)
    rooms.limits.store_limit(other, limit)
    same(rooms.limits.read_limit(other), limit)


def same(found, limit):
    """The same limit to the last bit, but for the bone's name."""
    assert type(found) is type(limit)
    for name in set(limit.__dataclass_fields__) - {"bone"}:
        values = (getattr(each, name) for each in (found, limit))
        assert len({repr(np.array(value, dtype=object).tolist()) for value in values}) == 1, name


@pytest.mark.parametrize(
    ("lower", "upper", "stored"), [(150, 210, (150, 210)), (500, 530, (140, 170)), (-300, 100, (-180, 180))]
)
def test_ranges_round_the_back_are_stored_as_they_are(rooms, ob, lower, upper, stored):
    bone = ob.pose.bones["b1"]
    limit = rooms.solvers.Hinge("b1", (1, 0, 0), radians(lower), radians(upper))
    rooms.limits.store_limit(bone, limit)
    assert np.allclose(np.degrees((bone.superpose.limit.hinge_min, bone.superpose.limit.hinge_max)), stored)


def test_nothing_is_stored_by_asking_or_by_taking_away(rooms, ob):
    bone = ob.pose.bones["b1"]
    assert rooms.limits.limit_kind(bone) == 'NONE'
    assert rooms.limits.read_limit(bone) is None
    rooms.limits.store_limit(bone, None)
    assert not bone.is_property_set("superpose")


def test_a_limit_comes_before_ik_settings(rooms, ob):
    bone = ob.pose.bones["b1"]
    bone.lock_ik_x = bone.use_ik_limit_z = True
    limited.limit_at_random(bone, np.random.default_rng(1), 'CONES')
    rig, limit = limit_of(rooms, ob, "b1")
    same(limit, rooms.limits.read_limit(bone))
    assert rig.notes == ()


def test_free_is_free_whatever_ik_settings_say(rooms, ob):
    bone = ob.pose.bones["b1"]
    bone.lock_ik_x = bone.use_ik_limit_z = True
    rooms.limits.free_limit(bone)
    assert limit_of(rooms, ob, "b1")[1] is None


def test_without_joint_limits_they_do_not_count(rooms, ob):
    limited.limit_at_random(ob.pose.bones["b1"], np.random.default_rng(1), 'HINGE')
    ob.superpose.use_limits = False
    assert limit_of(rooms, ob, "b1")[1] is None


def limit_rotation(bone, **ranges):
    constraint = bone.constraints.new('LIMIT_ROTATION')
    constraint.owner_space = 'LOCAL'
    for axis, (low, high) in ranges.items():
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", radians(low))
        setattr(constraint, f"max_{axis}", radians(high))
    return constraint


def hinge(bone, axis=(1, 0, 0), low=-30, high=140):
    limit = bone.superpose.limit
    limit.kind, limit.axis = 'HINGE', axis
    limit.hinge_min, limit.hinge_max = radians(low), radians(high)


def test_a_hinge_holds_together_with_a_limit_rotation(rooms, ob):
    bone = ob.pose.bones["b1"]
    limit_rotation(bone, x=(-50, 40), y=(-20, 20))
    hinge(bone)
    rig, limit = limit_of(rooms, ob, "b1")
    assert np.allclose(np.degrees(limit.lower), (-30, 0, 0), atol=1e-4)
    assert np.allclose(np.degrees(limit.upper), (40, 0, 0), atol=1e-4)
    assert rig.notes == ()


def test_a_hinge_about_the_other_way_is_turned_round(rooms, ob):
    bone = ob.pose.bones["b1"]
    limit_rotation(bone, x=(-50, 40))
    hinge(bone, axis=(-2, 0, 0))
    _, limit = limit_of(rooms, ob, "b1")
    assert np.allclose(np.degrees((limit.lower[0, 0], limit.upper[0, 0])), (-50, 30), atol=1e-4)


@pytest.mark.parametrize("beside", ['LOCKS', 'CONSTRAINT'])
def test_a_soft_rim_stays_beside_what_blender_enforces(rooms, ob, beside):
    bone = ob.pose.bones["b1"]
    bone.rotation_mode = 'XYZ'
    hinge(bone)
    bone.superpose.limit.cushion = 0.2
    if beside == 'LOCKS':
        bone.lock_rotation = (False, True, True)
    else:
        limit_rotation(bone, x=(-50, 40))
    rig, limit = limit_of(rooms, ob, "b1")
    assert isinstance(limit, rooms.solvers.EulerLimit)
    assert np.isclose(limit.cushion, 0.2)
    assert rig.notes == ()


def test_angles_hold_together_with_locks_of_their_order(rooms, ob):
    bone = ob.pose.bones["b1"]
    bone.rotation_mode, bone.lock_rotation = 'ZYX', (False, True, False)
    bone.rotation_euler = (0, 0.2, 0)
    bone.superpose.limit.kind, bone.superpose.limit.order = 'EULER', 'ZYX'
    rig, limit = limit_of(rooms, ob, "b1")
    assert np.allclose(limit.lower, (radians(-45), 0.2, radians(-45)))
    assert np.allclose(limit.upper, (radians(45), 0.2, radians(45)))
    assert rig.notes == ()


def test_a_locked_angle_outside_the_limit_stays_and_a_note_says_so(rooms, ob):
    bone = ob.pose.bones["b1"]
    bone.rotation_mode, bone.lock_rotation = 'XYZ', (False, True, False)
    bone.rotation_euler = (0, 1.2, 0)
    bone.superpose.limit.kind = 'EULER'
    rig, limit = limit_of(rooms, ob, "b1")
    assert np.allclose((limit.lower[0, 1], limit.upper[0, 1]), 1.2)
    assert rig.notes == ("Bone 'b1' keeps its locked angle about Y, outside its limit",)


@pytest.mark.parametrize(("locked", "is_said"), [(True, True), (False, False)])
def test_a_bake_says_in_which_frames_locks_hold_an_angle_outside_the_limit(ob, locked, is_said):
    bone = ob.pose.bones["b1"]
    bone.rotation_mode, bone.lock_rotation = 'XYZ', (False, locked, False)
    bone.superpose.limit.kind = 'EULER'
    for frame, angle in ((1, 0.0), (4, 0.7), (5, 1.2)):
        bone.rotation_euler = (2.0, angle, 0)  # outside about X, too, which is not locked
        bone.keyframe_insert("rotation_euler", frame=frame)
    figures.make_active(ob)
    bpy.context.scene.frame_set(1)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=5)
    assert ("Outside limits, held by locks: 'b1', first at frame 5" in ob.superpose.notes) == is_said
    assert ("Outside limits" in ob.superpose.notes) == is_said


@pytest.mark.parametrize("stands", ['LOCK', 'CONSTRAINT'])
def test_what_cannot_hold_together_keeps_to_what_blender_enforces_and_says_so(rooms, ob, stands):
    bone = ob.pose.bones["b1"]
    bone.rotation_mode = 'XYZ'
    if stands == 'LOCK':
        bone.lock_rotation[1] = True
    else:
        limit_rotation(bone, y=(-10, 10))
    limited.limit_at_random(bone, np.random.default_rng(1), 'CONES')
    rig, limit = limit_of(rooms, ob, "b1")
    assert isinstance(limit, rooms.solvers.EulerLimit)
    assert np.degrees(limit.upper[0, 1]) < 10.1
    assert len(rig.notes) == 1
    assert rig.notes[0].startswith("Bone 'b1' keeps to its ")


@EXAMPLES
@given(seed=st.integers(0, 2**32 - 1))
def test_locked_channels_stay_to_the_bit_whatever_the_limit(rooms, seed):
    armatures.empty_file()
    rng = np.random.default_rng(seed)
    ob = armatures.random_tree(rng, count=5)
    armatures.pose_at_random(ob, rng)
    for bone in ob.pose.bones:
        limited.limit_at_random(bone, rng)
        bone.lock_rotation = (rng.random(3) < 0.4).tolist()
    armatures.add_effector(ob, armatures.tips(ob)[0], armatures.new_object("Target"))
    before = [locked_channels(bone) for bone in ob.pose.bones]
    solve_and_write(rooms, ob)
    assert [locked_channels(bone) for bone in ob.pose.bones] == before


def locked_channels(bone):
    if bone.rotation_mode in armatures.MODES[2:]:
        return [a for a, lock in zip(bone.rotation_euler, bone.lock_rotation, strict=True) if lock]
    return None


def test_free_keeps_to_a_limit_rotation_and_says_so(rooms, ob):
    bone = ob.pose.bones["b1"]
    limit_rotation(bone, x=(-10, 10))
    rooms.limits.free_limit(bone)
    rig, limit = limit_of(rooms, ob, "b1")
    assert np.isclose(limit.upper[0, 0], radians(10))
    assert rig.notes == ("Bone 'b1' keeps to its Limit Rotation: mute it to free the bone",)


def test_a_limit_that_shares_nothing_with_a_limit_rotation_gives_way_and_a_note_says_so(rooms, ob):
    bone = ob.pose.bones["b1"]
    limit_rotation(bone, x=(-60, -40))
    hinge(bone)
    rig, limit = limit_of(rooms, ob, "b1")
    assert np.allclose(np.degrees((limit.lower[0, 0], limit.upper[0, 0])), (-60, -40), atol=1e-4)
    assert rig.notes == ("Bone 'b1' keeps to its Limit Rotation: its own limit allows none of that",)


def no_cone(limit):
    limit.kind = 'CONES'


def reversed_range(limit):
    limit.kind, limit.hinge_min, limit.hinge_max = 'HINGE', 1.0, 0.5


def no_number(limit):
    limit.kind, limit.axis = 'HINGE', (nan, 0, 0)


def no_axis(limit):
    limit.kind, limit.axis = 'HINGE', (0, 0, 0)


@pytest.mark.parametrize("spoil", [no_cone, reversed_range, no_number, no_axis])
def test_a_limit_that_allows_nothing_is_refused_by_name_and_nothing_changes(rooms, ob, spoil):
    spoil(ob.pose.bones["b1"].superpose.limit)
    before = figures.state()
    with pytest.raises(rooms.solvers.LimitError, match="'b1'"):
        armatures.read(rooms.armature, ob)
    assert repr(figures.state()) == repr(before)  # nan is not nan


def test_cones_as_wide_as_can_be_are_no_error(rooms, ob):
    limit = ob.pose.bones["b1"].superpose.limit
    limit.kind = 'CONES'
    limit.cones.add().radius = pi
    assert limit_of(rooms, ob, "b1")[1].cones[0][1] == pi


def test_as_much_play_as_can_be_is_no_error(rooms, ob):
    limit = ob.pose.bones["b1"].superpose.limit
    limit.kind, limit.hinge_play = 'HINGE', pi / 2
    assert limit_of(rooms, ob, "b1")[1].play == pi / 2
