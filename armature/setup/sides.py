# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How large an armature is at rest, and on which of its sides a bone is."""

from typing import Literal

import numpy as np
from bpy.types import Object, PoseBone

from ...bodies import words
from ..bone_columns import bone_column

Side = Literal['LEFT', 'MIDDLE', 'RIGHT']
_TOLD: dict[str, Side] = {"L": 'LEFT', "R": 'RIGHT'}
_MIDLINE = 0.01  # of the armature's extent: nearer than that, a bone is neither left nor right


def extent(ob: Object) -> float:
    """Return the greatest extent of the bones' heads at rest along an axis of the armature, armature units.

    Heads, because the tails of imported rigs say nothing.
    """
    heads = bone_column(ob.data.bones, "head_local", 3)
    return float(np.ptp(heads, axis=0).max()) or ob.data.bones[0].length


def shown_extent(ob: Object) -> float:
    """Return how large the armature is shown at most, scene units, mirrored or not."""
    return extent(ob) * max(map(abs, ob.matrix_world.to_scale()))


def side_of(bone: PoseBone, size: float) -> Side:
    """Return the side of the body that the bone's name tells or, where it tells none, that it is on at rest.

    Many imported armatures do not face along their own axes. ``size``: the armature's extent.
    """
    told = _TOLD.get(words.side_of(bone.name))
    if told:
        return told
    x, near = bone.bone.head_local.x, _MIDLINE * size
    return 'LEFT' if x > near else 'RIGHT' if x < -near else 'MIDDLE'
