# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How bones are turned as the user sees them.

A *turn* (4,) is a bone's rotation relative to rest, a quaternion in its parent's frame. Angles are radians.
"""

from collections.abc import Sequence

from bpy.types import Object, PoseBone

from ...solvers.geometry import Array
from ..joints.joint import Joint, as_blender_sees
from ..joints.limit_rotation import limit_rotations
from ..joints.locks import FOUR_DIMENSIONAL
from ..joints.turns import channel_turns


def shown_turn(ob: Object, bone: PoseBone) -> Array:
    """Return how the bone is turned (4,), as Blender shows it under its Limit Rotation constraints."""
    return shown_turns(ob, [bone])[0]


def shown_turns(ob: Object, bones: Sequence[PoseBone]) -> Array:
    """Return how the bones are turned (bones, 4), as Blender shows them under Limit Rotation constraints."""
    # Their own limits are not read: one that allows nothing may be about to be replaced.
    clamps = limit_rotations(ob)
    joints = tuple(Joint(clamps=clamps.get(bone.name, ())) for bone in bones)
    return as_blender_sees(joints, channel_turns(bones)[None])[0]


def euler_order(bone: PoseBone) -> str:
    """Return the Euler order that the user knows the bone by."""
    return 'XYZ' if bone.rotation_mode in FOUR_DIMENSIONAL else bone.rotation_mode
