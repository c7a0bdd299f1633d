# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions of directions on the unit sphere: chains of cones, neighbours joined by tangent circles.

A cone is a centre ``C`` and an angle ``r``. The corridor between neighbours A, B with angles a, b is what
two circles leave free that touch both cones from outside: angle ``t = (pi - a - b) / 2``, centres
``k / (1 - c) (A - B) +- g (A x B)`` with ``c = A . B``, ``k = sin((b - a) / 2)``. Their common boundary is
smooth. Where one cone holds the other, or the cones are opposite, there is no corridor.

Reference: Gjoni's kusudamas (github.com/EGjoni/Everything-Will-Be-IK); the formulas are derived anew.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, Mask, arctan2, cross, dot, norm
from .nearest_of import nearest_point

_TINY = 1e-12
# Centres whose angle has a smaller sine have no side that a corridor could take.
_LEAST_SINE = 1e-7
# Points less far inside are on the boundary, but for rounding.
_EDGE = 1e-7


@dataclass(frozen=True, eq=False, slots=True)
class Kusudamas:
    """``m`` regions of up to ``K`` cones; shorter ones repeat their last cone.

    ``centres`` (m, K, 3), ``radii`` (m, K). Per corridor: ``tangents`` (m, K - 1, 2, 3), the centres of
    its circles on the sides of ``-(A x B)`` and ``+(A x B)``, their angle ``tangent_radii`` (m, K - 1),
    whether it ``exists``.
    """

    centres: Array
    radii: Array
    tangents: Array
    tangent_radii: Array
    exists: Mask

    def __getitem__(self, keep: Indices) -> "Kusudamas":
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
    gap = np.where(exists, 2 * np.sin(0.5 * apart) ** 2, 1.0)
    height = np.sqrt(np.maximum(1 - 2 * k**2 / gap, 0.0)) / np.where(exists, sine, 1.0)
    across = normal * height[..., None]
    along = (k / gap)[..., None] * (first - second)
    tangents = np.stack([along - across, along + across], axis=2)
    return Kusudamas(centres, radii, tangents, 0.5 * (np.pi - a - b), exists)


def slack(regions: Kusudamas, directions: Array) -> tuple[Array, Array]:
    """Return how far inside each direction (..., m, 3) is, radians, negative outside, and the way out.

    The way out (..., m, 3) is the unit tangent along which the slack shrinks fastest. Where shapes overlap
    the slack is the largest of theirs: zero exactly on the boundary of the whole.
    """
    x = directions[..., None, :]
    cone_out, cone_angle = _away(regions.centres, x)
    if regions.radii.shape[1] == 1:
        return (regions.radii - cone_angle)[..., 0], cone_out[..., 0, :]
    circle, holds = _corridor(regions, x)
    circle_out, circle_angle = _away(circle, x)
    inside = np.concatenate(
        [regions.radii - cone_angle, np.where(holds, circle_angle - regions.tangent_radii, -np.inf)], axis=-1
    )
    best = np.argmax(inside, axis=-1)[..., None]
    ways = np.concatenate([cone_out, -circle_out], axis=-2)
    way = np.take_along_axis(ways, best[..., None], axis=-2)[..., 0, :]
    return np.take_along_axis(inside, best, axis=-1)[..., 0], way


def nearest(regions: Kusudamas, directions: Array, previous: Array | None = None) -> Array:
    """Return the nearest allowed directions (..., m, 3); allowed ones come back as they are.

    Beyond the middle of the forbidden side the nearest one jumps. Of sides that are nearly as near the one
    nearest to ``previous`` (..., m, 3) is taken, the direction before; see nearest_of.py.
    """
    outside = slack(regions, directions)[0] < 0
    if not outside.any():
        return directions
    found = directions.copy()
    regions = regions[np.nonzero(outside)[-1]]
    x = directions[outside]
    cones = _rim(regions.centres, regions.radii, x[:, None])
    if cones.shape[1] == 1:
        found[outside] = cones[:, 0]
        return found
    circle, holds = _corridor(regions, x[:, None])
    rims = np.concatenate([cones, _rim(circle, regions.tangent_radii, x[:, None])], axis=1)
    valid = np.concatenate([np.ones(cones.shape[:2], bool), holds], axis=1)
    if previous is not None:
        # A rim within another shape is no end: going there and back would be a jump of its own.
        each = np.repeat(np.arange(len(x)), rims.shape[1])
        valid &= slack(regions[each], rims.reshape(-1, 3))[0].reshape(valid.shape) <= _EDGE
        previous = previous[outside]
    found[outside] = nearest_point(rims, valid, x, previous)
    return found


def _corridor(regions: Kusudamas, x: Array) -> tuple[Array, Mask]:
    """Return each corridor's circle on the side of x (..., m, 1, 3), and whether its triangle holds x."""
    first, second = regions.centres[:, :-1], regions.centres[:, 1:]
    side = dot(x, cross(first, second)) >= 0
    circle = np.where(side[..., None], regions.tangents[:, :, 1], regions.tangents[:, :, 0])
    sign = np.where(side, -1.0, 1.0)
    in_first = sign * dot(x, cross(first, circle))
    in_second = sign * dot(x, cross(circle, second))
    return circle, regions.exists & (in_first > 0) & (in_second > 0)


def _away(centre: Array, x: Array) -> tuple[Array, Array]:
    """Return the unit tangent at x that leads straight away from the centre, and the angle between them."""
    cosine = dot(centre, x)
    across = cosine[..., None] * x - centre
    sine = norm(across)
    return across / np.maximum(sine, _TINY)[..., None], arctan2(sine, cosine)


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
