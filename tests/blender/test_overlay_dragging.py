# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The handlers of the handles, as Blender calls them while the mouse moves: no window is needed for that."""

from importlib import import_module
from math import degrees, radians
from types import FunctionType, SimpleNamespace

import armatures
import bpy
import numpy as np
import pytest
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector
from views import SIZE, view_of

pytestmark = pytest.mark.once

KINDS = ('HINGE', 'CONES', 'ELLIPSE', 'EULER')
MODULES = ("gizmos", "handles", "limit_kinds", "shapes", "shown")
SHALLOW = 3e-4  # between arcs and the chords they are drawn as
SINGLE = 3e-4  # bones; Blender's views are of single precision


@pytest.fixture
def parts(addon, blend):
    """The modules of the overlay, and the armature's reading of limits."""
    found = {name: import_module(f"{addon.name}.overlay.{name}") for name in MODULES}
    limits = import_module(f"{addon.name}.armature.setup.limits")
    return SimpleNamespace(**found, read_limit=limits.read_limit)


def limited_bone(kind, rng, placed='PLAIN', order='YXZ'):
    """A posed bone of a posed parent, with a limit of the kind."""
    ob = armatures.chain(2)
    armatures.transform_at_random(ob, rng, placed)
    for bone in ob.pose.bones:
        bone.rotation_quaternion = (1.0, *rng.uniform(-0.3, 0.3, 3))
    limit = bone.superpose.limit
    limit.kind, limit.axis, limit.order = kind, (1.0, 0.2, -0.3), order
    if kind == 'CONES':
        cone = limit.cones.add()
        cone.direction, cone.radius = (0.3, 1.0, 0.2), radians(30)
    bpy.context.view_layer.objects.active = ob
    armatures.refresh()
    return bone


def handles_of(parts, bone):
    return parts.handles.handles_of(bone.superpose.limit, parts.shown.place(bone.id_data, bone)[1])


class Viewport:
    """A context that has a view, and the last words in its header."""

    def __init__(self, bone, view):
        self.region = SimpleNamespace(width=SIZE, height=SIZE)
        self.region_data, self.object, self.words = view, bone.id_data, None
        self.area = SimpleNamespace(header_text_set=self.say, tag_redraw=lambda: None)

    def say(self, words):
        self.words = words

    def mouse_at(self, place, ctrl=False):
        x, y = location_3d_to_region_2d(self.region, self.region_data, place)
        return SimpleNamespace(mouse_region_x=x, mouse_region_y=y, ctrl=ctrl)


def gizmo(parts, bone, handle):
    """What Blender calls of the gizmo; Gizmo itself is only made by a window."""
    methods = vars(parts.gizmos.SUPERPOSE_GT_handle).items()
    handlers = {name: method for name, method in methods if isinstance(method, FunctionType)}
    found = type("Handle", (), handlers)()
    found.bone, found.handle = bone.name, handle
    return found


def seen(parts, bone, handle, perspective=True):
    """The viewport that sees the handle, across its dial, and the frame of the limit."""
    frame, _ = parts.shown.place(bone.id_data, bone)
    value = handle.read(bone.superpose.limit)
    across = handle.dial.axis + 0.3 * handle.dial.start if hasattr(handle, "dial") else value
    direction = frame.to_3x3() @ Vector(across)
    size = frame.to_3x3().row[0].length + frame.to_3x3().row[1].length + frame.to_3x3().row[2].length
    view = view_of(frame @ Vector(handle.point(value)), direction, 6 * size, perspective)
    return Viewport(bone, view), frame


def drag(parts, bone, handle, values, perspective=True, ctrl=False):
    """Drag the handle along its values, and let it go at the last; return the gizmo and its viewport."""
    context, frame = seen(parts, bone, handle, perspective)
    dragged = gizmo(parts, bone, handle)
    dragged.invoke(context, None)
    for value in values:
        mouse = context.mouse_at(frame @ Vector(handle.point(value)), ctrl)
        assert dragged.modal(context, mouse, set()) == {'RUNNING_MODAL'}
    return dragged, context


def on_the_way(before, after):
    if np.ndim(before) == 0:
        return np.linspace(before, after, 4)[1:]
    steps = [before + share * (after - before) for share in (0.5, 1)]
    return [step / np.linalg.norm(step) for step in steps]


def distance_to_rim(parts, bone, point):
    """How far the drawn rim of the stored limit is from a point, both in the limit's frame."""
    limit, (_, local) = parts.read_limit(bone), parts.shown.place(bone.id_data, bone)
    frame, ranges = parts.limit_kinds.drawn_kind(limit).twist(limit, local)
    lines = [parts.shapes.swing_shape(limit).rim]
    if ranges:
        lines.append(parts.shapes.twist_shape(ranges).rim @ frame.T + local[:, 1])
    start, end = np.moveaxis(np.concatenate(lines).astype(np.float64), 1, 0)
    along = end - start
    share = np.sum((point - start) * along, axis=-1) / np.maximum(np.sum(along**2, axis=-1), 1e-12)
    return np.linalg.norm(start + np.clip(share, 0, 1)[:, None] * along - point, axis=-1).min()


@pytest.mark.parametrize("perspective", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("placed", armatures.OBJECTS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_rim_goes_through_where_a_handle_is_dragged_to(parts, kind, placed, perspective, rng):
    bone = limited_bone(kind, rng, placed)
    limit = bone.superpose.limit
    angles = [index for index, one in enumerate(handles_of(parts, bone)) if np.ndim(one.read(limit)) == 0]
    for index in angles:
        handle = handles_of(parts, bone)[index]
        before = handle.read(limit)
        low, high = handle.bounds
        goal = np.clip(before + rng.uniform(0.1, 0.4) * rng.choice([-1, 1]), low + 0.1, high - 0.1)
        drag(parts, bone, handle, on_the_way(before, goal), perspective)
        assert np.linalg.norm(handle.point(handle.read(limit)) - handle.point(goal)) < SINGLE
        assert distance_to_rim(parts, bone, handle.point(goal)) < SHALLOW


@pytest.mark.parametrize("placed", armatures.OBJECTS)
def test_a_cone_is_about_where_its_middle_is_dragged_to(parts, placed, rng):
    bone = limited_bone('CONES', rng, placed)
    handle = handles_of(parts, bone)[0]
    before = handle.read(bone.superpose.limit)
    goal = before + rng.uniform(-0.2, 0.2, 3)
    goal /= np.linalg.norm(goal)
    drag(parts, bone, handle, on_the_way(before, goal))
    np.testing.assert_allclose(handle.read(bone.superpose.limit), goal, atol=SINGLE)
    rim = parts.shapes.swing_shape(parts.read_limit(bone)).rim.reshape(-1, 3)
    np.testing.assert_allclose(rim @ goal, np.cos(radians(30)), atol=SHALLOW)


@pytest.mark.parametrize("kind", KINDS)
def test_a_drag_is_one_step_of_undo(parts, kind, rng):
    name, rig = "b1", limited_bone(kind, rng).id_data.name

    def value():
        bone = bpy.data.objects[rig].pose.bones[name]
        return handles_of(parts, bone)[-1].read(bone.superpose.limit)

    bpy.ops.ed.undo_push(message="before")
    before = value()
    bone = bpy.data.objects[rig].pose.bones[name]
    handle = handles_of(parts, bone)[-1]
    dragged, context = drag(parts, bone, handle, on_the_way(before, before + 0.3))
    dragged.exit(context, False)
    after = value()
    assert abs(after - before) > 0.29
    bpy.ops.ed.undo()
    assert value() == before
    bpy.ops.ed.redo()
    assert value() == after


@pytest.mark.parametrize("kind", KINDS)
def test_escape_puts_everything_back(parts, kind, rng):
    bone = limited_bone(kind, rng)
    limit = bone.superpose.limit
    if kind == 'CONES':
        limit.cones.add().radius = 0.2
    for handle in handles_of(parts, bone):
        before, active = handle.read(limit), limit.active_cone_index
        goal = before + 0.3 if np.ndim(before) == 0 else np.array([0.6, 0.8, 0.0])
        dragged, context = drag(parts, bone, handle, on_the_way(before, goal))
        assert context.words == handle.words(handle.read(limit))
        assert np.abs(handle.read(limit) - before).max() > 0.1
        dragged.exit(context, True)
        np.testing.assert_allclose(handle.read(limit), before, atol=1e-7)
        assert limit.active_cone_index == active
        assert context.words is None


@pytest.mark.parametrize("kind", KINDS)
def test_with_ctrl_ends_snap(parts, kind, rng):
    bone = limited_bone(kind, rng)
    handle = handles_of(parts, bone)[-1]
    before = round(degrees(handle.read(bone.superpose.limit)))
    drag(parts, bone, handle, [radians(before + 8)], ctrl=True)
    assert handle.read(bone.superpose.limit) == pytest.approx(radians(before + 10), abs=1e-6)


@pytest.mark.parametrize("placed", armatures.OBJECTS)
@pytest.mark.parametrize("kind", KINDS)
def test_dots_are_where_their_values_are_and_arrows_point_out_of_the_range(parts, kind, placed, rng):
    bone = limited_bone(kind, rng, placed, order='XYZ')
    limit = bone.superpose.limit
    for handle in handles_of(parts, bone):
        context, frame = seen(parts, bone, handle)
        shown, value = gizmo(parts, bone, handle), handle.read(limit)
        shown.show(context, bone, handle)
        assert (
            shown.matrix_basis.translation - frame @ Vector(handle.point(value))
        ).length < 1e-4 * frame.median_scale
        if getattr(handle, "side", 0):
            assert shown.shape is parts.shapes.arrow_shape()
            nearby = [frame @ Vector(handle.point(value + step)) for step in (0, 1e-2 * handle.side)]
            tip = shown.matrix_basis @ Vector((0.01 * frame.median_scale, 0, 0))
            pixels = [
                Vector((e.mouse_region_x, e.mouse_region_y)) for e in map(context.mouse_at, (*nearby, tip))
            ]
            assert (pixels[1] - pixels[0]).angle(pixels[2] - pixels[0]) < radians(3)
        else:
            assert shown.shape is parts.shapes.dot_shape()


def test_a_line_leads_to_each_end_of_three_angles(parts, rng):
    bone = limited_bone('EULER', rng)
    for handle in handles_of(parts, bone):
        value = handle.read(bone.superpose.limit)
        line = handle.line(value)
        np.testing.assert_allclose(line[0], handle.point(0.0), atol=1e-9)
        np.testing.assert_allclose(line[-1], handle.point(value), atol=1e-9)
    assert not len(handles_of(parts, limited_bone('HINGE', rng))[0].line(1.0))
