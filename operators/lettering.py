# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawings with letters from Blender's own font: no window and no graphics card needed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solvers.comparison import Drawing, to_pixels
from ..solvers.geometry import Array

_ROUNDNESS = 4  # pieces of a curve between two points of a letter


def painted(drawing: Drawing) -> NDArray[np.float32]:
    """Return the drawing's pixels as Blender's images have them, (height, width, 4), the lowest row first."""
    with lettering() as letters:
        picture = to_pixels(drawing, letters)
    pixels = np.ones((*picture.shape[:2], 4), np.float32)
    pixels[..., :3] = picture[::-1]
    return pixels


@contextmanager
def lettering() -> Iterator[Callable[[str], Array]]:
    """Give a function from words to triangles (n, 3, 2), one unit high, the baseline at y = 0."""
    curve = bpy.data.curves.new("Superpose Lettering", 'FONT')
    ob = bpy.data.objects.new("Superpose Lettering", curve)
    curve.resolution_u = _ROUNDNESS

    def triangles(words: str) -> Array:
        curve.body = words
        mesh = ob.to_mesh()
        mesh.calc_loop_triangles()
        corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
        places = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.loop_triangles.foreach_get("vertices", corners)
        mesh.vertices.foreach_get("co", places)
        ob.to_mesh_clear()
        return places.reshape(-1, 3)[corners.reshape(-1, 3), :2].astype(float)

    try:
        yield triangles
    finally:
        bpy.data.objects.remove(ob)
        bpy.data.curves.remove(curve)
