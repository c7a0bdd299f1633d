# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body an armature is."""

import numpy as np
from bpy.types import Object

from ...bodies import Body, recognise


def recognised_body(ob: Object) -> Body:
    """Return the body that the armature object is at rest."""
    bones = ob.data.bones
    heads = np.empty(3 * len(bones))
    bones.foreach_get("head_local", heads)
    parents = [bone.parent and bone.parent.name for bone in bones]
    return recognise([bone.name for bone in bones], parents, heads.reshape(-1, 3))
