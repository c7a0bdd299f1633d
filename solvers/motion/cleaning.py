# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks as they may have been: bridged where they are not to be believed, and without noise."""

import numpy as np

from ..geometry import Array, Mask, dot, normalised
from .company import helped
from .smoothing import bridged, smoothed


def cleaned(
    positions: Array, rotations: Array, masked: Mask, rate: float, keeps_noise: bool = False
) -> tuple[Array, Array]:
    """Return positions (frames, tracks, 3) and rotations (frames, tracks, 4) of cleaned tracks.

    ``masked`` (frames, tracks, 2): which places and rotations are not believed, never all of a track;
    ``rate``: frames a second; ``keeps_noise``: whether only that changes. Rotations are ``wxyz``.
    """
    clean = bridged if keeps_noise else smoothed
    places, turns = np.moveaxis(masked, -1, 0)
    turned = normalised(clean(_without_flips(rotations, turns), ~turns, rate))
    found, turned = helped(clean(positions, ~places, rate), turned, masked, rate)
    return found, _without_flips(turned, np.zeros_like(turns))


def _without_flips(rotations: Array, masked: Mask) -> Array:
    """Return quaternions each on the side of the one before; both sides are the same rotation."""
    found, sides = rotations.copy(), np.ones(rotations.shape[1])
    last = rotations[np.argmin(masked, axis=0), np.arange(rotations.shape[1])]
    for frame, here in enumerate(rotations):
        sides = np.where(masked[frame], sides, np.where(dot(here, last) < 0, -1.0, 1.0))
        found[frame] = sides[:, None] * here
        last = np.where(masked[frame][:, None], last, found[frame])
    return found
