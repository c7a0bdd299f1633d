# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is dragged snaps to faces and to round steps, as Blender's own transforms do."""

import sys

import armatures
import bpy
import numpy as np
import pytest
from handheld import Hand, head_of, heads, moved

MET = 1e-4


@pytest.fixture
def wall(ob):
    """A wall before the figure, and its own skin before that; the scene's snapping is set to faces."""
    made = []
    for name, depth in (("Wall", -0.3), ("Skin", -0.5)):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([(x, depth, z) for x, z in ((-9, -9), (9, -9), (9, 9), (-9, 9))], [], [(0, 1, 2, 3)])
        made.append(armatures.new_object(name, mesh))
    made[1].modifiers.new("Armature", 'ARMATURE').object = ob
    bpy.context.scene.tool_settings.snap_elements = {'FACE'}
    armatures.refresh()
    return made[0]


def test_where_snapping_is_set_to_faces_ctrl_puts_the_bone_on_the_one_under_the_mouse(ob, wall):
    hand = Hand(ob, "hand.L").press().move((-40, 20))
    free = head_of(ob, "hand.L")
    hand.move((0, 0), ctrl=True)
    place, under = head_of(ob, "hand.L"), hand.viewport.mouse
    assert place[1] == pytest.approx(-0.3, abs=MET), "on the wall, not on the body's own skin"
    np.testing.assert_allclose(hand.viewport.seen(place), under, atol=0.3)
    hand.move((0, 0)).type('Y').move((0, 0), ctrl=True)
    np.testing.assert_allclose(head_of(ob, "hand.L")[1], -0.3, atol=MET)
    hand.send('ESC')
    bpy.context.scene.tool_settings.use_snap = True
    hand = Hand(ob, "hand.L").press().move((-40, 20))
    assert head_of(ob, "hand.L")[1] == pytest.approx(-0.3, abs=MET)
    hand.move((0, 0), ctrl=True)
    np.testing.assert_allclose(head_of(ob, "hand.L"), free, atol=MET)
    hand.send('ESC')


def face_in(height, slope=0.0):
    """A face at that height, which the scene's snapping is set to, that is higher along X; its normal."""
    floor = bpy.data.meshes.new("Step")
    floor.from_pydata(
        [(x, y, height + slope * x) for x, y in ((-9, -9), (9, -9), (9, 9), (-9, 9))], [], [(0, 1, 2, 3)]
    )
    armatures.new_object("Step", floor)
    bpy.context.scene.tool_settings.snap_elements = {'FACE'}
    armatures.refresh()
    return np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)


def underside(ob, addon, bone):
    armature = sys.modules[f"{addon.name}.armature"]
    return armature.posed(ob, armature.underside_of(ob.pose.bones[bone]).spots)


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_a_foot_is_put_on_a_face_with_its_sole(metarig, addon, slope):
    normal = face_in(0.2, slope)
    hand = Hand(metarig, "foot.L", direction=(0.0, -1.0, 1.0)).press().move((20, 20), ctrl=True)
    high = (underside(metarig, addon, "foot.L") - (0.0, 0.0, 0.2)) @ normal
    assert high.min() == pytest.approx(0.0, abs=1e-3)
    assert (head_of(metarig, "foot.L") - (0.0, 0.0, 0.2)) @ normal > 0.05
    assert "turned" not in hand.header, "Align Rotation to Target is off"
    hand.send('ESC')


def test_a_hand_touches_a_face_with_its_fingers(metarig, addon):
    """It hangs down from the forearm, which has it turn from move to move, ever less."""
    face_in(0.9)
    hand = Hand(metarig, "hand.L", direction=(0.0, -1.0, 1.0)).press()
    for way in ((20, 20), *[(0, 0)] * 9):
        hand.move(way, ctrl=True)
    high = underside(metarig, addon, "hand.L")[:, 2] - 0.9
    assert -1e-3 < high.min() < 1e-3
    assert head_of(metarig, "hand.L")[2] > 0.95
    hand.send('ESC')


def test_without_a_face_under_the_mouse_the_bone_is_free(ob, wall):
    hand = Hand(ob, "hand.L").press().move((-40, 20))
    free = head_of(ob, "hand.L")
    bpy.data.objects.remove(wall)
    hand.move((0, 0), ctrl=True)
    np.testing.assert_allclose(head_of(ob, "hand.L"), free, atol=MET)
    hand.send('ESC')


def test_ctrl_snaps_to_round_steps(ob):
    before = heads(ob)
    hand = Hand(ob, "hand.L").press().move((-83, 57), ctrl=True)
    way = moved(ob, before)
    assert np.abs(way[[0, 2]]).min() > 0.05
    np.testing.assert_allclose(way * 10, np.round(way * 10), atol=10 * MET)
    hand.send('R').move((0, 60), ctrl=True).send('LEFTMOUSE', 'RELEASE', ctrl=True)
    steps = np.degrees(np.abs(hand.tool.rotation)).max() / 5
    assert steps > 0.9
    assert steps == pytest.approx(round(steps), abs=1e-3)


def is_round(way):
    return np.allclose(way * 10, np.round(way * 10), atol=10 * MET)


@pytest.mark.parametrize(("element", "steps"), [('INCREMENT', True), ('GRID', True), ('VERTEX', False)])
def test_blenders_switch_snaps_to_round_steps_as_ctrl_does_and_ctrl_frees_then(ob, element, steps):
    """Where moves would snap to vertices alone neither does."""
    settings, before = bpy.context.scene.tool_settings, heads(ob)
    settings.snap_elements, settings.use_snap = {element}, True
    hand = Hand(ob, "hand.L").press().move((-83, 57))
    assert is_round(moved(ob, before)) == steps
    hand.move((0, 0), ctrl=True)
    assert not is_round(moved(ob, before))
    settings.use_snap = False
    hand.move((0, 0), ctrl=True)
    assert is_round(moved(ob, before)) == steps
    settings.use_snap = True
    hand.send('R').move((0, 60))
    freely = np.degrees(np.abs(hand.tool.rotation)).max() / 5
    assert freely != pytest.approx(round(freely), abs=1e-3), "turns snap only where that is set"
    settings.use_snap_rotate = True
    hand.move((0, 0))
    turned = np.degrees(np.abs(hand.tool.rotation)).max() / 5
    assert turned == pytest.approx(round(turned), abs=1e-3)
    hand.send('ESC')
