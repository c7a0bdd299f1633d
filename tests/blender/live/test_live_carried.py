# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that go along with the body: where they are is known without Blender evaluating the scene again."""

import sys
from importlib import import_module
from math import pi

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import MOVE, followers, move

HIPS = "hips"
MODES = ('QUATERNION', 'AXIS_ANGLE', 'XYZ', 'ZYX')


@pytest.fixture
def looks(addon, monkeypatch):
    """Updates of the scene that live posing asks for."""
    live, calls = sys.modules[f"{addon.name}.live.armatures"], []
    update = live.evaluate_again

    def noted(*args):
        calls.append(args)
        update(*args)

    monkeypatch.setattr(live, "evaluate_again", noted)
    return calls


@pytest.fixture
def place_of(addon):
    return import_module(f"{addon.name}.armature").place_of


def alone(ob, target):
    pass


def with_a_goal(ob, target):
    """A goal, too, has the target that goes along, and hardly counts."""
    goal = ob.superpose.goals.add()
    goal.kind, goal.bone, goal.target, goal.influence = 'AIM', "head", target, 0.01


def under_another(ob, target):
    target.parent = armatures.new_object("Above")
    target.parent.rotation_euler = (0.3, 0.2, 0.1)


def as_in_other_modes(ob, target):
    target.rotation_mode, target.delta_location = 'QUATERNION', (0.1, 0.2, 0.3)
    target.scale = (0.5, 0.7, 1.3)


def live_with(setup):
    """A live figure whose hips are free and go along, their target set up by ``setup``."""
    ob = figures.ready()
    ob.pose.bones[HIPS].superpose.hold = 'FREE'
    setup(ob, figures.target_of(ob, HIPS))
    armatures.refresh()
    ob.superpose_live = True
    armatures.refresh()
    return ob


@pytest.mark.once
@pytest.mark.parametrize(
    ("setup", "asks"), [(alone, 0), (with_a_goal, 0), (as_in_other_modes, 0), (under_another, 4)]
)
def test_a_drag_goes_on_while_targets_go_along(addon, looks, setup, asks):
    ob = live_with(setup)
    move(ob, way=3 * MOVE, steps=2)
    (follower,) = followers(addon).values()
    drag, begin = follower.dragged.drag, figures.target_of(ob, HIPS).matrix_world.translation.copy()
    looks.clear()
    for _ in range(4):
        move(ob, way=3 * MOVE)
        assert figures.distance(ob, HIPS) < 1e-4
        assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(ob)
    assert (figures.target_of(ob, HIPS).matrix_world.translation - begin).length > 1e-3
    assert follower.dragged.drag is drag
    assert len(looks) == asks


def test_a_target_that_went_along_and_is_moved_by_the_user_is_dragged_next(addon):
    ob = live_with(alone)
    move(ob, way=3 * MOVE, steps=3)
    (follower,) = followers(addon).values()
    drag, hips = follower.dragged.drag, ob.pose.bones[HIPS].head.copy()
    move(ob, HIPS, way=MOVE / 4)
    assert follower.dragged.drag is not drag
    assert (ob.pose.bones[HIPS].head - hips - MOVE / 4).length < 1e-3


@pytest.mark.parametrize("mode", MODES)
def test_where_an_object_will_be_is_what_blender_then_shows_to_the_bit(blend, place_of, mode):
    random, thing = np.random.default_rng(3), armatures.new_object("Thing")
    thing.rotation_mode = mode
    turn = {'QUATERNION': "rotation_quaternion", 'AXIS_ANGLE': "rotation_axis_angle"}
    channels = "location", "scale", "delta_location", "delta_scale", turn.get(mode, "rotation_euler")
    for _ in range(50):
        for name in channels:
            setattr(thing, name, random.uniform(-pi, pi, len(getattr(thing, name))))
        expected = place_of(thing).copy()
        assert expected != thing.matrix_world
        armatures.refresh()
        assert expected == thing.matrix_world


def constrained(_, thing):
    thing.constraints.new('COPY_LOCATION').target = armatures.new_object("Elsewhere")
    thing.location, thing.constraints[0].target.location = (1, 2, 3), (4, 5, 6)


@pytest.mark.parametrize("setup", [under_another, constrained])
def test_where_others_have_a_say_it_is_where_blender_shows_it(blend, place_of, setup):
    thing = armatures.new_object("Thing")
    setup(None, thing)
    armatures.refresh()
    assert place_of(thing) == thing.matrix_world != thing.matrix_basis
