# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions of directions bounded by ellipses with four radii, as Blender's IK limits about X and Z are.

A direction is written as the swing that brings +Y there the shortest way: the *chart* point (x, z), the
rotation vector's components about X and Z. Allowed is ``(x / rx)^2 + (z / rz)^2 <= 1``, each radius that of
the sign's side: ``radii`` (m, 4) in the order +x, -x, +z, -z, 0 to pi. In the chart the region is convex;
on the sphere, where distance is measured, it need not be. The half turn has no chart point of its own, so
no radius here is larger than ``LARGEST_RADIUS``.
"""

from math import pi

import numpy as np

from ..geometry import Array, arctan2, bracketed_roots, norm
from .nearest_of import nearest_point

LARGEST_RADIUS = pi - 1e-4

_TINY = 1e-12
_SAMPLES = 64  # points on the boundary that bracket the nearest one
_AROUND = 2 * pi / _SAMPLES * np.arange(_SAMPLES, dtype=np.float64)
# Before, at and after a sample, up to just short of its neighbours: these may be corners, and at the tip of a
# line the boundary turns round, which is level too.
_SHORT, _NEXT = 1e-6, _AROUND[1] - 1e-9
_LOW, _HIGH = np.array([-_NEXT, -_SHORT, _SHORT]), np.array([-_SHORT, _SHORT, _NEXT])
_LEAST_RADIUS = 1e-6  # smaller ones lock their side
_ASIDE = np.array([0.1, 0.11])  # any way that no symmetry prefers


def to_chart(directions: Array) -> Array:
    """Return the chart points (..., 2) of unit directions (..., 3); a half turn goes about -Z."""
    angle, x, z = _polar(directions)
    return angle[..., None] * np.stack([z, -x], axis=-1)


def from_chart(chart: Array) -> Array:
    """Return the unit directions (..., 3) of chart points (..., 2)."""
    angle = norm(chart)
    sinc = np.sinc(angle / pi)
    return np.stack([-sinc * chart[..., 1], np.cos(angle), sinc * chart[..., 0]], axis=-1)


def boundary(radii: Array, around: Array) -> Array:
    """Return the chart points (..., 2) of the boundary, ``around`` (...): 0 at +x, pi/2 at +z."""
    ways = np.stack([np.cos(around), np.sin(around)], axis=-1)
    points: Array = _sides(radii, ways) * ways
    return points


def nearest_in_ellipse(radii: Array, directions: Array, previous: Array | None = None) -> Array:
    """Return the nearest allowed directions (..., m, 3); allowed ones come back as they are.

    Of sides that are nearly as near the one nearest to ``previous`` (..., m, 3) is taken, as in kusudama.py.
    """
    chart = to_chart(directions)
    shares = chart / np.maximum(_sides(radii, chart), _TINY)
    outside = np.einsum("...i,...i->...", shares, shares) > 1
    if not outside.any():
        return directions
    found = directions.copy()
    previous = None if previous is None else previous[outside]
    found[outside] = _nearest_on_boundary(radii[np.nonzero(outside)[-1]], directions[outside], previous)
    return found


def chart_faces(radii: Array, local: Array) -> tuple[Array, Array]:
    """Return flat faces at local rotations (..., m, 3, 3): normals (..., m, 4, 3) and room (..., m, 4).

    They support the ellipse, in the chart: the first along the way out, the others opposite and across,
    so that slender ellipses have two sides. Normals are for turns in the bones' frames, room in radians.
    """
    chart = to_chart(local[..., :, 1])
    sides = _sides(radii, chart)
    locked = sides < _LEAST_RADIUS
    shares = np.where(locked, 0.0, chart / np.where(locked, 1.0, sides))
    inside = np.maximum(1 - np.einsum("...i,...i->...", shares, shares), 0.0)[..., None]
    # Rounding must not choose where no way leads out more than others: at the centre, where joints rest.
    aside = np.where(np.minimum(radii[:, ::2], radii[:, 1::2]) < _LEAST_RADIUS, 0.0, _ASIDE)
    out = shares / np.where(locked, 1.0, sides) + inside * aside
    out = np.where(norm(out)[..., None] > _TINY, out, _ASIDE)
    out /= norm(out)[..., None]
    across = np.stack([-out[..., 1], out[..., 0]], axis=-1)
    ways = np.stack([out, -out, across, -across], axis=-2)
    room = norm(_sides(radii[:, None], ways) * ways) - np.einsum("...fi,...i->...f", ways, chart)
    return ways @ _chart_rates(local), room


def _chart_rates(local: Array) -> Array:
    """Return rows (..., 2, 3) that give the chart point's rate from a turn in the bone's frame."""
    angle, x, z = _polar(local[..., :, 1])
    cosine, sine = np.cos(angle), np.sin(angle)
    none = np.zeros_like(x)
    away = np.stack([cosine * x, -sine, cosine * z], axis=-1)
    round_y = np.stack([-z, none, x], axis=-1) * (angle / np.maximum(sine, 1e-6))[..., None]
    round_y = np.where((angle < 1e-6)[..., None], np.stack([-z, none, x], axis=-1), round_y)
    rates = np.stack([z, -x], axis=-1)[..., None] * away[..., None, :]
    rates += np.stack([x, z], axis=-1)[..., None] * round_y[..., None, :]
    # A turn w in the bone's frame moves its tip by w_x times its Z axis less w_z times its X axis.
    moved = rates @ local
    return np.stack([moved[..., 2], np.zeros_like(moved[..., 0]), -moved[..., 0]], axis=-1)


def _polar(directions: Array) -> tuple[Array, Array, Array]:
    """Return the angles from +Y and the unit vectors (x, z) that directions lean towards; +X for none."""
    x, y, z = np.moveaxis(directions, -1, 0)
    sine = np.sqrt(x * x + z * z)
    leans = sine > _TINY
    size = np.where(leans, sine, 1.0)
    return arctan2(sine, y), np.where(leans, x / size, 1.0), np.where(leans, z / size, 0.0)


def _sides(radii: Array, signs: Array) -> Array:
    """Return the radii (..., 2) about X and Z, of ``radii`` (..., 4), on the sides of ``signs`` (..., 2)."""
    return np.where(signs >= 0, radii[..., ::2], radii[..., 1::2])


def _nearest_on_boundary(radii: Array, x: Array, previous: Array | None) -> Array:
    """Return the points (k, 3) of the boundaries of ``radii`` (k, 4) nearest to directions (k, 3).

    The nearest of many samples and the next best elsewhere bracket the only two that can be it.
    """
    rim = from_chart(boundary(radii[:, None], _AROUND))
    closeness = np.einsum("kni,ki->kn", rim, x)
    rise, fall = closeness - np.roll(closeness, 1, axis=1), closeness - np.roll(closeness, -1, axis=1)
    peak = (np.minimum(rise, fall) >= 0) & (np.maximum(rise, fall) > 0)
    best = np.argsort(np.where(peak, closeness, -2.0), axis=1, kind="stable")[:, :-3:-1]
    low, high = _AROUND[best][..., None] + _LOW, _AROUND[best][..., None] + _HIGH
    level = bracketed_roots(lambda around: _slope(radii[:, None, None], x[:, None, None], around), low, high)
    level = np.concatenate([level, _AROUND[best][..., None]], axis=-1)
    points = from_chart(boundary(radii[:, None, None], level))
    apart = norm(points - x[:, None, None])
    nearest = np.argmin(apart, axis=-1)
    ends = np.take_along_axis(points, nearest[..., None, None], axis=2)[:, :, 0]
    # Two sides of no radius meet in samples that are all one point: an end only if there is none beside it.
    alone = np.take_along_axis(np.minimum(rise, fall) > 0, best, axis=1)
    valid = alone | (apart.min(axis=-1) < apart[..., -1] - _TINY)
    valid[:, 0] |= ~valid.any(axis=1)
    return nearest_point(ends, valid, x, previous)


def _slope(radii: Array, x: Array, around: Array) -> Array:
    """Return how fast the boundary point comes closer to ``x`` (its cosine's derivative)."""
    ways = np.stack([np.cos(around), np.sin(around)], axis=-1)
    sides = _sides(radii, ways)
    point, rate = sides * ways, sides * np.stack([-ways[..., 1], ways[..., 0]], axis=-1)
    square = np.einsum("...i,...i->...", point, point)
    angle = np.sqrt(square)
    sinc = np.sinc(angle / pi)
    small = square < 1e-4
    sinc_rate = np.where(
        small, -1 / 6 + square / 60, (np.cos(angle) - sinc) / (2 * np.where(small, 1.0, square))
    )
    lean = np.stack([x[..., 2], -x[..., 0]], axis=-1)
    growth = 2 * np.einsum("...i,...i->...", point, rate)
    towards = np.einsum("...i,...i->...", point, lean) * sinc_rate - 0.5 * sinc * x[..., 1]
    slope: Array = growth * towards + sinc * np.einsum("...i,...i->...", rate, lean)
    return slope
