# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is reported is what Blender shows, whatever else than the solved channels has a say in it."""

import re

import armatures
import bpy
import figures
import numpy as np
import pytest
import swayed
from drawn_panels import draw

pytestmark = pytest.mark.usefixtures("blend")


@pytest.fixture(autouse=True)
def _not_live_afterwards(blend):
    yield
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def moving(ob):
    """Let the left hand's target go round, and keep the present frame where all obstacles are off."""
    target = figures.target_of(ob, "hand.L")
    for frame, shift in ((1, (-0.1, 0.1, 0.1)), (9, (-0.25, 0.2, -0.2))):
        target.location = armatures.Vector((0.7, 0, 1.45)) + armatures.Vector(shift)
        target.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = swayed.FRAMES
    scene.frame_set(swayed.NOW)
    return ob


def shown_residuals(ob, bones=figures.EFFECTORS):
    """The distances of each frame (frames, bones), from Blender's own matrices."""
    found = []
    for frame in range(swayed.FRAMES[0], swayed.FRAMES[1] + 1):
        bpy.context.scene.frame_set(frame)
        found.append([figures.distance(ob, bone) for bone in bones])
    return np.array(found)


def told_residuals(ob, bones=figures.EFFECTORS):
    return [ob.pose.bones[bone].superpose.position_residual for bone in bones]


@pytest.mark.parametrize("sway", swayed.ANIMATED)
def test_a_bake_tells_what_is_shown_and_why(sway, capfd):
    ob = moving(figures.ready())
    sway(ob)
    ob.pose.bones["hand.L"].superpose_rotation_weight = 0  # so that its worst frame is that of its distance
    bpy.ops.superpose.bake(action='CURRENT')
    distances = shown_residuals(ob)
    assert distances.max() > 0.02
    assert told_residuals(ob) == pytest.approx(distances.max(axis=0), abs=1e-4)
    hand = ob.pose.bones["hand.L"].superpose
    assert hand.is_missed
    assert ob.superpose.is_missed
    frame = int(re.search(r"at frame (\d+)", ob.superpose.strays)[1])
    assert distances[frame - 1].max() == pytest.approx(distances.max(), abs=1e-4)
    assert "'hand.L' is " in ob.superpose.strays
    assert "'forearm.L'" in ob.superpose.strays
    assert ob.superpose.strays.splitlines()[0] in "".join(capfd.readouterr())
    assert ob.superpose.strays.splitlines()[0] in " ".join(draw())


@pytest.mark.parametrize("sway", swayed.HANGING)
@pytest.mark.parametrize("name", ["solve", "bake"])
def test_what_moves_with_the_solve_is_told_as_it_is_shown(sway, name):
    ob = figures.turned_away(figures.ready())
    sway(ob)
    bpy.context.scene.frame_end = 2
    armatures.refresh()
    getattr(bpy.ops.superpose, name)()
    distance = figures.distance(ob, "hand.L")
    assert distance > 0.005
    hand = ob.pose.bones["hand.L"].superpose
    assert hand.position_residual == pytest.approx(distance, abs=1e-4)
    assert hand.is_missed
    assert "'hand.L' is " in ob.superpose.strays


def move_on(ob, by):
    """Move the body and its targets on along X."""
    ob.pose.bones["hips"].location.x += by
    for bone in figures.EFFECTORS:
        figures.target_of(ob, bone).location.x += by
    armatures.refresh()


@pytest.mark.parametrize("solve", [bpy.ops.superpose.solve, bpy.ops.superpose.bake])
def test_what_single_precision_rounds_is_told_as_it_is_shown(solve):
    ob = figures.turned_away(figures.ready())
    bpy.context.scene.frame_end = 1
    move_on(ob, 1e6)
    solve()
    shown = [figures.distance(ob, bone) for bone in figures.EFFECTORS]
    assert max(shown) > 0.02
    assert told_residuals(ob) == pytest.approx(shown, abs=1e-4)
    assert "single precision is too coarse for '" in ob.superpose.strays


def test_a_bake_tells_of_frames_that_single_precision_rounds():
    ob = figures.turned_away(figures.ready())
    scene, bones = bpy.context.scene, [figures.target_of(ob, bone) for bone in figures.EFFECTORS]
    for frame, by in ((1, 0), (2, 1e6)):
        move_on(ob, by)
        for owner in (ob.pose.bones["hips"], *bones):
            owner.keyframe_insert("location", frame=frame)
    scene.frame_end = 2
    scene.frame_set(1)
    bpy.ops.superpose.bake(action='CURRENT')
    scene.frame_set(2)
    assert told_residuals(ob) == pytest.approx(
        [figures.distance(ob, bone) for bone in figures.EFFECTORS], abs=1e-4
    )
    assert "at frame 2" in ob.superpose.strays


def test_live_tells_what_is_shown_once_it_is_shown():
    ob = figures.turned_away(figures.ready())
    swayed.scale_of_driven(ob)
    ob.superpose_live, distances = True, []
    for way in ((0.05, 0.05, 0), (0.1, 0, 0.1), (-0.15, -0.05, -0.1)):
        figures.target_of(ob, "hand.L").location += armatures.Vector(way)
        armatures.refresh()
        distances.append(figures.distance(ob, "hand.L"))
        assert told_residuals(ob, ["hand.L"]) == [pytest.approx(distances[-1], abs=1e-4)]
        assert ob.pose.bones["hand.L"].superpose.is_missed == (distances[-1] > 1e-3)
    assert max(distances) > 0.02


def test_live_refuses_a_frame_in_which_an_obstacle_acts():
    ob = moving(figures.ready())
    swayed.driven_mute(ob)
    ob.superpose_live = True
    solve = bpy.types.SUPERPOSE_OT_solve
    for frame, is_refused in ((swayed.NOW, False), (swayed.FROM + 1, True), (2, False)):
        bpy.context.scene.frame_set(frame)
        armatures.refresh()
        assert bool(solve.refusal_of(ob)) == is_refused
        assert is_refused or figures.distance(ob, "hand.L") < 1e-3


def read_channel(curve, ob, expression, bone="forearm.L"):
    """Drive by how a bone is turned."""
    variable = curve.driver.variables.new()
    variable.name, variable.targets[0].id = "turn", ob
    variable.targets[0].data_path = f'pose.bones["{bone}"].rotation_quaternion[1]'
    curve.driver.type, curve.driver.expression = 'SCRIPTED', expression


def test_a_driver_on_the_influence_is_named():
    ob = figures.turned_away(figures.ready())
    read_channel(ob.pose.bones["hand.L"].driver_add("superpose_influence"), ob, "1 - 20 * abs(turn)")
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert ob.pose.bones["hand.L"].superpose.is_missed
    assert "the driver on the influence of 'hand.L'" in ob.superpose.strays


def test_two_that_are_live_and_hang_on_each_other_are_named():
    """A point beside each hand is to meet the other's hand, which goes away as often."""
    first, second = figures.ready(), figures.ready("Other")
    for ob, other in ((first, second), (second, first)):
        effector = ob.pose.bones["hand.L"].superpose
        effector.target, effector.target_bone = other, "hand.L"
        ob.pose.bones["hand.L"].superpose_offset = (0.3, 0, 0)
    for ob in (first, second):
        ob.superpose_live = True
    armatures.refresh()
    distances = {ob: (point(ob) - hand(other)).length for ob, other in ((first, second), (second, first))}
    assert max(distances.values()) > 0.02
    for ob, other in ((first, second), (second, first)):
        assert told_residuals(ob, ["hand.L"]) == [pytest.approx(distances[ob], abs=1e-4)]
        if distances[ob] > 0.001:
            assert f"'{other.name}', which is live too, moves its target" in ob.superpose.strays


def point(ob):
    bone = ob.pose.bones["hand.L"]
    return ob.matrix_world @ bone.matrix @ armatures.Vector(bone.superpose_offset)


def hand(ob):
    return ob.matrix_world @ ob.pose.bones["hand.L"].head
