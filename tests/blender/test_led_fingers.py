# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingers of a body that follows a motion turn as the motion's do, seen from the palm."""

import armatures
import bpy
import figures
import numpy as np
import pytest
from mathutils import Matrix, Quaternion
from walking import LAST, stander, walker

pytestmark = pytest.mark.once

FRAMES = (1, 6, LAST)
FINGERS = tuple(f"{finger}.0{place}" for finger in ("thumb", "f_index", "f_pinky") for place in (1, 2, 3))


@pytest.fixture
def body(rigify, made_once):
    return made_once("who is to follow hands", lambda: (walker(), stander()))


@pytest.fixture
def leader(body, rng):
    """Its left fingers turn in any way, its right ones not at all."""
    leader = bpy.data.objects["Walk"]
    for frame in FRAMES:
        for name in FINGERS:
            bone = leader.pose.bones[f"{name}.L"]
            bone.rotation_mode = 'QUATERNION'
            bone.rotation_quaternion = Quaternion(rng.normal(size=3), 0.4 if frame > 1 else 0.0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    return leader


def follow(**chosen):
    assert bpy.ops.superpose.follow_motion(**chosen) == {'FINISHED'}


def turns(ob, frame, names=FINGERS):
    """How the bones are turned from rest, (bones, 3, 3), as Blender evaluates it."""
    bpy.context.scene.frame_set(frame)
    return np.array([ob.pose.bones[f"{name}.L"].matrix_basis.to_3x3() for name in names])


def keyed(ob):
    paths = [curve.data_path for curve in figures.curves(ob.animation_data.action)]
    return {bone.name for bone in ob.pose.bones if any(f'"{bone.name}"' in path for path in paths)}


def as_the_leaders(body, leader, names=FINGERS):
    return max(np.abs(turns(body, f, names) - turns(leader, f, names)).max() for f in FRAMES)


@pytest.mark.parametrize("mode", ['QUATERNION', 'XYZ', 'AXIS_ANGLE'])
def test_those_of_an_equal_body_turn_alike(body, leader, mode):
    for name in FINGERS:
        body.pose.bones[f"{name}.L"].rotation_mode = mode
    follow()
    assert as_the_leaders(body, leader) < 1e-4
    fingers = {name for name in keyed(body) if name.startswith(("thumb", "f_"))}
    assert fingers == {f"{name}.L" for name in FINGERS}


def test_they_curl_into_the_palm_whichever_way_that_is_at_rest(body, leader):
    """Hands and fingers of the leader are twisted about its forearms at rest."""
    with armatures.edited(leader) as bones:
        arm = bones["forearm.L"]
        pivot = Matrix.Translation(arm.tail)
        turn = pivot @ Matrix.Rotation(1.0, 4, (arm.tail - arm.head).normalized()) @ pivot.inverted()
        for part, matrix in [(part, turn @ part.matrix) for part in bones["hand.L"].children_recursive]:
            part.matrix = matrix
    figures.make_active(body)
    follow()
    assert as_the_leaders(body, leader) < 1e-3


def test_without_fingers_of_its_own_the_body_and_the_motion_stay_without_keys(body, leader):
    with armatures.edited(leader) as bones:
        for name in [bone.name for bone in bones if bone.name.startswith(("thumb", "f_"))]:
            bones.remove(bones[name])
    figures.make_active(body)
    follow()
    assert not any(name.startswith(("thumb", "f_")) for name in keyed(body))


def test_whoever_does_not_want_them_keeps_the_hands_as_they_are(body, leader):
    follow(use_fingers=False)
    assert np.abs(turns(body, 6) - np.eye(3)).max() == 0


def test_where_the_motion_has_fewer_joints_the_first_ones_turn(body, leader):
    with armatures.edited(leader) as bones:
        for name in FINGERS:
            if not name.endswith("1"):
                bones.remove(bones[f"{name}.L"])
    figures.make_active(body)
    follow()
    assert as_the_leaders(body, leader, [name for name in FINGERS if name.endswith("1")]) < 1e-4


def test_fingers_that_lead_to_effectors_or_that_others_place_stay_as_they_are(body, leader):
    armatures.add_effector(body, "f_index.03.L")
    body.pose.bones["thumb.01.L"].constraints.new('COPY_ROTATION').target = leader
    follow()
    stays = {f"f_index.0{place}.L" for place in (1, 2, 3)} | {"thumb.01.L"}
    assert not stays & keyed(body)
    assert {"f_pinky.01.L", "thumb.02.L"} <= keyed(body)


def test_they_stay_within_their_limits(body, leader, rooms):
    limit = rooms.solvers.Hinge("f_index.02.L", (1.0, 0.0, 0.0), 0.0, 0.3)
    rooms.limits.store_limit(body.pose.bones["f_index.02.L"], limit)
    follow()
    for frame in FRAMES:
        (turn,) = turns(body, frame, ["f_index.02"])
        axis, angle = Matrix(turn.tolist()).to_quaternion().to_axis_angle()
        assert angle < 1e-4 or abs(axis.x) > 0.999
        assert -1e-4 < angle * axis.x < 0.3 + 1e-4
    assert as_the_leaders(body, leader, ["f_pinky.02"]) < 1e-4


def test_the_action_before_stays_as_it_was(body, leader):
    body.pose.bones["f_index.01.L"].keyframe_insert("rotation_quaternion", frame=1)
    action = body.animation_data.action
    before = figures.keys(action)
    follow()
    assert body.animation_data.action != action
    assert figures.keys(action) == before


def test_keys_that_cannot_go_are_refused_and_nothing_is_changed(body, leader):
    body.pose.bones["f_pinky.01.L"].keyframe_insert("rotation_quaternion", frame=1)
    curve = figures.curves(body.animation_data.action)[0]
    curve.lock = True
    figures.refused(bpy.ops.superpose.follow_motion, "lock")
