# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Twist bones of an arm, within it and beside it, as Solve, Live, the Pose tool and bakes have them."""

import armatures
import bpy
import figures
import humanoids
import numpy as np
import pytest
from armatures import Vector

pytestmark = pytest.mark.usefixtures("blend")

BONES = {  # an arm along X: within the upper arm a twist bone, beside the forearm two
    "chest": (None, 0.0, 0.2),
    "arm": ("chest", 0.2, 0.4),
    "arm_twist": ("arm", 0.4, 0.6),
    "forearm": ("arm_twist", 0.6, 1.0),
    "forearm_twist": ("forearm", 0.7, 0.8),
    "forearm_twist2": ("forearm_twist", 0.8, 0.9),
    "hand": ("forearm", 1.0, 1.1),
}
SHARES = {"arm_twist": (0.7, 'START'), "forearm_twist": (0.25, 'END'), "forearm_twist2": (0.75, 'END')}
AWAY = Vector((-0.25, 0.2, 0.15))


@pytest.fixture
def ob():
    """The arm, its hand an effector that is turned and moved by its target; elbow and arm bend a little."""
    ob = armatures.new_object("Arm", bpy.data.armatures.new("Arm"))
    with armatures.edited(ob) as bones:
        for name, (parent, head, tail) in BONES.items():
            new = bones.new(name)
            new.head, new.tail, new.parent = (head, 0, 0), (tail, 0, 0), bones.get(parent or "")
            new.roll = 0.4 * len(bones)
    for bone in ob.pose.bones:
        bone.rotation_mode = 'QUATERNION'
    figures.make_active(ob)
    figures.select_bones(ob, "hand")
    bpy.ops.superpose.add_effectors()
    bpy.ops.superpose.create_targets()
    ob.superpose.root_location = 'ANCHORED'
    for name, (share, of) in SHARES.items():
        ob.pose.bones[name].superpose.twist_share = share
        ob.pose.bones[name].superpose.twist_of = of
    turn_target(ob)
    figures.make_active(ob)
    return ob


def turn_target(ob, share=1.0):
    target = figures.target_of(ob, "hand")
    target.rotation_mode = 'XYZ'
    target.location += share * AWAY
    target.rotation_euler.rotate(armatures.Euler((1.2 * share, 0.2 * share, 0.3 * share)))
    armatures.refresh()


def twist(ob, bone, of):
    """The turn of a bone against another about its own length, radians, as Blender shows it."""
    armatures.refresh()
    bones = [ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[name] for name in (bone, of)]
    posed, rest = (
        upper.inverted() @ lower
        for lower, upper in (
            [one.matrix.to_quaternion() for one in bones],
            [one.bone.matrix_local.to_quaternion() for one in bones],
        )
    )
    turn = rest.inverted() @ posed
    return np.angle(np.exp(2j * np.arctan2(turn.y, turn.w)))


def assert_shared(ob):
    assert figures.distance(ob, "hand") < 2e-5
    assert figures.turn(ob, "hand") < 1e-3
    end = twist(ob, "hand", "forearm")
    assert abs(end) > 0.1
    assert np.isclose(twist(ob, "forearm_twist", "forearm"), 0.25 * end, atol=1e-4)
    assert np.isclose(twist(ob, "forearm_twist2", "forearm"), 0.75 * end, atol=1e-4)
    own, rest = twist(ob, "arm_twist", "arm"), twist(ob, "arm", "chest")
    assert np.isclose(own, 0.7 * (own + rest), atol=1e-4)
    swing = ob.pose.bones["arm_twist"].rotation_quaternion
    assert abs(swing.x) + abs(swing.z) < 1e-5  # what has no limit of its own only twists


def test_a_solve_shares_and_one_undo_takes_it_back(ob):
    before = {bone.name: figures.transforms(bone) for bone in ob.pose.bones}
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.superpose.solve() == {'FINISHED'}
    assert_shared(ob)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    ob = bpy.context.object
    assert {bone.name: figures.transforms(bone) for bone in ob.pose.bones} == before


def test_live_the_pose_tool_and_bakes_share(ob):
    ob.superpose_live = True
    armatures.refresh()
    assert_shared(ob)
    turn_target(ob, -0.3)
    assert_shared(ob)
    ob.superpose_live = False
    bpy.ops.superpose.pose(bone="hand", translation=(0.05, 0, 0.05), rotation=(0.3, 0, 0))
    assert_shared(ob)
    target = figures.target_of(ob, "hand")
    for frame, share in ((1, 0.0), (6, 0.5)):
        turn_target(ob, share)
        for path in ("location", "rotation_euler"):
            target.keyframe_insert(path, frame=frame)
    assert bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=6) == {'FINISHED'}
    keyed = {curve.data_path for curve in figures.curves(ob.animation_data.action)}
    assert 'pose.bones["forearm_twist2"].rotation_quaternion' in keyed
    for frame in (1, 4, 6):
        bpy.context.scene.frame_set(frame)
        assert_shared(ob)


def test_with_live_on_twist_bones_follow_a_bone_that_is_turned_by_hand(ob):
    ob.superpose_live = True
    armatures.refresh()
    hand, before = ob.pose.bones["hand"], {bone.name: figures.transforms(bone) for bone in ob.pose.bones}
    begin = hand.rotation_quaternion.copy()
    for degrees in (30, 60):
        turned = begin @ armatures.Quaternion((0, 1, 0), np.radians(degrees))
        hand.rotation_quaternion = turned
        armatures.refresh()
        assert hand.rotation_quaternion == turned
        end = twist(ob, "hand", "forearm")
        assert np.isclose(twist(ob, "forearm_twist", "forearm"), 0.25 * end, atol=1e-4)
        assert np.isclose(twist(ob, "forearm_twist2", "forearm"), 0.75 * end, atol=1e-4)
        assert figures.distance(ob, "hand") < 2e-5
    hand.rotation_quaternion = begin
    armatures.refresh()
    assert {bone.name: figures.transforms(bone) for bone in ob.pose.bones} == before
    own = ob.pose.bones["forearm_twist"]
    own.rotation_quaternion = turned = armatures.Quaternion((1, 0.3, 0, 0)).normalized()
    armatures.refresh()
    assert own.rotation_quaternion == turned


def test_what_turns_a_bone_already_is_left_alone(ob):
    bone = ob.pose.bones["forearm_twist"]
    copy = bone.constraints.new('COPY_ROTATION')
    copy.target, copy.subtarget, copy.influence = ob, "hand", 0.5
    bpy.ops.superpose.solve()
    for name in ("forearm_twist", "forearm_twist2"):
        assert tuple(ob.pose.bones[name].rotation_quaternion) == (1, 0, 0, 0)
    notes = ob.superpose.notes
    assert "'forearm_twist' takes no share of twist: constraint 'Copy Rotation' places it" in notes
    assert "'forearm_twist2' takes no share of twist: its parent 'forearm_twist' takes none" in notes


def test_limits_of_twist_bones_are_kept(ob):
    bone = ob.pose.bones["forearm_twist2"]
    bone.rotation_mode, bone.lock_rotation = 'YXZ', (True, False, True)
    bone.use_ik_limit_y, bone.ik_min_y, bone.ik_max_y = True, -0.05, 0.05
    bpy.ops.superpose.solve()
    assert np.isclose(abs(bone.rotation_euler.y), 0.05, atol=1e-5)
    assert abs(bone.rotation_euler.x) + abs(bone.rotation_euler.z) < 1e-6
    assert figures.distance(ob, "hand") < 2e-5


def test_shares_of_nothing_change_nothing(ob):
    for name in SHARES:
        ob.pose.bones[name].superpose.twist_share = 0
    bpy.ops.superpose.solve()
    assert tuple(ob.pose.bones["forearm_twist"].rotation_quaternion) == (1, 0, 0, 0)
    assert "twist" not in ob.superpose.notes


@pytest.mark.once
def test_set_up_gives_shares_files_keep_that_and_remove_set_up_takes_them_back(shared_data, tmp_path, capfd):
    made, path = humanoids.makehuman(shared_data), str(tmp_path / "set-up.json")
    figures.make_active(made)
    options = {"use_limits": False, "use_comfort": False, "use_targets": False, "use_live": False}

    def shares(ob):
        bones = (bone for bone in ob.pose.bones if bone.is_property_set("superpose"))
        found = {bone.name: (bone.superpose.twist_share, bone.superpose.twist_of) for bone in bones}
        return {name: told for name, told in found.items() if told[0]}

    bpy.ops.superpose.set_up_body(**options)
    told = shares(made)
    assert {name.partition(".")[0] for name in told} == {
        "upperarm02",
        "lowerarm02",
        "upperleg02",
        "lowerleg02",
    }
    assert all((of == 'START') == name.startswith("upper") for name, (_, of) in told.items())
    bpy.ops.superpose.save_set_up(filepath=path)
    bpy.ops.superpose.remove_setup()
    assert not shares(made)
    assert not any(bone.is_property_set("superpose") for bone in made.pose.bones)
    bpy.ops.superpose.load_set_up(filepath=path, **options)
    assert shares(made) == told
    made.pose.bones["lowerarm02.L"].superpose.made = set()
    capfd.readouterr()
    bpy.ops.superpose.save_set_up(filepath=path, check_existing=False)
    assert "lowerarm02.L" in capfd.readouterr().out


@pytest.fixture
def twins():
    """Two arms that are each other's mirror image, with a twist bone beside either forearm."""
    ob = armatures.new_object("Twins", bpy.data.armatures.new("Twins"))
    with armatures.edited(ob) as bones:
        bones.new("chest").tail = (0, 0, 0.2)
        for side, sign in (("L", 1), ("R", -1)):
            for name in ("arm", "forearm", "forearm_twist", "hand"):
                parent, head, tail = BONES[name]
                parent = {"chest": "chest", "arm_twist": f"arm.{side}"}.get(parent, f"{parent}.{side}")
                new = bones.new(f"{name}.{side}")
                new.head, new.tail = (sign * head, 0.02 * (name == "forearm"), 0), (sign * tail, 0, 0)
                new.parent = bones["chest" if name == "arm" else parent]
                new.roll = sign * 0.3
    figures.make_active(ob)
    figures.select_bones(ob, "hand.L", "hand.R")
    bpy.ops.superpose.add_effectors()
    ob.superpose.root_location = 'ANCHORED'
    for side in "LR":
        ob.pose.bones[f"forearm_twist.{side}"].superpose.twist_share = 0.5
    bpy.ops.object.mode_set(mode='POSE')
    return ob


@pytest.mark.once
def test_both_sides_twist_as_mirror_images_and_are_flipped(twins):
    twins.pose.use_mirror_x = True
    bpy.ops.superpose.pose(bone="hand.L", translation=(-0.2, -0.2, 0.1), rotation=(1.6, 0.6, 0.4))
    left, right = (twist(twins, f"forearm_twist.{side}", f"forearm.{side}") for side in "LR")
    assert abs(left) > 0.02
    assert np.isclose(left, -right, atol=1e-4)
    twins.pose.use_mirror_x = False
    bpy.ops.superpose.pose(bone="hand.R", translation=(0.05, 0, 0), rotation=(-1.2, 0.4, 0))
    before = [twist(twins, f"forearm_twist.{side}", f"forearm.{side}") for side in "LR"]
    assert not np.isclose(*np.abs(before), atol=5e-3)
    bpy.ops.superpose.flip()
    after = [twist(twins, f"forearm_twist.{side}", f"forearm.{side}") for side in "RL"]
    assert np.allclose(after, np.negative(before), atol=1e-4)
