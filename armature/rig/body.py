# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body an armature is, and the bones that it is held by."""

import numpy as np
from bpy.types import Object, PoseBone

from ...bodies import Body, recognise
from ..errors import RigError
from .obstacles import obstacles


def recognised_body(ob: Object) -> Body:
    """Return the body that the armature object is at rest."""
    bones = ob.data.bones
    heads = np.empty(3 * len(bones))
    bones.foreach_get("head_local", heads)
    parents = [bone.parent and bone.parent.name for bone in bones]
    return recognise([bone.name for bone in bones], parents, heads.reshape(-1, 3))


def bones_held_by(ob: Object) -> list[PoseBone]:
    """Return the bones that the body is held by, in the armature's order: hips, head, hands and feet.

    Raises RigError where it is not sure what body it is, or where these bones are not placed by hand.
    """
    body = recognised_body(ob)
    names = body.ends()
    if not names or not body.is_sure or set(names) & set(body.doubtful):
        raise RigError(f"What body '{ob.name}' is could not be told")
    blocked = obstacles(ob)
    placed = [name for name in names if name in blocked]
    if placed:
        raise RigError(f"Bone '{placed[0]}' is placed by {blocked[placed[0]]}")
    return [bone for bone in ob.pose.bones if bone.name in names]
