# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole kind of limit from outside, in Blender: a class of the solver's, and one for each part of the seam.

A joint turns by no more than an angle from rest, about whatever axis.
"""

from dataclasses import dataclass
from math import radians

import bpy
import figures
import limited
import numpy as np
import pytest
from bpy.props import EnumProperty, FloatProperty
from drawn_panels import draw
from near_rest import NearRestRows
from offered_kinds import offering, rooms_of

BONE, OTHER, LARGEST = "arm.L", "arm.R", radians(20)


def of_solver(limits, solver_geometry):
    """The kind as the solver has it, a value and its group, made of the add-on's own rooms."""

    @dataclass(frozen=True, eq=False, slots=True)
    class Group(NearRestRows, limits.Group):
        largest: np.ndarray
        geometry = solver_geometry

    @dataclass(frozen=True)
    class NearRest:
        bone: str
        largest: float
        cushion: float = 0.0
        sort, batch = 'NEAR_REST', 1

        def rows(self, keep):
            return self

        @classmethod
        def grouped(cls, values, bones, cushions):
            return Group(bones, cushions, np.array([value.largest for value in values]))

    return NearRest


def of_seam(kinds, near_rest):
    """How bones store the kind, how files save it, its mirror image, and what a new one is."""

    class NearRestKind(kinds.LimitKind):
        NAME, LABEL, LIMIT = 'NEAR_REST', "Near Rest", near_rest
        ADDS = "Turn by no more than an angle"

        @classmethod
        def read(cls, bone, stored):
            return near_rest(bone, stored.largest, stored.cushion)

        @classmethod
        def store(cls, stored, limit):
            stored.largest = limit.largest

        @classmethod
        def around(cls, bone, turn, order):
            return near_rest(bone, max(LARGEST, 2 * np.arccos(min(abs(turn[0]), 1.0))))

        @classmethod
        def mirrored(cls, limit, other, image):
            return near_rest(other, limit.largest, limit.cushion)

        @classmethod
        def as_json(cls, limit):
            return {"largest": kinds.in_degrees(limit.largest)}

        @classmethod
        def from_json(cls, bone, entry):
            largest, cushion = (radians(entry.number(name, 0, 180)) for name in ("largest", "soft_rim"))
            return near_rest(bone, largest, cushion)

    return NearRestKind


def of_overlay(kinds, arcs, regions):
    """How the kind is drawn: a circle about the bone."""

    class DrawnNearRest(kinds.DrawnKind):
        @classmethod
        def region(cls, limit, depth=0.0):
            radius = limit.largest - depth
            circle = arcs.circle(np.array([0.0, 1.0, 0.0]), radius)
            return regions.traced_region(
                arcs.arcs([circle]), lambda directions: directions[:, 1] >= np.cos(radius) - regions.ROUNDING
            )

        @classmethod
        def twist(cls, limit, local):
            return np.eye(3), ()

        @classmethod
        def columns(cls, limit, count):
            none = np.zeros(count, bool)
            return none, none

    return DrawnNearRest


@pytest.fixture
def near_rest(addon, blend, monkeypatch):
    """The kind, named wherever kinds are named; gives the add-on's modules."""
    rooms = rooms_of(
        addon,
        kinds="armature.limit_kinds",
        drawn="overlay.limit_kinds",
        stored="properties.limit",
        making="operators.limits.making",
        limits="armature.setup.limits",
        shapes="overlay.shapes",
        shown="overlay.shown",
        geometry="solvers.geometry",
        solver_limits="solvers.limits",
        arcs="overlay.arcs",
        regions="overlay.regions",
    )
    rooms.value = value = of_solver(rooms.solver_limits, rooms.geometry)
    kind = of_seam(rooms.kinds, value)
    label = rooms.stored.Kind("Near Rest", "Turns by no more than an angle", (("value", "largest"),))
    monkeypatch.setitem(rooms.kinds.KINDS, kind.NAME, kind)
    monkeypatch.setitem(rooms.kinds._BY_LIMIT, value, kind)
    monkeypatch.setitem(rooms.drawn._KINDS, value, of_overlay(rooms.drawn, rooms.arcs, rooms.regions))
    monkeypatch.setitem(rooms.stored.KINDS, kind.NAME, label)
    group, operator = rooms.stored.SUPERPOSE_PG_limit, rooms.making.SUPERPOSE_OT_add_limit
    items, buttons = group.__annotations__["kind"].keywords["items"], rooms.making._ITEMS
    group.kind = EnumProperty(items=[*items, (kind.NAME, label.label, label.description)], default='NONE')
    group.largest = FloatProperty(name="Largest", subtype='ANGLE')
    offering(operator, [*buttons, (kind.NAME, kind.LABEL, kind.ADDS)])
    yield rooms
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    group.kind = group.__annotations__["kind"]
    del group.largest
    offering(operator, buttons)


@pytest.fixture
def body(near_rest):
    """A figure whose upper arm has such a limit, given by the button."""
    ob = figures.ready()
    figures.active(ob, BONE)
    figures.select_bones(ob, BONE)
    assert bpy.ops.superpose.add_limit(kind='NEAR_REST') == {'FINISHED'}
    assert ob.pose.bones[BONE].superpose.limit.largest == pytest.approx(LARGEST)
    return ob


def test_the_panel_shows_it(body):
    drawn = draw()
    assert "In force: Near Rest (Superpose)" in drawn
    assert "largest" in drawn
    assert "hinge_min" not in drawn


def test_solve_keeps_to_it(body):
    body.pose.bones["hand.L"].superpose.target.location = (0.2, -0.3, 2.4)
    bpy.ops.superpose.solve()
    bpy.context.view_layer.update()
    turned = np.arccos(0.5 * (np.trace(limited.local_turn(body, BONE)) - 1))
    assert turned == pytest.approx(LARGEST, abs=1e-5)


def test_a_file_keeps_it_and_the_other_side_gets_it(near_rest, body, tmp_path):
    path = str(tmp_path / "limits.json")
    bpy.ops.superpose.export_limits(filepath=path)
    bpy.ops.superpose.remove_limit()
    assert near_rest.limits.read_limit(body.pose.bones[BONE]) is None
    bpy.ops.superpose.import_limits(filepath=path)
    found = near_rest.limits.read_limit(body.pose.bones[BONE])
    assert found == near_rest.value(BONE, found.largest)
    assert found.largest == pytest.approx(LARGEST)
    assert bpy.ops.superpose.mirror_limits(source='LEFT') == {'FINISHED'}
    assert near_rest.limits.read_limit(body.pose.bones[OTHER]) == near_rest.value(OTHER, found.largest)


def test_the_viewport_draws_it(near_rest, body):
    (shown,) = near_rest.shown.limits_of(body, [body.pose.bones[BONE]])
    assert isinstance(shown.limit, near_rest.value)
    rim = near_rest.shapes.swing_shape(shown.limit).rim.reshape(-1, 3)
    assert np.allclose(rim[:, 1], np.cos(LARGEST), atol=1e-6)
    for angle, is_there in ((0.0, False), (LARGEST, True)):
        turned = near_rest.geometry.rotation_vector_to_matrix(np.array([angle, 0.0, 0.0]))
        assert near_rest.shapes.posed_limit(shown.limit, turned).swing_at_limit == is_there
