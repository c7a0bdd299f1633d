# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles of a body's bones in the viewport, each limb in a colour of its own, while they are asked for."""

from collections.abc import Iterator

import bpy
import numpy as np
from bpy.types import Object, SpaceView3D

from ..bodies import Body
from ..bodies.role import ARM, FINGERS, LEG
from ..reports import redraw
from ..solvers.geometry import Array
from .draw import draw_line
from .marks import Colour

# The theme's colours of collections, which are icons too.
_HIPS, _SPINE, _HEAD, _TAIL = 3, 2, 4, 8
_ARMS, _LEGS = {"L": 5, "R": 1}, {"L": 6, "R": 7}
_MIDDLE = {"hips": _HIPS, "spine": _SPINE, "chest": _SPINE, "neck": _HEAD, "head": _HEAD}
_FRONT = {"forefoot", "wing", "finger", "palm", *ARM, *FINGERS}
_BEHIND = {"hindfoot", "toe", *LEG}
_WIDTH, _DOUBTFUL_WIDTH = 5.0, 1.5  # pixels


def colour_number(part: str, side: str) -> int:
    """Return the number, 1 to 8, of the colour of a part of a body, or of a hold, among collections'."""
    if part in _BEHIND or part.startswith("leg"):
        return _LEGS.get(side, _TAIL)
    return _ARMS.get(side, _TAIL) if part in _FRONT else _MIDDLE.get(part, _TAIL)


class RolesShown:
    """The drawing of a body's roles, from when it is made until ``end``; what is in doubt is thin."""

    def __init__(self, ob: Object, body: Body) -> None:
        self.name, self.body = ob.name, body
        self.handle = SpaceView3D.draw_handler_add(self.draw, (), 'WINDOW', 'POST_VIEW')
        redraw()

    def show(self, body: Body) -> None:
        """Draw another opinion of the body."""
        self.body = body
        redraw()

    def end(self) -> None:
        if self.handle is not None:
            SpaceView3D.draw_handler_remove(self.handle, 'WINDOW')
            self.handle = None
            redraw()

    def draw(self) -> None:
        """Draw it in the present viewport; Blender calls it at every redraw."""
        ob = bpy.data.objects.get(self.name)
        if ob is None or ob.pose is None:
            return
        colours, doubtful = bpy.context.preferences.themes[0].collection_color, set(self.body.doubtful)
        for bone, points in self.strokes(ob):
            role = self.body.roles[bone]
            colour: Colour = tuple(colours[colour_number(role.part, role.side) - 1].color)
            draw_line(points, ob.matrix_world, colour, _DOUBTFUL_WIDTH if bone in doubtful else _WIDTH)

    def strokes(self, ob: Object) -> Iterator[tuple[str, Array]]:
        """Yield for each bone with a role the lines from its joint to the next ones (2, 3), armature space.

        At the end of a limb the line goes along the bone.
        """
        bones = {name: ob.pose.bones[name] for name in self.body.roles if name in ob.pose.bones}
        carrying = set()
        for bone in bones.values():
            above = next((link.name for link in bone.parent_recursive if link.name in bones), None)
            if above is not None:
                carrying.add(above)
                yield above, np.array([bones[above].head, bone.head])
        for name, bone in bones.items():
            if name not in carrying:
                yield name, np.array([bone.head, bone.tail])
