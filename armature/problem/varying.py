# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What effectors say that may differ from frame to frame: how much they count, and the points on bones."""

from collections.abc import Sequence

import numpy as np

from ...solvers.geometry import Array
from ...solvers.goals import points_of, weights_of
from ..errors import RigError
from ..frames.blocks import kept_once
from ..frames.frame_snapshot import FrameSnapshot, column
from ..rig.rig import Rig


def factors_in(rig: Rig, frames: Sequence[FrameSnapshot]) -> Array | None:
    """Return factors (frames or 1, effectors, 2) on the rig's weights of position and rotation; None where
    no frame has any of its own.
    """
    if not rig.varying[:, :2].any():
        return None
    return kept_once(column(frames, "weights"))


def offsets_in(rig: Rig, frames: Sequence[FrameSnapshot]) -> Array | None:
    """Return the points (frames or 1, effectors, 3) on the effectors' bones; None where all are the rig's."""
    if not rig.varying[:, 2].any():
        return None
    return kept_once(column(frames, "offsets"))


def weights_in(rig: Rig, frames: Sequence[FrameSnapshot]) -> Array:
    """Return how much positions and rotations of effectors count (frames or 1, effectors, 2)."""
    return weights_of(rig.effectors, factors_in(rig, frames))


def points_in(rig: Rig, frames: Sequence[FrameSnapshot]) -> Array:
    """Return the points (frames or 1, effectors, 3) on the effectors' bones that should meet the targets."""
    return points_of(rig.effectors, offsets_in(rig, frames))


def check_finite(rig: Rig, frames: Sequence[FrameSnapshot]) -> None:
    """Raise RigError for an effector whose influence, weights or offset are not finite in a frame."""
    said = column(frames, "influences")[..., None], column(frames, "weights"), column(frames, "offsets")
    finite = np.isfinite(np.concatenate(said, axis=-1)).all(axis=(0, 2))
    if not finite.all():
        name = rig.effectors[int(np.argmin(finite))].bone
        raise RigError(
            f"The effector on '{name}' has a value that is not finite: look at its keys and drivers"
        )
