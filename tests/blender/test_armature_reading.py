# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read from an armature: which bones, what they may do, and where the targets are."""

import armatures
import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

pytestmark = pytest.mark.usefixtures("blend")


def fork():
    """hips - chest - (arm.L - hand.L, arm.R - hand.R); a tail on the hips."""
    ob = armatures.new_object("Rig", bpy.data.armatures.new("Rig"))
    places = {"hips": (0, 0, 0), "chest": (0, 0, 1), "arm.L": (1, 0, 2), "hand.L": (2, 0, 2)}
    places |= {"arm.R": (-1, 0, 2), "hand.R": (-2, 0, 2), "tail": (0, 1, 0)}
    above = {"chest": "hips", "arm.L": "chest", "hand.L": "arm.L", "arm.R": "chest", "hand.R": "arm.R"}
    above["tail"] = "hips"
    with armatures.edited(ob) as bones:
        for name, place in places.items():
            bone = bones.new(name)
            bone.head, bone.tail = place, Vector(place) + Vector((0, 0.1, 0.5))
            bone.parent = bones[above[name]] if name in above else None
    return ob


def select(ob, name):
    for bone in ob.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone
        holder.select = bone.name == name


def test_bones_are_those_on_the_paths_from_enabled_effectors(rooms):
    ob = fork()
    armatures.add_effector(ob, "hand.L", order=1)
    armatures.add_effector(ob, "arm.R", order=0)
    armatures.add_effector(ob, "tail", enabled=False)
    rig = rooms.armature.read_rig(ob)
    assert set(rig.names) == {"hips", "chest", "arm.L", "hand.L", "arm.R"}
    assert [effector.bone for effector in rig.effectors] == ["hand.L", "arm.R"]  # whatever the list's order
    assert all(parent < bone for bone, parent in enumerate(rig.parents))


def test_bones_above_the_root_bone_are_left_alone(rooms, rng):
    ob = fork()
    armatures.pose_at_random(ob, rng)
    ob.superpose.root_bone = "arm.L"
    armatures.add_effector(ob, "hand.L")
    rig, _, (skeleton, pose, _) = armatures.read(rooms.armature, ob)
    assert rig.names == ("arm.L", "hand.L")
    _, heads = rooms.solvers.forward(skeleton, pose)
    assert np.allclose(heads[0], armatures.blenders_heads(ob, rig.names), atol=1e-6)


def test_limbs_beside_the_root_bone_are_solved_from_what_carries_it_on(rooms):
    ob = fork()
    ob.superpose.root_bone = "arm.L"
    for name in ("hand.L", "hand.R"):
        armatures.add_effector(ob, name)
    rig = rooms.armature.read_rig(ob)
    assert set(rig.names) == {"arm.L", "hand.L", "arm.R", "hand.R"}
    free = dict(zip(rig.names, rig.free_location.any(axis=1), strict=True))
    assert free == {"arm.L": True, "hand.L": False, "arm.R": False, "hand.R": False}


def test_selected_scope_takes_chains_with_a_selected_bone(rooms):
    ob = fork()
    armatures.add_effector(ob, "hand.L")
    armatures.add_effector(ob, "hand.R")
    ob.superpose.scope = 'SELECTED'
    select(ob, "arm.L")
    assert [effector.bone for effector in rooms.armature.read_rig(ob).effectors] == ["hand.L"]
    select(ob, "tail")
    with pytest.raises(rooms.armature.RigError, match="selected"):
        rooms.armature.read_rig(ob)


def test_rotation_locks_hold_a_bone_or_keep_its_angles(rooms):
    ob = armatures.chain(5)
    armatures.add_effector(ob, "b4")
    for bone, locks in (("b1", "XYZ"), ("b2", "XZ"), ("b3", "Z")):
        ob.pose.bones[bone].lock_rotation = [axis in locks for axis in "XYZ"]
    ob.pose.bones["b0"].superpose.stiffness = 0.3
    rig, _, (skeleton, _, _) = armatures.read(rooms.armature, ob)
    assert np.allclose(rig.stiffness, [0.3, 1, 0, 1, 0])
    assert [limit.bone for limit in skeleton.limits] == ["b2"]
    assert len(rig.notes) == 1
    assert "'b3'" in rig.notes[0]


@pytest.mark.parametrize("mode", [mode for mode in armatures.MODES if mode != 'AXIS_ANGLE'])
def test_solved_poses_keep_locked_angles(rooms, rng, mode):
    ob, target = armatures.chain(4), armatures.new_object("Target")
    target.location = (1.5, 0.5, 1)
    locked = ob.pose.bones["b2"]
    locked.rotation_mode, locked.lock_rotation = mode, (False, True, True)
    if mode == 'QUATERNION':
        locked.rotation_quaternion = (1, 0.3, 0, 0)
    else:
        locked.rotation_euler = (0.1, 0.3, -0.2)
    armatures.add_effector(ob, "b3", target, rotation_weight=0)
    rig, _, (skeleton, pose, targets) = armatures.read(rooms.armature, ob)
    solution = rooms.solvers.solve(skeleton, pose, rig.effectors, targets)
    channel = locked.rotation_quaternion if mode == 'QUATERNION' else locked.rotation_euler
    before = tuple(channel)[-2:]
    rooms.armature.write_pose(rig, ob, solution.pose)
    armatures.refresh()
    assert tuple(channel)[-2:] == before
    assert (ob.pose.bones["b3"].head - target.location).length < 1e-4
    _, heads = rooms.solvers.forward(skeleton, solution.pose)
    assert np.allclose(heads[0], armatures.blenders_heads(ob, rig.names), atol=2e-5)


def test_a_bone_that_is_not_turned_keeps_every_bit(rooms, rng):
    ob = armatures.chain(4)
    armatures.pose_at_random(ob, rng)
    for bone in ob.pose.bones:
        bone.rotation_mode = 'QUATERNION'
        bone.rotation_quaternion = rng.normal(size=4)  # not of unit length
    armatures.add_effector(ob, "b3")
    rig, _, (_, pose, _) = armatures.read(rooms.armature, ob)
    turns = pose.rotations.copy()
    turns[0, 1] = (0, 1, 0, 0)
    before = [tuple(bone.rotation_quaternion) for bone in ob.pose.bones]
    written = rooms.armature.write_pose(rig, ob, rooms.solvers.Pose(turns, pose.translations))
    assert [(change.bone.name, change.path) for change in written] == [("b1", "rotation_quaternion")]
    after = [tuple(bone.rotation_quaternion) for bone in ob.pose.bones]
    assert [old != new for old, new in zip(before, after, strict=True)] == [False, True, False, False]


def test_writing_twice_is_writing_once(rooms, rng):
    ob = armatures.chain(2)
    armatures.add_effector(ob, "b1")
    rig, _, (_, pose, _) = armatures.read(rooms.armature, ob)
    moved = rooms.solvers.Pose(pose.rotations, pose.translations + np.array([[[1.0, 2.0, 3.0], [0, 0, 0]]]))
    for _ in range(2):
        rooms.armature.write_pose(rig, ob, moved)
        armatures.refresh()
        assert np.allclose(ob.pose.bones["b0"].head, (1, 2, 3), atol=1e-5)


@pytest.mark.parametrize("kind", armatures.OBJECTS)
def test_the_root_moves_along_free_scene_axes_only(rooms, rng, kind):
    ob = armatures.random_tree(rng, count=3, flags=False)
    armatures.transform_at_random(ob, rng, kind)
    ob.superpose.root_axes = (True, False, True)
    check_moves_in_plane(rooms, ob, rng, lambda moved: (armatures.array(ob.matrix_world)[:3, :3] @ moved)[1])


def test_free_axes_that_turn_during_a_clip_are_refused(rooms):
    ob = armatures.chain_with_target()
    ob.superpose.root_axes = (True, True, False)
    rig, first, _ = armatures.read(rooms.armature, ob)
    ob.rotation_euler = (1, 0, 0)
    second = rooms.armature.read_frame(rig, ob, armatures.refresh())
    with pytest.raises(rooms.armature.RigError, match="'b0' may move turn"):
        rooms.armature.stack(rig, [first, second], rooms.armature.settings_of(ob))


def test_locked_locations_stay(rooms, rng):
    ob = armatures.random_tree(rng, count=3, flags=False)
    root = ob.pose.bones["b0"]
    root.location, root.lock_location = (1, 2, 3), (False, True, False)
    check_moves_in_plane(rooms, ob, rng, lambda moved: root.location[1] - 2)


def check_moves_in_plane(rooms, ob, rng, off_plane):
    armatures.add_effector(ob, armatures.tips(ob)[0])
    rig, _, (skeleton, pose, _) = armatures.read(rooms.armature, ob)
    assert np.linalg.matrix_rank(skeleton.freedom[0]) == 2
    shift = np.zeros((1, len(rig.names), 3))
    shift[0, 0] = skeleton.freedom[0] @ rng.normal(size=3)
    before = armatures.blenders_heads(ob, rig.names)[0]
    rooms.armature.write_pose(rig, ob, rooms.solvers.Pose(pose.rotations, pose.translations + shift))
    armatures.refresh()
    moved = armatures.blenders_heads(ob, rig.names)[0] - before
    assert np.allclose(moved, shift[0, 0], atol=1e-5)
    assert abs(off_plane(moved)) < 1e-4 * (1 + np.abs(armatures.array(ob.matrix_world)).max())


def test_anchored_and_connected_roots_do_not_move(rooms):
    ob = armatures.chain(3)
    armatures.add_effector(ob, "b2")
    ob.superpose.root_location = 'ANCHORED'
    assert not armatures.read(rooms.armature, ob)[2][0].freedom.any()
    ob.superpose.root_location, ob.superpose.root_bone = 'FREE', "b1"
    assert not armatures.read(rooms.armature, ob)[2][0].freedom.any()


def test_a_pin_stays_where_the_bone_is(rooms, rng):
    ob = armatures.chain(3)
    armatures.pose_at_random(ob, rng)
    armatures.add_effector(ob, "b2", offset=(0, 1, 0))
    _, _, (_, _, targets) = armatures.read(rooms.armature, ob)
    matrix = ob.pose.bones["b2"].matrix
    assert np.allclose(targets.positions[0, 0], matrix @ Vector((0, 1 / matrix.median_scale, 0)), atol=1e-5)


@pytest.mark.parametrize("influence", [0.0, 0.25, 1.0])
def test_influence_blends_from_the_animated_place(rooms, influence):
    ob = armatures.chain(1)
    target = armatures.new_object("Target")
    turned = Matrix.LocRotScale(Vector((4, 0, 0)), Euler((0, 0, 2)), None)
    target.matrix_basis = turned @ ob.data.bones[0].matrix_local
    armatures.add_effector(ob, "b0", target)
    ob.pose.bones["b0"].superpose_influence = influence
    _, _, (_, _, targets) = armatures.read(rooms.armature, ob)
    assert np.allclose(targets.positions[0, 0], (4 * influence, 0, 0), atol=1e-6)
    turn = rooms.geometry.quaternion_to_matrix(targets.rotations[0, 0])
    rest = armatures.array(ob.data.bones[0].matrix_local)[:3, :3]
    assert abs(rooms.geometry.angle_between(turn, rest) - 2 * influence) < 1e-6


def test_animated_influence_is_read_from_the_evaluated_frame(rooms):
    ob = armatures.chain(1)
    target = armatures.new_object("Target")
    target.location = (4, 0, 0)
    armatures.add_effector(ob, "b0", target)
    for frame, value in ((1, 0.0), (3, 1.0)):
        ob.pose.bones["b0"].superpose_influence = value
        ob.pose.bones["b0"].keyframe_insert("superpose_influence", frame=frame)
    places = []
    for frame in (1, 3):
        bpy.context.scene.frame_set(frame)
        places.append(armatures.read(rooms.armature, ob)[2][2].positions[0, 0, 0])
    assert np.allclose(places, [0, 4], atol=1e-6)


def test_a_bone_of_another_armature_is_a_target(rooms, rng):
    ob, source = armatures.chain(2), armatures.chain(3, name="Source")
    armatures.pose_at_random(source, rng)
    armatures.transform_at_random(source, rng, 'MOVED')
    armatures.add_effector(ob, "b1", source, "b2")
    _, _, (_, _, targets) = armatures.read(rooms.armature, ob)
    assert np.allclose(targets.positions[0, 0], source.matrix_world @ source.pose.bones["b2"].head, atol=1e-5)


def test_a_constrained_parented_target_is_read_where_it_is_seen(rooms):
    ob, carrier = armatures.chain(2), armatures.new_object("Carrier")
    target = armatures.new_object("Target")
    target.parent, carrier.location = carrier, (1, 2, 3)
    target.constraints.new('LIMIT_LOCATION').min_x = 5
    target.constraints[0].use_min_x, target.constraints[0].owner_space = True, 'WORLD'
    armatures.add_effector(ob, "b1", target)
    _, _, (_, _, targets) = armatures.read(rooms.armature, ob)
    assert np.allclose(targets.positions[0, 0], (5, 2, 3), atol=1e-6)


def test_scene_axes_count_in_the_scene(rooms, rng):
    ob, target = armatures.chain(1), armatures.new_object("Target")
    armatures.transform_at_random(ob, rng, 'UNEVEN')
    target.location = (3, 4, 5)
    armatures.add_effector(ob, "b0", target, position_axes=(False, True, False))
    rig, frame, (_, _, targets) = armatures.read(rooms.armature, ob)
    miss = targets.axes[0, 0] @ (np.array(ob.pose.bones["b0"].head) - targets.positions[0, 0])
    world = (ob.matrix_world @ ob.pose.bones["b0"].head) - target.matrix_world.translation
    lengths = rooms.armature.world_lengths([frame], np.abs(miss[None]))[0]
    assert np.allclose(lengths, [0, abs(world[1]), 0], atol=1e-5)
    assert len(rig.effectors) == 1
