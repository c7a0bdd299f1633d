# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint's mirror image for the bone on the other side of the body, whatever the rolls of both.

With rest rotations A and A' in armature space and M the reflection in X, the mirror image of a bone's turn
``q`` is ``B q B^T`` with ``B = A'^T M A``: then whole mirrored poses look mirrored.
"""

import bpy
import numpy as np
from bpy.types import PoseBone

from ...presets.body_comfort import mirror_of_ties
from ...solvers import Comfort, OneWay
from ...solvers.geometry import Array, matrix_to_quaternion, quaternion_to_matrix
from ...solvers.limits import Limit
from ..errors import RigError
from ..limit_kinds import kind_of
from .comfort import read_comfort
from .limits import read_limit

_REFLECTION = np.diag([-1.0, 1.0, 1.0])
# Bones that point farther apart than that, in radians, are no pair.
_LOPSIDED = 0.5


def mirrored_limit(bone: PoseBone, other: PoseBone) -> Limit | None:
    """Return the mirror image of the bone's own limit for the other bone; None where that is free.

    Raises RigError naming the bones where it cannot be said in the kind that it has.
    """
    limit = read_limit(bone)
    return kind_of(limit).mirrored(limit, other.name, mirror_image(bone, other)) if limit else None


def mirrored_comfort(bone: PoseBone, other: PoseBone) -> Comfort | None:
    """Return the mirror image of the bone's comfort for the other bone; None where it has none."""
    comfort = read_comfort(bone)
    if comfort is None:
        return None
    image = mirror_image(bone, other)
    rotation = matrix_to_quaternion(image @ quaternion_to_matrix(comfort.rotation) @ image.T)
    way = comfort.one_way
    mirrored = OneWay(image @ way.limb, image @ way.towards) if way else None
    # Turns are mirrored with their sign.
    ties = None if comfort.ties is None else -image @ comfort.ties * mirror_of_ties(comfort.ties.shape[1])
    return Comfort(other.name, rotation, image @ comfort.spread @ image.T, mirrored, ties)


def opposite(bone: PoseBone) -> PoseBone | None:
    """Return the bone that is the other of a pair by name; None without one."""
    name = bpy.utils.flip_name(bone.name)
    return bone.id_data.pose.bones.get(name) if name != bone.name else None


def mirror_image(bone: PoseBone, other: PoseBone) -> Array:
    """Return ``B``; raises RigError naming bones that are far from mirroring each other at rest."""
    image = rest_rotation(other).T @ _REFLECTION @ rest_rotation(bone)
    apart = np.arccos(np.clip(image[1, 1], -1, 1))
    if apart > _LOPSIDED:
        raise RigError(
            f"'{other.name}' does not mirror '{bone.name}' at rest: "
            f"they point {np.degrees(apart):.0f} degrees apart across the armature's X axis"
        )
    return image


def rest_rotation(bone: PoseBone) -> Array:
    """Return the bone's rotation (3, 3) at rest, bone_to_armature."""
    return np.array(bone.bone.matrix_local, dtype=np.float64)[:3, :3]
