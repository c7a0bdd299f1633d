# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One property of all bones at once, as an array."""

import numpy as np
from bpy.types import bpy_prop_collection
from numpy.typing import NDArray


def bone_column(
    bones: bpy_prop_collection, name: str, width: int, count: int | None = None
) -> NDArray[np.float32]:
    """Return a property of all bones, or pose bones, (bones, width); ``count`` of them, where it is known.

    Matrices are by columns, as Blender has them.
    """
    values = np.empty((len(bones) if count is None else count) * width, np.float32)
    bones.foreach_get(name, values)
    return values.reshape(-1, width)
