# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the solved bones are put together in a frame, as Blender shows it: rest pose, sizes, effects of
constraints.

It is measured without the pose, so what live posing writes does not change it, except for rounding. For this
reason it is compared with a tolerance, and is no part of a digest.
"""

import numpy as np
from numpy.typing import NDArray

from ..armature import Batch
from ..solvers.geometry import quaternion_to_matrix

# Blender's rest matrices of bones that point back along their parent are off by up to 4e-5 themselves.
_ROUNDING = 5e-5


def build_of(batch: Batch) -> NDArray[np.float32]:
    """Return where each bone's head and axes are in its parent's frame (bones, 4, 3), of a batch of one."""
    offsets, rests = batch.build
    return np.concatenate([offsets[0, :, None], quaternion_to_matrix(rests[0])], axis=1).astype(np.float32)


def is_same_build(before: NDArray[np.float32], after: NDArray[np.float32], farthest: float) -> bool:
    """Return whether two builds differ by rounding at most.

    ``farthest``: how far from the armature's origin the heads of bones are, of which Blender rounds.
    """
    if before.shape != after.shape:
        return False
    apart = np.abs(before - after)
    return bool((apart[:, 0] <= _ROUNDING * farthest).all() and (apart[:, 1:] <= _ROUNDING).all())
