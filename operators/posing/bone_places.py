# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones that can be dragged are."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Context, Object

from ...armature import is_effector, target_matrix
from ...solvers.geometry import Array


def places_of(context: Context, ob: Object, bones: Sequence[str]) -> dict[str, Array]:
    """Return where the points of bones that meet their targets are, world (4, 4), by bone."""
    depsgraph = context.evaluated_depsgraph_get()
    offsets = {name: _offset_of(ob, name) for name in bones}
    return {name: np.array(target_matrix(ob, name, offset, depsgraph)) for name, offset in offsets.items()}


def _offset_of(ob: Object, name: str) -> tuple[float, float, float]:
    bone = ob.pose.bones[name]
    return tuple(bone.superpose_offset) if is_effector(bone) else (0.0, 0.0, 0.0)
