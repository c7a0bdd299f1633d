# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest chain of cones, with its corridors, that holds given directions.

Two things make the search cheap. All radii larger by one angle make the region larger by just that angle:
corridors' circles keep their centres. So any chain is brought to hold all directions by one number, its
least slack. And the area of a chain has a closed form.
"""

from dataclasses import dataclass

import numpy as np

from ..limits.kusudama import kusudamas, slack
from ..rotation import Array, arctan2, cross, norm

MOST_CONES = 5

# Along each principal axis, how many strips the directions are sorted into to find the outermost.
_STRIPS = 24
# A further cone has to save this share of the area.
_WORTH = 0.03
# Moves begin at this share of the extent, shrink by _SHRINK where none helps, end at _FINEST of the extent.
_COARSEST, _SHRINK, _FINEST = 0.25, 0.6, 0.01
_MOST_ROUNDS = 60
_GOLDEN = np.pi * (3 - 5**0.5)
_ALIKE = 1e-9
_TINY = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class _View:
    """Directions seen from their middle: ``axes`` (3, 3) are rows, the middle and the two principal axes
    square to it; ``outermost`` (n, 3) directions, ``flat`` (n, 2) the same in an equal-area map."""

    axes: Array
    outermost: Array
    flat: Array


def smallest_chain(
    directions: Array, margin: float, stretch: float = 0.0, most: int = MOST_CONES
) -> tuple[Array, Array]:
    """Return centres (K, 3) and radii (K,) of a chain of cones that holds unit directions (n, 3).

    ``margin``, radians, is left round all directions, and the share ``stretch`` of their extent along either
    principal axis besides, along that axis. Of up to ``most`` cones as many are taken as make the region
    markedly smaller.
    """
    view = _seen(directions)
    along, across = stretch * np.ptp(view.flat, axis=0)
    view, margin = _drawn_out(view, max(along - across, 0.0)), margin + across
    best = least = None
    for count in range(1, most + 1):
        chain = _refined(*_begun(view, count), view, margin)
        area = chain_areas(*chain)[0]
        if least is None or area < (1 - _WORTH) * least:
            best, least = chain, area
        elif count > 2:
            break
    centres, radii = _holding(*best, np.concatenate([directions, view.outermost]), margin)
    return centres[0], radii[0]


def chain_areas(centres: Array, radii: Array) -> Array:
    """Return the areas (m,) in steradians of chains with unit ``centres`` (m, K, 3), ``radii`` (m, K).

    Exact where only neighbours overlap; what others share is counted twice. In either triangle of a corridor
    the angles at the cones' centres add up to half a turn, so its area is the angle at the circle's centre.
    """
    first, second = centres[:, :-1], centres[:, 1:]
    a, b = radii[:, :-1], radii[:, 1:]
    cosine = np.sum(first * second, axis=-1)
    apart = arctan2(norm(cross(first, second)), cosine)
    near_first = np.sin(0.5 * np.maximum(apart + a - b, 0.0))
    near_second = np.sin(0.5 * np.maximum(apart + b - a, 0.0))
    at_first = 2 * arctan2(np.sqrt(near_second), np.sqrt(near_first))
    at_circle = 2 * arctan2(np.sqrt(near_first * near_second), np.cos(0.5 * apart))
    between = at_circle * np.sin(0.5 * (a + b))
    between = between - at_first * (1 - np.cos(a)) - (np.pi - at_first) * (1 - np.cos(b))
    held = -np.pi * (1 - np.cos(np.minimum(a, b)))
    corridors = 2 * np.where(np.abs(a - b) < apart, between, held)
    caps = 2 * np.pi * (1 - np.cos(radii))
    return np.minimum(caps.sum(axis=-1) + corridors.sum(axis=-1), 4 * np.pi)


def _seen(directions: Array) -> _View:
    middle = _middle(directions)
    square = np.linalg.svd(middle[None])[2][1:]
    flat = _flattened(directions, middle, square)
    turn = _principal(flat)
    outermost = _outermost(flat @ turn)
    # Once more without the interior: how long a joint stayed where says nothing of the region's shape.
    turn = turn @ _principal(flat[outermost] @ turn)
    outermost = _outermost(flat @ turn)
    return _View(
        np.concatenate([middle[None], turn.T @ square]), directions[outermost], flat[outermost] @ turn
    )


def _drawn_out(view: _View, length: float) -> _View:
    """Return the view of what the directions sweep when all of them move to and fro along the longer axis."""
    ends = np.array([[-length, 0.0], [length, 0.0]])
    flat = (view.flat + ends[:, None]).reshape(-1, 2)
    flat = flat[_outermost(flat)]
    return _View(view.axes, _raised(view, flat), flat)


def _middle(directions: Array) -> Array:
    """Return a unit direction in the middle, also of directions that cancel out."""
    total = directions.sum(axis=0)
    if norm(total) > 1e-6 * len(directions):
        return total / norm(total)
    return np.linalg.eigh(directions.T @ directions)[1][:, -1]


def _flattened(directions: Array, middle: Array, square: Array) -> Array:
    """Return Lambert's equal-area map (n, 2) about the middle."""
    return directions @ square.T * np.sqrt(2 / np.maximum(1 + directions @ middle, _TINY))[:, None]


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


def _begun(view: _View, count: int) -> tuple[Array, Array]:
    """Return a first chain (1, K, ...): cones in the middle of as many strips and as wide as those."""
    along, across = view.flat.T
    low, high = along.min(), along.max()
    strip = np.minimum((along - low) / max(high - low, _TINY) * count, count - 1).astype(int)
    members = [across[strip == k] if (strip == k).any() else across for k in range(count)]
    middles = np.array([0.5 * (part.min() + part.max()) for part in members])
    radii = np.array([0.5 * np.ptp(part) for part in members])
    half = 0.5 * (high - low)
    inset = np.minimum(radii, half / count) if count > 1 else [half]
    places = np.linspace(low + inset[0], high - inset[-1], count)
    return _raised(view, np.stack([places, middles], axis=-1))[None], radii[None]


def _raised(view: _View, flat: Array) -> Array:
    """Return the unit directions of points in the equal-area map."""
    square = np.minimum(np.sum(flat**2, axis=-1, keepdims=True), 4.0)
    sideways = flat * np.sqrt(1 - square / 4)
    directions = (1 - square / 2) * view.axes[0] + sideways @ view.axes[1:]
    return directions / norm(directions)[..., None]


def _refined(centres: Array, radii: Array, view: _View, margin: float) -> tuple[Array, Array]:
    """Return the chain (1, K, ...) after moving and resizing single cones for as long as the area shrinks."""
    extent = max(norm(np.ptp(view.flat, axis=0)), 0.1 * margin, _TINY)
    chain = _holding(centres, radii, view.outermost, margin)
    area, step = chain_areas(*chain)[0], _COARSEST * extent
    for number in range(_MOST_ROUNDS):
        tried = _holding(*_moves(*chain, view, step, number * _GOLDEN), view.outermost, margin)
        areas = chain_areas(*tried)
        # Of equals the first, whatever the rounding.
        best = int(np.argmax(areas <= areas.min() * (1 + _ALIKE)))
        if areas[best] < area * (1 - 1e-4):
            chain, area = (tried[0][best : best + 1], tried[1][best : best + 1]), areas[best]
        else:
            step *= _SHRINK
        if step < _FINEST * extent:
            break
    return chain


def _moves(centres: Array, radii: Array, view: _View, step: float, angle: float) -> tuple[Array, Array]:
    """Return the chains (10 K, K, ...) in which one cone is resized, or moved one of four ways, the first of
    them at ``angle``, and then kept or made smaller: an end drawn out long needs both at once.
    """
    count = radii.shape[1]
    turns = np.append(angle + np.pi / 2 * np.arange(4), np.zeros(1))
    east, north = _sideways(centres[0], view)
    ways = np.cos(turns)[:, None, None] * east + np.sin(turns)[:, None, None] * north
    ways[4] = 0.0
    moved = centres[0] + step * np.concatenate([ways, ways])
    resized = radii[0] + step * np.array([0, 0, 0, 0, 1, -1, -1, -1, -1, -1])[:, None]
    places = np.broadcast_to(centres, (10, count, count, 3)).copy()
    sizes = np.broadcast_to(radii, (10, count, count)).copy()
    cones = np.arange(count)
    places[:, cones, cones], sizes[:, cones, cones] = moved / norm(moved)[..., None], resized
    return places.reshape(-1, count, 3), sizes.reshape(-1, count)


def _sideways(centres: Array, view: _View) -> tuple[Array, Array]:
    """Return two unit vectors (K, 3) square to unit centres (K, 3), turning as the view turns."""
    east = cross(view.axes[2], centres)
    east = np.where(norm(east)[..., None] > 1e-3, east, view.axes[0])
    east = east - np.sum(east * centres, axis=-1, keepdims=True) * centres
    east = east / norm(east)[..., None]
    return east, cross(centres, east)


def _holding(centres: Array, radii: Array, directions: Array, margin: float) -> tuple[Array, Array]:
    """Return the chains with all radii changed alike so that they just hold the directions and the margin.

    No radius ends below the margin.
    """
    inside, _ = slack(kusudamas(centres, radii), directions[:, None])
    lacking = np.maximum(-inside.min(axis=0), -radii.min(axis=-1))
    return centres, np.minimum(radii + lacking[:, None] + margin, np.pi)
