# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that a body is held by."""

from bpy.types import Object, PoseBone

from ..errors import RigError
from ..setup.body import recognised_body
from .obstacles import obstacles


def bones_held_by(ob: Object) -> list[PoseBone]:
    """Return the bones that the body is held by, in the armature's order: hips, head, hands and feet.

    Raises RigError where it is not sure what body it is, or where these bones are not placed by hand.
    """
    body = recognised_body(ob)
    names = body.ends()
    if not names or not body.is_sure or set(names) & set(body.doubtful):
        raise RigError(
            f"The body of '{ob.name}' was not recognised: select the bones that should meet a target"
        )
    blocked = obstacles(ob)
    placed = [name for name in names if name in blocked]
    if placed:
        raise RigError(f"Bone '{placed[0]}' is placed by {blocked[placed[0]]}")
    return [bone for bone in ob.pose.bones if bone.name in names]
