# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions of directions on the unit sphere: chains of cones, neighbours joined by tangent circles.

A cone is a centre ``C`` and an angle ``r``. The corridor between neighbours A, B with angles a, b is what
two circles leave free that touch both cones from outside: angle ``t = (pi - a - b) / 2``, centres
``k / (1 - c) (A - B) +- g (A x B)`` with ``c = A . B``, ``k = sin((b - a) / 2)``. Their common boundary is
smooth. Where one cone holds the other, or the cones are opposite, there is no corridor.

Hardly any direction is near a boundary, and of most a few caps within the region tell so. What turns about
the centre of a circle, from a corridor into a cone with the angle a, stays as far from the circle. So a cap
with its middle in a corridor, ``s`` from its circles, is in the region if its angle is no more than ``s`` and
than ``2 a - s`` of both cones.

Reference: Gjoni's kusudamas (github.com/EGjoni/Everything-Will-Be-IK); the formulas are derived anew.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry import Array, Mask, Rows, arctan2, cross, dot, matvec, norm
from .nearest_of import angles_between, are_near_ties, nearest_end

_TINY = 1e-12
# Centres whose angle has a smaller sine have no side that a corridor could take.
_LEAST_SINE = 1e-7
# What cosines may be off by.
_ROUNDING = 1e-9
# Where along a corridor the caps are.
_CAPS = np.array([0.25, 0.5, 0.75])
# Points less far inside are on the boundary, but for rounding.
_EDGE = 1e-7


@dataclass(frozen=True, eq=False, slots=True)
class Kusudamas:
    """``m`` regions of up to ``K`` cones; shorter ones repeat their last cone.

    ``centres`` (m, K, 3), ``radii`` (m, 2 K - 1): those of the cones, then the angles of the circles. Per
    corridor: ``normals`` (m, K - 1, 3), ``A x B``; ``sides`` (m, K - 1, 2, 3, 3), for the sides of
    ``-(A x B)`` and ``+(A x B)`` the centre T of the circle there, and two normals: the triangle A, B, T is
    where the products with both are above zero. Whether it ``exists``. ``caps`` (m, c, 3): centres of caps,
    the cones among them, that hold what has a cosine above ``least`` (m, c) with them.
    """

    centres: Array
    radii: Array
    normals: Array
    sides: Array
    exists: Mask
    caps: Array
    least: Array

    def __getitem__(self, keep: Rows) -> "Kusudamas":
        return Kusudamas(*(getattr(self, name)[keep] for name in self.__slots__))


def kusudamas(centres: Array, radii: Array) -> Kusudamas:
    """Return the regions of cones with unit ``centres`` (m, K, 3) and ``radii`` (m, K) in radians."""
    first, second = centres[:, :-1], centres[:, 1:]
    a, b = radii[:, :-1], radii[:, 1:]
    normal = cross(first, second)
    sine = norm(normal)
    apart = arctan2(sine, np.einsum("mki,mki->mk", first, second))
    exists = (np.abs(a - b) < apart) & (sine > _LEAST_SINE) & (a + b < np.pi)
    k = np.sin(0.5 * (b - a))
    spread = np.where(exists, 2 * np.sin(0.5 * apart) ** 2, 1.0)
    height = np.sqrt(np.maximum(1 - 2 * k**2 / spread, 0.0)) / np.where(exists, sine, 1.0)
    across = normal * height[..., None]
    along = (k / spread)[..., None] * (first - second)
    left, right = along - across, along + across
    sides = (
        (left, cross(first, left), cross(left, second)),
        (right, cross(right, first), cross(second, right)),
    )
    triangles = np.stack([np.stack(side, axis=2) for side in sides], axis=2)
    angles = np.concatenate([radii, 0.5 * (np.pi - a - b)], axis=1)
    return Kusudamas(centres, angles, normal, triangles, exists, centres, np.cos(radii) + _ROUNDING)


def with_caps(regions: Kusudamas) -> Kusudamas:
    """Return the regions with caps in their corridors, which pays where they are asked often."""
    cones = regions.centres
    middles = cones[:, :-1] + _CAPS[:, None, None, None] * (cones[:, 1:] - cones[:, :-1])
    middles /= np.maximum(norm(middles), _TINY)[..., None]
    caps, least = [cones], [regions.least]
    for corridor in range(regions.exists.shape[1]):
        own = middles[:, :, corridor]
        narrow, room = regions.radii[:, corridor : corridor + 2].min(axis=1), slack(regions, own)[0]
        angles = np.minimum(room, 2 * narrow - room)
        there = regions.exists[:, corridor] & (angles > 0)
        caps.append(own.swapaxes(0, 1))
        least.append(np.where(there, np.cos(angles) + _ROUNDING, np.inf).T)
    return replace(regions, caps=np.concatenate(caps, axis=1), least=np.concatenate(least, axis=1))


def slack(regions: Kusudamas, directions: Array) -> tuple[Array, Array]:
    """Return how far inside each direction (..., m, 3) is, radians, negative outside, and the way out.

    The way out (..., m, 3) is the unit tangent along which the slack shrinks fastest. Where shapes overlap
    the slack is the largest of theirs: zero exactly on the boundary of the whole.
    """
    _, inside, across, sine = _inside(regions, directions)
    best = np.argmax(inside, axis=-1)
    # Picked from flat arrays: along an axis takes ten times as long over a few joints.
    picked = np.arange(best.size), best.ravel()
    flat, joints = (best.size, inside.shape[-1]), best.shape
    lengths = np.maximum(sine.reshape(flat)[picked], _TINY)
    lengths[picked[1] >= regions.centres.shape[1]] *= -1  # out of a corridor is into its circle
    ways = across.reshape(*flat, 3)[picked] / lengths[:, None]
    return inside.reshape(flat)[picked].reshape(joints), ways.reshape(*joints, 3)


def nearest(regions: Kusudamas, directions: Array, previous: Array | None = None) -> Array:
    """Return the nearest allowed directions (..., m, 3); allowed ones come back as they are.

    Beyond the middle of the forbidden side the nearest one jumps. Of sides that are nearly as near the one
    nearest to ``previous`` (..., m, 3) is taken, the direction before; see nearest_of.py.
    """
    doubtful = ~_are_in_caps(regions, directions)
    if not doubtful.any():
        return directions
    regions, x = regions[np.nonzero(doubtful)[-1]], directions[doubtful]
    shapes, inside, *_ = _inside(regions, x)
    outside: Mask = inside.max(axis=-1) < 0
    if not outside.any():
        return directions
    doubtful[doubtful] = outside
    regions, x, shapes, away = regions[outside], x[outside], shapes[outside], -inside[outside]
    best, tied = nearest_end(away), are_near_ties(away)
    if previous is not None and tied.any():
        # A rim within another shape is no end: going there and back would be a jump of its own.
        rims = _rim(shapes, regions.radii, x[:, None])
        is_end = slack(regions, rims.swapaxes(0, 1))[0].T <= _EDGE
        apart = angles_between(rims, previous[doubtful][:, None])
        best = np.where(tied, nearest_end(np.where(is_end, away, np.inf), apart), best)
    found, each = directions.copy(), np.arange(len(x))
    found[doubtful] = _rim(shapes[each, best], regions.radii[each, best], x)
    return found


def _inside(regions: Kusudamas, directions: Array) -> tuple[Array, Array, Array, Array]:
    """Return the shapes of directions (..., m, 3), and how far these are inside each, (..., m, 2 K - 1).

    And the tangents (..., m, 2 K - 1, 3) straight away from their centres with their lengths, sines. Inside a
    corridor is outside its circle; minus infinity where that is none for the direction.
    """
    shapes, holds = _shapes(regions, directions)
    x, cones = directions[..., None, :], regions.centres.shape[1]
    cosine = dot(shapes, x)
    across = cosine[..., None] * x - shapes
    sine = norm(across)
    inside = regions.radii - arctan2(sine, cosine)
    inside[..., cones:] = np.where(holds, -inside[..., cones:], -np.inf)
    return shapes, inside, across, sine


def _are_in_caps(regions: Kusudamas, directions: Array) -> Mask:
    """Return which directions (..., m, 3) are in caps by more than rounding: most are, and need no more."""
    inside: Mask = np.any(matvec(regions.caps, directions) > regions.least, axis=-1)
    return inside


def _shapes(regions: Kusudamas, directions: Array) -> tuple[Array, Mask]:
    """Return the centres (..., m, 2 K - 1, 3) of the cones and of each corridor's circle.

    Of the circle on the side of ``directions`` (..., m, 3); and whether its triangle holds them.
    """
    x = directions[..., None, :]
    side = dot(x, regions.normals) >= 0
    triangles = np.where(side[..., None, None], regions.sides[:, :, 1], regions.sides[:, :, 0])
    within = matvec(triangles, x) > 0
    cones = regions.centres.shape[1]
    shapes = np.empty((*side.shape[:-1], 2 * cones - 1, 3))
    shapes[..., :cones, :], shapes[..., cones:, :] = regions.centres, triangles[..., 0, :]
    return shapes, regions.exists & within[..., 1] & within[..., 2]


def _rim(centre: Array, radius: Array, x: Array) -> Array:
    """Return the point at ``radius`` from the centre towards x; towards a fixed side where x gives none."""
    # Twice taken off, it is square to the centre to the last digit, however short.
    towards = _square_to(centre, _square_to(centre, x))
    size = norm(towards)[..., None]
    if (size <= 1e-9).any():
        spare = np.where(np.abs(centre[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
        towards = np.where(size > 1e-9, towards, _square_to(centre, spare))
        size = norm(towards)[..., None]
    return centre * np.cos(radius)[..., None] + towards / size * np.sin(radius)[..., None]


def _square_to(centre: Array, x: Array) -> Array:
    """Return what of the vectors x is square to the unit vectors ``centre``."""
    return x - dot(centre, x)[..., None] * centre
