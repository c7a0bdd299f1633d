# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drag as an operator has it: places in, poses out, nothing of Blender's read or written in between."""

import sys
from itertools import pairwise

import armatures
import bpy
import figures
import numpy as np
import pytest

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


FAR = np.array([-0.9, 0.3, 0.8])


def hasty_poses(drag, hand, shares):
    """Poses of moves of the hand to these shares of a way so far that the others give way."""
    return [drag.move({hand: place_of(drag, hand, share * FAR)}).solution.pose for share in shares]


def apart(pose, other):
    """How far a joint is turned from one pose to the other at most, degrees."""
    alike = np.abs((pose.rotations * other.rotations).sum(axis=-1)).min()
    return np.degrees(2 * np.arccos(min(alike, 1.0)))


@pytest.mark.once
def test_in_haste_too_a_place_has_one_pose_there_and_back(drag):
    drag, hand = drag
    there = np.linspace(0.125, 1.0, 8)
    poses = hasty_poses(drag, hand, [*there, *there[-2::-1], *there])
    assert not drag.move({hand: place_of(drag, hand, FAR)}).solution.converged[0]  # the others give way
    out, back, again = poses[:8], poses[7:15][::-1], poses[15:]
    assert max(apart(*pair) for pair in zip(out, back, strict=True)) < 0.1
    assert max(apart(*pair) for pair in zip(out, again, strict=True)) < 0.1


@pytest.mark.once
def test_on_a_slow_way_back_the_body_does_not_leap(drag):
    drag, hand = drag
    out = hasty_poses(drag, hand, np.linspace(0.0, 1.0, 8))
    back = hasty_poses(drag, hand, np.linspace(1.0, 0.0, 22)[1:])
    largest = max(apart(*pair) for pair in pairwise(out))
    assert max(apart(*pair) for pair in pairwise([out[-1], *back])) < 1.25 * largest


@pytest.mark.once
def test_after_a_rest_moves_go_on_from_the_pose_that_was_refined(drag):
    drag, hand = drag
    hasty_poses(drag, hand, np.linspace(0.2, 1.0, 5))
    rested = drag.rest().solution.pose
    (after,) = hasty_poses(drag, hand, [0.995])
    assert apart(rested, after) < 5.0


def test_places_of_a_long_drag_are_not_remembered_for_ever(addon):
    visited = sys.modules[f"{addon.name}.dragging.visited"]
    way = visited.Visited()
    for index in range(2 * visited._REMEMBERED):
        assert way.start(np.array([float(index)]), index) == index
    assert len(way.places) == visited._REMEMBERED
    assert way.start(np.array([index - 1.0]), None) == index - 1
