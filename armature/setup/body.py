# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body an armature is."""

import numpy as np
from bpy.types import Object

from ...bodies import Body, recognise
from ...presets.canonical import Rest
from ...solvers.geometry import nearest_rotation


def recognised_body(ob: Object) -> Body:
    """Return the body that the armature object is at rest."""
    rest = rest_of(ob)
    return recognise(rest.names, rest.parents, rest.heads)


def rest_of(ob: Object) -> Rest:
    """Return the armature object's bones at rest."""
    bones = ob.data.bones
    heads, matrices = np.empty(3 * len(bones)), np.empty(16 * len(bones))
    bones.foreach_get("head_local", heads)
    bones.foreach_get("matrix_local", matrices)
    parents = [bone.parent and bone.parent.name for bone in bones]
    # Blender gives matrices column by column.
    rotations = np.swapaxes(matrices.reshape(-1, 4, 4), -1, -2)[:, :3, :3]
    return Rest([bone.name for bone in bones], parents, heads.reshape(-1, 3), nearest_rotation(rotations))
