# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What effectors hold while Live is on: targets of what goes with the body go along, pins stay."""

from math import radians

import armatures
import bpy
import figures
import pytest
import rigify_rigs
from armatures import Vector
from live_figures import channels, move
from mathutils import Quaternion

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("rigify")]

HIPS, HEAD, HAND, FOOT = "spine", "spine.006", "hand.L", "foot.L"
FAR = Vector((0.3, -0.5, 0.1))
MET, SEEN = 1e-4, 0.01  # metres


@pytest.fixture
def human():
    """The small human as one press sets it up: feet pinned, hips free, hands and head following."""
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body()
    armatures.refresh()
    return ob


def places(ob):
    """Where targets are, as their channels have them."""
    effectors = [bone for bone in ob.pose.bones if bone.superpose.is_effector]
    return {bone.name: bone.superpose.target.matrix_basis.copy() for bone in effectors}


def strayed(before, now):
    return max((now[name].translation - place.translation).length for name, place in before.items())


def turn(ob, bone, degrees=25.0):
    """Turn a bone as a user does, once Blender has shown what is there."""
    armatures.refresh()
    pose_bone = ob.pose.bones[bone]
    pose_bone.rotation_mode = 'QUATERNION'
    armatures.refresh()
    turned = Quaternion((1, 0, 0), radians(degrees)) @ pose_bone.rotation_quaternion
    pose_bone.rotation_quaternion = turned
    armatures.refresh()
    return tuple(pose_bone.rotation_quaternion)


def test_the_target_of_what_is_free_goes_along_and_comes_back(human):
    before, pose = places(human), channels(human)
    begin = figures.target_of(human, HAND).location.copy()
    move(human, HAND, way=FAR, steps=2)
    assert (human.pose.bones[HIPS].head - human.data.bones[HIPS].head_local).length > SEEN
    assert figures.distance(human, HIPS) < MET
    assert figures.turn(human, HIPS) < 1e-3
    assert (places(human)[HEAD].translation - before[HEAD].translation).length == 0
    figures.target_of(human, HAND).location = begin
    armatures.refresh()
    assert channels(human) == pose
    assert strayed(before, places(human)) < 1e-6


def test_what_is_said_of_the_pose_stays_true_when_targets_have_gone_along(human):
    is_outdated = bpy.types.SUPERPOSE_OT_solve.is_outdated
    move(human, HAND, way=FAR, steps=2)
    armatures.refresh()
    assert human.superpose.is_solved
    assert not is_outdated(human)
    human.superpose_live = False
    figures.target_of(human, HIPS).location.x += 0.1
    armatures.refresh()
    assert is_outdated(human)


def test_what_is_free_is_dragged_from_where_it_has_gone(human):
    move(human, HAND, way=FAR, steps=2)
    hips = human.pose.bones[HIPS].head.copy()
    move(human, HIPS, way=Vector((0, 0, -0.01)))
    assert (human.pose.bones[HIPS].head - hips - Vector((0, 0, -0.01))).length < MET


def test_targets_of_the_users_own_are_left_alone(human):
    target = bpy.data.objects.new("Mine", None)
    bpy.context.scene.collection.objects.link(target)
    target.matrix_world = figures.target_of(human, HIPS).matrix_world
    human.pose.bones[HIPS].superpose.target = target
    armatures.refresh()
    before = target.matrix_basis.copy()
    move(human, HAND, way=FAR, steps=2)
    assert target.matrix_basis == before


def test_undo_and_redo_bring_targets_and_poses_back(human):
    name = human.name
    bpy.ops.ed.undo_push(message="set up")
    seen = [(channels(human), places(human))]
    for _ in range(2):
        move(human, HAND, way=0.5 * FAR, steps=2)
        bpy.ops.ed.undo_push(message="moved")
        seen.append((channels(human), places(human)))
    for step, rows in ((bpy.ops.ed.undo, (1, 0)), (bpy.ops.ed.redo, (1, 2))):
        for row in rows:
            step()
            armatures.refresh()
            human = bpy.data.objects[name]
            assert channels(human) == seen[row][0]
            assert places(human) == seen[row][1]


def test_targets_below_a_bone_that_is_turned_by_hand_go_with_it(human):
    before = places(human)
    turned = turn(human, "upper_arm.L", 40)
    pose = channels(human)
    assert figures.distance(human, HAND) < MET
    assert (places(human)[HAND].translation - before[HAND].translation).length > 0.1
    del before[HAND]
    assert strayed(before, places(human)) == 0
    armatures.refresh()
    assert channels(human) == pose
    move(human, HEAD, way=Vector((0.01, 0, 0)))
    stays = human.pose.bones["upper_arm.L"].rotation_quaternion
    assert Quaternion(turned).rotation_difference(stays).angle < 0.05
    assert figures.distance(human, HAND) < 1e-3


def test_what_is_pinned_below_a_bone_that_is_turned_by_hand_stays(human):
    foot = human.pose.bones[FOOT].matrix.copy()
    for degrees in (-5, -5, -5):
        turned = turn(human, "thigh.L", degrees)
        assert tuple(human.pose.bones["thigh.L"].rotation_quaternion) == turned
        assert (human.pose.bones[FOOT].matrix.translation - foot.translation).length < MET
        assert figures.distance(human, FOOT) < MET


def test_a_pin_that_is_posed_by_hand_itself_goes_along(human):
    """As all of a pose that is pasted: the next drag pulled the feet back to where they were before."""
    move(human, HAND, way=FAR, steps=2)
    before = places(human)
    for bone, degrees in (("thigh.L", -40), ("shin.L", 50), (FOOT, -20)):
        pose_bone = human.pose.bones[bone]
        pose_bone.rotation_quaternion = Quaternion((1, 0, 0), radians(degrees))
    armatures.refresh()
    foot = human.pose.bones[FOOT].matrix.copy()
    assert (places(human)[FOOT].translation - before[FOOT].translation).length > 0.1
    assert places(human)["foot.R"] == before["foot.R"]
    assert figures.distance(human, FOOT) < MET
    assert figures.turn(human, FOOT) < 1e-3
    move(human, HAND, way=-0.1 * FAR)
    for there in (
        human.pose.bones[FOOT].matrix.translation,
        figures.target_of(human, FOOT).matrix_world.translation,
    ):
        assert (there - foot.translation).length < MET


def test_without_a_target_it_stays_too(human):
    human.pose.bones[FOOT].superpose.target = None
    armatures.refresh()
    foot = human.pose.bones[FOOT].matrix.translation.copy()
    turn(human, "thigh.L", -15)
    assert (human.pose.bones[FOOT].matrix.translation - foot).length < MET


def test_hips_that_are_moved_by_hand_leave_pinned_feet_and_take_the_rest_along(human):
    before = places(human)
    move_hips = Vector((0.02, -0.05, 0.03))  # of the bone's own axes
    human.pose.bones[HIPS].location = move_hips
    armatures.refresh()
    assert tuple(human.pose.bones[HIPS].location) == tuple(move_hips)
    for foot in ("foot.L", "foot.R"):
        assert figures.distance(human, foot) < MET
        assert places(human)[foot] == before[foot]
    for follows in (HIPS, HEAD, HAND, "hand.R"):
        assert figures.distance(human, follows) < MET
        assert (places(human)[follows].translation - before[follows].translation).length > SEEN


def test_put_back_by_hand_all_is_as_it_was(human):
    """Esc while Blender turns a bone puts that bone back, and nothing else."""
    armatures.refresh()
    before, pose = places(human), channels(human)
    hips = human.pose.bones[HIPS]
    for height in (-0.05, -0.1, 0.0):
        hips.location.y = height
        armatures.refresh()
    assert channels(human) == pose
    assert strayed(before, places(human)) < 1e-6


@pytest.mark.parametrize("bone", [HAND, pytest.param(HEAD, marks=pytest.mark.slow)])
def test_a_pin_that_is_released_never_makes_the_miss_of_what_was_dragged_larger(human, rng, bone):
    """The reason names the pin; what was dragged comes first still."""
    move(human, bone, Vector(rng.uniform((-0.5, -2.0, 0.5), (0.5, -1.2, 1.5)).tolist()))
    effector = human.pose.bones[bone].superpose
    before = effector.position_residual
    assert before > SEEN
    for pin in (FOOT, "foot.R"):
        bpy.ops.superpose.release_pin(bone=pin)
        armatures.refresh()
        assert effector.position_residual < before + MET
        before = effector.position_residual


def test_so_it_is_where_pose_body_has_dragged(human):
    """All targets were sought at once: hips came back by 11 cm, and the foot that was released stayed."""
    figures.make_active(human)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.superpose.pose(bone=HIPS, translation=(0, -0.8, -0.2))
    armatures.refresh()
    before = human.pose.bones[HIPS].head.copy()
    for pin in (FOOT, "foot.R"):
        bpy.ops.superpose.release_pin(bone=pin)
        armatures.refresh()
        assert (human.pose.bones[HIPS].head - before).length < MET
        assert not human.pose.bones[HIPS].superpose.is_missed


@pytest.mark.parametrize(("first", "then"), [(0.2, 5.0), pytest.param(5.0, 0.2, marks=pytest.mark.slow)])
def test_another_weight_of_what_follows_shows_at_once(human, first, then):
    """As if it had been so when the hand was moved; and the first again, to the bit."""
    head, way = human.pose.bones[HEAD], Vector((0.2, -0.5, -0.2))
    missed = {}
    for weight in (then, first):
        head.superpose_position_weight = weight
        armatures.refresh()
        move(human, HAND, way)
        missed[weight] = head.superpose.position_residual
        pose = channels(human)
        if weight == then:
            move(human, HAND, -way)
    assert abs(missed[first] - missed[then]) > SEEN
    head.superpose_position_weight = then
    armatures.refresh()
    assert abs(head.superpose.position_residual - missed[then]) < MET
    head.superpose_position_weight = first
    armatures.refresh()
    assert channels(human) == pose


def test_a_target_that_is_turned_in_vain_is_named(human):
    target = human.pose.bones[HAND].superpose.target
    target.rotation_euler.x += 0.5
    armatures.refresh()
    assert f"'{HAND}' cannot turn with the target" in human.superpose.notes
    human.pose.bones[HAND].superpose_rotation_weight = 1.0
    target.rotation_euler.x += 0.1
    armatures.refresh()
    assert "cannot turn" not in human.superpose.notes


def test_a_target_that_is_moved_in_vain_is_named(human):
    target = human.pose.bones["spine.003"].superpose.target
    move(human, HAND, Vector((0, -0.02, 0)))
    assert "cannot go" not in human.superpose.notes
    target.location.z += 0.1
    armatures.refresh()
    assert "'spine.003' cannot go with the target: Position Weight is 0" in human.superpose.notes
    human.pose.bones["spine.003"].superpose_position_weight = 1.0
    target.location.z += 0.01
    armatures.refresh()
    assert "cannot go" not in human.superpose.notes


def test_the_target_of_what_is_free_that_cannot_go_along_is_named(ob):
    ob.pose.bones["hips"].superpose.hold = 'FREE'
    target = figures.target_of(ob, "hips")
    target.lock_location = (True,) * 3
    armatures.refresh()
    said = f"Not all targets were moved: '{target.name}' is locked"
    move(ob, "hand.L", Vector((0, -0.001, 0)))
    assert said not in ob.superpose.notes
    move(ob, "hand.L", Vector((-1, -1, 0)))
    assert said in ob.superpose.notes


@pytest.mark.parametrize("bone", ["upper_arm.L", "thigh.L", "foot.R", HAND])
def test_the_panel_says_how_a_pose_stands_that_was_turned_by_hand(human, mouse, bone):
    mouse.is_dragging = False
    move(human, HEAD, way=Vector((0.02, 0, 0)))
    turn(human, bone, -10)
    mouse.rest()
    assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(human)
    for name in places(human).keys() - {"spine.003"}:  # of the chest the turn alone counts
        told, off = human.pose.bones[name].superpose, figures.distance(human, name)
        assert told.is_solved
        assert not told.is_missed
        assert told.gave_way == (off > SEEN / 10)
        assert told.position_residual == pytest.approx(off, abs=MET)
        assert not told.reasons, "what gave way did so before"
    assert human.superpose.message.endswith("effectors: all met")


def test_it_says_so_where_a_target_of_the_user_stays(human, mouse):
    """Ours go along; this one does not, nothing has sought a pose for it, and none is said to be missing."""
    human.pose.bones[HAND].superpose.target = armatures.new_object("Own")
    bpy.data.objects["Own"].matrix_world = human.matrix_world @ human.pose.bones[HAND].matrix
    armatures.refresh()
    turn(human, "upper_arm.L", 40)
    mouse.rest()
    hand = human.pose.bones[HAND].superpose
    assert hand.is_missed
    assert hand.position_residual == pytest.approx(figures.distance(human, HAND), rel=1e-3)
    assert [reason.words for reason in hand.reasons] == ["posed by hand, and the target did not go along"]
    assert not human.pose.bones[HEAD].superpose.is_missed


def test_while_the_mouse_turns_a_bone_it_waits_for_the_mouse_to_rest(human, mouse):
    is_outdated, mouse.is_dragging = bpy.types.SUPERPOSE_OT_solve.is_outdated, False
    move(human, HEAD, way=Vector((0.01, 0, 0)))
    mouse.is_dragging = True
    turn(human, "upper_arm.L", 10)
    assert is_outdated(human)
    assert mouse.is_awaited
    mouse.rest()
    assert not is_outdated(human)


@pytest.mark.parametrize("hold", ['PINNED', 'FOLLOWS', 'FREE'])
def test_what_holds_otherwise_is_told_of_at_once(human, hold):
    """The pose is the one that is told of; only who gives way to whom is another."""
    move(human, way=FAR, steps=2)
    pose = channels(human)
    figures.make_active(human)
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(human, "hand.R")
    bpy.ops.superpose.set_hold(hold=hold)
    armatures.refresh()
    assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(human)
    if hold == 'PINNED':
        assert channels(human) == pose


def test_a_pin_far_from_where_it_was_asked_to_be_is_met_there(human):
    """And what was missed before stays missed."""
    move(human, way=4 * FAR, steps=2)
    missed = human.superpose.message
    assert "Missed" in missed
    bpy.ops.object.select_all(action='DESELECT')
    figures.make_active(human)
    bpy.ops.object.mode_set(mode='POSE')
    figures.select_bones(human, HEAD)
    bpy.ops.superpose.set_hold(hold='PINNED')
    armatures.refresh()
    assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(human)
    assert human.pose.bones[HAND].superpose.is_missed
    head = human.pose.bones[HEAD].superpose
    assert (head.is_missed, head.gave_way) == (False, False)
