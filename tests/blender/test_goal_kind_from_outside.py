# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole kind of goal from outside, in Blender: a class of the solver's, and one for the seam.

A bone's head stays at a distance from an object, wherever round it.
"""

from dataclasses import dataclass
from typing import ClassVar

import bpy
import figures
import numpy as np
import pytest
from bpy.props import EnumProperty, FloatProperty
from drawn_panels import draw_panel
from figure_goals import add, ready, shown
from offered_kinds import offering, rooms_of

MET = 5e-4  # of a figure of about two units


def of_solver(goals):
    """The kind as the solver has it, a value and its group."""

    @dataclass(frozen=True, eq=False, slots=True, kw_only=True)
    class Tethers(goals.WeighedGoals):
        at: np.ndarray
        lengths: np.ndarray
        BATCHED: ClassVar = ("roots", "arm", "at")
        CONDITIONS: ClassVar = 1

        @classmethod
        def arrays(cls, tethers):
            at = np.broadcast_arrays(*(tether.at for tether in tethers))
            return {"at": np.stack(at, axis=1), "lengths": np.array([tether.length for tether in tethers])}

        def apart(self, points):
            away = points[:, :, 0] - self.at
            size = np.linalg.norm(away, axis=-1)
            return away / np.maximum(size, 1e-12)[..., None], size - self.lengths

        def residual(self, points, rotations):
            return (self.roots * self.apart(points)[1])[..., None]

        def slopes(self, points, rotations):
            return (self.roots[..., None] * self.apart(points)[0])[:, :, None, None], None

        def left(self, points, rotations):
            lengths = self.counted * np.abs(self.apart(points)[1])
            return lengths, np.zeros_like(lengths)

    @dataclass(frozen=True, eq=False)
    class Tether(goals.AnimatedGoal):
        bone: str
        at: np.ndarray
        length: float
        ANIMATED: ClassVar = {"weights": (), "at": (3,)}

        @property
        def title(self):
            return f"tether of '{self.bone}'"

        @property
        def group_type(self):
            return Tethers

        def frames(self):
            return ((self.bone, (0.0, 0.0, 0.0)),)

    return Tether


def of_seam(goals, common, tether):
    """What a new one has, what the button says, and what is put to the solver."""

    @dataclass(frozen=True)
    class TetherSetting(goals.GoalSetting):
        ADDS: ClassVar = "Keep the active bone at its distance from the selected object"
        length: float

        @classmethod
        def begun(cls, chosen):
            return {"bone": chosen.bone.name, "target": chosen.target}

        @classmethod
        def direction(cls, ob, goal):
            return ob.pose.bones[goal.bone].y_axis

        @classmethod
        def completed(cls, ob, goal):
            goal.length = apart(ob, goal)

        @classmethod
        def read(cls, ob, index, goal):
            return cls(**common(ob, index, goal), length=goal.length)

        def goal(self, posed):
            at, weights = posed.point(), posed.weights
            return tether(self.bone, at, self.length, weights=weights, rank=self.rank)

    return TetherSetting


def of_overlay(strokes):
    """How the kind is drawn: a line to the object."""

    def drawn(ob, goal, colour, opacity):
        head = ob.matrix_world @ ob.pose.bones[goal.bone].head
        yield strokes.Stroke((tuple(head), tuple(goal.target.matrix_world.translation)), colour, 5.0, opacity)

    return drawn


def apart(ob, goal):
    """How far the bone's head is from the object, in the scene, where armatures of tests have no scale."""
    bpy.context.view_layer.update()
    head = ob.matrix_world @ ob.pose.bones[goal.bone].head
    return (head - goal.target.matrix_world.translation).length


@pytest.fixture
def tether(addon, blend, monkeypatch):
    """The kind, named wherever kinds are named; gives the add-on's overlay of goals."""
    rooms = rooms_of(
        addon,
        kinds="armature.goals",
        setting="armature.goals.setting",
        stored="properties.goal",
        making="operators.setup.goals",
        overlay="overlay.goals",
        strokes="overlay.strokes",
        goals="solvers.goals",
    )
    kind = of_seam(rooms.kinds, rooms.setting.common, of_solver(rooms.goals))
    label = rooms.stored.Kind("Tether", "Stays at a distance", 'CON_DISTLIMIT', settings=("length",))
    group, operator = rooms.stored.SUPERPOSE_PG_goal, rooms.making.SUPERPOSE_OT_add_goal
    items, buttons = (of.__annotations__["kind"].keywords["items"] for of in (group, operator))
    monkeypatch.setitem(rooms.kinds.KINDS, 'TETHER', kind)
    monkeypatch.setitem(rooms.stored.KINDS, 'TETHER', label)
    monkeypatch.setitem(rooms.overlay._DRAWN, 'TETHER', of_overlay(rooms.strokes))
    group.kind = EnumProperty(items=[*items, ('TETHER', *label[:3], len(items))])
    group.length = FloatProperty(name="Length", unit='LENGTH')
    offering(operator, [*buttons, ('TETHER', "Tether", "")])
    yield rooms.overlay
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    group.kind = group.__annotations__["kind"]
    del group.length
    offering(operator, buttons)


@pytest.fixture
def body(tether):
    """A figure whose hand has such a goal, given by the button."""
    ob = ready("hips", "hand.L")
    goal = add(ob, 'TETHER', "hand.R")
    assert goal.length == pytest.approx(apart(ob, goal), abs=1e-6)
    return ob


def test_a_new_one_moves_nothing(body):
    before = shown(body)
    bpy.ops.superpose.solve()
    assert not body.superpose.is_missed
    assert all(np.allclose(matrix, before[name], atol=1e-3) for name, matrix in shown(body).items())


def test_solve_keeps_the_distance_and_meets_effectors(body):
    (goal,) = body.superpose.goals
    goal.target.location = (-0.3, -0.6, 1.0)
    goal.length = 0.25
    figures.target_of(body, "hand.L").location.z += 0.2
    bpy.ops.superpose.solve()
    assert apart(body, goal) == pytest.approx(0.25, abs=MET)
    assert figures.distance(body, "hand.L") < MET
    assert not goal.is_missed


def test_what_is_missed_is_told_and_without_influence_nothing_is_asked(body):
    (goal,) = body.superpose.goals
    goal.target.location, goal.length = (-9.0, 0.0, 1.0), 0.25
    bpy.ops.superpose.solve()
    assert goal.is_missed
    goal.influence = 0.0
    bpy.ops.superpose.solve()
    assert not goal.is_missed


def test_the_panel_and_the_viewport_show_it(tether, body):
    drawn = draw_panel("SUPERPOSE_PT_goals")
    assert "length" in drawn
    assert "axis" not in drawn
    (line,) = tether.shown_goals(body, is_told=True)
    assert line.places[1] == pytest.approx(tuple(body.superpose.goals[0].target.matrix_world.translation))
