# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone the mouse is on: the one that is drawn nearest to it, as a stick or as its custom shape."""

from collections.abc import Iterator

import numpy as np
from bpy.types import Context, Object, PoseBone
from mathutils import Euler, Matrix

from ..solvers.geometry import Array
from .picking import handle_at
from .projection import Projection
from .shown import is_visible
from .viewport import projection_of

_REACH = 25.0  # pixels of an unscaled interface
_JOINT = 8.0  # and how near a joint is meant, and not the bone that ends there
_JOINED = 1e-3  # as a share of a bone's length: how far from its tail another one may begin
_CLOSE = 3.0  # times that: how far apart joints are at most that can be taken for each other, in depth too
_AROUND = 0.1  # as a share of a shape's size: how far the middle of one that marks a joint is from it


def picked_at(context: Context, mouse: Array) -> tuple[Object, str] | None:
    """Return the armature and the bone whose handle is at the mouse or, without one, that is drawn there.

    ``mouse``: pixels (2,), as for ``handle_at``.
    """
    handle = handle_at(context, mouse)
    return (handle.id_data, handle.name) if handle else bone_under(context, mouse)


def bone_under(context: Context, mouse: Array) -> tuple[Object, str] | None:
    """Return the armature and the bone in Pose Mode that is drawn under the mouse, or nothing.

    ``mouse``: pixels (2,) in the context's region, as for ``handle_at``.
    """
    bones = list(_bones(context))
    if not bones:
        return None
    lines = [lines_of(bone) for bone in bones]
    owners = np.repeat(np.arange(len(bones)), [len(own) for own in lines])
    reach = _REACH * context.preferences.system.ui_scale
    projection = projection_of(context)
    found = projection.nearest_line(np.concatenate(lines), mouse, reach)
    if found is None:
        return None
    bone = _meant(bones[owners[found]], projection, mouse, _JOINT * reach / _REACH)
    return bone.id_data, bone.name


def _meant(bone: PoseBone, projection: Projection, mouse: Array, reach: float) -> PoseBone:
    """Return the bone whose joint the mouse is at: the one that is drawn there, or the one below or above.

    Joints are as near as ``reach``, pixels, so each may be drawn over its neighbours: of those, the nearest
    is meant, and of several that are as near the first, as hips and not half of a pelvis.
    """
    if not _has_joint(bone):
        return bone
    near = [*_close_above(bone, projection, reach), bone, *_begins_at_tail(bone)]
    places = np.array([each.id_data.matrix_world @ each.head for each in near])
    pixels, ahead = projection.pixels(places)
    apart = np.where(ahead, np.linalg.norm(pixels - mouse, axis=-1).round(), np.inf)
    return near[apart.argmin()] if apart.min() <= reach else bone


def _begins_at_tail(bone: PoseBone) -> list[PoseBone]:
    """Return the bone that begins where this one ends, if one alone does: its head is what a drag moves."""
    near = _JOINED * bone.length
    begins = [
        child for child in bone.children if is_visible(child) and (child.head - bone.tail).length < near
    ]
    return begins if len(begins) == 1 else []


def _close_above(bone: PoseBone, projection: Projection, reach: float) -> list[PoseBone]:
    """Return the bones above whose joints could be taken for this one's, from whichever side they are seen.

    The first one comes first. So close is a hand's joint above its thumb's, but no knee's that is seen in
    line with a hip's. Others may be between them: the halves of a pelvis may hang on the next bone of a
    spine.
    """
    close = [bone]
    for above in bone.parent_recursive:
        if is_visible(above) and _has_joint(above) and _are_close(above, close[-1], projection, reach):
            close.append(above)
    return close[:0:-1]


def _are_close(one: PoseBone, other: PoseBone, projection: Projection, reach: float) -> bool:
    ends = np.array([bone.id_data.matrix_world @ bone.head for bone in (one, other)])
    apart = np.linalg.norm(ends[0] - ends[1]) * projection.pixels_per_length(ends[1])
    return bool(apart <= _CLOSE * reach)


def _has_joint(bone: PoseBone) -> bool:
    """Return whether a bone is drawn from its head on or, as by importers of glTF, as a shape around it."""
    if not bone.custom_shape:
        return True
    points = lines_of(bone).reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    head = np.array(bone.id_data.matrix_world @ bone.head)
    return bool((abs(0.5 * (low + high) - head) <= _AROUND * (high - low).max()).all())


def _bones(context: Context) -> Iterator[PoseBone]:
    for ob in context.view_layer.objects:
        if ob.type == 'ARMATURE' and ob.mode == 'POSE' and ob.visible_in_viewport_get(context.space_data):
            yield from filter(is_visible, ob.pose.bones)


def lines_of(bone: PoseBone) -> Array:
    """Return the lines (n, 2, 3) in the scene that the bone is drawn as."""
    shape, to_world = bone.custom_shape, np.array(bone.id_data.matrix_world)
    if shape and shape.type == 'MESH' and shape.data.edges:
        to_world = to_world @ np.array(_shape_to_armature(bone))
        points = np.empty(3 * len(shape.data.vertices), np.float32)
        ends = np.empty(2 * len(shape.data.edges), np.int32)
        shape.data.vertices.foreach_get("co", points)
        shape.data.edges.foreach_get("vertices", ends)
        lines = points.reshape(-1, 3)[ends.reshape(-1, 2)]
    else:
        lines = np.array([[bone.head, bone.tail]])
    return lines @ to_world[:3, :3].T + to_world[:3, 3]


def _shape_to_armature(bone: PoseBone) -> Matrix:
    size = bone.custom_shape_scale_xyz * (bone.bone.length if bone.use_custom_shape_bone_size else 1.0)
    turn = Euler(bone.custom_shape_rotation_euler)
    own = Matrix.LocRotScale(bone.custom_shape_translation, turn, size)
    return (bone.custom_shape_transform or bone).matrix @ own
