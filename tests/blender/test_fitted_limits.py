# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rig's own motion says of the limits of its body: the play of hinges, and where heads look."""

from math import radians, sin

import armatures
import bpy
import figures
import humanoids
import limited
import numpy as np
import pytest
from mathutils import Matrix
from preset_limits import LEFT, beyond, limit_of, rest_of

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]

WITHIN = radians(0.1)
HINGED = ("lForeArm", "rForeArm", "lShin", "rShin")
PRESSES = ("apply_limit_preset", "set_up_body")
HEAD, NECK = "spine.006", "spine.004"
FRAMES = range(1, 60, 2)
REACH = 44.0  # how far the published head leans, to front and back, in degrees


def limits(ob, press, names):
    """What is stored of the bones' limits once the body has been limited."""
    getattr(bpy.ops.superpose, press)()
    ob.superpose_live = False
    return {name: figures.plain(limit_of(ob, name)) for name in names}


def looking_up(rooms, degrees, sway=8.0):
    """The metarig whose head leans back by so many degrees through a clip, give or take a sway."""
    bpy.ops.object.armature_human_metarig_add()
    ob = bpy.context.object
    head = ob.pose.bones[HEAD]
    head.rotation_mode, rest = 'QUATERNION', rest_of(ob, HEAD)
    lean = limb_leaning(ob)
    for frame in FRAMES:
        turn = lean(degrees + sway * sin(frame / 4))
        head.rotation_quaternion = Matrix((rest.T @ turn @ rest).tolist()).to_quaternion()
        head.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)
    return ob


def limb_leaning(ob):
    """How the head leans back by an angle, in armature space: about the body's left, as it points up."""
    return lambda degrees: armatures.array(Matrix.Rotation(radians(-degrees), 3, LEFT))


@pytest.mark.parametrize("press", PRESSES)
def test_a_head_that_looks_up_throughout_leans_as_far_from_there(rigify, rooms, press):
    ob = looking_up(rooms, 35)
    limits(ob, press, [HEAD])
    lean = limb_leaning(ob)
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert limited.outside(rooms, limit_of(ob, HEAD), limited.turn_of(ob.pose.bones[HEAD])) < WITHIN
    for way in (-1, 1):
        assert beyond(rooms, ob, HEAD, lean(35 + way * (REACH - 2))) < WITHIN
        assert beyond(rooms, ob, HEAD, lean(35 + way * (REACH + 2))) > WITHIN


@pytest.mark.parametrize("degrees", [-15, 0, 15])
@pytest.mark.parametrize("press", PRESSES)
def test_a_head_that_looks_about_ahead_has_the_published_range(rigify, rooms, press, degrees):
    ob = looking_up(rooms, degrees)
    found = limits(ob, press, [HEAD, NECK])
    ob.animation_data_clear()
    assert found == limits(ob, "apply_limit_preset", [HEAD, NECK])


def test_strips_say_what_their_action_did(shared_data):
    ob = humanoids.walking(shared_data)
    wanted = limits(ob, "apply_limit_preset", HINGED)
    action = ob.animation_data.action
    ob.animation_data.nla_tracks.new().strips.new("walk", 1, action)
    ob.animation_data.action = None
    bpy.context.scene.frame_set(7)
    found = limits(ob, "apply_limit_preset", HINGED)
    assert bpy.context.scene.frame_current == 7
    for name in HINGED:
        assert found[name]["hinge_play"] == pytest.approx(wanted[name]["hinge_play"], abs=radians(0.5))
    assert found["lForeArm"]["hinge_play"] > radians(5)
    ob.animation_data.nla_tracks[0].mute = True
    assert limits(ob, "apply_limit_preset", HINGED)["lForeArm"]["hinge_play"] == pytest.approx(radians(3))


@pytest.mark.parametrize("press", ["apply_limit_preset", "set_up_body"])
def test_motion_widens_the_play_of_elbows_and_knees_as_far_as_it_uses_it(shared_data, rooms, press):
    ob = humanoids.walking(shared_data)
    getattr(bpy.ops.superpose, press)()
    ob.superpose_live = False
    plays = {name: np.degrees(limit_of(ob, name).hinge_play) for name in HINGED}
    assert plays["lShin"] == plays["rShin"] == pytest.approx(3)  # of this skeleton knees turn about one axis
    assert 5 < plays["lForeArm"] < 30
    assert 5 < plays["rForeArm"] < 30
    inside = {name: 0 for name in HINGED}
    frames = range(20, 300, 10)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for name in HINGED:
            turn = ob.pose.bones[name].matrix_basis.to_quaternion().normalized().to_matrix()
            inside[name] += limited.outside(rooms, limit_of(ob, name), armatures.array(turn)) < WITHIN
    assert min(inside.values()) >= 0.9 * len(frames)
