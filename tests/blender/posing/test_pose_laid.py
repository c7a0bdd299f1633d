# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is put on a face lies on it where Blender's snapping is set to Align Rotation to Target."""

import sys
from math import cos, radians, sin

import armatures
import bpy
import figures
import humanoids
import numpy as np
import pytest
import rigify_rigs
from handheld import Hand, head_of, pose_mode
from mathutils import Vector

pytestmark = [pytest.mark.usefixtures("rigify"), pytest.mark.once]

TOUCHES, ALIKE = 1e-3, 1e-3  # of a metre and more; radians
METARIGS = {"foot.L": "human", "toe.L": "wolf"}
# Feet; how steep faces are and which way they go down, degrees.
SLOPES = [
    ("foot.L", 10, 0),
    pytest.param("foot.L", 40, 170, marks=pytest.mark.slow),
    ("foot_l", 25, 80),
    pytest.param("toe.L", 10, 0, marks=pytest.mark.slow),
    ("toe.L", 40, 280),
]


@pytest.fixture
def room(addon):
    """What tells how bones lie on faces."""
    return sys.modules[f"{addon.name}.armature"]


@pytest.fixture
def foot(request):
    """A foot of a figure in Pose Mode, as it comes: one of a metarig, or of an import."""
    kind = METARIGS.get(request.param)
    ob = rigify_rigs.metarig(kind) if kind else humanoids.imported(request.getfixturevalue("shared_data"))
    return pose_mode(ob).pose.bones[request.param]


@pytest.fixture(autouse=True)
def _aligning(blend):
    settings = bpy.context.scene.tool_settings
    settings.snap_elements, settings.use_snap_align_rotation = {'FACE'}, True


def face_at(place, slope, way):
    """A face through a place that goes down to one side; its normal."""
    steep, round_ = radians(slope), radians(way)
    normal = np.array([sin(steep) * cos(round_), sin(steep) * sin(round_), cos(steep)])
    along, across = np.linalg.svd(normal[None])[2][1:]
    corners = [place + 9 * (a * along + b * across) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    mesh = bpy.data.meshes.new("Ramp")
    mesh.from_pydata([tuple(corner) for corner in corners], [], [(0, 1, 2, 3)])
    armatures.new_object("Ramp", mesh)
    armatures.refresh()
    return normal


def lies(room, bone, place, normal):
    """How far what may touch a face is above it (n,), and the angle between both."""
    under, ob = room.underside_of(bone), bone.id_data
    away = np.array((ob.matrix_world @ bone.matrix).to_3x3()) @ under.away
    high = (room.posed(ob, under.spots) - place) @ normal
    return high, np.arccos(np.clip(away @ normal / np.linalg.norm(away), -1, 1))


def drag(bone, high=0.1):
    """A hand that drags the bone, seen from above, and where it is to be put, so many lengths up."""
    ob = bone.id_data
    figures.select_bones(ob, bone.name)
    size = max(ob.dimensions)
    place = head_of(ob, bone.name) + np.array([0.0, 0.0, high * size])
    return Hand(ob, bone.name, direction=(0.0, -0.3, 1.0), distance=4 * size).key_pressed(bone.name), place


def hips_of(ob):
    bones = [bone for bone in ob.pose.bones if bone.superpose.is_effector]
    return min(bones, key=lambda bone: bone.superpose.order)


@pytest.mark.parametrize(("foot", "slope", "way"), SLOPES, indirect=["foot"])
def test_a_foot_lies_on_a_slope_and_stays_there(foot, room, slope, way):
    ob = foot.id_data
    hand, place = drag(foot)
    before = np.array((ob.matrix_world @ foot.matrix).to_3x3()) @ room.underside_of(foot).away
    normal = face_at(place, slope, way)
    hand.move((10, 10), ctrl=True)
    assert f"turned by {np.degrees(np.arccos(before @ normal)):.3g}°" in hand.header, "the least turn"
    hand.send('RET', ctrl=True)
    high, angle = lies(room, foot, place, normal)
    np.testing.assert_allclose(high, 0.0, atol=TOUCHES)
    assert angle < ALIKE
    bpy.ops.superpose.pose(bone=hips_of(ob).name, translation=(0.0, 0.0, -0.15 * max(ob.dimensions)))
    high, _ = lies(room, foot, place, normal)
    assert high[0] == pytest.approx(0.0, abs=TOUCHES)
    assert high.min() > -TOUCHES


@pytest.mark.parametrize("foot", ["toe.L"], indirect=True)
def test_a_foot_that_is_moved_on_forgets_the_face(foot):
    hand, place = drag(foot)
    normal = face_at(place, 20, 0)
    hand.move((10, 10), ctrl=True).send('RET', ctrl=True)
    np.testing.assert_allclose(foot.superpose.ground, [*normal, normal @ place], atol=ALIKE)
    bpy.ops.superpose.pose(bone=foot.name, rotation=(0.0, 0.0, 0.1))
    assert any(foot.superpose.ground)
    bpy.ops.superpose.pose(bone=foot.name, translation=(0.1, 0.0, 0.0))
    assert not any(foot.superpose.ground)


def test_escape_puts_everything_back(metarig, room):
    foot = metarig.pose.bones["foot.L"]
    before = [tuple(bone.rotation_quaternion) + tuple(bone.location) for bone in metarig.pose.bones]
    hand, place = drag(foot)
    face_at(place, 30, 45)
    hand.move((10, 10), ctrl=True).move((5, 5)).move((5, 0), ctrl=True).send('ESC', ctrl=True)
    after = [tuple(bone.rotation_quaternion) + tuple(bone.location) for bone in metarig.pose.bones]
    assert after == before
    assert not metarig.is_property_set("superpose")


@pytest.mark.parametrize("side", "LR")
def test_a_hand_lies_on_a_face_with_its_palm(metarig, room, side):
    palm = metarig.pose.bones[f"hand.{side}"]
    hand, place = drag(palm, -0.1)
    normal = face_at(place, 20, 100)
    hand.move((10, 10), ctrl=True).send('RET', ctrl=True)
    high, angle = lies(room, palm, place, normal)
    assert high.min() == pytest.approx(0.0, abs=TOUCHES)
    tips = [bone.tail for bone in palm.children_recursive if not bone.children]
    assert all((tip - palm.head) @ Vector(normal) < 0 for tip in tips), "palm down"
    assert angle < ALIKE


def test_other_bones_stand_upright_as_blender_has_them(metarig, room):
    head = metarig.pose.bones["spine.006"]
    hand, place = drag(head)
    normal = face_at(place, 20, 100)
    hand.move((10, 10), ctrl=True).send('RET', ctrl=True)
    along = (head.tail - head.head).normalized()
    np.testing.assert_allclose(along, normal, atol=ALIKE)
