# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles of effectors: at their points, in the colours of their sides, in the shapes of what they hold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from bpy.types import Context, Object, PoseBone, ThemeView3D
from mathutils import Matrix, Quaternion, Vector

from ..armature import (
    VISIBLE_DISTANCE,
    Spot,
    are_animated,
    ball_of,
    effectors_of,
    is_kept,
    is_selected,
    posed,
)
from ..armature.bone_columns import bone_column
from ..armature.frames.pose_kept import is_on_its_way
from ..armature.rig.extent import figure_extent
from ..armature.rig.parts import bones_along
from ..armature.setup.empties import SIDES
from ..armature.setup.sides import extent, side_of
from ..reports import Move, clip_report_of
from .marks import Colour, Kind, Mark, Place
from .shown import is_visible
from .target_boxes import colour_of, target_to_world
from .viewport import puppets

KINDS: dict[str, Kind] = {'PINNED': 'SQUARE', 'FOLLOWS': 'DISC', 'FREE': 'RING'}
_BLACK: Colour = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class EffectorHandle:
    """An effector that takes part.

    - ``place``: where it is in the scene; ``colour``: that of its side of the body
    - ``target``: None for a pin
    - ``wanted``: where the target is, or where the last bake led it in this frame, as to a contact; the
      latter only if the effector is not at the target
    - ``distance``, scene units: how far the place is from there along the axes that count. It is 0 if that
      cannot be seen, is not asked for in full, or is that of a lifted heel.
    """

    bone: PoseBone
    place: Place
    colour: Colour
    target: Object | None
    wanted: Place
    distance: float


def shown_handles(context: Context) -> list[EffectorHandle]:
    """Return the handles that the context's viewport shows, in the order of the lists; stores nothing."""
    frame = context.scene.frame_current_final
    return [handle for ob in puppets(context) for handle in handles_of(ob, frame)]


def handles_of(ob: Object, frame: float) -> list[EffectorHandle]:
    """Return the handles of the armature's effectors that take part in a frame, of bones that can be seen."""
    bones = [bone for bone in effectors_of(ob) if bone.superpose.enabled and is_visible(bone)]
    if not bones:
        return []
    if is_on_its_way(ob):  # no way to a target is one of the pose that is seen
        return [_handle(bone, SIDES[side_of(bone, extent(ob))], None, inf) for bone in bones]
    least, size, report = _least_seen(ob, bones), extent(ob), clip_report_of(ob)
    moves = report.led_in(frame) if report else {}
    handles = [
        _handle(bone, SIDES[side_of(bone, size)], moves.get(f"'{bone.name}'"), least) for bone in bones
    ]
    astray = [one.bone for one in handles if one.distance > 0 and one.bone.superpose.hold == 'FREE']
    along = _going_along(ob, astray) if astray else set()
    return [replace(one, distance=0.0) if one.bone.name in along else one for one in handles]


def _going_along(ob: Object, free: Sequence[PoseBone]) -> set[str]:
    """Return the bones whose targets go with the body: in a drag, at its end, those of all that are ``free``
    and no keys place.
    """
    if not is_kept(ob):
        return bones_along(ob)
    pairs = zip(free, are_animated(ob, free, ()), strict=True)
    return {bone.name for bone, is_animated in pairs if not is_animated}


def marks_of(context: Context, handles: Sequence[EffectorHandle]) -> list[Mark]:
    """Return the handles as marks; the rims of what is selected have the theme's colours."""
    theme = context.preferences.themes[0].view_3d
    return [
        Mark(
            handle.place,
            KINDS[handle.bone.superpose.hold],
            handle.colour,
            _rim(context, theme, handle),
        )
        for handle in handles
    ]


def _handle(bone: PoseBone, colour: Colour, move: Move | None, least: float) -> EffectorHandle:
    """Return the handle of an effector; ``move``: how the last bake led its target, if it did."""
    axes = (axis.normalized() for axis in bone.matrix.to_3x3().col)
    parts = (much * axis for much, axis in zip(bone.superpose_offset, axes, strict=True))
    place = bone.id_data.matrix_world @ sum(parts, bone.head.copy())
    target = target_to_world(bone.superpose)
    if target is None:
        return EffectorHandle(bone, tuple(place), colour, None, tuple(place), 0.0)
    if move and (target.translation - place).length > least:
        target = _led(target, move)
    is_asked = bone.superpose_position_weight > 0 and bone.superpose_influence == 1.0
    is_asked &= not (move and move.is_bridged)
    distance = _distance(bone, place, target, least) if is_asked else 0.0
    wanted = tuple(target.translation)
    return EffectorHandle(bone, tuple(place), colour, bone.superpose.target, wanted, distance)


def _led(target: Matrix, move: Move) -> Matrix:
    """Return where a target (to the world) is led to."""
    turned = Quaternion(move.turn).to_matrix() @ target.to_3x3()
    return Matrix.Translation(target.translation + Vector(move.way)) @ turned.to_4x4()


def _distance(bone: PoseBone, place: Vector, target: Matrix, least: float) -> float:
    """Return how far the effector's point is from the target (to the world) along the axes that count, 0
    where that cannot be seen. Of a foot that is pinned by its sole, its ball from where its target has it.
    """
    away = (target.translation - place) * Vector(bone.superpose.position_axes)
    ball = ball_of(bone) if away.length > least else None
    if ball is not None:
        away = _ball_away(bone, ball, place, target)
    return away.length if away.length > least else 0.0


def _ball_away(bone: PoseBone, ball: Spot, place: Vector, target: Matrix) -> Vector:
    """Return the way from a foot's ball to where its target has it: such a foot stands where that is nothing,
    though its heel may be lifted.

    ``place``: the effector's point in the scene. ``target``: target to world.
    """
    ob = bone.id_data
    here = Vector(posed(ob, [ball])[0])
    turn = target.to_quaternion() @ (ob.matrix_world @ bone.matrix).to_quaternion().inverted()
    return target.translation + turn @ (here - place) - here


def _least_seen(ob: Object, bones: Sequence[PoseBone]) -> float:
    """Return from where on, scene units, a miss can be seen in the figure: nearly as reports count it.

    They know which bones are solved. Here the bones of several effectors stand for those.
    """
    size = figure_extent(bone_column(ob.pose.bones, "head", 3), np.array([bone.head for bone in bones]))
    return VISIBLE_DISTANCE * size * ob.matrix_world.median_scale


def _rim(context: Context, theme: ThemeView3D, handle: EffectorHandle) -> Colour:
    bone = handle.bone
    if context.mode == 'OBJECT':
        return colour_of(context, handle.target, _BLACK) if handle.target else _BLACK
    if not is_selected(bone):
        return _BLACK
    return tuple(theme.bone_pose_active if bone == context.active_pose_bone else theme.bone_pose)
