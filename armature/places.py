# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a target has to be for its bone to meet it as it is now."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Matrix

from ..solvers.rotation import nearest_rotation
from .targets import place_in_world

_MET = 1e-12


def target_matrix(
    ob: Object, bone: str, offset: Sequence[float] = (0.0, 0.0, 0.0), depsgraph: Depsgraph | None = None
) -> Matrix:
    """Return the world matrix, unscaled, of a target that the bone meets as it is now.

    ``offset``: point in the bone's frame, in the armature's units. Without a depsgraph the object's last
    evaluated state counts.
    """
    source = ob.evaluated_get(depsgraph) if depsgraph else ob
    pose_bone = source.pose.bones[bone]
    linear = np.array(pose_bone.matrix, dtype=np.float64)[:3, :3] * np.sign(pose_bone.scale)
    rotation = nearest_rotation(linear)
    head = np.array(pose_bone.matrix.translation) + rotation @ np.array(offset)
    matrix = np.eye(4)
    matrix[:3, 3], matrix[:3, :3] = place_in_world(np.array(source.matrix_world, dtype=np.float64), head, rotation)
    return Matrix(matrix.tolist())
