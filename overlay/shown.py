# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which limits are shown, and where: the limits that a solve would keep to, each in its bone's rest frame."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Context, Object, PoseBone
from mathutils import Matrix

from ..armature import bone_meant, bones_meant
from ..armature.joints.joint import Joint, limit_of, read_joints
from ..armature.rig.meant import rig_meant
from ..armature.setup.limits import read_limit
from ..solvers import Cones, EulerLimit, LimitError
from ..solvers.geometry import Array, matrix_to_quaternion, nearest_rotation
from ..solvers.limits import ALONG, Limit, upright

# Locked angles are read from channels of single precision; a finer difference is no other limit.
_DIGITS = 6
_NOTHING = 1e-18  # volume


@dataclass(frozen=True, eq=False)
class ShownLimit:
    """A limit in force; ``frame`` takes its unit sphere to the scene: the bone's rest frame, carried along by
    its parent, its head as origin and its length as unit. ``local`` (3, 3) is the bone's rotation in it."""

    limit: Limit
    frame: Matrix
    local: Array
    in_front: bool


def shown_limits(context: Context) -> list[ShownLimit]:
    """Return the limits to draw in the context's viewport; stores nothing."""
    return [
        shown
        for ob in shown_rigs(context)
        if ob.visible_in_viewport_get(context.space_data)
        for shown in limits_of(ob, chosen_bones(context, ob))
    ]


def shown_rigs(context: Context) -> list[Object]:
    """Return the armatures in Pose Mode; in Object Mode the active one, or the one of the active target."""
    active = context.object
    if active is None or active.mode not in {'POSE', 'OBJECT'}:
        return []
    if active.mode == 'POSE':
        return [ob for ob in context.view_layer.objects if ob.mode == 'POSE']
    rig = rig_meant(context)
    return [rig] if rig.type == 'ARMATURE' else []


def chosen_bones(context: Context, ob: Object) -> list[PoseBone]:
    """Return the bones whose limits the user wants to see, without hidden ones."""
    choice = context.scene.superpose_limits_of
    if choice == 'ACTIVE':
        bones = filter(None, [bone_meant(context, ob)])
    else:
        bones = ob.pose.bones if choice == 'ALL' else bones_meant(context, ob)
    return [bone for bone in bones if is_visible(bone)]


def limits_of(ob: Object, bones: list[PoseBone]) -> Iterator[ShownLimit]:
    """Yield the limits in force of those of the bones that have one."""
    if ob.data.pose_position == 'REST':
        return
    for bone, joint in _joints(ob, bones):
        frame, local = place(ob, bone)
        limit = limit_of(joint, bone.name, matrix_to_quaternion(local)[None])
        if limit is not None:
            yield _shown(_rounded(limit), frame, local, ob.show_in_front)


def _shown(limit: Limit, frame: Matrix, local: Array, in_front: bool) -> ShownLimit:
    """Return the limit as shown; cones from the frame of the limb that they speak of."""
    if not isinstance(limit, Cones) or limit.limb == ALONG:
        return ShownLimit(limit, frame, local, in_front)
    limit, limb_to_bone = upright(limit)
    turned = frame @ Matrix(limb_to_bone.tolist()).to_4x4()
    return ShownLimit(limit, turned, limb_to_bone.T @ local @ limb_to_bone, in_front)


def place(ob: Object, bone: PoseBone) -> tuple[Matrix, Array]:
    """Return the frame of the bone's limit and the bone's rotation in it, as ShownLimit has them."""
    rest = ob.convert_space(pose_bone=bone, matrix=Matrix(), from_space='LOCAL', to_space='POSE').to_3x3()
    own = np.array(bone.matrix.to_3x3(), dtype=np.float64) / np.array(bone.scale)
    turned, posed = nearest_rotation(np.stack([np.array(rest, dtype=np.float64), own]))
    length = (bone.tail - bone.head).length
    frame = Matrix(turned * np.copysign(length, rest.determinant())).to_4x4()
    frame.translation = bone.head
    return ob.matrix_world @ frame, turned.T @ posed


def _rounded(limit: Limit) -> Limit:
    if not isinstance(limit, EulerLimit):
        return limit
    return replace(limit, lower=np.round(limit.lower, _DIGITS), upper=np.round(limit.upper, _DIGITS))


def _joints(ob: Object, bones: list[PoseBone]) -> Iterator[tuple[PoseBone, Joint]]:
    try:
        yield from zip(bones, read_joints(ob, bones), strict=True)
    except LimitError:
        readable = [bone for bone in bones if _is_readable(bone)]
        yield from zip(readable, read_joints(ob, readable), strict=True)


def _is_readable(bone: PoseBone) -> bool:
    try:
        read_limit(bone)
    except LimitError:
        return False  # there is nothing to draw of a limit that allows nothing; the solve names the bone
    return True


def is_visible(bone: PoseBone) -> bool:
    """Return whether the bone can be seen: not hidden, and neither it nor a parent scaled to nothing."""
    hidden = bone.hide if hasattr(bone, "hide") else bone.bone.hide
    collections = bone.bone.collections
    if hidden or abs(bone.matrix.determinant()) < _NOTHING:
        return False
    return not collections or any(c.is_visible_effectively for c in collections)
