# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals besides effectors as thin lines: what each is about, and whether it was missed."""

from collections.abc import Iterator

import numpy as np
from bpy.types import Object, PropertyGroup
from mathutils import Matrix, Vector

from ..armature import effectors_of
from ..armature.bone_columns import bone_column
from ..armature.goals.balance import masses_of, stands
from ..armature.setup.sides import extent
from ..solvers.goals import hull
from .marks import Colour, Mark, Place
from .strokes import Stroke, path
from .target_boxes import target_to_world

CALM: Colour = (0.6, 0.9, 0.75)
MISSED: Colour = (1.0, 0.45, 0.1)
_ACTIVE, _OTHER = 0.9, 0.4  # opacities of the active goal's lines, and of the others'
_PLANE, _CELLS = 0.5, 4  # half a plane's side, as a share of the armature's extent; cells along a side

Shown = Stroke | Mark


def shown_goals(ob: Object, is_told: bool) -> Iterator[Shown]:
    """Yield lines and marks of the armature's goals that take part, the active one's strongest.

    ``is_told``: what the last solve says is true of the pose, so that what it missed may be told.
    """
    setup = ob.superpose
    for index, goal in enumerate(setup.goals):
        if goal.enabled and goal.influence > 0:
            colour = MISSED if is_told and goal.is_missed else CALM
            opacity = _ACTIVE if index == setup.active_goal_index else _OTHER
            yield from _DRAWN[goal.kind](ob, goal, colour, opacity)


def _attach(ob: Object, goal: PropertyGroup, colour: Colour, opacity: float) -> Iterator[Shown]:
    """Yield the line between the two bones."""
    place, other = _head(ob, goal.bone), _head(ob, goal.other_bone)
    if place is not None and other is not None:
        yield Stroke((tuple(place), tuple(other)), colour, opacity=opacity)


def _aim(ob: Object, goal: PropertyGroup, colour: Colour, opacity: float) -> Iterator[Shown]:
    """Yield the line to the target, and a thicker one as long as the bone where its axis points."""
    bone, target = ob.pose.bones.get(goal.bone), target_to_world(goal)
    if bone is None or target is None:
        return
    place = ob.matrix_world @ bone.head
    axis = bone.matrix.to_3x3().col["XYZ".index(goal.axis[-1])].normalized() * bone.length
    tip = ob.matrix_world @ (bone.head - axis if goal.axis[0] == "-" else bone.head + axis)
    yield Stroke((tuple(place), tuple(target.translation)), colour, opacity=opacity)
    yield Stroke((tuple(place), tuple(tip)), colour, 3.0, opacity)


def _pole(ob: Object, goal: PropertyGroup, colour: Colour, opacity: float) -> Iterator[Shown]:
    """Yield the line from the middle joint to the target."""
    place, target = _head(ob, goal.bone), target_to_world(goal)
    if place is not None and target is not None:
        yield Stroke((tuple(place), tuple(target.translation)), colour, opacity=opacity)


def _plane(ob: Object, goal: PropertyGroup, colour: Colour, opacity: float) -> Iterator[Shown]:
    """Yield a grid of the plane below the armature, and its edge."""
    target = target_to_world(goal) or Matrix()
    turn = target.to_3x3().normalized().to_4x4()
    half = _PLANE * extent(ob) * ob.matrix_world.median_scale
    above = turn.inverted() @ (ob.matrix_world.translation - target.translation)
    middle = Matrix.Translation(target.translation) @ turn @ Matrix.Translation((above.x, above.y, 0))
    frame = middle @ Matrix.Scale(half, 4)
    corners = [_place(frame, x, y) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
    yield Stroke(path(*corners), colour, opacity=opacity)
    steps = np.linspace(-1, 1, _CELLS + 1)[1:-1].tolist()
    lines = [((step, -1), (step, 1)) for step in steps] + [((-1, step), (1, step)) for step in steps]
    inner = tuple(_place(frame, *end) for line in lines for end in line)
    yield Stroke(inner, colour, 1.0, 0.4 * opacity)


def _balance(ob: Object, goal: PropertyGroup, colour: Colour, opacity: float) -> Iterator[Shown]:
    """Yield the centre of mass, the plumb line from it, and where that should be: a point or a polygon."""
    centre, target = centre_of_mass(ob), target_to_world(goal)
    if target is not None:
        ground = target.translation.z
        yield Stroke((tuple(target.translation), (centre.x, centre.y, ground)), colour, opacity=opacity)
    else:
        corners = standing(ob)
        ground = corners[0][2] if corners else 0.0
        if len(corners) > 1:
            yield Stroke(path(*corners, *corners[:1]), colour, opacity=opacity)
    foot = centre.x, centre.y, ground
    yield Stroke((tuple(centre), foot), colour, opacity=opacity)
    yield Mark(foot, 'DOT', colour)
    yield Mark(tuple(centre), 'DISC', colour)


_DRAWN = {'ATTACH': _attach, 'AIM': _aim, 'POLE': _pole, 'PLANE': _plane, 'BALANCE': _balance}


def centre_of_mass(ob: Object) -> Vector:
    """Return where the armature's centre of mass is in the scene, as goals of balance have it."""
    masses = masses_of(ob)
    places = {bone.name: index for index, bone in enumerate(ob.pose.bones)}
    bones = [places[name] for name, _, _ in masses]
    shares, along = (np.array(part)[:, None] for part in list(zip(*masses, strict=True))[1:])
    heads, tails = (bone_column(ob.pose.bones, name, 3)[bones] for name in ("head", "tail"))
    centre = (shares * (heads + along * (tails - heads))).sum(axis=0) / shares.sum()
    return ob.matrix_world @ Vector(centre)


def standing(ob: Object) -> list[Place]:
    """Return the corners of the polygon that the body stands on: those points of effectors that are lowest.

    They are given at the height of the lowest, in the scene.
    """
    bones = [bone for bone in effectors_of(ob) if bone.superpose.enabled]
    points = np.array([ob.matrix_world @ end for bone in bones for end in (bone.head, bone.tail)])
    if not len(points):
        return []
    low = points[stands(points[:, 2])]
    return [(x, y, float(low[:, 2].min())) for x, y in hull(low[:, :2]).tolist()]


def _head(ob: Object, name: str) -> Vector | None:
    bone = ob.pose.bones.get(name)
    return None if bone is None else ob.matrix_world @ bone.head


def _place(frame: Matrix, x: float, y: float) -> Place:
    return tuple(frame @ Vector((x, y, 0.0)))
