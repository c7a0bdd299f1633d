# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comfort is set, kept to where targets leave a choice, and cleared."""

from importlib import import_module
from math import radians

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs

from solvers.geometry.rotations import angle_between, normalised, quaternion_to_matrix

pytestmark = pytest.mark.usefixtures("blend")


def comfort_of(addon, bone):
    return import_module(f"{addon.name}.armature.setup.comfort").read_comfort(bone)


def twisted(ob, name, degrees=25):
    """The bone turned about its own length: what a place alone leaves open."""
    ob.pose.bones[name].rotation_mode = 'QUATERNION'
    half = radians(degrees) / 2
    ob.pose.bones[name].rotation_quaternion = (np.cos(half), 0, np.sin(half), 0)
    armatures.refresh()
    return ob


def local(ob, name):
    return armatures.array(ob.pose.bones[name].matrix_basis.to_quaternion().normalized().to_matrix())


def placed_only(ob):
    for name in figures.EFFECTORS:
        ob.pose.bones[name].superpose_rotation_weight = 0.0


def test_a_stored_comfort_is_read_as_it_was(addon, rng):
    store = import_module(f"{addon.name}.armature.setup.comfort").store_comfort
    solvers = import_module(f"{addon.name}.solvers")
    bone = figures.figure().pose.bones["arm.L"]
    for _ in range(30):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        spread = axes @ np.diag(rng.uniform(0, 0.8, 3) ** 2) @ axes.T
        way = solvers.OneWay(*rng.normal(size=(2, 3)))
        ties = rng.uniform(-0.2, 0.2, size=(3, rng.integers(1, 9)))
        comfort = solvers.Comfort(bone.name, normalised(rng.normal(size=4)), spread, way, ties)
        store(bone, comfort)
        found = comfort_of(addon, bone)
        assert np.allclose(found.spread, comfort.spread, rtol=0, atol=1e-6)
        turned = quaternion_to_matrix(np.stack([found.rotation, comfort.rotation]))
        assert angle_between(*turned) < 1e-6
        assert np.allclose(found.one_way.limb, way.limb, rtol=0, atol=1e-6)
        assert np.allclose(found.one_way.towards, way.towards, rtol=0, atol=1e-6)
        assert np.allclose(found.ties[:, : ties.shape[1]], ties, rtol=0, atol=1e-6)
        assert not found.ties[:, ties.shape[1] :].any()
        store(bone, solvers.Comfort(bone.name, comfort.rotation, spread))
        assert comfort_of(addon, bone).one_way is None
        assert comfort_of(addon, bone).ties is None


def test_the_pose_is_drawn_to_comfort_where_the_targets_leave_a_choice():
    ob = figures.ready()
    placed_only(ob)
    twisted(ob, "forearm.L")
    figures.select_bones(ob, "forearm.L")
    bpy.ops.superpose.set_comfort(spread=radians(10))
    twisted(ob, "forearm.L", 0)
    figures.target_of(ob, "hand.L").location.x -= 0.0005
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert figures.distance(ob, "hand.L") < 2e-4
    assert np.degrees(angle_between(local(ob, "forearm.L"), np.eye(3))) == pytest.approx(25, abs=0.5)


@pytest.mark.parametrize("asked", ["Solve", "Live"])
def test_a_pose_by_hand_that_meets_all_targets_stays(asked):
    ob = figures.ready()
    placed_only(ob)
    figures.select_bones(ob, "arm.L", "forearm.L")
    bpy.ops.superpose.set_comfort(spread=radians(10))
    twisted(ob, "forearm.L")
    before = figures.rotations(ob)
    if asked == "Solve":
        bpy.ops.superpose.solve()
    else:
        ob.superpose_live = True
    armatures.refresh()
    assert np.abs(figures.rotations(ob) - before).max() < 1e-6


@pytest.mark.parametrize("off", ["the whole set-up", "the bone"])
def test_a_comfort_that_is_switched_off_pulls_nothing(off):
    ob = figures.ready()
    placed_only(ob)
    twisted(ob, "forearm.L")
    figures.select_bones(ob, "forearm.L")
    bpy.ops.superpose.set_comfort()
    if off == "the bone":
        ob.pose.bones["forearm.L"].superpose.comfort.is_set = False
    else:
        ob.superpose.use_comfort = False
    twisted(ob, "forearm.L", 0)
    bpy.ops.superpose.solve()
    assert angle_between(local(ob, "forearm.L"), np.eye(3)) < 1e-6


def test_clearing_leaves_nothing_on_bones_that_had_nothing_else(addon):
    ob = figures.ready()
    figures.select_bones(ob, "forearm.L", "hand.L")
    bpy.ops.superpose.set_comfort()
    assert isinstance(comfort_of(addon, ob.pose.bones["forearm.L"]).rotation, np.ndarray)
    bpy.ops.superpose.clear_comfort()
    assert comfort_of(addon, ob.pose.bones["forearm.L"]) is None
    with pytest.raises(RuntimeError, match="No selected bone has a comfort pose"):
        bpy.ops.superpose.clear_comfort()


def test_a_comfort_that_is_no_rotation_is_refused_by_name():
    ob = figures.ready()
    figures.select_bones(ob, "arm.L")
    bpy.ops.superpose.set_comfort()
    ob.pose.bones["arm.L"].superpose.comfort.rotation = (0, 0, 0, 0)
    before = figures.state()
    with pytest.raises(RuntimeError, match=r"comfort pose of 'arm\.L'"):
        bpy.ops.superpose.solve()
    assert figures.state() == before


def test_removing_an_effector_keeps_the_comfort_of_its_joint(addon):
    ob = figures.ready()
    figures.select_bones(ob, "hand.L")
    bpy.ops.superpose.set_comfort()
    ob.superpose.active_bone_index = ob.pose.bones.find("hand.L")
    bpy.ops.superpose.remove_effector()
    assert comfort_of(addon, ob.pose.bones["hand.L"]) is not None


def test_a_human_gets_the_comfort_of_its_joints_in_one_step(addon, rigify):
    ob = rigify_rigs.metarig("human")
    assert bpy.ops.superpose.human_comfort() == {'FINISHED'}
    eased = {bone.name for bone in ob.pose.bones if comfort_of(addon, bone)}
    parts = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
    limbs = {f"{part}.{side}" for side in "LR" for part in parts}
    assert limbs | {"spine.001", "spine.003", "spine.006", "shoulder.L"} <= eased
    assert not eased & {"spine", "toe.L", "f_index.01.L"}
    bpy.ops.superpose.clear_comfort(scope='ALL')
    assert not any(comfort_of(addon, bone) for bone in ob.pose.bones)


def test_a_human_at_comfort_bends_elbows_forwards_and_knees_backwards(addon, rigify):
    ob = rigify_rigs.metarig("human")
    bpy.ops.superpose.human_comfort()
    for bone in ob.pose.bones:
        if comfort := comfort_of(addon, bone):
            bone.rotation_mode = 'QUATERNION'
            bone.rotation_quaternion = comfort.rotation
    armatures.refresh()
    heads = {bone.name: np.array(bone.head) for bone in ob.pose.bones}
    for side in "LR":
        knee, wrist = heads[f"shin.{side}"], heads[f"hand.{side}"]
        assert knee[1] < 0.5 * (heads[f"thigh.{side}"] + heads[f"foot.{side}"])[1] - 0.05
        assert wrist[1] < heads[f"forearm.{side}"][1] - 0.1
        assert heads[f"forearm.{side}"][2] < heads[f"upper_arm.{side}"][2] - 0.1


@pytest.mark.parametrize("name", ["horse", "bird", "shark"])
def test_animals_get_no_human_comfort(rigify, name):
    rigify_rigs.metarig(name)
    figures.refused(bpy.ops.superpose.human_comfort, "is no human")


def test_what_is_no_body_gets_no_human_comfort():
    armatures.chain(3)
    figures.refused(bpy.ops.superpose.human_comfort, "is no human")
