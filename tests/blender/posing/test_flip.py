# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body is flipped with its targets and pins, and a part of it is reset."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from handheld import pose_mode

MET = 1e-4
NOT_FINITE = r"Error: .*hand\.R target' is not finite"


@pytest.fixture
def posed(ob, rng):
    """A figure somewhere in the scene, posed one-sidedly."""
    ob.location, ob.rotation_euler = (1, 2, 3), (0.3, 0.2, 0.1)
    for bone in ob.pose.bones:
        bone.rotation_quaternion = (1.0, *rng.uniform(-0.3, 0.3, 3))
    ob.pose.bones["hips"].location = (0.1, 0.2, 0.3)
    armatures.refresh()
    return ob


def places(ob):
    """Where heads are, in the armature's own space."""
    armatures.refresh()
    return {bone.name: np.array(bone.head) for bone in ob.pose.bones}


def test_a_flipped_pose_is_the_mirror_image(posed):
    before = places(posed)
    bpy.ops.superpose.flip()
    is_mirrored(before, places(posed))


def test_a_body_of_which_nothing_is_asked_is_flipped(posed):
    before = places(posed)
    for bone in posed.pose.bones:
        bone.property_unset("superpose")
    posed.property_unset("superpose")
    assert bpy.ops.superpose.flip() == {'FINISHED'}
    is_mirrored(before, places(posed))


def test_flipped_twice_it_is_as_it_was(posed):
    bpy.ops.superpose.create_targets()
    posed.pose.bones["hand.L"].superpose.hold = 'PINNED'
    targets = {name: figures.target_of(posed, name).matrix_world.copy() for name in figures.EFFECTORS}
    before = places(posed)
    bpy.ops.superpose.flip()
    assert posed.pose.bones["hand.R"].superpose.hold == 'PINNED'
    assert posed.pose.bones["hand.L"].superpose.hold == 'FOLLOWS'
    bpy.ops.superpose.flip()
    assert posed.pose.bones["hand.L"].superpose.hold == 'PINNED'
    for name, place in places(posed).items():
        np.testing.assert_allclose(place, before[name], atol=MET)
    for name, matrix in targets.items():
        np.testing.assert_allclose(figures.target_of(posed, name).matrix_world, matrix, atol=MET)


def test_flipped_targets_are_met_by_the_flipped_pose(posed):
    bpy.ops.superpose.create_targets()
    bpy.ops.superpose.flip()
    for name in figures.EFFECTORS:
        assert figures.distance(posed, name) < MET
        assert figures.turn(posed, name) < 1e-3


def test_a_live_body_stays_as_it_is_flipped(posed):
    bpy.ops.superpose.create_targets()
    posed.superpose_live = True
    bpy.ops.superpose.flip()
    before = places(posed)
    armatures.refresh()
    figures.target_of(posed, "head").location.z += 0.0
    for name, place in places(posed).items():
        np.testing.assert_allclose(place, before[name], atol=MET)


@pytest.mark.parametrize("operator", [bpy.ops.superpose.flip, bpy.ops.superpose.reset])
def test_what_a_bake_left_is_of_its_keys_and_stays(posed, operator):
    bpy.ops.superpose.create_targets()
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=3)
    setup = posed.superpose
    message, report = setup.message, setup.clip_report
    assert report
    operator()
    assert (setup.is_solved, setup.message, setup.clip_report) == (True, message, report)
    bpy.ops.superpose.solve()
    assert not setup.clip_report
    operator()
    assert setup.message != message
    assert not setup.clip_report


def stand(ob):
    """Of each effector whether it is missed or gave way, and by how much."""
    told = ((name, ob.pose.bones[name].superpose) for name in figures.effectors(ob))
    return {name: (one.is_missed, one.gave_way, round(one.position_residual, 3)) for name, one in told}


def test_the_panel_tells_how_the_flipped_pose_stands(posed):
    bpy.ops.superpose.create_targets()
    figures.target_of(posed, "hand.L").location.z += 3
    bpy.ops.superpose.solve()
    before, message = stand(posed), posed.superpose.message
    bpy.ops.superpose.flip()
    assert posed.superpose.message == message
    assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(posed)
    assert stand(posed) == {name: before[bpy.utils.flip_name(name)] for name in before}
    assert before["hand.L"][2] == round(figures.distance(posed, "hand.R"), 3) > 1


def test_what_gave_way_does_so_on_the_other_side_and_heels_that_are_lifted_stand(metarig):
    bpy.ops.superpose.set_up_body(use_live=False)
    hand = metarig.pose.bones["hand.R"].superpose
    hand.target = armatures.new_object("ball")  # one of the user's own, which stays
    hand.target.location = metarig.pose.bones["hand.R"].head
    armatures.refresh()
    bpy.ops.superpose.pose(bone="spine", translation=(0.4, 0, -0.5))
    assert stand(metarig)["hand.R"][:2] == (False, True)
    bpy.ops.superpose.flip()
    assert stand(metarig)["hand.L"][:2] == (False, True)
    assert metarig.superpose.message == "Solved 6 effectors: all met"
    assert "Heel lifted: 'foot.L', 'foot.R'" in metarig.superpose.notes


ROLLS = {"arm.L": 0.7, "forearm.R": -1.2, "chest": 0.4}


@pytest.fixture
def strewn(ob, rng):
    """A figure whose sides have rolls, modes, locations and scales of their own, some bones not solved."""
    with armatures.edited(ob) as bones:
        for name, roll in ROLLS.items():
            bones[name].roll += roll
        for side, sign in (("L", 1), ("R", -1)):
            finger = bones.new(f"finger.{side}")
            finger.head, finger.tail = (sign * 0.82, 0, 1.45), (sign * 0.9, 0.03, 1.45)
            finger.parent = bones[f"hand.{side}"]
    bpy.ops.object.mode_set(mode='POSE')
    armatures.pose_at_random(ob, rng)
    for name in ("hand.L", "hand.R", "head"):
        ob.data.bones[name].use_local_location = False
    armatures.refresh()
    return ob


def shown(ob):
    """Where heads and tails are and what is a corner at rest points to, in the armature's own space."""
    armatures.refresh()
    return {bone.name: np.array([bone.head, bone.tail, corner(bone)]) for bone in ob.pose.bones}


def corner(bone):
    """Where what points outwards, back and up at rest points as posed."""
    outwards = {"L": 1, "R": -1}.get(bone.name[-1], 0)
    posed, rest = (armatures.array(matrix)[:3, :3] for matrix in (bone.matrix, bone.bone.matrix_local))
    return posed @ rest.T @ (outwards, 1, 1)


def is_mirrored(before, after):
    for name, points in after.items():
        wanted = before[bpy.utils.flip_name(name)] * (-1, 1, 1)
        np.testing.assert_allclose(points, wanted, atol=MET, err_msg=name)


def test_bones_off_the_way_to_effectors_are_flipped_with_locations_scales_modes_and_rolls(strewn):
    before = shown(strewn)
    assert bpy.ops.superpose.flip() == {'FINISHED'}
    is_mirrored(before, shown(strewn))


def test_it_is_what_blender_pastes_flipped(posed):
    """Where rolls are mirrored Blender's own Paste Pose Flipped is the oracle."""
    for bone in posed.pose.bones:
        bone.scale = (1.1, 0.9, 1.3)
    posed.pose.bones["arm.L"].location, posed.pose.bones["arm.L"].scale = (0.1, 0.2, 0.3), (2, 3, 4)
    figures.select_bones(posed, *posed.pose.bones.keys())
    kept = figures.state()["objects"][posed.name]["bones"]
    bpy.ops.pose.copy()
    bpy.ops.pose.paste(flipped=True)
    wanted = shown(posed)
    for name, (channels, *_) in kept.items():
        for path, values in channels.items():
            setattr(posed.pose.bones[name], path, values)
    bpy.ops.superpose.flip()
    for name, points in shown(posed).items():
        np.testing.assert_allclose(points, wanted[name], atol=MET, err_msg=name)


def test_a_side_that_is_switched_off_or_stiff_is_flipped(posed):
    bpy.ops.superpose.create_targets()
    posed.pose.bones["hand.R"].superpose.enabled = False
    posed.pose.bones["forearm.L"].superpose.stiffness = 1
    before = shown(posed)
    bpy.ops.superpose.flip()
    is_mirrored(before, shown(posed))
    assert max(figures.distance(posed, name) for name in figures.EFFECTORS) < MET


@pytest.fixture
def words(addon, monkeypatch):
    """What Flip reports as staying."""
    told, kind = [], bpy.types.SUPERPOSE_OT_flip
    monkeypatch.setattr(kind, "tell", lambda _self, stayed, complaints: told.append((stayed, complaints)))
    return told


def named(words):
    stayed, _ = words[-1]
    return {name for names in stayed.values() for name in names}


@pytest.mark.parametrize(("mode", "whole"), [('XYZ', False), ('QUATERNION', False), ('QUATERNION', True)])
def test_what_is_locked_stays_and_is_named(posed, words, mode, whole):
    bone = posed.pose.bones["forearm.R"]
    bone.rotation_mode, bone.lock_rotations_4d, bone.lock_rotation_w = mode, whole, whole
    bone.lock_rotation, bone.lock_scale, bone.lock_location = ((True,) * 3,) * 3
    posed.pose.bones["forearm.L"].location = (0.1, 0.2, 0.3)
    posed.pose.bones["forearm.L"].scale = (2, 2, 2)
    before = figures.transforms(bone)
    bpy.ops.superpose.flip()
    assert figures.transforms(bone) == before
    assert named(words) == {"forearm.R"}


def test_locks_that_the_mirror_image_keeps_to_are_no_complaint(posed, words):
    for side in "LR":
        bone = posed.pose.bones[f"forearm.{side}"]
        bone.lock_rotation, bone.rotation_quaternion = (False, True, True), (1, 0.2, 0, 0)
    posed.pose.bones["forearm.L"].rotation_quaternion = (1, -0.1, 0, 0)
    before = shown(posed)
    bpy.ops.superpose.flip()
    is_mirrored(before, shown(posed))
    assert not named(words)


def test_what_drivers_set_stays_and_is_named(strewn, words):
    strewn.pose.bones["finger.L"].driver_add("scale", 0).driver.expression = "2"
    armatures.refresh()
    bpy.ops.superpose.flip()
    assert named(words) == {"finger.L"}
    assert strewn.pose.bones["finger.R"].scale.x == 2


def test_a_bone_without_its_other_side_stays_and_is_named(posed, words):
    with armatures.edited(posed) as bones:
        bones.remove(bones["hand.R"])
    bpy.ops.object.mode_set(mode='POSE')
    before = figures.transforms(posed.pose.bones["hand.L"])
    bpy.ops.superpose.flip()
    assert figures.transforms(posed.pose.bones["hand.L"]) == before
    assert named(words) == {"hand.L"}


def test_a_pin_on_one_side_alone_goes_to_the_other(posed):
    figures.select_bones(posed, "forearm.R")
    bpy.ops.superpose.set_hold(hold='PINNED')
    bpy.ops.superpose.flip()
    assert "forearm.L" in figures.effectors(posed)
    assert [posed.pose.bones[f"forearm.{side}"].superpose.hold for side in "LR"] == ['PINNED', 'FREE']
    bpy.ops.superpose.flip()
    assert [posed.pose.bones[f"forearm.{side}"].superpose.hold for side in "LR"] == ['FREE', 'PINNED']


def test_only_what_is_selected_is_reset(posed):
    before = figures.rotations(posed)
    figures.select_bones(posed, "forearm.L", "hips")
    bpy.ops.superpose.reset(bones='SELECTED')
    for bone, turn in zip(posed.pose.bones, before, strict=True):
        wanted = (1, 0, 0, 0) if bone.name in ("forearm.L", "hips") else turn
        np.testing.assert_allclose(bone.matrix_basis.to_quaternion(), wanted, atol=1e-6)
    assert posed.pose.bones["hips"].location.length < 1e-6


def test_nothing_selected_is_nothing_to_reset(posed):
    figures.select_bones(posed)
    figures.refused(bpy.ops.superpose.reset, "are selected", bones='SELECTED')


@pytest.mark.parametrize("channel", ["location", "rotation_euler"])
def test_a_target_that_is_not_finite_is_not_flipped(posed, channel):
    bpy.ops.superpose.create_targets()
    getattr(figures.target_of(posed, "hand.R"), channel)[0] = float("nan")
    armatures.refresh()
    before = figures.rotations(posed).tolist(), figures.target_of(posed, "hand.L").matrix_world.copy()
    with pytest.raises(RuntimeError, match=NOT_FINITE):
        bpy.ops.superpose.flip()
    assert (figures.rotations(posed).tolist(), figures.target_of(posed, "hand.L").matrix_world) == before


def test_a_target_that_is_a_bone_is_mirrored_at_its_own_place_and_missed_where_it_stays(metarig, capfd):
    """As of a hand that another figure's hand leads."""
    bpy.ops.object.mode_set(mode='OBJECT')
    other = figures.figure("Bert")
    other.location = (0.1, 0.1, 0)
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.ops.object.select_all(action='DESELECT')
    pose_mode(metarig)
    bpy.ops.superpose.set_up_body(use_live=False)
    led = metarig.pose.bones["hand.L"].superpose
    led.target, led.target_bone = other, "hand.L"
    armatures.refresh()
    image = other.matrix_world @ other.pose.bones["hand.L"].head
    image.x *= -1
    bpy.ops.superpose.solve()
    assert not led.is_missed
    bpy.ops.superpose.flip()
    assert "Not all targets were moved: 'hand.L' of 'Bert' is a bone" in capfd.readouterr().out
    armatures.refresh()
    assert (figures.target_of(metarig, "hand.R").matrix_world.translation - image).length < MET
    assert led.is_missed
    assert led.position_residual > 0.05
