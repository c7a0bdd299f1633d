# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bone is dragged with mouse and keys: Blender's habits hold, and nothing is left of what is cancelled."""

import sys
from math import inf, radians

import armatures
import bpy
import figures
import numpy as np
import pytest
from armatures import Matrix, Vector
from handheld import FRONT, Hand, everything, head_of, heads, moved

MET = 1e-4
ABOVE, OBLIQUE = Vector((0.1, -0.2, 1.0)), Vector((0.7, -0.9, 0.4))


@pytest.mark.parametrize("perspective", [False, True])
@pytest.mark.parametrize("direction", [FRONT, ABOVE, OBLIQUE])
def test_the_bone_goes_with_the_mouse(ob, direction, perspective):
    hand = Hand(ob, "hand.L", direction=direction, perspective=perspective)
    view, before = hand.viewport, head_of(ob, "hand.L")
    hand.press()
    seen, far = view.seen(before), (Vector(before) @ view.region_data.view_matrix.to_3x3().row[2])
    hand.move((-60, 20)).move((-40, 60))
    after = head_of(ob, "hand.L")
    np.testing.assert_allclose(view.seen(after) - seen, (-100, 80), atol=0.3)
    assert Vector(after) @ view.region_data.view_matrix.to_3x3().row[2] == pytest.approx(far, abs=MET)
    hand.release()


def test_letting_go_leaves_the_pose_and_what_was_done(ob):
    before = heads(ob)
    hand = Hand(ob, "hand.L").press().move((-80, 60)).release()
    assert hand.state == {'FINISHED'}
    np.testing.assert_allclose(moved(ob, before), hand.tool.translation, atol=MET)
    assert hand.tool.bone == "hand.L"
    assert not any(hand.tool.rotation)
    assert hand.has_cleared_the_window
    placed = heads(ob)
    for bone in ob.pose.bones:
        bone.matrix_basis = Matrix()
    bpy.ops.superpose.pose(bone="hand.L", translation=hand.tool.translation)
    for name, place in heads(ob).items():
        np.testing.assert_allclose(place, placed[name], atol=1e-5)


@pytest.mark.once
def test_another_button_that_drags_by_the_keymap_confirms_when_it_is_let_go_of(ob):
    hand = Hand(ob, "hand.L").press('RIGHTMOUSE').move((-80, 60)).send('LEFTMOUSE', 'RELEASE')
    assert hand.state == {'RUNNING_MODAL'}
    assert hand.send('RIGHTMOUSE', 'RELEASE').state == {'FINISHED'}


@pytest.mark.once
@pytest.mark.parametrize("far", [0.05, 0.1, 0.3])
def test_straight_legs_follow_hips_that_are_moved_far_at_once(metarig, far):
    hand = Hand(metarig, "spine").key_pressed("spine")
    view, begin = hand.viewport, Vector(head_of(metarig, "spine"))
    hand.move(view.seen(begin - Vector((0, 0, far))) - view.seen(begin))
    np.testing.assert_allclose(head_of(metarig, "spine"), begin - Vector((0, 0, far)), atol=1e-3)
    hand.send('ESC')


@pytest.mark.once
@pytest.mark.parametrize("direction", [FRONT, OBLIQUE])
def test_hips_follow_over_straight_legs_however_late_moves_are(metarig, addon, monkeypatch, direction):
    monkeypatch.setattr(sys.modules[f"{addon.name}.operators.posing.with_mouse"], "FRAME", 1e-9)
    hand = Hand(metarig, "spine", direction=direction).key_pressed("spine")
    view, begin = hand.viewport, Vector(head_of(metarig, "spine"))
    down = view.seen(begin - Vector((0, 0, 0.4))) - view.seen(begin)
    for count in range(1, 7):
        hand.move(down / 6)
        seen = view.seen(head_of(metarig, "spine")) - view.seen(begin)
        np.testing.assert_allclose(seen, count * down / 6, atol=np.linalg.norm(down) / 6)
    hand.send('ESC')


def test_the_pose_is_refined_once_while_the_mouse_rests(ob, monkeypatch):
    hand = Hand(ob, "hand.L").press().move((-300, 250))
    hand.tool.moment = inf
    found = [hand.tool.puppet.found]
    for seconds in (0.0, 1.0, 2.0):
        monkeypatch.setattr(hand.tool, "moved_at", hand.tool.moved_at - seconds)
        hand.send('TIMER', 'NOTHING')
        found.append(hand.tool.puppet.found)
    assert found[0] is found[1] is not found[2] is found[3]
    rested = heads(ob)
    hand.release()
    for name, place in heads(ob).items():
        np.testing.assert_allclose(place, rested[name], atol=1e-5)
    assert not hand.viewport.timers


def test_the_pose_is_refined_a_moment_at_a_time(ob, addon, monkeypatch):
    monkeypatch.setattr(sys.modules[f"{addon.name}.operators.posing.with_mouse"], "FRAME", inf)
    hand = Hand(ob, "hand.L").press().move((-300, 250))
    hand.tool.moment, hasty = 0.0, hand.tool.puppet.found
    hand.tool.moved_at -= 1.0
    hand.send('TIMER', 'NOTHING')
    assert hand.tool.puppet.found is hasty
    assert hand.tool.puppet.drag.resting
    while hand.tool.puppet.found is hasty:
        hand.send('TIMER', 'NOTHING')
    rested = heads(ob)
    hand.release()
    for name, place in heads(ob).items():
        np.testing.assert_allclose(place, rested[name], atol=1e-5)


@pytest.mark.parametrize("rests", [True, False])
def test_letting_go_asks_for_nothing_new(ob, addon, monkeypatch, rests):
    """Nor does it end in another pose than the one that is refined meanwhile."""
    drag, asked = sys.modules[f"{addon.name}.dragging"].Drag, []
    hand = Hand(ob, "hand.L").press().move((-300, 250))
    hand.tool.moment = inf
    if rests:
        hand.tool.moved_at -= 1.0
        hand.send('TIMER', 'NOTHING')
    for name in ("move", "put"):
        monkeypatch.setattr(drag, name, lambda *given: asked.append(given))
    shown = heads(ob)
    hand.release()
    assert hand.state == {'FINISHED'}
    assert not asked
    if rests:
        np.testing.assert_array_equal(list(heads(ob).values()), list(shown.values()))


@pytest.mark.parametrize("way", [(-60, 60), (60, -40)])
def test_a_flick_that_was_cut_is_under_the_mouse_before_it_is_refined(ob, addon, monkeypatch, way):
    monkeypatch.setattr(sys.modules[f"{addon.name}.operators.posing.with_mouse"], "FRAME", 1e-9)
    hand = Hand(ob, "hand.L").press().move(way)
    hand.tool.moment, puppet, hasty = 0.0, hand.tool.puppet, hand.tool.puppet.found
    assert hasty.solution.position_residuals[0, puppet.rows["hand.L"]] > 1e-3
    hand.tool.moved_at -= 1.0
    while puppet.found is hasty:
        hand.send('TIMER', 'NOTHING')
    assert not puppet.drag.rested
    assert puppet.found.solution.position_residuals[0, puppet.rows["hand.L"]] < MET
    hand.send('ESC')


@pytest.mark.parametrize("end", ['ESC', 'RIGHTMOUSE'])
@pytest.mark.parametrize("with_targets", [False, True])
def test_cancelling_gives_back_every_bit(ob, rng, end, with_targets):
    if with_targets:
        bpy.ops.superpose.create_targets()
    for bone in ob.pose.bones:
        bone.rotation_quaternion = (1.0, *rng.uniform(-0.2, 0.2, 3))
    armatures.refresh()
    figures.select_bones(ob, "head", "arm.R")
    before = everything(ob)
    hand = Hand(ob, "hand.L").press().move((-80, 60)).type('X', 'X', 'ONE').send('R').move((5, 50))
    assert everything(ob) != before
    hand.send(end)
    assert hand.state == {'CANCELLED'}
    assert everything(ob) == before
    assert hand.has_cleared_the_window


def test_cancelling_the_first_drag_takes_the_set_up_back(metarig):
    before = everything(metarig)
    hand = Hand(metarig, "forearm.L").press().move((-80, 60))
    assert figures.effectors(metarig)
    assert hand.tool.makes_set_up
    assert not bpy.context.scene.superpose_show_limits, "which would cover what is dragged"
    hand.send('ESC')
    assert everything(metarig) == before


def test_a_drag_that_moves_nothing_leaves_nothing(metarig):
    before = everything(metarig)
    hand = Hand(metarig, "forearm.L").press().release()
    assert hand.state == {'CANCELLED'}
    assert everything(metarig) == before


@pytest.mark.parametrize("chosen", [["head"], ["head", "hand.L"], None])
def test_what_is_dragged_is_selected(ob, chosen):
    """As with Blender's own tools one of several stays one of them; where all are selected none is chosen."""
    figures.select_bones(ob, *(chosen or ob.pose.bones.keys()))
    Hand(ob, "hand.L").press().move((-10, 10)).release()
    several = bool(chosen) and "hand.L" in chosen
    assert set(figures.selected_bones(ob)) == (set(chosen) if several else {"hand.L"})
    assert ob.data.bones.active.name == "hand.L"


def test_after_a_first_drag_the_dragged_bone_alone_is_pinned(metarig):
    figures.select_bones(metarig, *metarig.pose.bones.keys())
    hand = Hand(metarig, "hand.L")
    hand.viewport.mouse = hand.viewport.seen(metarig.matrix_world @ metarig.pose.bones["hand.L"].head)
    hand.press().move((-80, 60)).release()
    held = {name: metarig.pose.bones[name].superpose.hold for name in figures.effectors(metarig)}
    bpy.ops.superpose.set_hold(hold='PINNED')
    now = {name: metarig.pose.bones[name].superpose.hold for name in figures.effectors(metarig)}
    assert held["hand.L"] == 'FOLLOWS'
    assert now == held | {"hand.L": 'PINNED'}


def test_where_none_is_active_the_key_takes_the_bone_under_the_mouse(ob):
    hand = Hand(ob, "hand.L").key_pressed(None).move((-10, 10)).send('RET')
    assert hand.state == {'FINISHED'}
    assert ob.data.bones.active.name == "hand.L"
    away = Hand(ob, "hand.L")
    away.viewport.mouse = np.zeros(2)
    assert away.key_pressed(None).state == {'CANCELLED'}
    assert away.reports == ["Choose a bone to drag first"]


@pytest.mark.parametrize("are_all", [True, False])
def test_where_all_bones_are_selected_nobody_chose_the_active_one(ob, are_all):
    figures.select_bones(ob, *(ob.pose.bones.keys() if are_all else ["head"]))
    hand = Hand(ob, "hand.L").key_pressed("head").move((-10, 10)).send('RET')
    assert hand.tool.bone == ("hand.L" if are_all else "head")
    figures.select_bones(ob, *ob.pose.bones.keys())
    away = Hand(ob, "hand.L")
    away.viewport.mouse = np.zeros(2)
    assert away.key_pressed("head").tool.bone == "head", "under the mouse is none"
    away.send('ESC')


@pytest.mark.parametrize("axis", range(3))
def test_axes_and_planes(ob, axis):
    before, key = heads(ob), "XYZ"[axis]
    others = [other for other in range(3) if other != axis]
    hand = Hand(ob, "hand.L", direction=OBLIQUE).press().move((-40, 30)).send(key)
    np.testing.assert_allclose(moved(ob, before)[others], 0, atol=MET)
    assert abs(moved(ob, before)[axis]) > 0.01
    assert f"along global {key}" in hand.header
    local = np.array(ob.data.bones["hand.L"].matrix_local)[:3, :3]
    hand.send(key)
    np.testing.assert_allclose((local.T @ moved(ob, before))[others], 0, atol=MET)
    assert f"along local {key}" in hand.header
    hand.send(key).send(key, shift=True)
    assert moved(ob, before)[axis] == pytest.approx(0, abs=MET)
    assert f"plane {''.join('XYZ'[other] for other in others)}" in hand.header
    hand.send('ESC')


@pytest.mark.once
def test_numbers_are_typed(ob):
    before = heads(ob)
    hand = Hand(ob, "hand.L").press().move((-40, 30))
    hand.send('Z').type('PERIOD', 'ONE', 'TWO')
    np.testing.assert_allclose(moved(ob, before), (0, 0, 0.12), atol=MET)
    hand.type('MINUS')
    np.testing.assert_allclose(moved(ob, before), (0, 0, -0.12), atol=MET)
    hand.type('BACK_SPACE', 'BACK_SPACE', 'BACK_SPACE', 'BACK_SPACE', 'Z', 'Z')
    hand.type('MINUS', 'PERIOD', 'ONE', 'TAB', 'MINUS', 'PERIOD', 'TWO').send('RET')
    assert hand.state == {'FINISHED'}
    np.testing.assert_allclose(moved(ob, before), (-0.1, -0.2, 0), atol=MET)


def test_numbers_have_the_units_that_are_shown(ob):
    bpy.context.scene.unit_settings.length_unit = 'CENTIMETERS'
    before = heads(ob)
    Hand(ob, "hand.L").press().move((-4, 3)).send('Z').type('ONE', 'TWO').send('RET')
    np.testing.assert_allclose(moved(ob, before), (0, 0, 0.12), atol=MET)


def test_the_header_says_what_a_number_comes_to(ob):
    hand = Hand(ob, "hand.L").press().send('Z').type('PERIOD', 'ONE', 'TWO', 'FIVE')
    assert "[.125|] = 12.5 cm (X 0 m, Y 0 m, Z 12.5 cm)" in hand.header
    hand.send('ESC')


def test_letters_with_ctrl_are_no_axes(ob):
    """As in Blender, whose *Undo* and others wait until the drag is over."""
    hand = Hand(ob, "hand.L").press().move((-40, 30))
    before, said = heads(ob), hand.header
    for key in ('X', 'Z', 'G', 'R'):
        hand.send(key, ctrl=True)
        assert hand.header == said
        assert not np.linalg.norm(moved(ob, before))
    hand.send('ESC')


def test_shift_is_for_precision(ob):
    before = heads(ob)
    hand = Hand(ob, "hand.L").press().move((-100, 0))
    whole = moved(ob, before)[0]
    said = hand.move((-100, 0), shift=True).header
    assert hand.move((-1, 0), shift=True).header != said
    hand.move((1, 0), shift=True).release()
    assert moved(ob, before)[0] == pytest.approx(1.1 * whole, abs=MET)


def test_turning_follows_the_mouse_round_the_bone(ob):
    hand = Hand(ob, "hand.L")
    hand.viewport.mouse = hand.viewport.seen(head_of(ob, "hand.L")) + np.array([100, 0])
    hand.key_pressed("hand.L").send('R')
    turned = ob.pose.bones["hand.L"].matrix.to_3x3()
    hand.move((-100, 100))
    wanted = Matrix.Rotation(radians(-90), 3, 'Y') @ turned  # anticlockwise as seen from the front
    np.testing.assert_allclose(ob.pose.bones["hand.L"].matrix.to_3x3(), wanted, atol=1e-3)
    hand.send('X').type('THREE', 'ZERO')
    wanted = Matrix.Rotation(radians(30), 3, 'X') @ turned
    np.testing.assert_allclose(ob.pose.bones["hand.L"].matrix.to_3x3(), wanted, atol=1e-3)
    assert "about global X" in hand.header
    assert "Turn hand.L" in hand.header
    hand.send('RET')
    np.testing.assert_allclose(hand.tool.rotation, (radians(30), 0, 0), atol=1e-4)


def test_alt_lets_pins_go(ob):
    ob.pose.bones["hand.R"].superpose.hold = 'PINNED'
    before = heads(ob)
    hand = Hand(ob, "hips").press().move((-150, 0))
    np.testing.assert_allclose(moved(ob, before, "hand.R"), 0, atol=MET)
    hand.send('LEFT_ALT', alt=True)
    assert np.linalg.norm(moved(ob, before, "hand.R")) > 0.05
    assert "pins released" in hand.header
    hand.send('LEFT_ALT', 'RELEASE')
    assert "pins released" not in hand.header
    np.testing.assert_allclose(moved(ob, before, "hand.R"), 0, atol=MET)
    hand.send('LEFTMOUSE', 'RELEASE', alt=True)
    assert hand.tool.release_pins
    assert np.linalg.norm(moved(ob, before, "hand.R")) > 0.05


@pytest.mark.once
def test_the_header_says_what_is_missed(ob):
    hand = Hand(ob, "hand.L").press().send('Z').type('NINE')
    assert "Move hand.L" in hand.header
    ob.superpose.root_location = 'ANCHORED'
    hand.send('ESC').press().send('Z').type('NINE')
    assert "missed 'hand.L' by" in hand.header
    hand.send('RET')
    assert any("Missed 'hand.L' by" in text for text in hand.reports)


def test_a_number_that_is_typed_is_posed_as_it_stays(ob):
    """It may be far away, where no steps in haste lead: what is not found yet would be said to be missed."""
    hand = Hand(ob, "hips").press().send('Z').type('MINUS', 'PERIOD', 'FOUR')
    typed = heads(ob)
    assert "missed" not in hand.header
    hand.send('RET')
    for name, place in heads(ob).items():
        np.testing.assert_allclose(place, typed[name], atol=1e-6)


def test_nobody_else_poses_a_body_that_is_dragged(ob):
    bpy.ops.superpose.create_targets()
    ob.superpose_live = True
    armatures.refresh()
    before = heads(ob)
    hand = Hand(ob, "hand.L").press().move((-80, 60))
    figures.target_of(ob, "hand.R").location.x += 0.1
    armatures.refresh()
    np.testing.assert_allclose(head_of(ob, "hand.R"), before["hand.R"], atol=MET)
    hand.send('ESC')
    np.testing.assert_allclose(head_of(ob, "hand.R") - before["hand.R"], (0.1, 0, 0), atol=1e-3)


def test_where_there_is_no_bone_a_box_selects(ob, monkeypatch):
    before = everything(ob)
    hand = Hand(ob, "hand.L")
    hand.viewport.mouse = hand.viewport.mouse + np.array([0, 400])
    monkeypatch.setattr(hand.tool, "select_box", lambda: {'PASS_THROUGH'})
    assert hand.press().state == {'PASS_THROUGH'}
    assert everything(ob) == before
