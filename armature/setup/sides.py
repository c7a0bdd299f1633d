# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How large an armature is at rest, and on which of its sides a bone is."""

from typing import Literal

import numpy as np
from bpy.types import Object, PoseBone

Side = Literal['LEFT', 'MIDDLE', 'RIGHT']
_MIDLINE = 0.01  # of the armature's extent: nearer than that, a bone is neither left nor right


def extent(ob: Object) -> float:
    """Return the greatest extent of the bones' heads at rest along an axis of the armature, armature units.

    Heads, because the tails of imported rigs say nothing.
    """
    heads = np.empty(3 * len(ob.data.bones), np.float32)
    ob.data.bones.foreach_get("head_local", heads)
    return float(np.ptp(heads.reshape(-1, 3), axis=0).max()) or ob.data.bones[0].length


def side_of(bone: PoseBone, size: float) -> Side:
    """Return the side of the body that the bone is on at rest; ``size``: the armature's extent."""
    x, near = bone.bone.head_local.x, _MIDLINE * size
    return 'LEFT' if x > near else 'RIGHT' if x < -near else 'MIDDLE'
