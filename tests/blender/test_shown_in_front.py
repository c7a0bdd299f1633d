# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown besides handles: ways to missed targets, joints at their limits, and goals."""

from importlib import import_module

import armatures
import bpy
import figures
import numpy as np
import pytest
from mathutils import Matrix, Vector
from viewports import front, space


@pytest.fixture
def overlay(addon, blend):
    """The modules of the overlay by their names; the empty file's viewports show no overlays."""
    space().overlay.show_overlays = space().overlay.show_extras = True
    return lambda name: import_module(f"{addon.name}.overlay.{name}")


@pytest.fixture
def shown(overlay):
    """What the viewport shows in front."""
    return lambda: overlay("puppets").shown_in_front(front())


@pytest.fixture
def ob(overlay):
    """A figure with four effectors, somewhere in the scene."""
    ob = figures.ready()
    ob.matrix_world = Matrix.LocRotScale(
        Vector((1, 2, 0)), Vector((0, 1, 3)).to_track_quat(), Vector((2, 2, 2))
    )
    armatures.refresh()
    bpy.ops.superpose.snap_targets()
    return ob


def goal(ob, kind, **settings):
    made = ob.superpose.goals.add()
    made.kind = kind
    for name, value in settings.items():
        setattr(made, name, value)
    return made


def at(ob, bone, end="head"):
    return ob.matrix_world @ getattr(ob.pose.bones[bone], end)


def ends(shown):
    """The first and the last place of every stroke."""
    return [(stroke.places[0], stroke.places[-1]) for stroke in shown.strokes]


def same(one, other):
    return np.allclose(one, other, atol=1e-5)


def test_where_all_is_met_there_are_handles_and_nothing_else(ob, shown):
    front = shown()
    assert len(front.marks) == 4
    assert not front.strokes
    assert not front.labels


def test_a_missed_target_has_a_line_and_its_distance(ob, shown):
    figures.target_of(ob, "hand.L").location += Vector((0, 0, 0.25))
    front = shown()
    ((begin, end),) = ends(front)
    assert same(begin, at(ob, "hand.L"))
    assert same(end, figures.target_of(ob, "hand.L").matrix_world.translation)
    (label,) = front.labels
    assert label.words == "25 cm"
    bpy.context.scene.unit_settings.system = 'IMPERIAL'
    (label,) = shown().labels
    assert "inches" in label.words or '"' in label.words


def test_joints_are_marked_while_what_the_solve_said_is_true(ob, shown, overlay):
    limit = ob.pose.bones["forearm.L"].superpose.limit
    limit.kind, limit.axis, limit.hinge_min, limit.hinge_max = 'HINGE', (0, 0, 1), 0.0, 0.1
    for name in ("hips", "head", "hand.R"):
        ob.pose.bones[name].superpose.hold = 'PINNED'
    figures.target_of(ob, "hand.L").location = at(ob, "arm.L") + Vector((0.1, 0.3, 0))
    bpy.ops.superpose.solve()
    assert "forearm.L" in ob.pose.bones["hand.L"].superpose.held_back
    joints = [s for s in shown().strokes if s.colour == overlay("draw").AT_LIMIT]
    assert any(same(joint.places[0], at(ob, "forearm.L")) for joint in joints)
    ob.pose.bones["chest"].rotation_quaternion = (0.9, 0.3, 0, 0)
    assert not [s for s in shown().strokes if s.colour == overlay("draw").AT_LIMIT]


def test_an_aim_is_a_line_to_its_target_and_the_axis(ob, shown):
    goal(ob, 'AIM', bone="head", axis="-Y", target=armatures.new_object("Seen"))
    bpy.data.objects["Seen"].location = (1, -3, 2)
    way, axis = ends(shown())
    assert same(way, (at(ob, "head"), (1, -3, 2)))
    assert same(axis, (at(ob, "head"), 2 * at(ob, "head") - at(ob, "head", "tail")))


def test_a_pole_is_a_line_from_the_middle_joint(ob, shown):
    target = armatures.new_object("Behind")
    goal(ob, 'POLE', bone="forearm.L", upper_bone="arm.L", end_bone="hand.L", target=target)
    ((begin, end),) = ends(shown())
    assert same(begin, at(ob, "forearm.L"))
    assert same(end, (0, 0, 0))


def test_an_attached_bone_is_joined_to_the_other(ob, shown):
    goal(ob, 'ATTACH', bone="hand.L", other_bone="head")
    assert same(ends(shown()), [(at(ob, "hand.L"), at(ob, "head"))])


@pytest.mark.parametrize("has_target", [False, True])
def test_a_plane_is_a_grid_in_it(ob, shown, has_target):
    target = armatures.new_object("Wall")
    target.matrix_world = Matrix.LocRotScale(
        Vector((0, 0, 1)), Vector((1, 2, 3)).to_track_quat(), Vector((1, 2, 5))
    )
    goal(ob, 'PLANE', target=target if has_target else None)
    front = shown()
    frame = target.matrix_world if has_target else Matrix()
    normal = frame.to_3x3().col[2].normalized()
    places = np.array([place for stroke in front.strokes for place in stroke.places])
    assert np.abs((places - np.array(frame.translation)) @ np.array(normal)).max() < 1e-5
    assert np.ptp(places, axis=0).max() > 1


def test_the_balance_is_the_centre_of_mass_over_what_stands(ob, shown):
    goal(ob, 'BALANCE')
    ob.matrix_world = Matrix.Scale(2, 4)
    for name in ("hips", "head"):
        ob.pose.bones[name].superpose.enabled = False
    weights = {"hips": 3.0, "hand.L": 1.0}
    for name in figures.BONES:
        ob.pose.bones[name].superpose.mass = weights.get(name, 1e-6) / 4
    middle = {name: (at(ob, name) + at(ob, name, "tail")) / 2 for name in weights}
    centre = (3 * middle["hips"] + middle["hand.L"]) / 4
    marks = [mark for mark in shown().marks if mark.kind == 'DISC' and same(mark.place[:2], centre[:2])]
    assert any(abs(mark.place[2] - centre.z) < 0.1 for mark in marks)
    polygon = next(stroke.places for stroke in shown().strokes if len(stroke.places) > 2)
    np.testing.assert_allclose(sorted({place[0] for place in polygon}), [-1.6, 1.6], atol=1e-5)
    np.testing.assert_allclose([place[1:] for place in polygon], [[0, 2.9]] * len(polygon), atol=1e-5)


def test_goals_that_take_no_part_are_not_shown(ob, shown):
    made = goal(ob, 'PLANE')
    assert shown().strokes
    made.influence = 0
    assert not shown().strokes
    made.influence, made.enabled = 1, False
    assert not shown().strokes


@pytest.mark.parametrize("kind", ['AIM', 'POLE', 'ATTACH'])
def test_goals_without_their_bones_or_targets_are_not_shown(ob, shown, kind):
    goal(ob, kind, bone="no such bone", other_bone="head", target=armatures.new_object("There"))
    assert not shown().strokes
    gone = armatures.new_object("Gone")
    goal(ob, kind, bone="head", other_bone="no such bone", target=gone)
    bpy.context.scene.collection.objects.unlink(gone)
    assert not shown().strokes


def test_the_active_goal_is_the_strongest_and_a_missed_one_has_another_colour(ob, shown, overlay):
    goals = overlay("goals")
    for place in ((1, -3, 2), (0, 0, 9)):
        target = armatures.new_object("Seen")
        target.location = place
        goal(ob, 'AIM', bone="head", target=target)
    ob.superpose.active_goal_index = 1
    first, _, second, _ = shown().strokes
    assert first.opacity < second.opacity
    assert {first.colour, second.colour} == {goals.CALM}
    bpy.ops.superpose.solve()
    assert goals.MISSED in {stroke.colour for stroke in shown().strokes}
    figures.target_of(ob, "hips").location.x += 1
    assert goals.MISSED not in {stroke.colour for stroke in shown().strokes}
