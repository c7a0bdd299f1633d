# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Written poses come to lie in Blender where the solver's arrays say; snapped targets are met."""

from collections import Counter

import armatures
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

ANGLE = LENGTH = 1e-5  # radians; fraction of the rig's size
SEEDS, KINDS = st.integers(0, 2**32 - 1), st.sampled_from(armatures.OBJECTS)
EXAMPLES = hypothesis_settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _empty_file(blend):
    """Examples of one test share a file, so they say themselves when they want a new one."""


def random_pose(rooms, rig, skeleton, pose, rng, size, angle=0.8):
    """Turn every bone that may turn and move every root along its freedom."""
    turns = rooms.geometry.rotation_vector_to_quaternion(rng.normal(size=(1, len(rig.names), 3)) * angle)
    turned = np.where(rig.turning[:, None], rooms.geometry.multiply(turns, pose.rotations), pose.rotations)
    shift = skeleton.freedom @ (size * rng.normal(size=(len(rig.names), 3, 1)))
    return rooms.solvers.Pose(turned, pose.translations + shift[..., 0])


def linear_parts(rooms, ob, rig, skeleton, pose, linear):
    """Blender's linear parts as they should be after the pose: each bone's own, turned as the arrays say."""
    before, _ = rooms.solvers.forward(skeleton, pose[0])
    after, _ = rooms.solvers.forward(skeleton, pose[1])
    return (after @ before.swapaxes(-1, -2))[0] @ linear


def check_round_trip(rooms, ob, rng, size):
    """Solve nothing: put a random pose of the arrays into Blender and compare with what it evaluates."""
    for tip in armatures.tips(ob):
        armatures.add_effector(ob, tip)
    rig, _, (skeleton, pose, _) = armatures.read(rooms.armature, ob)
    linear = armatures.blenders_linear(ob, rig.names)
    wanted = random_pose(rooms, rig, skeleton, pose, rng, size)
    rooms.armature.write_pose(rig, ob, wanted)
    armatures.refresh()
    compare(rooms, ob, rig, skeleton, (pose, wanted), linear)
    _, _, (again, reread, _) = armatures.read(rooms.armature, ob)
    rotations, heads = rooms.solvers.forward(skeleton, wanted)
    rotations_again, heads_again = rooms.solvers.forward(again, reread)
    assert rooms.geometry.angle_between(rotations, rotations_again).max() < ANGLE + rest_error(ob)
    assert np.abs(heads - heads_again).max() < (LENGTH + rest_error(ob)) * extent(ob, heads)


def compare(rooms, ob, rig, skeleton, poses, linear):
    _, heads = rooms.solvers.forward(skeleton, poses[1])
    distances = np.abs(heads[0] - armatures.blenders_heads(ob, rig.names))
    assert distances.max() < (LENGTH + rest_error(ob)) * extent(ob, heads)
    expected = linear_parts(rooms, ob, rig, skeleton, poses, linear)
    scale = np.linalg.norm(expected, axis=(1, 2), keepdims=True)
    distances = np.abs(expected - armatures.blenders_linear(ob, rig.names)) / scale
    assert distances.max() < ANGLE + rest_error(ob)


def rest_error(ob):
    """Blender's own rest matrices are up to 4e-5 off a rotation where a bone points back along its parent."""
    rests = np.array([bone.matrix_local.to_3x3() for bone in ob.data.bones], np.float64)
    return np.abs(rests.swapaxes(1, 2) @ rests - np.eye(3)).max()


def extent(ob, heads):
    """Posed scale and location may make a rig much larger than its rest pose, or put it far away."""
    return max(armatures.size_of(ob), np.abs(heads).max())


@EXAMPLES
@given(seed=SEEDS, kind=KINDS, scaling=st.sampled_from(['NONE', 'UNIFORM', 'MIRRORED']))
def test_written_poses_are_what_blender_evaluates(rooms, seed, kind, scaling):
    """Without uneven posed scale nothing is refused: modes, flags and object transforms are exact."""
    armatures.empty_file()
    rng = np.random.default_rng(seed)
    ob = armatures.random_tree(rng)
    armatures.pose_at_random(ob, rng, scaling=scaling)
    armatures.transform_at_random(ob, rng, kind)
    check_round_trip(rooms, ob, rng, 1.0)


def outcome_of_round_trip(rooms, ob, rng):
    try:
        check_round_trip(rooms, ob, rng, 1.0)
    except rooms.armature.RigError as error:
        return "refused" if "has a sheared or non-uniform scale" in str(error) else str(error)
    return "right"


def test_uneven_posed_scale_is_right_or_refused(rooms, rng):
    outcomes = Counter()
    for _ in range(40):
        ob = armatures.random_tree(rng, count=5)
        armatures.pose_at_random(ob, rng, scaling='ANY')
        outcomes[outcome_of_round_trip(rooms, ob, rng)] += 1
    assert set(outcomes) == {"right", "refused"}


def test_uneven_scale_of_tips_and_below_held_bones_is_right(rooms, rng):
    """A bone's own uneven scale is no shear: it only becomes one for children that turn."""
    ob = armatures.chain(4)
    ob.pose.bones["b1"].scale = (1, 2, 3)
    for name in ("b2", "b3"):
        ob.pose.bones[name].superpose.stiffness = 1
    ob.pose.bones["b3"].scale = (0.5, 1, 4)
    check_round_trip(rooms, ob, rng, 1.0)


@pytest.mark.parametrize("size", [1e-4, 1e3])
def test_rigs_of_any_size(rooms, rng, size):
    ob = armatures.random_tree(rng, count=30, size=size)
    armatures.pose_at_random(ob, rng, size=size)
    armatures.transform_at_random(ob, rng, 'SCALED')
    check_round_trip(rooms, ob, rng, size)


def test_long_chain(rooms, rng):
    ob = armatures.chain(100)
    check_round_trip(rooms, ob, rng, 1.0)


@pytest.mark.parametrize("inherit_scale", armatures.INHERIT_SCALE)
@pytest.mark.parametrize("inherit_rotation", [True, False])
def test_heads_turn_with_the_parent_whatever_is_inherited(rooms, rng, inherit_scale, inherit_rotation):
    ob = armatures.chain(3)
    with armatures.edited(ob) as bones:
        bones["b2"].use_connect = False
    bone = ob.data.bones["b2"]
    bone.inherit_scale, bone.use_inherit_rotation = inherit_scale, inherit_rotation
    bone.use_local_location = False
    ob.pose.bones["b1"].scale = (2, 2, 2)
    ob.pose.bones["b2"].location = (0.3, 0.2, 0.1)
    check_round_trip(rooms, ob, rng, 1.0)


@EXAMPLES
@given(seed=SEEDS, kind=KINDS, target_kind=KINDS)
def test_snapped_targets_are_met(rooms, seed, kind, target_kind):
    armatures.empty_file()
    rng = np.random.default_rng(seed)
    ob = armatures.random_tree(rng, count=6)
    armatures.pose_at_random(ob, rng, scaling='MIRRORED')
    armatures.transform_at_random(ob, rng, kind)
    tips = armatures.tips(ob)
    for tip in tips:
        target = armatures.new_object("Target")
        armatures.transform_at_random(target, rng, target_kind)
        armatures.add_effector(ob, tip, target, offset=rng.normal(size=3))
    armatures.refresh()
    for tip in tips:
        settings = ob.pose.bones[tip].superpose
        rooms.armature.place_target(
            settings.target, rooms.armature.target_matrix(ob, tip, ob.pose.bones[tip].superpose_offset)
        )
    check_met(rooms, ob)


def check_met(rooms, ob):
    rig, _, (skeleton, pose, targets) = armatures.read(rooms.armature, ob)
    rotations, heads = rooms.solvers.forward(skeleton, pose)
    carried = rotations[0, rig.places] @ np.array([effector.offset for effector in rig.effectors])[..., None]
    points = heads[0, rig.places] + carried[..., 0]
    far = max(extent(ob, heads), np.abs(points).max(), np.abs(armatures.array(ob.matrix_world)).max())
    assert np.abs(points - targets.positions[0]).max() < LENGTH * far
    wanted = rooms.geometry.quaternion_to_matrix(targets.rotations[0])
    assert rooms.geometry.angle_between(rotations[0, rig.places], wanted).max() < ANGLE
