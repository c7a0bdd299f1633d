# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of limits made of their values, one for each of ``bones`` (m,), with soft rims ``cushions`` (m,)."""

from collections.abc import Sequence

import numpy as np

from ..geometry import Array, Indices, cross_matrix, shortest_turn
from .across import Across, across
from .ellipses import LARGEST_RADIUS
from .hinges import Hinges
from .kusudama import kusudamas, with_caps
from .swings import ConeSwings, EllipseSwings

ALONG = (0.0, 1.0, 0.0)  # the bone's own length, in its rest frame
Direction = tuple[float, float, float]
Chain = tuple[tuple[Direction, float], ...]
Bounds = tuple[Array, Array]


def hinges(bones: Indices, cushions: Array, bounds: Bounds, axes: Sequence[Direction]) -> Hinges:
    """Return hinges without play; ``bounds`` two of (m,)."""
    units = np.array(axes, dtype=np.float64)
    units /= np.linalg.norm(units, axis=-1, keepdims=True)
    along = units[:, :, None] * units[:, None]
    return Hinges(bones, cushions, units, along, np.eye(3) - along, cross_matrix(units), *bounds)


def swings(
    bones: Indices,
    cushions: Array,
    bounds: Bounds,
    chains: Sequence[Chain],
    limbs: Sequence[Direction],
    hinged: Sequence[bool],
) -> ConeSwings | Across:
    """Return limits of cones, and hinges with play: those keep their axes in a cone and twist about them."""
    count = max(map(len, chains))
    padded = [(*cones, *([cones[-1]] * (count - len(cones)))) for cones in chains]
    frames = limb_frames(limbs)
    centres = np.array([[direction for direction, _ in cones] for cones in padded], dtype=np.float64) @ frames
    centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
    radii = np.array([[radius for _, radius in cones] for cones in padded], dtype=np.float64)
    regions = with_caps(kusudamas(centres, radii))
    along = ConeSwings(bones, cushions, *bounds, regions, np.array(hinged))
    return along if (frames == np.eye(3)).all() else across(along, frames)


def ellipses(
    bones: Indices, cushions: Array, bounds: Bounds, radii: Sequence[tuple[float, ...]]
) -> EllipseSwings:
    """Return limits of ellipses of four radii each."""
    widest = np.minimum(np.array(radii, dtype=np.float64), LARGEST_RADIUS)
    return EllipseSwings(bones, cushions, *bounds, widest)


def limb_frames(limbs: Sequence[Direction]) -> Array:
    """Return frames (m, 3, 3), limb to bone, whose +Y are the limbs."""
    directions = np.array(limbs, dtype=np.float64)
    return shortest_turn(np.broadcast_to(ALONG, directions.shape), directions)
