# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A region of the unit sphere as triangles, clipped at its rim: a geodesic grid, finer where the rim runs."""

import numpy as np

from ..solvers.geometry import Array, Mask, unit
from .arcs import Inside, nowhere

_COARSE = 4  # halvings of the icosahedron: 4 degrees
_FINER = 3  # further halvings at the rim: half a degree
_BISECTIONS = 6  # to a hundredth of a degree
# The four parts of a triangle, of its corners (0 to 2) and the middles of its sides (3 to 5).
_PARTS = np.array([(0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)])


def patch(inside: Inside, rim: Array) -> Array:
    """Return triangles (t, 3, 3) that fill the region, corners on the sphere. ``rim``: points (r, 3)."""
    triangles, whole = _icosahedron(), []
    held = inside(triangles.reshape(-1, 3)).reshape(-1, 3)
    for halvings in range(_COARSE + _FINER):
        full = held.all(axis=1)
        crossed = held.any(axis=1) & ~full
        crossed[~crossed] = _near(triangles[~crossed], rim)
        whole.append(_curved(triangles[full & ~crossed], _COARSE - halvings))
        triangles, held = _refined(triangles[crossed], held[crossed], inside)
    return np.concatenate([*whole, triangles[held.all(axis=1)], _clipped(triangles, held, inside)])


def _curved(triangles: Array, halvings: int) -> Array:
    """Return triangles as fine as to look round, after so many halvings, if any."""
    for _ in range(halvings):
        triangles, _ = _refined(triangles, np.zeros((len(triangles), 3), bool), nowhere)
    return triangles


def _icosahedron() -> Array:
    golden = 0.5 + 0.5 * 5**0.5
    flat = np.array([[0, a, b * golden] for a in (-1, 1) for b in (-1, 1)], dtype=np.float64)
    corners = np.concatenate([np.roll(flat, shift, axis=1) for shift in range(3)])
    # Neighbours are two apart, all others farther.
    touch = np.abs(np.linalg.norm(corners[:, None] - corners, axis=-1) - 2) < 1e-9
    faces = np.argwhere(touch[:, :, None] & touch[:, None, :] & touch[None, :, :])
    faces = faces[(faces[:, 0] < faces[:, 1]) & (faces[:, 1] < faces[:, 2])]
    return corners[faces] / np.linalg.norm(corners[0])


def _refined(triangles: Array, held: Mask, inside: Inside) -> tuple[Array, Mask]:
    """Return the halved triangles and which of their corners are held, asking for the new corners only."""
    middles = unit(triangles + np.roll(triangles, -1, axis=1))
    between = inside(middles.reshape(-1, 3)).reshape(-1, 3)
    corners = np.concatenate([triangles, middles], axis=1)[:, _PARTS]
    held = np.concatenate([held, between], axis=1)[:, _PARTS]
    return corners.reshape(-1, 3, 3), held.reshape(-1, 3)


def _near(triangles: Array, rim: Array) -> Mask:
    """Return which triangles have a point of the rim within their circumcircle, some others too."""
    if not len(triangles) or not len(rim):
        return np.zeros(len(triangles), bool)
    middles = unit(triangles.sum(axis=1))
    reach = np.min(np.sum(triangles * middles[:, None], axis=-1), axis=1)
    return (middles @ rim.T).max(axis=1) >= reach


def _clipped(triangles: Array, held: Mask, inside: Inside) -> Array:
    """Return what of the triangles with one or two corners held lies inside."""
    count = held.sum(axis=1)
    mixed = (count == 1) | (count == 2)
    triangles, held, count = triangles[mixed], held[mixed], count[mixed]
    odd = np.argmax(held == (count == 1)[:, None], axis=1)
    order = (odd[:, None] + np.arange(3)) % 3
    alone, left, right = np.moveaxis(np.take_along_axis(triangles, order[..., None], axis=1), 1, 0)
    single = count == 1
    to_left, to_right = _crossings(alone, np.stack([left, right]), single, inside)
    tips = np.stack([alone, to_left, to_right], axis=1)[single]
    rest = ~single
    near = np.stack([to_left, left, right], axis=1)[rest]
    far = np.stack([to_left, right, to_right], axis=1)[rest]
    return np.concatenate([tips, near, far])


def _crossings(start: Array, ends: Array, start_held: Mask, inside: Inside) -> Array:
    """Return where the ways from ``start`` (n, 3) to several ``ends`` (k, n, 3) cross the rim."""
    low, high = np.broadcast_to(start, ends.shape), ends
    for _ in range(_BISECTIONS):
        middle = unit(low + high)
        held = inside(middle.reshape(-1, 3)).reshape(middle.shape[:-1])
        same = (held == start_held)[..., None]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return np.where(start_held[:, None], low, high)
