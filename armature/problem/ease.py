# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much comfort counts beside a pose that is there: the more, the farther targets are from that pose."""

from collections.abc import Sequence

import numpy as np

from ...solvers import Targets
from ...solvers.geometry import Array, norm
from ...solvers.goals import weights_of
from ..frames.frame_snapshot import FrameSnapshot
from ..rig.rig import Rig
from .soles import standing_on_balls
from .targets import effector_points

# As shares of the figure's extent, about the length of an arm and half of it: from there on comfort counts in
# full, for the body and for the limb that is dragged.
_FAR, _FAR_FOR_LIMB = 1 / 3, 1 / 6


def share_of_comfort(away: Array, extents: Array) -> Array:
    """Return how much comfort counts where targets are so far ``away`` from the pose, 0 to 1.

    Hardly, where that is little, so that the rest stays. ``extents``: of the figures.
    """
    shares: Array = share_of_way(away, extents) ** 3
    return shares


def share_of_way(away: Array, extents: Array) -> Array:
    """Return how far on the way to where comfort counts in full targets are, so far ``away``: 0 to 1."""
    shares: Array = np.minimum(away / (_FAR * extents), 1.0)
    return shares


def share_of_comfort_in_limb(away: Array, extents: Array) -> Array:
    """Return what ``share_of_comfort`` does of the joints of a limb whose end is dragged so far ``away``.

    They turn in any case, and which way an elbow points is decided by the first moves: from the wrong side
    it gets to the other one by a leap alone.
    """
    shares: Array = np.minimum(away / (_FAR_FOR_LIMB * extents), 1.0)
    return shares


def away_from_targets(
    rig: Rig, frames: Sequence[FrameSnapshot], rotations: Array, heads: Array, targets: Targets
) -> Array:
    """Return how far (frames,) the animated pose is from the ``targets`` that are asked for, at most.

    Not of feet that stand on their balls, whatever their heels. Arguments as for ``goals_of_soles``.
    """
    asked = np.array([part == 'ASKED' for part in rig.parts], dtype=bool)
    asked = asked & (weights_of(rig.effectors, targets.weights)[..., 0] > 0)
    counted = asked & ~standing_on_balls(rig, frames, rotations, heads, targets)
    away = norm(targets.positions - effector_points(rig, targets.offsets, rotations, heads))
    farthest: Array = np.where(counted, away, 0.0).max(axis=1, initial=0.0)
    return farthest
