# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Toes of a body that follows a motion bend as the ground is, and else go with their feet."""

import sys
from math import radians

import armatures
import bpy
import figures
import numpy as np
import pytest
from mathutils import Matrix, Vector
from walking import LAST, stander, walker

pytestmark = pytest.mark.once

TOES = ("toe.L", "toe.R")


@pytest.fixture
def body(rigify, made_once):
    """Who follows one that rises on the ball of its right foot, and down again."""
    turned = {"thigh.R": 0.3, "shin.R": -0.6, "foot.R": 0.7}
    return made_once("who is to follow one on tiptoe", lambda: (walker(turned), stander()))


@pytest.fixture
def toes(addon):
    return sys.modules[f"{addon.name}.armature.motion.toes"]


def follow(**chosen):
    return bpy.ops.superpose.follow_motion(**chosen)


def shown(ob, frame):
    bpy.context.scene.frame_set(frame)
    return {bone.name: ob.matrix_world @ bone.matrix for bone in ob.pose.bones}


def tip(ob, toe):
    return Vector((0, ob.data.bones[toe].length, 0))


def least(ob, toe):
    return (ob.matrix_world @ ob.data.bones[toe].tail_local).z


def bend(ob, toe, places):
    """The angle between foot and toe, beside that at rest."""
    foot = ob.data.bones[toe].parent
    now, rest = (
        (one[foot.name].inverted() @ one[toe]).to_quaternion()
        for one in (places, {bone.name: bone.matrix_local for bone in ob.data.bones})
    )
    return now.rotation_difference(rest).angle


def test_the_least_lift_is_that_of_a_search(toes, rng):
    ways, axes = rng.normal(size=(2, 300, 3))
    axes = np.cross(ways, axes)
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    heights = rng.normal(size=300)
    found = toes.lifts(ways, axes, heights)
    angles = np.linspace(0, radians(70), 2001)
    for way, axis, least_height, angle in zip(ways, axes, heights, found, strict=True):
        up = np.cross(axis, way)
        lifted = np.outer(np.cos(angles), way)[:, 2] + np.sin(angles) * up[2]
        enough = np.flatnonzero(lifted >= least_height)
        most = radians(70) * np.clip(2 * up[2] / np.hypot(way[2], up[2]), 0, 1)
        if most == 0 or way[2] >= least_height:
            assert angle == 0
        else:
            sought = angles[enough[0] if len(enough) else lifted.argmax()]
            assert angle == pytest.approx(min(sought, most), abs=2 * angles[1])


def test_toes_turn_no_faster_than_feet_that_tip_over(toes):
    """From level to past upright, over a ball that is on the ground: by steps, not at once."""
    tips = np.linspace(0, radians(120), 241)
    ways = np.stack([0 * tips, np.cos(tips), -np.sin(tips)], axis=1)
    found = toes.lifts(ways, np.tile([1.0, 0.0, 0.0], (len(tips), 1)), np.zeros(len(tips)))
    assert found.max() > radians(55)
    assert np.abs(np.diff(found)).max() < 4 * tips[1]
    assert (found[tips >= radians(90)] < 1e-9).all()


@pytest.mark.parametrize("rate", [24, 120])
def test_toes_that_the_ground_lets_go_of_unbend_slowly(toes, rate):
    time = np.arange(2 * rate) / rate
    asked = np.where(time < 1, radians(20) * np.minimum(time, 0.5), 0.0)
    found = toes.eased(asked, rate)
    assert (found >= asked).all()
    np.testing.assert_allclose(found[time < 1], asked[time < 1], atol=1e-12)
    assert (found[time > 1.1] < 1e-12).all()
    assert np.diff(found).min() * rate > -1.5 * radians(10) / 0.1 - 1e-9


def test_tips_stay_over_the_ground_where_the_foot_rolls(body):
    follow()
    bpy.ops.superpose.bake()
    bent = []
    for frame in range(1, LAST + 1):
        places = shown(body, frame)
        for toe in TOES:
            bent.append(bend(body, toe, places))
            if bent[-1] < radians(69):
                assert (places[toe] @ tip(body, toe)).z > least(body, toe) - 0.003
    assert max(bent) > 0.2
    assert min(bent) < 0.01


def test_else_they_go_below(body):
    follow(use_toes=False)
    bpy.ops.superpose.bake()
    low = min((shown(body, frame)["toe.R"] @ tip(body, "toe.R")).z for frame in range(1, LAST + 1))
    assert low < least(body, "toe.R") - 0.02
    assert not {*TOES} & {*figures.effectors(body)}


def test_where_the_motion_has_no_toes_they_go_with_its_feet(body):
    leader = bpy.data.objects["Walk"]
    with armatures.edited(leader) as bones:
        for toe in TOES:
            bones.remove(bones[toe])
    figures.make_active(body)
    follow()
    bpy.ops.superpose.bake()
    assert bend(body, "toe.L", shown(body, 1)) < 0.02
    assert max(bend(body, "toe.R", shown(body, frame)) for frame in range(1, LAST + 1)) > 0.2


def test_toes_that_the_motion_bends_are_bent(body):
    leader = bpy.data.objects["Walk"]
    toe = leader.pose.bones["toe.L"]
    for frame, angle in ((1, 0.0), (6, 0.5), (LAST, 0.0)):
        toe.rotation_quaternion = Matrix.Rotation(angle, 3, 'X').to_quaternion()
        toe.keyframe_insert("rotation_quaternion", frame=frame)
    turned = bend(leader, "toe.L", shown(leader, 6))
    follow()
    bpy.ops.superpose.bake()
    assert bend(body, "toe.L", shown(body, 6)) == pytest.approx(turned, abs=0.01)


def test_they_go_with_a_foot_that_is_dragged(body):
    follow()
    bpy.ops.superpose.bake()
    bpy.context.scene.frame_set(1)
    before = bend(body, "toe.R", shown(body, 1))
    bpy.ops.superpose.pose(bone="foot.R", translation=(0, 0, 0.15))
    armatures.refresh()
    places = {bone.name: body.matrix_world @ bone.matrix for bone in body.pose.bones}
    assert bend(body, "toe.R", places) == pytest.approx(before, abs=0.02)


@pytest.mark.parametrize(
    ("limit", "axes"),
    [
        (("Hinge", (1.0, 0.0, 0.0)), [True, False, False]),
        (("Hinge", (0.7, 0.7, 0.0)), None),
        (("Cones", (((0.0, 1.0, 0.0), 0.5),)), None),
        (None, [True, True, True]),
    ],
)
def test_only_turns_count_that_their_joints_have(body, rooms, limit, axes):
    """A toe that other limits may keep off its turn is no effector."""
    toe = body.pose.bones["toe.R"]
    if limit:
        kind, given = limit
        rooms.limits.store_limit(toe, getattr(rooms.solvers, kind)("toe.R", given))
    follow()
    assert ("toe.R" in figures.effectors(body)) == (axes is not None)
    assert axes is None or list(toe.superpose.rotation_axes) == axes


def test_remove_set_up_takes_them_back(body):
    follow()
    assert {*TOES} <= {*figures.effectors(body)}
    bpy.ops.superpose.remove_setup()
    assert figures.effectors(body) == []
