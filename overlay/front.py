# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in front of everything in the viewport, sized on the screen.

A batch of triangles is built when what it shows changes; a redraw from elsewhere only says where the eye is.
"""

from functools import lru_cache

import bpy
import gpu
from gpu.types import GPUBatch, GPUShader, GPUShaderCreateInfo, GPUStageInterfaceInfo
from gpu_extras.batch import batch_for_shader

from .draw import state_kept
from .effectors import marks_of, shown_handles
from .marks import Mark, triangles

_KEPT = 8  # batches: of some viewports

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
    handles = shown_handles(context)
    if not handles:
        return
    with state_kept():
        draw_marks(tuple(marks_of(context, handles)), context)


def draw_marks(marks: tuple[Mark, ...], context: bpy.types.Context) -> None:
    """Draw marks with their places where the context's viewport has them."""
    gpu.state.depth_test_set('ALWAYS')
    shader, region = _shader(), context.region
    shader.bind()
    shader.uniform_float("scene_to_clip", context.region_data.perspective_matrix)
    shader.uniform_float("size", (region.width, region.height))
    shader.uniform_float("scale", context.preferences.system.ui_scale)
    _batch(marks).draw(shader)


def forget() -> None:
    """Give back what lies on the graphics card."""
    _batch.cache_clear()
    _shader.cache_clear()


@lru_cache(maxsize=_KEPT)
def _batch(marks: tuple[Mark, ...]) -> GPUBatch:
    parts = triangles(marks)
    return batch_for_shader(
        _shader(), 'TRIS', {"pos": parts.places, "offset": parts.offsets, "color": parts.colours}
    )


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
