# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Viewports as drawing and picking meet them, without a window: by their projections."""

from types import SimpleNamespace

import armatures
import bpy
import numpy as np
from mathutils import Matrix, Vector

SIZE = 1000


def space():
    """A 3D viewport of the file's; none is drawn."""
    areas = (area for screen in bpy.data.screens for area in screen.areas)
    return next(area.spaces.active for area in areas if area.type == 'VIEW_3D')


def front(eye=(0.0, -4.0, 1.2), size=SIZE, **given):
    """A viewport's context that looks along +Y from the eye, a quarter turn wide and high."""
    to_view = (Matrix.Translation(eye) @ Matrix.Rotation(np.pi / 2, 4, 'X')).inverted()
    lens = Matrix(((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, -1, -0.02), (0, 0, -1, 0)))
    return viewport(lens @ to_view, size, **given)


def viewport(matrix, size=SIZE, **given):
    armatures.refresh()
    own = {
        "space_data": space(),
        "region": SimpleNamespace(width=size, height=size),
        "region_data": SimpleNamespace(perspective_matrix=matrix),
        "preferences": SimpleNamespace(
            themes=bpy.context.preferences.themes,
            system=SimpleNamespace(ui_scale=1.0),  # without a window it is 0
        ),
        **given,
    }

    class Viewport:
        def __getattr__(self, name):
            return own[name] if name in own else getattr(bpy.context, name)

    return Viewport()


def on_screen(context, point):
    clip = context.region_data.perspective_matrix @ Vector((*point, 1))
    return tuple((0.5 * clip[axis] / clip.w + 0.5) * context.region.width for axis in (0, 1))
