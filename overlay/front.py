# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in front of everything in the viewport, sized on the screen.

A batch of triangles is built when what it shows changes; a redraw from elsewhere only says where the eye is.
"""

from collections.abc import Sequence
from functools import lru_cache

import blf
import bpy
import gpu
from bpy.types import Context
from gpu.types import GPUBatch, GPUShader, GPUShaderCreateInfo, GPUStageInterfaceInfo
from gpu_extras.batch import batch_for_shader

from .draw import BORDER, BORDERED, draw_thick, state_kept
from .marks import Mark, Place, triangles
from .puppets import shown_in_front
from .strokes import Label, Stroke
from .viewport import projection_of

_KEPT = 64  # batches of lines and marks: those of some viewports
_BORDER = 2.0  # pixels on either side of a line
_FONT, _SIZE = 0, 12  # of words: Blender's own font, and points of an unscaled interface

_VERTEX = """
void main()
{
  gl_Position = scene_to_clip * vec4(pos, 1.0);
  gl_Position.xy += 2.0 * scale * offset / size * gl_Position.w;
  // The overlay's texture encodes what is written to it; colours are encoded already.
  vec3 dark = color.rgb / 12.92, light = pow((color.rgb + 0.055) / 1.055, vec3(2.4));
  tint = vec4(mix(dark, light, step(vec3(0.04045), color.rgb)), color.a);
}
"""
_FRAGMENT = """
void main()
{
  fragColor = tint;
}
"""


def draw_front() -> None:
    """Draw it over the present viewport; Blender calls it at every redraw while *Show Targets* is on."""
    context = bpy.context
    if not context.scene.superpose_show_targets:
        return
    front = shown_in_front(context)
    with state_kept():
        draw_strokes(front.strokes, context)
        draw_marks(front.marks, context)
    draw_labels(front.labels, context)


def draw_strokes(strokes: Sequence[Stroke], context: Context) -> None:
    """Draw lines with dark borders where the context's viewport has them."""
    view = context.region_data
    gpu.state.depth_test_set('ALWAYS')
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(view.view_matrix)
        gpu.matrix.load_projection_matrix(view.window_matrix)
        for stroke in strokes:
            lines = _lines(stroke.places)
            draw_thick(lines, BORDER, stroke.width + 2 * _BORDER, BORDERED * stroke.opacity)
            draw_thick(lines, stroke.colour, stroke.width, stroke.opacity)


def draw_marks(marks: tuple[Mark, ...], context: Context) -> None:
    """Draw marks with their places where the context's viewport has them."""
    if not marks:
        return
    gpu.state.depth_test_set('ALWAYS')
    shader, region = _shader(), context.region
    shader.bind()
    shader.uniform_float("scene_to_clip", context.region_data.perspective_matrix)
    shader.uniform_float("size", (region.width, region.height))
    shader.uniform_float("scale", context.preferences.system.ui_scale)
    _batch(marks).draw(shader)


def draw_labels(labels: Sequence[Label], context: Context) -> None:
    """Write words beside their lines, white with a shadow, which is read on light and dark themes."""
    if not labels:
        return
    scale, seen = context.preferences.system.ui_scale, projection_of(context)
    blf.size(_FONT, _SIZE * scale)
    blf.color(_FONT, 1.0, 1.0, 1.0, 1.0)
    blf.enable(_FONT, blf.SHADOW)
    blf.shadow(_FONT, 5, 0.0, 0.0, 0.0, 0.9)
    for label in labels:
        place = label.pixels(seen, scale)
        if place is not None:
            blf.position(_FONT, *place, 0.0)
            blf.draw(_FONT, label.words)
    blf.disable(_FONT, blf.SHADOW)


def forget() -> None:
    """Give back what lies on the graphics card."""
    for cached in (_batch, _lines, _shader):
        cached.cache_clear()


@lru_cache(maxsize=_KEPT)
def _batch(marks: tuple[Mark, ...]) -> GPUBatch:
    parts = triangles(marks)
    return batch_for_shader(
        _shader(), 'TRIS', {"pos": parts.places, "offset": parts.offsets, "color": parts.colours}
    )


@lru_cache(maxsize=_KEPT)
def _lines(places: tuple[Place, ...]) -> GPUBatch:
    shader = gpu.shader.from_builtin('POLYLINE_UNIFORM_COLOR')
    return batch_for_shader(shader, 'LINES', {"pos": places})


@lru_cache(maxsize=1)
def _shader() -> GPUShader:
    """Return the shader; made when first drawn: in background Blender has no graphics at all."""
    passed, info = GPUStageInterfaceInfo("superpose_mark"), GPUShaderCreateInfo()
    passed.smooth('VEC4', "tint")
    for kind, name in (('MAT4', "scene_to_clip"), ('VEC2', "size"), ('FLOAT', "scale")):
        info.push_constant(kind, name)
    for slot, (kind, name) in enumerate((('VEC3', "pos"), ('VEC2', "offset"), ('VEC4', "color"))):
        info.vertex_in(slot, kind, name)
    info.vertex_out(passed)
    info.fragment_out(0, 'VEC4', "fragColor")
    info.vertex_source(_VERTEX)
    info.fragment_source(_FRAGMENT)
    return gpu.shader.create_from_info(info)
