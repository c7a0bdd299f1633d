# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex polygons of given corners, as half planes.

Reference: Andrew 1979 (10.1016/0020-0190(79)90072-3), the monotone chain.
"""

import numpy as np

from ..geometry import Array, norm

# As a share of the polygon's extent: corners that stick out less than this lie on a line.
_FLAT = 1e-9


def half_planes(corners: Array) -> tuple[Array, Array]:
    """Return the half planes ``n . x <= h`` whose common part is the convex hull of corners (rows, c, 2).

    Unit normals (rows, e, 2) and heights (rows, e), one for each corner but at least four; those to
    spare are zero. One corner, or several in a place, is a point, and corners in a row are a line.
    """
    rows, count, _ = corners.shape
    normals = np.zeros((rows, max(count, 4), 2))
    for own, row in zip(normals, corners, strict=True):
        found = _normals(hull(row))
        own[: len(found)] = found
    return normals, np.einsum("rei,rci->rec", normals, corners).max(axis=-1)


def _normals(hull: Array) -> Array:
    """Return the outward unit normals of the edges of a hull, of a line and a point four."""
    if len(hull) < 3:
        way = hull[-1] - hull[0] if len(hull) == 2 else np.array([1.0, 0.0])
        ways = np.array([way, [-way[1], way[0]]])
        ways = np.concatenate([ways, -ways])
    else:
        ways = np.roll(hull, -1, axis=0) - hull
    outwards = np.stack([ways[:, 1], -ways[:, 0]], axis=-1)
    return outwards / norm(outwards)[:, None]


def hull(corners: Array) -> Array:
    """Return the corners of the convex hull of corners (c, 2), anticlockwise."""
    extent = float(np.ptp(corners, axis=0).max())
    ordered = corners[np.lexsort(corners.T[::-1])]
    if extent == 0:
        return ordered[:1]
    below, above = _chain(ordered, extent), _chain(ordered[::-1], extent)
    return np.array([*below[:-1], *above[:-1]])


def _chain(ordered: Array, extent: float) -> list[Array]:
    """Return the lower half of the hull of ordered corners."""
    chain: list[Array] = []
    for corner in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], corner) <= _FLAT * extent * extent:
            chain.pop()
        chain.append(corner)
    return chain


def _turn(first: Array, second: Array, third: Array) -> float:
    """Return twice the area of a triangle, above zero where it is anticlockwise."""
    a, b = second - first, third - first
    return float(a[0] * b[1] - a[1] * b[0])
