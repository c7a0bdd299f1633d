# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and targets in the viewport.

A shape's triangles and lines go to the graphics card once; a redraw only says where they are. Lines have a
dark border, so that they are read on light and dark themes. What lies behind something is drawn fainter.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from time import monotonic

import bpy
import gpu
import numpy as np
from gpu.types import GPUBatch, GPUShader
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix
from numpy.typing import NDArray

from ..reports import redraw
from ..solvers.geometry import Array
from .marks import Colour
from .shapes import (
    Shape,
    box_shape,
    needle_shape,
    pointer_shape,
    posed_limit,
    shapes_built,
    swing_shape,
    twist_shape,
)
from .shown import ShownLimit, shown_limits
from .target_boxes import boxes_of, shown_targets

SWING: Colour = (0.25, 0.62, 1.0)
TWIST: Colour = (0.55, 0.85, 0.2)
AT_LIMIT: Colour = (1.0, 0.25, 0.1)
BORDER: Colour = (0.0, 0.0, 0.0)
FILL, WALL, SOFT, LEADING, BORDERED, BEHIND = 0.2, 0.06, 0.5, 0.75, 0.6, 0.35  # opacities
THIN, WIDTH, BORDER_WIDTH = 1.0, 1.8, 4.0  # pixels
_PATIENCE = 0.2  # seconds of building shapes in one redraw


def draw_overlay() -> None:
    """Draw what the present viewport shows; Blender calls it at every redraw while anything is on."""
    context = bpy.context
    if not context.space_data.overlay.show_overlays:
        return
    with state_kept():
        if context.scene.superpose_show_limits and not draw_limits(shown_limits(context)):
            _redraw_soon()
        if context.scene.superpose_show_targets:
            for frame, colour in boxes_of(context, shown_targets(context)):
                draw_target(frame, colour)


def draw_limits(limits: Sequence[ShownLimit]) -> bool:
    """Draw the limits; return whether that is all of them, or others have to wait for the next redraw.

    What was built before takes no time, so every redraw shows more.
    """
    building = 0.0
    for shown in limits:
        if building > _PATIENCE:
            return False
        begin, built = monotonic(), shapes_built()
        draw_limit(shown)
        building += monotonic() - begin if shapes_built() > built else 0.0
    return True


def draw_target(frame: Matrix, colour: Colour) -> None:
    """Draw one target's box with the present view matrices, in front of everything."""
    gpu.state.depth_test_set('ALWAYS')
    _draw_shape(box_shape(), frame, colour, colour, 1.0)


def draw_line(points: Array, frame: Matrix, colour: Colour, width: float = THIN) -> None:
    """Draw a line through points (n, 3) of a frame with the present view matrices, in front of all."""
    lines = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
    with state_kept(), gpu.matrix.push_pop():
        gpu.state.depth_test_set('ALWAYS')
        gpu.matrix.multiply_matrix(frame)
        draw_thick(_batch(lines, 'POLYLINE_UNIFORM_COLOR', 'LINES'), colour, width, LEADING)


def draw_mark(shape: Shape, frame: Matrix, colour: Colour) -> None:
    """Draw a flat shape with a dark border with the present view matrices, in front of all."""
    with state_kept(), gpu.matrix.push_pop():
        gpu.state.depth_test_set('ALWAYS')
        gpu.matrix.multiply_matrix(frame)
        draw_thick(_batches(shape)["rim"], BORDER, BORDER_WIDTH, BORDERED)
        _draw_batch(_batches(shape)["fill"], _shader('UNIFORM_COLOR'), colour, 1.0)


def draw_limit(shown: ShownLimit) -> None:
    """Draw one limit with the present view matrices."""
    parts = list(_parts(shown))
    passes = (('ALWAYS', 1.0),) if shown.in_front else (('GREATER', BEHIND), ('LESS_EQUAL', 1.0))
    for depth_test, share in passes:
        gpu.state.depth_test_set(depth_test)
        for shape, frame, area, line in parts:
            _draw_shape(shape, frame, area, line, share)


def forget() -> None:
    """Give back what lies on the graphics card, and wait for no redraw."""
    if bpy.app.timers.is_registered(redraw):
        bpy.app.timers.unregister(redraw)
    for cached in (_shader, _batches):
        cached.cache_clear()


def _redraw_soon() -> None:
    if not bpy.app.timers.is_registered(redraw):
        bpy.app.timers.register(redraw)


def _parts(shown: ShownLimit) -> Iterator[tuple[Shape, Matrix, Colour, Colour]]:
    """Yield the shapes of one limit, where they are, and the colours of their areas and of their lines."""
    posed = posed_limit(shown.limit, shown.local)
    line = AT_LIMIT if posed.swing_at_limit else SWING
    yield swing_shape(shown.limit), shown.frame, SWING, line
    yield pointer_shape(), shown.frame @ _turn(shown.local), SWING, line
    if posed.ranges:
        line = AT_LIMIT if posed.twist_at_limit else TWIST
        tip = shown.frame @ Matrix.Translation(shown.local[:, 1])
        yield twist_shape(posed.ranges, shown.limit.cushion), tip @ _turn(posed.frame), TWIST, line
        yield needle_shape(), tip @ _turn(shown.local), TWIST, line


def _draw_shape(shape: Shape, frame: Matrix, area: Colour, line: Colour, share: float) -> None:
    batches = _batches(shape)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(frame)
        for name, opacity in (("wall", WALL), ("fill", FILL)):
            if name in batches:
                _draw_batch(batches[name], _shader('UNIFORM_COLOR'), area, opacity * share)
        for name, opacity in (("soft", SOFT), ("rim", 1.0)):
            if name in batches:
                _draw_lines(batches[name], line, opacity * share)


def _draw_lines(lines: GPUBatch, colour: Colour, opacity: float) -> None:
    draw_thick(lines, BORDER, BORDER_WIDTH, BORDERED * opacity)
    draw_thick(lines, colour, WIDTH, opacity)


def draw_thick(lines: GPUBatch, colour: Colour, width: float, opacity: float) -> None:
    """Draw lines of a ``width`` in pixels with the present view matrices."""
    shader = _shader('POLYLINE_UNIFORM_COLOR')
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width * bpy.context.preferences.system.pixel_size)
    _draw_batch(lines, shader, colour, opacity)


def _draw_batch(batch: GPUBatch, shader: GPUShader, colour: Colour, opacity: float) -> None:
    shader.uniform_float("color", (*colour, opacity))
    batch.draw(shader)


# Shaders and batches are made when first drawn: in background Blender has no graphics at all.
@lru_cache(maxsize=2)
def _shader(name: str) -> GPUShader:
    return gpu.shader.from_builtin(name)


@lru_cache(maxsize=2048)
def _batches(shape: Shape) -> dict[str, GPUBatch]:
    """Return the parts of a shape, of those that there are, on the graphics card."""
    batches = {}
    for names, shader, kind in (
        (("fill", "wall"), 'UNIFORM_COLOR', 'TRIS'),
        (("rim", "soft"), 'POLYLINE_UNIFORM_COLOR', 'LINES'),
    ):
        parts = {name: getattr(shape, name) for name in names}
        batches |= {name: _batch(part, shader, kind) for name, part in parts.items() if len(part)}
    return batches


def _batch(corners: NDArray[np.float32], shader: str, kind: str) -> GPUBatch:
    return batch_for_shader(_shader(shader), kind, {"pos": corners.reshape(-1, 3)})


def _turn(rotation: Array) -> Matrix:
    return Matrix(rotation).to_4x4()


@contextmanager
def state_kept() -> Iterator[None]:
    blend, depth, mask = gpu.state.blend_get(), gpu.state.depth_test_get(), gpu.state.depth_mask_get()
    gpu.state.blend_set('ALPHA')
    gpu.state.depth_mask_set(False)
    try:
        yield
    finally:
        gpu.state.blend_set(blend)
        gpu.state.depth_test_set(depth)
        gpu.state.depth_mask_set(mask)
