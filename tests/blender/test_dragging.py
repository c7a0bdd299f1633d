# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drag as an operator has it: places in, poses out, nothing of Blender's read or written in between."""

import sys
from dataclasses import replace

import armatures
import bpy
import figures
import numpy as np
import pytest

pytestmark = pytest.mark.once

WAY = np.array([-0.2, 0.15, 0.2])


@pytest.fixture
def drag(addon, blend):
    """The left hand of a figure whose effectors have no targets, and where that hand begins."""
    ob = figures.figure()
    figures.select_bones(ob, *figures.EFFECTORS)
    bpy.ops.superpose.add_effectors()
    ob.location = (0.3, -0.2, 0.1)
    armatures.refresh()
    armature = sys.modules[f"{addon.name}.armature"]
    rig = armature.read_rig(ob)
    frame = armature.read_frame(rig, ob, bpy.context.evaluated_depsgraph_get())
    hand = [effector.bone for effector in rig.effectors].index("hand.L")
    dragging = sys.modules[f"{addon.name}.dragging"]
    return dragging.Drag(rig, armature.settings_of(ob), frame, frozenset({hand})), hand


def place_of(drag, row, way=0.0):
    """Where an effector begins, in the world, moved along."""
    place = drag.begin.armature_to_world @ drag.begin.matrices[drag.rig.places[row]]
    place[:3, 3] += way
    return place


def test_what_is_moved_gets_there_and_the_others_stay(addon, drag):
    drag, hand = drag
    ob, write_pose = bpy.data.objects["Figure"], sys.modules[f"{addon.name}.armature"].write_pose
    begin = {bone: np.array(ob.pose.bones[bone].head) for bone in figures.EFFECTORS}
    for share in np.linspace(0.1, 1.0, 10):
        found = drag.move({hand: place_of(drag, hand, share * WAY)})
    write_pose(drag.rig, ob, found.solution.pose)
    armatures.refresh()
    for bone, place in begin.items():
        way = WAY if bone == "hand.L" else 0.0
        assert np.abs(np.array(ob.pose.bones[bone].head) - place - way).max() < 1e-4


def test_others_give_way_only_to_what_is_moved(drag):
    drag, hand = drag
    parts = drag.move({hand: place_of(drag, hand, WAY)}).rig.parts
    assert parts == tuple('ASKED' if row == hand else 'FOLLOWS' for row in range(len(parts)))
    still = type(drag)(drag.rig, drag.settings, drag.begin, frozenset())
    assert set(still.solve(drag.begin).rig.parts) == {'ASKED'}


def test_nothing_is_written(drag):
    drag, hand = drag
    before = figures.state()
    drag.move({hand: place_of(drag, hand, WAY)})
    armatures.refresh()
    assert figures.state() == before


def test_where_it_began_the_pose_is_as_it_was(drag):
    drag, hand = drag
    for way in (WAY, -WAY, 10 * WAY, 0.0):
        found = drag.move({hand: place_of(drag, hand, way)})
    assert found.solution.converged[0]
    assert np.abs(found.solution.pose.rotations - drag.batch.pose.rotations).max() < 1e-3


def pose_of(found):
    """The channels of a pose as one array."""
    return np.concatenate([found.solution.pose.rotations.ravel(), found.solution.pose.translations.ravel()])


def moved(drag, row, ways, pauses=0):
    """The poses of moves, each followed by so many pauses of a rest that the next one interrupts."""
    poses = []
    for way in ways:
        poses.append(pose_of(drag.move({row: place_of(drag, row, way)})))
        rested = [drag.rest(seconds=0.0) for _ in range(pauses)]
        assert rested == [None] * pauses
    return np.array(poses)


@pytest.mark.parametrize("pauses", [1, 3])
def test_moves_do_not_depend_on_rests_that_they_interrupt(drag, rng, pauses):
    drag, hand = drag
    ways = 10 * WAY + rng.normal(0.0, 0.3, (6, 3))
    other = type(drag)(drag.rig, drag.settings, drag.begin, drag.moved)
    np.testing.assert_array_equal(moved(drag, hand, ways, pauses), moved(other, hand, ways))


@pytest.mark.parametrize("share", [0.1, 1.0, 10.0])
def test_a_rest_in_parts_is_a_rest_at_once(drag, share):
    drag, hand = drag
    other, found = type(drag)(drag.rig, drag.settings, drag.begin, drag.moved), None
    for each in (drag, other):
        each.move({hand: place_of(each, hand, share * WAY)})
    while found is None:
        found = drag.rest(seconds=0.0)
    np.testing.assert_array_equal(pose_of(found), pose_of(other.rest()))


def test_a_rest_is_found_once_until_something_moves(drag):
    drag, hand = drag
    drag.move({hand: place_of(drag, hand, WAY)})
    found = drag.rest()
    assert drag.rest() is found
    drag.move({hand: place_of(drag, hand, 0.9 * WAY)})
    assert drag.rest() is not found


def test_a_goal_is_made_anew_only_where_what_it_looks_at_has_changed(addon, drag):
    bpy.data.objects["Figure"].superpose.goals.add().kind = 'PLANE'
    stacking = sys.modules[f"{addon.name}.armature"]
    armatures.refresh()
    ob = bpy.data.objects["Figure"]
    rig = stacking.read_rig(ob)
    frame = stacking.read_frame(rig, ob, bpy.context.evaluated_depsgraph_get())
    batch, settings = stacking.Batch(rig, [frame]), stacking.settings_of(ob)
    targets, lower = frame.targets.copy(), frame.goal_targets.copy()
    targets[0, :3, 3] += WAY
    lower[0, 2, 3] -= 1.0
    asked = frame, replace(frame, targets=targets), replace(frame, goal_targets=lower), frame
    first, again, other, back = (batch.request_in([each], settings).goals[0] for each in asked)
    assert first is again
    assert other is not first
    assert np.array_equal(back.heights, first.heights)


def test_where_targets_are_is_the_same_however_it_was_asked_before(addon, drag):
    """To the bit, and what has a say beside places is seen to have changed."""
    drag, hand = drag
    stacking = sys.modules[f"{addon.name}.armature"]
    frame, turn = drag.begin, np.diag([-1.0, -1.0, 1.0])
    frame = replace(frame, influences=np.ones(len(frame.influences)))
    moved, turned = frame.targets.copy(), frame.targets.copy()
    moved[hand, :3, 3] += WAY
    turned[hand, :3, :3] = turn
    elsewhere, half = frame.armature_to_world.copy(), frame.influences.copy()
    elsewhere[0, 3] += 1.0
    half[hand] = 0.5
    given = {"targets": moved}, {"targets": turned}, {"armature_to_world": elsewhere}, {"influences": half}
    asked = [frame, *(replace(frame, **each) for each in given), frame]
    batch = stacking.Batch(drag.rig, [frame])
    for each in asked:
        both = batch, type(batch)(drag.rig, [frame])
        kept, anew = (of.request_in([each], drag.settings).targets for of in both)
        for name in ("positions", "rotations"):
            np.testing.assert_array_equal(getattr(kept, name), getattr(anew, name))
    nowhere = replace(frame, targets=np.where(moved == moved[hand], np.nan, moved))
    with pytest.raises(stacking.RigError):
        batch.request_in([nowhere], drag.settings)
