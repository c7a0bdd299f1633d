# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Letters as triangles, from Blender's own font: no window and no graphics card needed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ...solvers.geometry import Array

_ROUNDNESS = 4  # pieces of a curve between two points of a letter


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
