# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bone is moved or turned by values, and the body follows."""

from importlib import import_module
from math import degrees, nan, radians

import armatures
import bpy
import figures
import numpy as np
import pytest
from armatures import Matrix, Vector
from drawn_panels import draw_panel
from handheld import head_of, heads, pose_mode

pytestmark = pytest.mark.once

MET, WAY = 1e-4, (-0.15, -0.1, 0.2)


def left_outside(ob):
    """The bones that are beyond their limits, whatever those are."""
    addon = bpy.types.SUPERPOSE_OT_pose.__module__.partition(".operators")[0]
    return import_module(f"{addon}.armature.limits.outside").left_outside(ob, ())


def pose(bone, move=(0, 0, 0), turn=(0, 0, 0)):
    return bpy.ops.superpose.pose(bone=bone, translation=move, rotation=turn)


@pytest.mark.parametrize("placed", armatures.OBJECTS)
def test_the_bone_goes_where_it_is_moved_in_the_scene(ob, placed, rng):
    armatures.transform_at_random(ob, rng, placed)
    armatures.refresh()
    before, linear = heads(ob), np.array(ob.matrix_world)[:3, :3]
    scale, way = abs(linear).max(), linear @ WAY
    pose("hand.L", way)
    np.testing.assert_allclose(head_of(ob, "hand.L") - before["hand.L"], way, atol=MET * scale)
    np.testing.assert_allclose(head_of(ob, "hand.R"), before["hand.R"], atol=MET * scale)


def test_the_bone_is_turned_about_its_head_in_the_scene(ob):
    before, turned = head_of(ob, "hand.L"), ob.pose.bones["hand.L"].matrix.to_3x3()
    pose("hand.L", turn=(0, 0, radians(30)))
    np.testing.assert_allclose(head_of(ob, "hand.L"), before, atol=MET)
    wanted = Matrix.Rotation(radians(30), 3, 'Z') @ turned
    np.testing.assert_allclose(ob.pose.bones["hand.L"].matrix.to_3x3(), wanted, atol=1e-4)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"move": (nan, 0, 0)}, "The transform of the target of 'hand.L' is not finite"),
        ({"turn": (0, nan, 0)}, "The transform of the target of 'hand.L' is not finite"),
        ({"move": (1e8, 0, 0)}, "The target of 'hand.L' is more than a million times the rig's size away"),
    ],
)
def test_what_is_no_number_or_nowhere_near_is_refused(ob, given, why):
    figures.refused(pose, why, bone="hand.L", **given)


def test_a_bone_that_is_no_effector_moves_and_effectors_stay(ob):
    before = heads(ob)
    pose("forearm.L", (0.0, -0.03, 0.02))
    np.testing.assert_allclose(head_of(ob, "forearm.L") - before["forearm.L"], (0, -0.03, 0.02), atol=MET)
    np.testing.assert_allclose(head_of(ob, "hand.R"), before["hand.R"], atol=2e-3)
    assert not ob.pose.bones["forearm.L"].is_property_set("superpose")


def test_without_a_set_up_the_chain_bends_and_its_root_stays():
    ob = pose_mode(armatures.chain(4))
    before = heads(ob)
    pose("b3", (0.4, 0.3, -0.4))
    np.testing.assert_allclose(head_of(ob, "b3") - before["b3"], (0.4, 0.3, -0.4), atol=MET)
    np.testing.assert_allclose(head_of(ob, "b0"), before["b0"], atol=1e-6)
    assert not ob.is_property_set("superpose") or not figures.effectors(ob)


@pytest.mark.parametrize("count", [1, 4])
def test_a_root_is_moved_as_it_is(count):
    ob = pose_mode(armatures.chain(count))
    before = heads(ob)
    pose("b0", (0.4, 0.3, -0.4))
    for name, place in heads(ob).items():
        np.testing.assert_allclose(place - before[name], (0.4, 0.3, -0.4), atol=MET)


def test_a_body_without_a_set_up_gets_one_in_the_same_step(metarig):
    bpy.ops.ed.undo_push(message="before")
    before, places = figures.state(), heads(metarig)
    pose("hand.L", (-0.1, -0.2, 0.3))
    ob = bpy.context.object
    np.testing.assert_allclose(head_of(ob, "hand.L") - places["hand.L"], (-0.1, -0.2, 0.3), atol=MET)
    assert len(figures.effectors(ob)) == 7
    assert not ob.superpose_live
    assert not any(ob.pose.bones[name].superpose.target for name in figures.effectors(ob))
    after = figures.state()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert figures.state() == before
    bpy.ops.ed.redo()
    assert figures.state() == after


def test_hips_that_are_dragged_down_bend_the_knees_forward(metarig):
    before = heads(metarig)
    pose("spine", (0, 0, -0.44))
    ob = bpy.context.object
    after = heads(ob)
    np.testing.assert_allclose(after["spine"] - before["spine"], (0, 0, -0.44), atol=MET)
    for side in "LR":
        np.testing.assert_allclose(after[f"toe.{side}"], before[f"toe.{side}"], atol=MET)
        hip, knee, ankle = (after[f"{name}.{side}"] for name in ("thigh", "shin", "foot"))
        assert knee[1] < (hip[1] + ankle[1]) / 2 - 0.1  # the metarig looks along -Y
    assert after["spine.006"][2] < before["spine.006"][2] - 0.3
    assert not left_outside(ob)


@pytest.mark.parametrize("side", ["L", "R"])
def test_a_raised_hand_leaves_the_collarbone_where_collarbones_go(metarig, side):
    shoulder = head_of(metarig, f"upper_arm.{side}")
    overhead = shoulder + np.array([0, 0, 0.45])
    pose(f"hand.{side}", overhead - head_of(metarig, f"hand.{side}"))
    turn = bpy.context.object.pose.bones[f"shoulder.{side}"].matrix_basis.to_quaternion().angle
    np.testing.assert_allclose(head_of(bpy.context.object, f"hand.{side}"), overhead, atol=1e-3)
    assert degrees(turn) < 35


def test_targets_of_what_is_dragged_go_along(ob):
    bpy.ops.superpose.create_targets()
    pose("hand.L", WAY)
    assert figures.distance(ob, "hand.L") < MET
    placed = heads(ob)
    bpy.ops.superpose.solve()
    for name, place in heads(ob).items():
        np.testing.assert_allclose(place, placed[name], atol=MET)


@pytest.mark.parametrize("hold", ['FOLLOWS', 'FREE'])
def test_targets_of_what_gives_way_go_along_and_those_of_pins_stay(ob, hold):
    bpy.ops.superpose.create_targets()
    ob.pose.bones["head"].superpose.hold, ob.pose.bones["hand.R"].superpose.hold = hold, 'PINNED'
    before = {name: figures.target_of(ob, name).matrix_world.copy() for name in figures.EFFECTORS}
    pose("hips", (-0.2, 0.1, -0.6))
    assert (figures.target_of(ob, "head").matrix_world.translation - before["head"].translation).length > 0.2
    assert figures.distance(ob, "head") < MET
    assert figures.target_of(ob, "hand.R").matrix_world == before["hand.R"]
    placed = heads(ob)
    bpy.ops.superpose.solve()
    for name, place in heads(ob).items():
        np.testing.assert_allclose(place, placed[name], atol=1e-3)


def test_a_target_that_was_not_met_before_stays(ob):
    bpy.ops.superpose.create_targets()
    target = figures.target_of(ob, "head")
    target.location.z += 0.3
    armatures.refresh()
    before = target.matrix_world.copy()
    pose("hips", (-0.2, 0.1, -0.6))
    assert target.matrix_world == before


def lock(target):
    target.lock_location = (False, False, True)


def limit(target):
    target.constraints.new('LIMIT_LOCATION')


def drive(target):
    target.driver_add("location", 2)


STAYS = {"locked": lock, "constrained": limit, "driven": drive}


@pytest.mark.parametrize("why", STAYS)
@pytest.mark.parametrize("bone", ["hand.L", "head"])
def test_targets_that_cannot_go_along_are_named(ob, why, bone):
    """Be it of what is dragged or of what gives way to that."""
    bpy.ops.superpose.create_targets()
    ob.pose.bones["hand.R"].superpose.hold = 'PINNED'
    target = figures.target_of(ob, bone)
    STAYS[why](target)
    armatures.refresh()
    said = f"Not all targets were moved: '{target.name}' is {why}"
    pose("hand.L", (0, -0.01, 0))
    assert (said in ob.superpose.notes) == (bone == "hand.L")
    pose("hips" if bone == "head" else bone, (-0.2, 0.1, -0.6))
    assert said in ob.superpose.notes


@pytest.mark.parametrize("is_live", [False, True])
def test_what_left_its_target_behind_is_as_far_off_as_that_is(ob, is_live):
    bpy.ops.superpose.create_targets()
    ob.superpose_live = is_live
    target = figures.target_of(ob, "hand.L")
    lock(target)
    pose("hand.L", WAY)
    hand = ob.pose.bones["hand.L"].superpose
    away = np.linalg.norm(head_of(ob, "hand.L") - np.array(target.matrix_world.translation))
    assert away > 0.2
    assert hand.position_residual == pytest.approx(away, abs=MET)
    assert hand.is_missed
    assert hand.reasons[0].words == f"'{target.name}' is locked, so it stayed"
    assert ob.superpose.is_missed
    assert ob.superpose.message.startswith("Missed 1 of ")


def test_live_leaves_what_was_dragged_and_goes_on_from_there(ob):
    bpy.ops.superpose.create_targets()
    ob.superpose_live = True
    armatures.refresh()
    pose("hand.L", WAY)
    placed = heads(ob)
    figures.target_of(ob, "hand.R").location.z += 0.1
    armatures.refresh()
    np.testing.assert_allclose(head_of(ob, "hand.L"), placed["hand.L"], atol=MET)
    np.testing.assert_allclose(head_of(ob, "hand.R") - placed["hand.R"], (0, 0, 0.1), atol=5e-3)


@pytest.mark.parametrize("is_live", [False, True])
def test_the_panel_says_what_a_drag_missed_and_why(ob, is_live):
    bpy.ops.superpose.create_targets()
    ob.superpose_live = is_live
    ob.pose.bones["hips"].superpose.hold, ob.pose.bones["hips"].superpose_rotation_weight = 'PINNED', 0
    pose("hand.L", (0, 0, 3))
    hand = ob.pose.bones["hand.L"].superpose
    assert (hand.is_missed, ob.superpose.is_missed) == (True, True)
    assert ("PIN", "hips") in {(reason.kind, reason.about) for reason in hand.reasons}
    effectors = [bone.superpose for bone in ob.pose.bones if bone.superpose.is_effector]
    told = [effector for effector in effectors if not (effector.gave_way or effector.is_along)]
    assert len(told) > 2, "more than what is pinned and dragged has a tick in the list"
    assert ob.superpose.message.startswith(f"Missed 1 of {len(told)} effectors, by up to ")
    assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(ob)


def test_the_reason_goes_with_the_pin_that_is_released(ob):
    ob.pose.bones["hips"].superpose.hold, ob.pose.bones["hips"].superpose_rotation_weight = 'PINNED', 0
    pose("hand.L", (0, 0, 3))
    assert "superpose.release_pin" in draw_panel("SUPERPOSE_PT_effectors")
    bpy.ops.superpose.release_pin(bone="hips")
    assert "superpose.release_pin" not in draw_panel("SUPERPOSE_PT_effectors")
    assert any(text.startswith("Changed since (Missed") for text in draw_panel("SUPERPOSE_PT_report"))


def test_the_panel_says_what_gave_way_to_a_drag_apart_from_what_was_missed(ob):
    bpy.ops.superpose.create_targets()
    pose("hips", (0, 0, -0.4))
    head = ob.pose.bones["head"].superpose
    assert ob.superpose.message.startswith("Solved ")
    assert (head.gave_way, head.is_missed) == (True, False)
    assert "Gave way: 'head' by " in ob.superpose.notes


def test_without_a_set_up_the_panel_says_it_too():
    ob = figures.figure()
    bpy.ops.object.mode_set(mode='POSE')
    pose("hand.L", (0, 0, 3))
    told = " ".join(draw_panel("SUPERPOSE_PT_report"))
    assert "Missed 1 of 1 effector, by up to 2.4 m" in told
    assert "'hand.L' is missed by 2.4 m: too short" in told
    assert not any(bone.is_property_set("superpose") for bone in ob.pose.bones)


def test_what_body_it_is_is_told_once_for_all_that_is_held(ob, addon, monkeypatch):
    puppet = import_module(f"{addon.name}.operators.posing.puppet")
    calls, told = [], puppet.whole_body
    monkeypatch.setattr(puppet, "whole_body", lambda ob: (calls.append(ob), told(ob))[1])
    ob.pose.use_mirror_x = True
    pose("hand.L", WAY)
    assert len(calls) == 1


@pytest.mark.parametrize("relative", [False, True])
def test_with_x_mirror_the_other_side_is_the_mirror_image(ob, relative):
    ob.pose.use_mirror_x, ob.pose.use_mirror_relative = True, relative
    ob.location = (3, 2, 1)
    armatures.refresh()
    pose("hand.L", WAY)
    left, right = (ob.pose.bones[f"hand.{side}"].head for side in "LR")
    np.testing.assert_allclose(right, Vector((-left.x, left.y, left.z)), atol=MET)


def test_with_x_mirror_turns_are_mirrored(ob):
    ob.pose.use_mirror_x = True
    pose("hand.L", turn=(0.2, 0.3, 0.4))
    mirror = np.diag([-1.0, 1.0, 1.0])
    turns = [
        np.array(ob.pose.bones[name].matrix)[:3, :3] @ np.array(ob.data.bones[name].matrix_local)[:3, :3].T
        for name in ("hand.L", "hand.R")
    ]
    np.testing.assert_allclose(mirror @ turns[0] @ mirror, turns[1], atol=1e-3)


def test_relative_mirroring_moves_by_the_mirrored_way(ob):
    pose("hand.R", (0.0, -0.1, 0.1))
    before = heads(ob)
    ob.pose.use_mirror_x = ob.pose.use_mirror_relative = True
    pose("hand.L", (-0.1, -0.05, 0.05))
    np.testing.assert_allclose(head_of(ob, "hand.R") - before["hand.R"], (0.1, -0.05, 0.05), atol=MET)


@pytest.mark.parametrize(
    ("why", "spoil"),
    [
        ("has no bone", lambda ob: None),
        ("rest position", lambda ob: setattr(ob.data, "pose_position", 'REST')),
        ("places it", lambda ob: ob.pose.bones["hand.L"].constraints.new('COPY_LOCATION')),
        ("scaled to zero", lambda ob: setattr(ob.pose.bones["arm.L"], "scale", (0, 0, 0))),
    ],
)
def test_refusals_change_nothing(ob, why, spoil):
    spoil(ob)
    bone = "paw.L" if why == "has no bone" else "hand.L"
    figures.refused(bpy.ops.superpose.pose, why, bone=bone, translation=WAY)


def test_a_target_that_cannot_be_placed_changes_nothing(ob):
    bpy.ops.superpose.create_targets()
    target = figures.target_of(ob, "hand.L")
    target.parent = armatures.new_object("Flat")
    target.parent.scale = (1, 1, 0)
    armatures.refresh()
    figures.refused(bpy.ops.superpose.pose, "scaled to zero", bone="hand.L", translation=WAY)


@pytest.mark.parametrize("channel", ["location", "rotation_euler"])
@pytest.mark.parametrize("is_live", [False, True])
def test_a_target_that_is_not_finite_is_named(ob, channel, is_live):
    bpy.ops.superpose.create_targets()
    ob.superpose_live = is_live
    getattr(figures.target_of(ob, "hand.R"), channel)[0] = nan
    armatures.refresh()
    before = figures.rotations(ob).tolist()
    with pytest.raises(RuntimeError, match=r"Error: .*hand\.R target' is not finite"):
        pose("hand.L", WAY)
    assert figures.rotations(ob).tolist() == before


def test_a_refused_first_drag_takes_its_set_up_back(metarig):
    metarig.pose.bones["f_index.03.L"].scale = (0, 0, 0)
    figures.refused(bpy.ops.superpose.pose, "scaled to zero", bone="f_index.03.L", translation=WAY)


def test_the_same_again_gives_the_same(ob):
    def posed():
        for bone in ob.pose.bones:
            bone.matrix_basis = Matrix()
        pose("hand.L", WAY)
        return [tuple(bone.matrix_basis.to_quaternion()) for bone in ob.pose.bones]

    assert posed() == posed()


def test_bones_without_length_to_speak_of_are_no_hindrance():
    """Blender itself deletes those that have none at all."""
    ob = figures.figure()
    with armatures.edited(ob) as bones:
        bones["forearm.L"].length = bones["hand.L"].length = 1e-5
    pose_mode(ob)
    before = head_of(ob, "hand.L")
    pose("hand.L", WAY)
    np.testing.assert_allclose(head_of(ob, "hand.L") - before, WAY, atol=MET)


def test_a_rig_of_many_bones_is_dragged_by_its_end():
    ob = pose_mode(armatures.chain(300, length=0.01))
    before = head_of(ob, "b299")
    pose("b299", (0.5, 0.2, -0.5))
    np.testing.assert_allclose(head_of(ob, "b299") - before, (0.5, 0.2, -0.5), atol=1e-3)


def test_a_finger_takes_its_hand_along(metarig):
    bpy.ops.superpose.set_up_body(use_targets=False, use_live=False)
    wrist, palm = head_of(metarig, "hand.L"), head_of(metarig, "palm.02.L")
    way = np.array([-0.05, -0.1, 0.25])
    bpy.ops.superpose.pose(bone="palm.02.L", translation=way)
    np.testing.assert_allclose(head_of(metarig, "palm.02.L") - palm, way, atol=MET)
    assert (head_of(metarig, "hand.L") - wrist) @ way > 0.75 * (way @ way)


@pytest.mark.parametrize(
    ("held", "part", "way"),
    [("lid.T.L", "spine.006", (0.0, -0.05, -0.05)), ("pelvis.R", "spine", (0.0, 0.0, -0.44))],
)
def test_what_a_part_carries_takes_it_along_and_does_not_bend(metarig, held, part, way):
    """A pull at the face moves the head, and one at half of the pelvis the hips, upright."""
    pose("hand.L")  # sets the body up
    before, bone = head_of(metarig, held), metarig.pose.bones[part]
    upright = bone.matrix.to_3x3()
    pose(held, way)
    np.testing.assert_allclose(head_of(metarig, held) - before, way, atol=1e-3)
    assert degrees((upright.inverted() @ bone.matrix.to_3x3()).to_quaternion().angle) < 1
    line = [metarig.pose.bones[held], *metarig.pose.bones[held].parent_recursive]
    for carried in line[: line.index(bone)]:
        assert carried.matrix_basis == Matrix.Identity(4)
