# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels: what is coloured is what the solver allows."""

from importlib import import_module
from math import radians
from types import SimpleNamespace

import armatures
import bpy
import gpu
import numpy as np
import pytest
import rigify_rigs
from mathutils import Matrix, Vector

pytestmark = pytest.mark.once

SIZE = 64
NEAR_RIM = 4  # pixels: the width of lines, and of what lies behind them
SIDES = {
    "+X": (0, -90, 0),
    "-X": (0, 90, 0),
    "+Y": (90, 0, 0),
    "-Y": (-90, 0, 0),
    "+Z": (0, 180, 0),
    "-Z": (0, 0, 0),
}


@pytest.fixture(scope="module")
def graphics(addon):
    """Graphics without a window, where this Blender has them."""
    if hasattr(gpu, "init"):
        gpu.init()
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bpy.context.scene
        scene.render.engine = 'BLENDER_WORKBENCH'
        scene.render.resolution_x = scene.render.resolution_y = 16
        scene.camera = armatures.new_object("Camera", bpy.data.cameras.new("Camera"))
        bpy.ops.render.render()
    yield
    for name in ("draw", "front"):
        import_module(f"{addon.name}.overlay.{name}").forget()


@pytest.fixture
def overlay(addon, blend, graphics):
    """The modules of the overlay by their names."""
    return lambda name: import_module(f"{addon.name}.overlay.{name}")


def picture(draw, shown, to_view, projection, depth=1.0):
    return drawn(draw, lambda: draw.draw_limit(shown), to_view, projection, depth)


def drawn(draw, drawing, to_view, projection, depth=1.0):
    """The pixels (SIZE, SIZE, 4), from the bottom left; everything lies behind a ``depth`` of 0."""
    screen = gpu.types.GPUOffScreen(SIZE, SIZE, format='RGBA16F')
    try:
        with screen.bind():
            framebuffer = gpu.state.active_framebuffer_get()
            framebuffer.clear(color=(0, 0, 0, 0), depth=depth)
            gpu.state.viewport_set(0, 0, SIZE, SIZE)
            with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
                gpu.matrix.load_matrix(to_view)
                gpu.matrix.load_projection_matrix(projection)
                with draw.state_kept():
                    drawing()
            pixels = framebuffer.read_color(0, 0, SIZE, SIZE, 4, 0, 'FLOAT')
    finally:
        screen.free()
    return np.array(pixels.to_list()).reshape(SIZE, SIZE, 4)


def perspective():
    """A quarter turn wide and high."""
    near, far = 0.001, 100.0
    return Matrix(
        (
            (1, 0, 0, 0),
            (0, 1, 0, 0),
            (0, 0, (near + far) / (near - far), 2 * near * far / (near - far)),
            (0, 0, -1, 0),
        )
    )


def grid():
    middles = (np.arange(SIZE) + 0.5) / SIZE * 2 - 1
    across, up = np.meshgrid(middles, middles)
    return across, up


def directions_of(turn):
    """The direction (SIZE, SIZE, 3), in the limit's frame, that each pixel looks along."""
    across, up = grid()
    seen = np.stack([across, up, -np.ones_like(up)], axis=-1)
    return seen / np.linalg.norm(seen, axis=-1, keepdims=True) @ np.array(turn.to_3x3()).T


def far_from_a_rim(inside):
    """Pixels that are no nearer to a change than lines are wide; none at the picture's edge."""
    same = np.ones_like(inside)
    for down in range(-NEAR_RIM, NEAR_RIM + 1):
        for right in range(-NEAR_RIM, NEAR_RIM + 1):
            same &= np.roll(inside, (down, right), axis=(0, 1)) == inside
    same[:NEAR_RIM], same[-NEAR_RIM:], same[:, :NEAR_RIM], same[:, -NEAR_RIM:] = False, False, False, False
    return same


def shown_limit(overlay, bone):
    (shown,) = overlay("shown").limits_of(bone.id_data, [bone])
    return shown


def posed(kind):
    """A bone of a rig that is turned, scaled and moved, with a limit of the kind."""
    ob = armatures.chain(2)
    ob.matrix_world = Matrix.LocRotScale(
        Vector((3, -2, 1)), Vector((1, 2, 3)).to_track_quat(), Vector((2, 2, 2))
    )
    ob.superpose.use_limits = True
    bone = ob.pose.bones["b1"]
    ob.pose.bones["b0"].rotation_quaternion = (0.8, 0.4, -0.2, 0.3)
    limit = bone.superpose.limit
    limit.kind, limit.use_twist = kind, False
    for direction, radius in (((0.3, 1, 0.2), 40), ((-0.4, 0.5, 0.9), 25), ((-1, 0.2, -0.4), 15)):
        cone = limit.cones.add()
        cone.direction, cone.radius = direction, radians(radius)
    limit.radii = [radians(angle) for angle in (80, 30, 50, 20)]
    limit.order = 'XYZ'
    limit.euler_min, limit.euler_max = (-0.9, -0.3, -0.4), (1.1, 0.5, 0.6)
    armatures.refresh()
    return bone


def solver_allows(overlay, limit, directions, twists):
    """Whether some of so many twists of the bone may point in each direction, from the solver's own room."""
    group = overlay("shapes").group_of(limit)
    across = np.cross(directions, np.where(np.abs(directions[:, :1]) < 0.9, [1.0, 0, 0], [0, 0, 1.0]))
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    allowed = np.zeros(len(directions), bool)
    for angle in np.linspace(-np.pi, np.pi, twists, endpoint=False):
        x = np.cos(angle) * across + np.sin(angle) * np.cross(directions, across)
        local = np.stack([x, directions, np.cross(x, directions)], axis=-1)
        allowed |= group.room(local[:, None])[1][:, 0].min(axis=-1) >= 0
    return allowed


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("kind", ['CONES', 'ELLIPSE', 'EULER'])
def test_from_the_head_the_coloured_directions_are_the_allowed_ones(overlay, kind, side):
    shown = shown_limit(overlay, posed(kind))
    turn = Matrix.Rotation(radians(SIDES[side][0]), 4, 'X') @ Matrix.Rotation(radians(SIDES[side][1]), 4, 'Y')
    pixels = picture(overlay("draw"), shown, (shown.frame @ turn).inverted(), perspective())
    directions = directions_of(turn)
    twists = 120 if kind == 'EULER' else 12  # of the others the twist has no say in where they point
    allowed = solver_allows(overlay, shown.limit, directions.reshape(-1, 3), twists).reshape(SIZE, SIZE)
    compared = far_from_a_rim(allowed) & (directions @ shown.local[:, 1] < np.cos(0.3))
    assert compared.sum() > 0.2 * SIZE**2
    np.testing.assert_array_equal((pixels[..., 3] > 0.1)[compared], allowed[compared])


def flat_view(shown, depth):
    """Straight along the frame's -X, two and a half bones wide: what is seen is its plane of Y and Z."""
    turn = Matrix(((0, 0, 1, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1)))
    scale = Matrix.Diagonal((0.8, 0.8, -1 / depth, 1))
    return (shown.frame @ turn).inverted(), scale


def hinge(lower, upper):
    bone = posed('HINGE')
    limit = bone.superpose.limit
    limit.axis, limit.hinge_min, limit.hinge_max = (1, 0, 0), radians(lower), radians(upper)
    return bone


def test_a_hinge_is_the_fan_that_the_bone_sweeps(overlay):
    shown = shown_limit(overlay, hinge(20, 140))
    pixels = picture(overlay("draw"), shown, *flat_view(shown, 10))
    across, up = (1.25 * part for part in grid())
    angle, radius = np.degrees(np.arctan2(up, across)), np.hypot(across, up)
    swept = (angle > 20) & (angle < 140) & (radius < 1)
    compared = far_from_a_rim(swept) & ~((np.abs(up) < 0.25) & (across > 0))
    assert compared.sum() > 0.4 * SIZE**2
    np.testing.assert_array_equal((pixels[..., 3] > 0.1)[compared], swept[compared])


@pytest.mark.parametrize(("lower", "is_at_it"), [(-40, False), (0, True), (20, True)])
def test_at_its_limit_a_bone_is_red(overlay, lower, is_at_it):
    shown = shown_limit(overlay, hinge(lower, 140))
    pixels = picture(overlay("draw"), shown, *flat_view(shown, 10))
    red, _, blue, _ = pixels[pixels[..., 3] > 0.5].mean(axis=0)
    assert (red > blue) == is_at_it


def test_behind_something_it_is_fainter(overlay):
    shown = shown_limit(overlay, hinge(20, 140))
    draw, view = overlay("draw"), flat_view(shown, 10)
    seen = picture(draw, shown, *view)
    hidden = picture(draw, shown, *view, depth=0.0)
    drawn = seen[..., 3] > 0.1
    assert (hidden[drawn][:, 3] > 0).all()
    assert hidden[drawn][:, 3].mean() < 0.5 * seen[drawn][:, 3].mean()


def test_a_target_is_a_box_of_its_colour_in_front_of_everything(overlay):
    frame = Matrix.LocRotScale(Vector((1, 2, 3)), None, Vector((0.2, 0.2, 0.2)))
    view = flat_view(SimpleNamespace(frame=frame), 10)
    draw = overlay("draw")
    pixels = drawn(draw, lambda: draw.draw_target(frame, (0.1, 0.9, 0.1)), *view, depth=0.0)
    across, up = (1.25 * part for part in grid())
    box = (np.abs(across) < 1) & (np.abs(up) < 1)
    compared = far_from_a_rim(box)
    np.testing.assert_array_equal((pixels[..., 3] > 0.1)[compared], box[compared])
    red, green, blue, _ = pixels[box].mean(axis=0)
    assert green > 3 * max(red, blue)


@pytest.mark.parametrize("away", [3.0, 30.0])
def test_the_handle_of_an_effector_is_as_large_however_far_away(overlay, away):
    colour, rim = (0.1, 0.9, 0.1), (0.9, 0.1, 0.1)
    mark = overlay("marks").Mark((0.2 * away, 0.0, -away), 'DISC', colour, rim)
    context = SimpleNamespace(
        region=SimpleNamespace(width=SIZE, height=SIZE),
        region_data=SimpleNamespace(perspective_matrix=perspective()),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
    )
    view = Matrix.Identity(4), perspective()
    pixels = drawn(overlay("draw"), lambda: overlay("front").draw_marks((mark,), context), *view, depth=0.0)
    across, up = grid()
    far = np.hypot(across - 0.2, up) * SIZE / 2
    assert (pixels[far < 4.5, :3] == np.array(pixels[far < 1][0, :3])).all()
    red, green, blue, _ = pixels[far < 4.5].mean(axis=0)
    assert green > 3 * max(red, blue)
    red, green, blue, _ = pixels[(far > 6) & (far < 6.7)].mean(axis=0)
    assert red > 3 * max(green, blue)
    assert (pixels[far > 9, 3] == 0).all()


def test_a_handle_is_a_mark_with_a_dark_border_in_front_of_everything(overlay):
    draw, size = overlay("draw"), 0.5
    mark = overlay("shapes").dot_shape()
    frame = Matrix.Diagonal((size, size, size, 1))
    view = Matrix.Identity(4), Matrix.Diagonal((1, 1, -0.1, 1))
    pixels = drawn(draw, lambda: draw.draw_mark(mark, frame, (0.1, 0.9, 0.1)), *view, depth=0.0)
    across, up = grid()
    apart = (np.hypot(across, up) - size) * SIZE / 2
    np.testing.assert_allclose(
        pixels[apart < -1][:, :3], [(0.1, 0.9, 0.1)] * int((apart < -1).sum()), atol=1e-3
    )
    assert (pixels[apart > NEAR_RIM][:, 3] == 0).all()
    border = pixels[np.abs(apart - 1) < 0.4]
    assert (border[:, 3] > 0.4).mean() > 0.8  # between the pieces of a ring is nothing
    assert (border[:, :3].max(axis=-1) < 0.3).all()


def test_a_line_is_drawn_where_its_points_are(overlay):
    draw, view = overlay("draw"), (Matrix.Identity(4), Matrix.Diagonal((1, 1, -0.1, 1)))
    points = np.array([[-1.0, 0.5, 0.0], [1.0, 0.5, 0.0]])
    pixels = drawn(
        draw, lambda: draw.draw_line(points, Matrix.Scale(0.5, 4), (0.1, 0.9, 0.1)), *view, depth=0.0
    )
    across, up = grid()
    on_it = (np.abs(across) < 0.45) & (np.abs(up - 0.25) * SIZE / 2 < 0.6)
    off_it = (np.abs(across) > 0.6) | (np.abs(up - 0.25) * SIZE / 2 > NEAR_RIM)
    assert (pixels[on_it][:, 1] > 0.2).all()
    assert (pixels[off_it][:, 3] == 0).all()


def test_drawing_leaves_the_state_as_it_was(overlay):
    shown = shown_limit(overlay, posed('CONES'))
    gpu.state.blend_set('NONE')
    gpu.state.depth_test_set('NONE')
    gpu.state.depth_mask_set(True)
    picture(overlay("draw"), shown, *flat_view(shown, 10))
    assert (gpu.state.blend_get(), gpu.state.depth_test_get(), gpu.state.depth_mask_get()) == (
        'NONE',
        'NONE',
        True,
    )


def test_a_redraw_builds_nothing(overlay):
    bone = posed('CONES')
    bone.superpose.limit.use_twist = True
    draw, shapes = overlay("draw"), overlay("shapes")
    shown = shown_limit(overlay, bone)
    picture(draw, shown, *flat_view(shown, 10))
    built = draw._batches.cache_info().misses, shapes._swing_shape.cache_info().misses
    bone.rotation_quaternion = (0.9, 0.1, 0.1, 0.1)
    armatures.refresh()
    moved = shown_limit(overlay, bone)
    picture(draw, moved, *flat_view(moved, 10))
    assert shapes._swing_shape.cache_info().misses == built[1]
    assert draw._batches.cache_info().misses == built[0]


def test_each_redraw_builds_for_a_while_and_shows_more_until_all_is_shown(overlay, monkeypatch):
    draw, shapes = overlay("draw"), overlay("shapes")
    bone = posed('CONES')
    limits = []
    for _ in range(4):
        bone.superpose.limit.cones[0].radius += 0.01
        limits.append(shown_limit(overlay, bone))
    view = flat_view(limits[0], 10)
    monkeypatch.setattr(draw, "_PATIENCE", 0.0)
    before, complete = shapes.shapes_built(), []
    for _ in range(5):
        drawn(draw, lambda: complete.append(draw.draw_limits(limits)), *view)
    assert complete == [False, False, False, True, True]
    assert shapes.shapes_built() == before + 4


def test_limbs_have_the_colours_of_their_sides(addon, rigify, overlay):
    ob = rigify_rigs.metarig("basic_human")
    body = import_module(f"{addon.name}.armature.by_role.recognised").whole_body(ob)
    shown = overlay("roles").RolesShown(ob, body)
    shown.end()
    view = Matrix.Translation((0, -1, 0)) @ Matrix.Rotation(-radians(90), 4, 'X')
    picture = drawn(overlay("draw"), shown.draw, view, Matrix.Diagonal((1.2, 1, 0.1, 1)))
    colours = bpy.context.preferences.themes[0].collection_color
    across, up = grid()
    for sign, number in ((1, 5), (-1, 1)):
        beside = (sign * across > 0.25) & (up > -0.2) & (picture[..., 3] > 0.5)
        hue = picture[beside][:, :3].sum(axis=0)
        assert beside.any()
        assert int(np.argmax(hue)) == int(np.argmax(colours[number - 1].color))
