# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the roots may go: their location channels, transform locks and the free scene axes."""

from collections.abc import Sequence

import numpy as np

from ...solvers.geometry import Array
from ..errors import RigError
from ..frames.frame_snapshot import FrameSnapshot, column
from ..rig.rig import Rig

_SAME = 1e-6


def location_to_armature(rig: Rig, frames: Sequence[FrameSnapshot]) -> Array:
    """Return the maps (frames, bones, 3, 3) from root locations to armature space, zeros for other bones."""
    roots = rig.parents < 0
    maps = np.zeros((len(frames), len(rig.names), 3, 3))
    maps[:, roots] = column(frames, "carriers")[..., :3, :3] @ rig.location_maps[roots]
    return maps


def freedom(rig: Rig, frame: FrameSnapshot) -> Array:
    """Return the projectors (bones, 3, 3) on the directions in which roots may move, armature space.

    Raises RigError where the root bone's parent is scaled to zero.
    """
    maps = location_to_armature(rig, [frame])[0]
    projectors = np.zeros(maps.shape)
    for bone in np.flatnonzero(rig.free_location.any(axis=1)):
        if not np.linalg.det(maps[bone]):
            raise RigError(f"Bone '{rig.names[bone]}' inherits a scale of zero")
        if rig.scene_axes.all() and rig.free_location[bone].all():
            projectors[bone] = np.eye(3)
            continue
        fixed_channels = np.linalg.inv(maps[bone])[~rig.free_location[bone]]
        fixed_scene = frame.armature_to_world[:3, :3][~rig.scene_axes]
        projectors[bone] = _null_space(np.concatenate([fixed_channels, fixed_scene]))
    return projectors


def constant_freedom(rig: Rig, frames: Sequence[FrameSnapshot]) -> Array:
    """Return the roots' freedom (bones, 3, 3), the same in all frames; raises RigError if it turns."""
    if rig.scene_axes.all() and (rig.free_location.all(axis=1) == rig.free_location.any(axis=1)).all():
        return freedom(rig, frames[0])
    projectors = np.stack([freedom(rig, frame) for frame in frames])
    turning = np.abs(projectors - projectors[0]).max(axis=(0, 2, 3)) > _SAME
    if turning.any():
        name = rig.names[int(np.argmax(turning))]
        raise RigError(f"The axes along which '{name}' may move turn during the clip")
    return projectors[0]


def _null_space(rows: Array) -> Array:
    """Return the projector on the directions that the rows (n, 3) annihilate."""
    rows = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    values, vectors = np.linalg.eigh(rows.T @ rows)
    free = vectors[:, values < _SAME]
    return free @ free.T
