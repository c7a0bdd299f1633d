# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles lie on the limit's rim, and what is dragged is stored and stays under the mouse."""

from importlib import import_module
from math import pi, radians
from types import SimpleNamespace

import armatures
import numpy as np
import pytest


@pytest.fixture
def parts(addon, blend):
    """The modules of the overlay, and the armature's reading of limits."""
    names = ("handles", "dials", "shapes", "limit_kinds", "shown")
    found = {name: import_module(f"{addon.name}.overlay.{name}") for name in names}
    limits = import_module(f"{addon.name}.armature.setup.limits")
    return SimpleNamespace(**found, read_limit=limits.read_limit)


@pytest.fixture
def bone(blend):
    ob = armatures.chain(2)
    found = ob.pose.bones["b1"]
    found.rotation_quaternion = (0.9, 0.1, 0.2, 0.1)
    armatures.refresh()
    return found


def limit_of(bone, kind):
    limit = bone.superpose.limit
    limit.kind = kind
    for direction, radius in (((0.3, 1.0, 0.0), 30), ((-0.4, 0.8, 0.6), 20)) if kind == 'CONES' else ():
        cone = limit.cones.add()
        cone.direction, cone.radius = direction, radians(radius)
    return limit


def handles_of(parts, bone):
    local = parts.shown.place(bone.id_data, bone)[1]
    return parts.handles.handles_of(bone.superpose.limit, local)


def ray_through(parts, point, rng):
    origin = 8 * rng.normal(size=3)
    return parts.dials.Ray(origin, (point - origin) / np.linalg.norm(point - origin))


@pytest.mark.parametrize(
    ("kind", "count"), [('HINGE', 2), ('CONES', 8), ('ELLIPSE', 6), ('EULER', 6), ('FREE', 0)]
)
def test_each_kind_has_its_handles(parts, bone, kind, count):
    limit_of(bone, kind)
    assert len(handles_of(parts, bone)) == count


@pytest.mark.parametrize("kind", ['HINGE', 'CONES', 'ELLIPSE'])
def test_without_a_twist_it_has_no_handles(parts, bone, kind):
    limit_of(bone, kind).use_twist = False
    assert not [handle for handle in handles_of(parts, bone) if handle.about == "twist"]


@pytest.mark.parametrize("kind", ['HINGE', 'ELLIPSE'])
def test_handles_of_a_swing_are_on_the_rim(parts, bone, kind):
    limit = limit_of(bone, kind)
    read = parts.read_limit(bone)
    region = parts.limit_kinds.drawn_kind(read).region(read)
    rim = np.concatenate([*region.rims, *region.lines])
    for handle in handles_of(parts, bone):
        if handle.about == "swing":
            distances = np.linalg.norm(rim - handle.point(handle.read(limit)), axis=-1)
            assert distances.min() < 1e-6


def test_handles_of_a_cone_are_on_its_circle(parts, bone):
    limit = limit_of(bone, 'CONES')
    for active in (0, 1):
        limit.active_cone_index = active
        handles = handles_of(parts, bone)
        middle = handles[active].read(limit)
        points = [handle.point(handle.read(limit)) for handle in handles if handle.about == "swing"]
        assert len(points) == 4
        np.testing.assert_allclose(points @ middle, np.cos(limit.cones[active].radius), atol=1e-6)


@pytest.mark.parametrize("kind", ['HINGE', 'CONES', 'ELLIPSE'])
def test_handles_of_a_twist_are_at_the_ends_of_its_fan(parts, bone, kind):
    stored = limit_of(bone, kind)
    if kind == 'HINGE':
        stored.axis = (0.0, -1.0, 0.0)
    limit, (_, local) = parts.read_limit(bone), parts.shown.place(bone.id_data, bone)
    frame, ranges = parts.limit_kinds.drawn_kind(limit).twist(limit, local)
    rim = parts.shapes.twist_shape(ranges).rim.reshape(-1, 3) @ frame.T
    tip = np.array([0.0, 1.0, 0.0]) if kind == 'HINGE' else local[:, 1]
    handles = (
        [handle for handle in handles_of(parts, bone) if handle.name.endswith(("_min", "_max"))]
        if kind == 'HINGE'
        else handles_of(parts, bone)[-2:]
    )
    for handle in handles:
        assert np.linalg.norm(rim + tip - handle.point(handle.read(stored)), axis=-1).min() < 1e-6


@pytest.mark.parametrize("kind", ['HINGE', 'CONES', 'ELLIPSE', 'EULER'])
def test_what_is_dragged_is_stored_and_under_the_mouse(parts, bone, kind, rng):
    limit = limit_of(bone, kind)
    for index in range(len(handles_of(parts, bone))):
        handle = handles_of(parts, bone)[index]
        before = handle.read(limit)
        goal = handle.point(before + (0.05 * rng.normal(size=3) if np.ndim(before) else 0.2))
        if np.ndim(before):
            goal /= np.linalg.norm(goal)
        ray = ray_through(parts, goal, rng)
        handle.write(limit, handle.dragged(before, ray, False))
        assert ray.distances(handle.point(handle.read(limit))) < 1e-5
        assert np.abs(handle.read(limit) - before).max() > 0.01


def test_the_active_cone_has_a_circle_and_its_dot_a_colour_of_its_own(parts, bone):
    limit = limit_of(bone, 'CONES')
    for active in (0, 1):
        limit.active_cone_index = active
        dots = handles_of(parts, bone)[:2]
        assert [dot.about for dot in dots] == (["middle", "other"] if active == 0 else ["other", "middle"])
        middle = dots[active].read(limit)
        circle = dots[active].line(middle)
        np.testing.assert_allclose(circle @ middle, np.cos(limit.cones[active].radius), atol=1e-6)
        np.testing.assert_allclose(circle[0], circle[-1], atol=1e-9)
        assert not len(dots[1 - active].line(dots[1 - active].read(limit)))


def test_words_say_how_far_a_cone_leans(parts, bone):
    limit = limit_of(bone, 'CONES')
    first = handles_of(parts, bone)[0]
    assert first.words(np.array([np.sin(0.5), np.cos(0.5), 0.0])) == "Cone 1: 28.6° from rest"
    assert "Cone 1 Radius: 30.0°" in [h.words(h.read(limit)) for h in handles_of(parts, bone)[2:]]


def test_dragging_the_middle_of_a_cone_makes_it_the_active_one(parts, bone, rng):
    limit = limit_of(bone, 'CONES')
    handle = handles_of(parts, bone)[1]
    handle.write(limit, handle.read(limit))
    assert limit.active_cone_index == 1


def test_ends_stop_at_one_another_and_radii_at_half_a_turn(parts, bone):
    limit = limit_of(bone, 'HINGE')
    low, high = handles_of(parts, bone)
    above = SimpleNamespace(distances=lambda points: np.linalg.norm(points - low.dial.at(3.0), axis=-1))
    assert low.dragged(2.4, above, False) == pytest.approx(limit.hinge_max)
    below = SimpleNamespace(distances=lambda points: np.linalg.norm(points - low.dial.at(-0.5), axis=-1))
    assert high.dragged(0.0, below, False) == pytest.approx(limit.hinge_min)
    limit.kind = 'ELLIPSE'
    radius = handles_of(parts, bone)[0]
    assert (
        radius.dragged(
            pi - 0.01,
            SimpleNamespace(distances=lambda x: np.linalg.norm(x - radius.dial.at(3.5), axis=-1)),
            False,
        )
        == pi
    )


def test_snapped_values_are_whole_steps(parts, bone, rng):
    limit = limit_of(bone, 'HINGE')
    handle = handles_of(parts, bone)[1]
    ray = ray_through(parts, handle.point(radians(121.3)), rng)
    assert handle.dragged(handle.read(limit), ray, True) == pytest.approx(radians(120))
    assert handle.words(radians(120)) == "Hinge Maximum: 120.0°"
