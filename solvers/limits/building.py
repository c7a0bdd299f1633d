# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of each kind and sort made into groups: their values as arrays."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..geometry import Array, Indices, cross_matrix, quaternion_to_matrix, shortest_arc
from .across import Across
from .ellipses import LARGEST_RADIUS
from .eulers import Eulers
from .hinges import Hinges
from .kusudama import kusudamas
from .swings import ConeSwings, EllipseSwings

if TYPE_CHECKING:
    from .kinds import Cones, Ellipse, EulerLimit, Hinge

ALONG = (0.0, 1.0, 0.0)  # the bone's own length, in its rest frame


def upright(limit: "Cones") -> "tuple[Cones, Array]":
    """Return the limit as seen from its limb's frame, whose +Y is the limb, and that (3, 3), limb to bone."""
    frame = _limb_frames([limit.limb])[0]
    cones = tuple((tuple((direction @ frame).tolist()), radius) for direction, radius in limit.cones)
    return replace(limit, cones=cones, limb=ALONG), frame


def hinges(bones: Indices, cushions: Array, limits: "Sequence[Hinge]") -> Hinges:
    """Return hinges without play."""
    axes = np.array([limit.axis for limit in limits], dtype=np.float64)
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    along = axes[:, :, None] * axes[:, None]
    return Hinges(bones, cushions, axes, along, np.eye(3) - along, cross_matrix(axes), *_bounds(limits))


def swings(bones: Indices, cushions: Array, limits: "Sequence[Cones | Hinge]") -> ConeSwings | Across:
    """Return limits of cones, and hinges with play: those keep their axes in a cone and twist about them."""
    chains, limbs = zip(*(limit.swing for limit in limits), strict=True)
    count = max(map(len, chains))
    padded = [(*cones, *([cones[-1]] * (count - len(cones)))) for cones in chains]
    frames = _limb_frames(limbs)
    centres = np.array([[direction for direction, _ in cones] for cones in padded], dtype=np.float64) @ frames
    centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
    radii = np.array([[radius for _, radius in cones] for cones in padded], dtype=np.float64)
    hinged = np.array([limit.hinged for limit in limits])
    along = ConeSwings(bones, cushions, *_bounds(limits), kusudamas(centres, radii), hinged)
    return along if (frames == np.eye(3)).all() else Across(bones, cushions, along, frames)


def ellipses(bones: Indices, cushions: Array, limits: "Sequence[Ellipse]") -> EllipseSwings:
    """Return limits of ellipses."""
    radii = np.array([limit.radii for limit in limits], dtype=np.float64)
    return EllipseSwings(bones, cushions, *_bounds(limits), np.minimum(radii, LARGEST_RADIUS))


def eulers(bones: Indices, cushions: Array, limits: "Sequence[EulerLimit]") -> Eulers:
    """Return limits of Euler angles in one order."""
    bounds = (np.stack(np.broadcast_arrays(*(getattr(x, n) for x in limits)), 1) for n in ("lower", "upper"))
    return Eulers(bones, cushions, limits[0].order, *bounds)


def _limb_frames(limbs: Sequence[tuple[float, float, float]]) -> Array:
    """Return frames (m, 3, 3), limb to bone, whose +Y are the limbs."""
    directions = np.array(limbs, dtype=np.float64)
    return quaternion_to_matrix(shortest_arc(np.broadcast_to(ALONG, directions.shape), directions))


def _bounds(limits: "Sequence[Hinge | Cones | Ellipse]") -> tuple[Array, Array]:
    lower, upper = ([float(getattr(limit, name)) for limit in limits] for name in ("lower", "upper"))
    return np.array(lower), np.array(upper)
