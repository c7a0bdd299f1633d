# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals whose weights and values change from frame to frame: by keys, drivers and strips."""

from itertools import pairwise

import bpy
import figures
import numpy as np
import pytest
from figure_goals import add, ready, shown
from keyed_frames import FRAMES, at, baked_alone, in_strip, key, live, solved_alone
from mathutils import Quaternion

pytestmark = pytest.mark.usefixtures("blend")


def aimed():
    """A figure whose head is asked to be elsewhere by an effector and by an aim, of which one gives way."""
    ob = ready("hips", "head")
    goal = add(ob, 'AIM', "head")
    goal.target.location = (1.0, -1.0, 1.6)
    for bone in ("hips", "head"):  # asked for in all frames, as the aim is
        figures.target_of(ob, bone).keyframe_insert("location", frame=1)
    bpy.context.scene.frame_end = FRAMES[-1]
    return ob, goal


def attached():
    ob = ready("hips", "hand.L")
    goal = add(ob, 'ATTACH', "hand.R", "hand.L")
    bpy.context.scene.frame_end = FRAMES[-1]
    return ob, goal


def key_weight():
    ob, goal = aimed()
    key(goal, "weight", 0.0, 0.5, 4.0)
    return ob


def key_attached():
    ob, goal = attached()
    x, y, z = goal.place
    turn = Quaternion(goal.turn)
    key(goal, "place", (x, y, z), (x, y, z + 0.05), (x + 0.1, y, z))
    key(goal, "turn", *(turn @ Quaternion((0, 0, 1), angle) for angle in (0, 0.2, 0.4)))
    key(goal, "position_weight", 1.0, 2.0, 0.0)
    key(goal, "rotation_weight", 1.0, 0.0, 0.5)
    return ob


def drive_weight():
    ob, goal = aimed()
    goal.driver_add("weight").driver.expression = "frame - 1"
    return ob


def strip_weight():
    return in_strip(key_weight())


@pytest.mark.once
@pytest.mark.parametrize("animate", [key_weight, key_attached, drive_weight, strip_weight])
def test_frames_baked_alone_are_what_solve_makes_of_them(animate):
    ob = animate()
    wanted = solved_alone(ob)
    moving = "hand.R" if animate is key_attached else "head"
    assert all(np.abs(a[moving] - b[moving]).max() > 1e-2 for a, b in pairwise(wanted))
    assert baked_alone(ob, wanted)


@pytest.mark.once
def test_a_weight_of_zero_in_a_frame_asks_for_nothing_there():
    ob, goal = aimed()
    key(goal, "weight", 0.0, 0.0, 1.0)
    at(1)
    bpy.ops.superpose.solve()
    assert not goal.is_missed
    assert figures.distance(ob, "head") < 1e-3
    assert figures.turn(ob, "head") < 1e-3
    at(3)
    bpy.ops.superpose.solve()
    assert goal.is_missed


@pytest.mark.once
def test_baked_together_each_frame_has_its_weight():
    ob = key_weight()
    wanted = solved_alone(ob)
    assert bpy.ops.superpose.bake(frames='TOGETHER') == {'FINISHED'}
    for frame, there in zip(FRAMES, wanted, strict=True):
        at(frame)
        assert np.abs(shown(ob)["head"] - there["head"]).max() < 2e-3


@pytest.mark.once
def test_baked_together_bones_stay_beside_each_other_where_each_frame_has_them():
    ob, goal = attached()
    places = [(0.1, 0.0, 0.0), (0.1, 0.1, 0.0), (0.0, 0.1, 0.1)]
    turns = [Quaternion((0, 0, 1), angle) for angle in (0.0, 0.2, 0.4)]
    key(goal, "place", *places)
    key(goal, "turn", *turns)
    assert bpy.ops.superpose.bake(frames='TOGETHER') == {'FINISHED'}
    for frame, place, turn in zip(FRAMES, places, turns, strict=True):
        at(frame)
        beside = ob.pose.bones["hand.L"].matrix.inverted() @ ob.pose.bones["hand.R"].matrix
        assert np.allclose(beside.translation, place, atol=1e-4)
        assert beside.to_quaternion().rotation_difference(turn).angle < 1e-3


@pytest.mark.parametrize("animate", [key_weight, key_attached])
def test_live_shows_each_frame_as_solve_has_it(animate):
    ob = animate()
    wanted = solved_alone(ob)
    assert live(ob, wanted)


@pytest.mark.once
def test_keys_below_zero_count_as_zero():
    ob, goal = aimed()
    key(goal, "weight", 1.0, 1.0, 1.0)
    for point in figures.curves(ob.animation_data.action)[0].keyframe_points:
        point.co.y = -5.0
    at(2)
    assert goal.weight == 0.0
    bpy.ops.superpose.solve()
    assert not goal.is_missed


@pytest.mark.parametrize(
    ("make", "name", "words"),
    [(aimed, "weight", "aim of 'head'"), (attached, "place", "attachment of 'hand.R'")],
)
def test_keys_that_are_not_finite_are_refused_by_name(make, name, words):
    ob, goal = make()
    goal.keyframe_insert(name, frame=1)
    for point in figures.curves(ob.animation_data.action)[-1].keyframe_points:
        point.co.y = np.nan
    at(2)
    before = shown(ob)
    with pytest.raises(RuntimeError, match=f"{words} has a value that is not finite"):
        bpy.ops.superpose.solve()
    assert all((matrix == before[bone]).all() for bone, matrix in shown(ob).items())


@pytest.mark.once
def test_a_turn_of_zero_in_a_frame_is_refused_with_its_number():
    _, goal = attached()
    key(goal, "turn", (1, 0, 0, 0), (0, 0, 0, 0), (1, 0, 0, 0))
    with pytest.raises(RuntimeError, match=r"Frame 2: The attachment of 'hand.R' has a turn of zero"):
        bpy.ops.superpose.bake(frames='ALONE')


@pytest.mark.parametrize(("make", "name"), [(aimed, "weight"), (attached, "place"), (attached, "turn")])
def test_keys_on_goals_leave_a_set_up_plain(make, name, rooms):
    ob, goal = make()
    goal.keyframe_insert(name, frame=1)
    assert rooms.armature.is_plain(ob)


@pytest.mark.once
def test_nothing_is_stored_by_frame_where_nothing_is_keyed(rooms):
    ob, _ = attached()
    rig = rooms.armature.read_rig(ob)
    frame = rooms.armature.read_frame(rig, ob, bpy.context.evaluated_depsgraph_get())
    request = rooms.armature.stack(rig, [frame] * 3, rooms.armature.settings_of(ob))
    assert request.goals[0].to_offset.shape == (1, 3)
    assert request.goals[0].to_rotation.shape == (1, 4)


@pytest.mark.once
def test_frames_with_keys_of_goals_are_existing_keys():
    ob = key_weight()
    bpy.context.scene.frame_end = 6
    assert bpy.ops.superpose.bake(keys='EXISTING') == {'FINISHED'}
    path = ob.pose.bones["head"].path_from_id("rotation_quaternion")
    curve = next(curve for curve in figures.curves(ob.animation_data.action) if curve.data_path == path)
    assert [key.co.x for key in curve.keyframe_points] == [*FRAMES, 6]  # and the end of the range
