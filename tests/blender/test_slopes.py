# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pinned feet stand on: their toes tell a slope from a lifted heel, and paws roll over their digits."""

from importlib import import_module

import armatures
import bpy
import humanoids
import numpy as np
import pytest
import rigify_rigs
from mathutils import Matrix, Vector

pytestmark = [pytest.mark.usefixtures("blend", "rigify"), pytest.mark.once]

ALIKE, SEEN = 1e-5, 1e-2
ROLLED = 0.02  # of toes that are turned by ten times as much
UP = (0.0, 0.0, 1.0)
# How figures are turned with the ground that they stand on, radians.
SLOPES = {
    "level": (0, 0, 1),
    "uphill": (-0.7, 0, 0),
    "downhill": (0.7, 0, 0.4),
    "aside": (0, 0.7, 0),
    "a wall": (1.5, 0, 0),
    "a ceiling": (3, 0, 0),
}
MADE = {"human": None, "makehuman": humanoids.makehuman, "imported": humanoids.imported}


@pytest.fixture(params=MADE)
def figure(request, made_once):
    """A human, set up, on ground that is level in its own space; twice as large as its bones are made."""

    def set_up():
        make = MADE[request.param]
        ob = make(request.getfixturevalue("shared_data")) if make else rigify_rigs.metarig("human")
        bpy.ops.object.mode_set(mode='OBJECT')
        bpy.ops.superpose.set_up_body(use_live=False, use_targets=False)
        ob.scale = 2 * ob.scale

    return made_once(f"{request.param} on level ground", set_up)


@pytest.fixture
def ground(addon):
    """What is square to the ground of each end of the pinned feet (ends, 3), in the armature's space."""
    rooms = ("armature", "dragging.asked", "solvers.goals")
    armature, asked, kinds = (import_module(f"{addon.name}.{room}") for room in rooms)

    def found(ob):
        armatures.refresh()
        rig = asked.on_soles(armature.read_rig(ob), frozenset())
        frame = armature.read_frame(rig, ob, bpy.context.evaluated_depsgraph_get())
        goals = armature.Batch(rig, [frame]).request_in([frame], armature.settings_of(ob)).goals
        normals = [goal.normals[0] for goal in goals if isinstance(goal, kinds.Plane)]
        assert normals
        return np.array(normals)

    return found


def feet_and_toes(ob):
    pairs = {"foot.L": "toe.L", "foot_l": "ball_l"}
    foot = next(ob.pose.bones[name] for name in pairs if name in ob.pose.bones)
    toes = [child for child in foot.children if child.name.startswith(("toe", "ball"))]
    return foot, toes


def across(toes):
    """The axis across toes at rest, in the armature's space."""
    tips = [[toe, *toe.children_recursive][-1].bone.tail_local for toe in toes]
    ways = [tip - toe.bone.head_local for tip, toe in zip(tips, toes, strict=True)]
    return Vector(UP).cross(sum(ways, Vector()))


def turn(bone, angle, axis):
    """Turn a bone about an axis of the armature's space, where it is."""
    place = Matrix.Translation(bone.head)
    bone.matrix = place @ Matrix.Rotation(angle, 4, axis) @ place.inverted() @ bone.matrix
    armatures.refresh()


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("lift", [0.0, 0.5])
def test_toes_tell_the_ground_from_a_lifted_heel(figure, ground, slope, lift):
    foot, toes = feet_and_toes(figure)
    turn(foot, lift, across(toes))
    for toe in toes:
        turn(toe, -lift, across(toes))
    figure.rotation_mode, figure.rotation_euler = 'XYZ', SLOPES[slope]
    np.testing.assert_allclose(ground(figure), np.broadcast_to(UP, (len(ground(figure)), 3)), atol=ALIKE)


def test_a_flat_foot_has_the_level_ground_however_its_toes_are_bent(figure, ground):
    toes = feet_and_toes(figure)[1]
    for toe in toes:
        turn(toe, -0.5, across(toes))
    np.testing.assert_allclose(ground(figure), np.broadcast_to(UP, (len(ground(figure)), 3)), atol=ALIKE)


def test_toes_that_roll_about_their_own_length_leave_the_ground(figure, ground):
    """Nothing holds them there."""
    for toe in feet_and_toes(figure)[1]:
        turn(toe, 0.2, Vector(UP).cross(across([toe])))
    figure.rotation_mode, figure.rotation_euler = 'XYZ', SLOPES["downhill"]
    np.testing.assert_allclose(ground(figure), np.broadcast_to(UP, (len(ground(figure)), 3)), atol=ROLLED)


@pytest.mark.parametrize("kind", ["horse", "wolf"])
def test_soles_that_lie_on_one_slope_tell_it(ground, kind):
    """And heels that are lifted alike do not."""
    ob = rigify_rigs.metarig(kind)
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.ops.superpose.set_up_body(use_live=False, use_targets=False)
    ob.scale = 2 * ob.scale
    for slope in SLOPES.values():
        ob.rotation_mode, ob.rotation_euler = 'XYZ', slope
        np.testing.assert_allclose(ground(ob), np.broadcast_to(UP, (len(ground(ob)), 3)), atol=ALIKE)
    ob.rotation_euler = (0.0, 0.0, 0.0)
    feet = [bone for bone in ob.pose.bones if bone.superpose.is_effector and bone.superpose.hold == 'PINNED']
    for foot in feet:
        turn(foot, 0.4, Vector((1.0, 0.0, 0.0)))
    np.testing.assert_allclose(ground(ob), np.broadcast_to(UP, (len(ground(ob)), 3)), atol=ALIKE)


def drag_hips(ob, way):
    """Drag the hips a way, in lengths of the body."""
    bones = [bone for bone in ob.pose.bones if bone.superpose.is_effector]
    hips = min(bones, key=lambda bone: bone.superpose.order)
    size = np.ptp([bone.tail_local for bone in ob.data.bones], axis=0).max()
    bpy.ops.superpose.pose(bone=hips.name, translation=tuple(size * np.array(way)))
    armatures.refresh()


def test_a_paw_rolls_over_its_digits_and_does_not_turn_aside():
    ob = rigify_rigs.metarig("wolf")
    bpy.ops.object.mode_set(mode='OBJECT')
    bpy.ops.superpose.set_up_body(use_live=False, use_targets=False)
    names = [f"toe.{side}" for side in "LR"]
    digits = [bone.name for name in names for bone in ob.pose.bones[name].children_recursive]
    drag_hips(ob, (0, -0.2, 0))
    assert "Heel lifted: 'toe.L', 'toe.R'" in ob.superpose.notes
    for name in names:
        moved = ob.pose.bones[name].head - ob.data.bones[name].head_local
        assert moved.z > SEEN
        assert abs(moved.x) < ALIKE
    assert min(ob.pose.bones[name].tail.z for name in digits) > 0
