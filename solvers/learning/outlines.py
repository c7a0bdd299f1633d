# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outline of directions: the rim of their convex hull, drawn out by a share of its extents.

Hulls are taken in Lambert's equal-area map about the directions' middle. There is one for directions on all
sides too, and up to a hemisphere it is about the hull of great circles, never larger.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, norm

# Ways into which the farthest directions are the hull's corners; points that a rim is made of.
_WAYS, _BEADS = 64, 48
# Along each principal axis, how many strips the directions are sorted into to find the outermost.
_STRIPS = 12
# Every so many of a rim's points has one half-way to the middle.
_INNER = 3
_TINY = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class Outline:
    """Where a region for directions should end: at the rim of their hull, stretched.

    ``axes`` (3, 3): rows are the middle and the two principal axes square to it. ``held`` (n, 3): directions
    that stand for all that the region has to hold, with the margin round them: the outermost given ones, and
    some within. ``rim`` (b, 3), evenly along the rim, ``flat`` (b, 2), the same in the map about the middle.
    ``length`` of the rim in radians, ``area``, in steradians, that the region should have.
    """

    axes: Array
    held: Array
    rim: Array
    flat: Array
    length: float
    area: float
    margin: float

    @property
    def extents(self) -> Array:
        """How long and how wide the outline is (2,), radians or thereabouts; never nothing."""
        extents: Array = np.maximum(np.ptp(self.flat, axis=0), max(0.1 * self.margin, _TINY))
        return extents

    def raised(self, flat: Array) -> Array:
        """Return the unit directions of points (..., 2) in the map."""
        return _raised(self.axes, flat)


def outlined(directions: Array, margin: float, stretch: float) -> Outline:
    """Return the outline of unit directions (n, 3).

    The hull's rim is moved out by the share ``stretch`` of its extents on either side. The area is that
    within, and no less than that of the hull with ``margin``, radians, round it (Steiner's formula).
    """
    middle = _middle(directions)
    square = np.linalg.svd(middle[None])[2][1:]
    flat = _flattened(directions, middle, square)
    turn = _principal(flat)
    # Once more along the rim: how long a joint stayed where says nothing of the region's shape.
    turn = turn @ _principal(_beads(_corners(flat @ turn)))
    axes, flat = np.concatenate([middle[None], turn.T @ square]), flat @ turn
    corners = _corners(flat)
    centre, share = 0.5 * (corners.min(axis=0) + corners.max(axis=0)), 1 + 2 * stretch
    beads = _beads(corners) - centre
    inner = _raised(axes, centre + np.append(0.5 * beads[::_INNER], [[0, 0]], axis=0))
    hull, length = _hull_area(corners), _length(_raised(axes, corners))
    flat_rim = centre + share * beads
    rim = _raised(axes, flat_rim)
    widened = hull * np.cos(margin) + length * np.sin(margin) + 2 * np.pi * (1 - np.cos(margin))
    return Outline(
        axes,
        np.concatenate([directions[_outermost(flat)], inner]),
        rim,
        flat_rim,
        _length(rim),
        min(max(share**2 * hull, widened), 4 * np.pi),
        margin,
    )


def _middle(directions: Array) -> Array:
    """Return a unit direction in the middle, also of directions that cancel out."""
    total: Array = directions.sum(axis=0)
    if norm(total) > 1e-6 * len(directions):
        return total / norm(total)
    return np.linalg.eigh(directions.T @ directions)[1][:, -1]


def _flattened(directions: Array, middle: Array, square: Array) -> Array:
    """Return Lambert's equal-area map (n, 2) about the middle."""
    return directions @ square.T * np.sqrt(2 / np.maximum(1 + directions @ middle, _TINY))[:, None]


def _raised(axes: Array, flat: Array) -> Array:
    square = np.minimum(np.sum(flat**2, axis=-1, keepdims=True), 4.0)
    sideways = flat * np.sqrt(1 - square / 4)
    directions: Array = (1 - square / 2) * axes[0] + sideways @ axes[1:]
    return directions / norm(directions)[..., None]


def _principal(flat: Array) -> Array:
    """Return the principal axes of points (n, 2) as columns, the longest first, towards the longer tail."""
    off = flat - flat.mean(axis=0)
    axes = np.linalg.eigh(off.T @ off)[1][:, ::-1]
    return axes * np.where(np.sum((off @ axes) ** 3, axis=0) < 0, -1.0, 1.0)


def _outermost(flat: Array) -> Array:
    """Return the indices of the points that reach farthest in strips along both axes."""
    found = []
    for along, across in (flat.T, flat.T[::-1]):
        extent = max(np.ptp(along), _TINY)
        strip = np.minimum((along - along.min()) / extent * _STRIPS, _STRIPS - 1).astype(int)
        order = np.lexsort((across, strip))
        ends = np.flatnonzero(np.diff(strip[order]))
        found += [order[np.append(0, ends + 1)], order[np.append(ends, len(order) - 1)]]
    return np.unique(np.concatenate(found))


def _corners(flat: Array) -> Array:
    """Return the corners (ways, 2) of the hull in order, some of them again and again."""
    angles = np.linspace(0, 2 * np.pi, _WAYS, endpoint=False)
    corners: Array = flat[np.argmax(flat @ np.stack([np.cos(angles), np.sin(angles)]), axis=0)]
    return corners


def _beads(corners: Array) -> Array:
    """Return points (b, 2) evenly along the polygon."""
    closed = np.append(corners, corners[:1], axis=0)
    walked = np.append(0.0, np.cumsum(norm(np.diff(closed, axis=0))))
    places = np.linspace(0, walked[-1], _BEADS, endpoint=False)
    return np.stack([np.interp(places, walked, column) for column in closed.T], axis=-1)


def _hull_area(corners: Array) -> float:
    """Return the polygon's area (Gauss's shoelace formula)."""
    (x, y), (u, v) = (corners - corners[0]).T, (np.roll(corners, -1, axis=0) - corners[0]).T
    return float(0.5 * abs(np.sum(x * v - y * u)))


def _length(rim: Array) -> float:
    """Return the length, radians, of the closed line of great arcs through directions (n, 3).

    The map keeps areas and no lengths: what is far from its middle is drawn out along the rim.
    """
    chords = norm(rim - np.roll(rim, 1, axis=0))
    return float(2 * np.arcsin(np.minimum(0.5 * chords, 1.0)).sum())
