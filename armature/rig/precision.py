# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Blender shows a pose as it was solved, as far as can be seen, if nothing else places the bones.

Blender keeps and shows poses in single precision. And solves take scales for equal that are nearly equal
along all axes, as importers leave them.
"""

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...solvers.geometry import Array, Mask
from ..bone_columns import bone_column

# Of the figure's size, and radians: less than what can be seen, as rounding adds up from bone to bone.
_FINE = 1e-4
# Blender's rest matrices of bones that point back along their parent are off by up to 4e-5 themselves, and
# scales that importers work out by more. What comes of that is looked at.
_SHEAR = 1e-3
_ANGLES = {"rotation_euler": 3, "rotation_axis_angle": 4}


def is_fine(farthest: float, size: float, largest: float) -> bool:
    """Return whether rounding is too small to be seen in a figure of a ``size``.

    ``farthest``: how far bones are from the armature's origin; ``largest``: of the channels that are angles.
    """
    rounded = np.spacing(np.float32([farthest, largest]))
    return bool((rounded <= _FINE * np.array([size, 1.0])).all())


def are_even(scales: NDArray[np.floating]) -> bool:
    """Return whether scales (..., 3) are alike along all axes, as far as is seen of what inherits them."""
    sizes = np.abs(scales)
    return bool((np.ptp(sizes, axis=-1) <= _FINE * sizes.max(axis=-1)).all())


def are_sheared(linear: Array) -> Mask:
    """Return which matrices (..., 3, 3) are visibly more than a rotation and a uniform scale."""
    gram = linear.swapaxes(-1, -2) @ linear
    mean = np.trace(gram, axis1=-2, axis2=-1) / 3
    sheared: Mask = np.abs(gram / mean[..., None, None] - np.eye(3)).max(axis=(-2, -1)) > _SHEAR
    return sheared


def is_posed_finely(ob: Object) -> bool:
    """Return whether both are so of the pose that the armature object is in."""
    if not are_even(bone_column(ob.pose.bones, "scale", 3)):
        return False
    rest = np.concatenate([bone_column(ob.data.bones, name, 3) for name in ("head_local", "tail_local")])
    angles = [np.abs(bone_column(ob.pose.bones, name, width)) for name, width in _ANGLES.items()]
    farthest = np.abs(bone_column(ob.pose.bones, "head", 3)).max(initial=0)
    largest = max(of.max(initial=0) for of in angles)
    return not len(rest) or is_fine(farthest, np.ptp(rest, axis=0).max(), largest)
