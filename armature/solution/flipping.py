# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose as its mirror image: each bone turned as the one of the other side was, those in the middle too."""

import bpy
from bpy.types import Object

from ...solvers import Pose
from ...solvers.geometry import matrix_to_quaternion, quaternion_to_matrix
from ..limits.mirroring import mirror_image
from ..rig.rig import Rig


def flipped_pose(rig: Rig, ob: Object, pose: Pose) -> Pose:
    """Return the pose (of one row) mirrored in the armature's X axis.

    Bones whose counterpart is not solved stay as they are. Raises RigError naming bones that do not mirror
    each other at rest.
    """
    rotations, translations = pose.rotations.copy(), pose.translations.copy()
    for row, name in enumerate(rig.names):
        other = counterpart(ob, name)
        if other in rig.names:
            source = rig.names.index(other)
            image = mirror_image(ob.pose.bones[other], ob.pose.bones[name])
            turn = quaternion_to_matrix(pose.rotations[0, source])
            rotations[0, row] = matrix_to_quaternion(image @ turn @ image.T)
            translations[0, row] = pose.translations[0, source] * (-1.0, 1.0, 1.0)
    return Pose(rotations, translations)


def counterpart(ob: Object, bone: str) -> str:
    """Return the bone that is the other of a pair by name; without one the bone itself."""
    other = bpy.utils.flip_name(bone)
    return other if other in ob.pose.bones else bone
