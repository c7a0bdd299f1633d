# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface under the mouse, which a bone is put on where Blender's own snapping is set to Face; a foot
stands on it with its sole, a hand touches it with its palm or fingers. Where Blender's snapping aligns what
it moves they lie on it, too.
"""

from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object, PoseBone
from mathutils import Vector

from ...armature import Ground, Spot, posed, underside_of
from ...solvers.geometry import Array, shortest_turn
from .view import View

_LOOKED_THROUGH = 100  # faces of the body itself
_PAST = 1e-5  # how far beyond such a face sight goes on, as a share of the way to it


@dataclass(frozen=True, eq=False)
class Face:
    """A ``place`` (3,) on it and its ``normal`` (3,), a unit vector to the side that is seen; scene space."""

    place: Array
    normal: Array

    @property
    def as_ground(self) -> Ground:
        """Its normal, and how far along that it is from the scene's origin."""
        x, y, z = self.normal.tolist()
        return x, y, z, float(self.normal @ self.place)

    def put_on(self, underside: Array) -> Array:
        """Return the point straight above the place whose ``underside`` touches the face.

        ``underside`` (n, 3): from the point to what may touch; without any it is the place itself.
        """
        lowest = (underside @ self.normal).min(initial=0.0)
        return self.place - lowest * self.normal


@dataclass(frozen=True, eq=False)
class Underside:
    """What of a bone is put on faces: ``spots``, and the one that is ``held`` there where it has none.

    ``begin`` (3, 3): bone_to_world where the drag began; ``away`` (3,): which way of the scene was square to
    the face then, if the bone had lain on it, or None.
    """

    spots: tuple[Spot, ...]
    held: Spot
    begin: Array
    away: Array | None

    @classmethod
    def of(cls, bone: PoseBone, place: Array) -> "Underside":
        """Return that of a bone that is held at a ``place`` (3,) in the scene."""
        bone_to_world = bone.id_data.matrix_world @ bone.matrix
        x, y, z = bone_to_world.inverted() @ Vector(place)
        found, begin = underside_of(bone), np.array(bone_to_world.to_3x3())
        away = begin @ found.away if found.away else None
        return cls(found.spots, (bone.name, (x, y, z)), begin, away)

    def turn_onto(self, face: Face) -> Array:
        """Return the least turn (3, 3) from where the drag began by which the bone lies on the face."""
        return np.eye(3) if self.away is None else shortest_turn(self.away, face.normal)

    def below(self, ob: Object, turn: Array | None) -> Array:
        """Return the ways (n, 3) from the spot that is held to the others, as the armature object is posed.

        ``turn`` (3, 3): the bone's own turn since the drag began, if it has one; it counts in place of the
        turn that the bone has now.
        """
        ways = posed(ob, self.spots) - posed(ob, [self.held])
        if turn is None:
            return ways
        present = np.array((ob.matrix_world @ ob.pose.bones[self.held[0]].matrix).to_3x3())
        return np.linalg.solve(present, ways.T).T @ (turn @ self.begin).T


def is_for_faces(context: Context) -> bool:
    """Return whether Blender's snapping is set to faces, be it on or off."""
    return 'FACE' in context.scene.tool_settings.snap_elements


def is_aligned(context: Context) -> bool:
    """Return whether Blender's snapping turns what it moves, too."""
    return context.scene.tool_settings.use_snap_align_rotation


def face_under(context: Context, ob: Object, mouse: Array, is_toggled: bool) -> Face | None:
    """Return the first face under the mouse; the armature's own body is looked through.

    Nothing where snapping is off: as Blender's switch says, or the other way round where it ``is_toggled``.
    """
    if context.scene.tool_settings.use_snap == is_toggled:
        return None
    depsgraph = context.evaluated_depsgraph_get()
    origin, sight = View.of(context).ray(mouse)
    for _ in range(_LOOKED_THROUGH):
        is_hit, place, normal, _, found, _ = context.scene.ray_cast(depsgraph, origin, sight)
        if not is_hit:
            return None
        if not _is_of_body(found, ob):
            return Face(np.array(place), -np.sign(normal @ Vector(sight)) * np.array(normal))
        origin = np.array(place) + _PAST * np.linalg.norm(np.array(place) - origin) * sight
    return None


def _is_of_body(found: Object, ob: Object) -> bool:
    """Return whether what was found hangs on the armature or is deformed by it."""
    above = found.original
    while above is not None:
        if above == ob or any(getattr(modifier, "object", None) == ob for modifier in above.modifiers):
            return True
        above = above.parent
    return False
