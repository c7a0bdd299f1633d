# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain of cones, with its corridors, that is nearest to an outline and holds given directions.

Two things make the search cheap. All radii larger by one angle make the region larger by just that angle:
corridors' circles keep their centres. So any chain is brought to hold all directions by one number, its
least slack. And the area of a chain has a closed form.
"""

from dataclasses import replace

import numpy as np

from ..geometry import Array, arctan2, cross, norm
from ..limits import kusudamas, slack
from .outlines import Outline, outlined

MOST_CONES = 5

# A further cone has to bring the region nearer to its outline by this share of the area.
_WORTH = 0.03
# Moves begin at this share of the extents, shrink by _SHRINK where none helps, end at _FINEST of the extents.
_COARSEST, _SHRINK, _FINEST = 0.25, 0.5, 0.015
_MOST_ROUNDS = 40
_HALVINGS = 40
# A direction left out by this share of the width is held from then on; so many times is the chain refined.
_SLIGHT, _MOST_LEFT_OUT = 0.01, 4
_GOLDEN = np.pi * (3 - 5**0.5)
_ALIKE = 1e-9
_TINY = 1e-12


def fitted_chain(directions: Array, margin: float, stretch: float = 0.0) -> tuple[Array, Array]:
    """Return centres (K, 3) and radii (K,) of a chain of cones that holds unit directions (n, 3).

    ``margin``, radians, is left round all directions at least. The region is as near as can be to their
    convex hull drawn out by the share ``stretch`` of its extents on either side, and has its area, unless
    the directions and their margin need more. Of up to MOST_CONES cones as many are taken as bring it
    markedly nearer.
    """
    outline = outlined(directions, margin, stretch)
    best, least = _refined(*_begun(outline, 1), outline)
    for count in range(2, MOST_CONES + 1):
        chain, misfit = _refined(*_begun(outline, count), outline)
        if misfit < least - _WORTH * outline.area:
            best, least = chain, misfit
        elif count > 2:
            break
    for _ in range(_MOST_LEFT_OUT):
        inside, _ = slack(kusudamas(*best), directions[:, None])
        worst = int(np.argmin(inside))
        if inside[worst, 0] > outline.margin - _SLIGHT * outline.extents[1]:
            break
        outline = replace(outline, held=np.append(outline.held, directions[worst : worst + 1], axis=0))
        best, _ = _refined(*best, outline)
    centres, radii = _sized(*best, directions, outline)
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
    areas: Array = np.minimum(caps.sum(axis=-1) + corridors.sum(axis=-1), 4 * np.pi)
    return areas


def _begun(outline: Outline, count: int) -> tuple[Array, Array]:
    """Return a first chain (1, K, ...): cones in the middle of as many strips and as wide as those."""
    along, across = outline.flat.T
    low, high = along.min(), along.max()
    strip = np.minimum((along - low) / max(high - low, _TINY) * count, count - 1).astype(int)
    members = [across[strip == k] if (strip == k).any() else across for k in range(count)]
    middles = np.array([0.5 * (part.min() + part.max()) for part in members])
    radii = np.array([0.5 * np.ptp(part) for part in members])
    half = 0.5 * (high - low)
    inset = np.minimum(radii, half / count) if count > 1 else [half]
    places = np.linspace(low + inset[0], high - inset[-1], count)
    return outline.raised(np.stack([places, middles], axis=-1))[None], radii[None]


def _refined(centres: Array, radii: Array, outline: Outline) -> tuple[tuple[Array, Array], float]:
    """Return the chain (1, K, ...) after moving and resizing cones for as long as it comes nearer to the
    outline, and its misfit.
    """
    radii, misfits = _holding(centres, radii, outline)
    misfit, step = misfits[0], _COARSEST
    for number in range(_MOST_ROUNDS):
        places, sizes = _moves(centres, radii, outline, step, number * _GOLDEN)
        sizes, misfits = _holding(places, sizes, outline)
        # Of equals the first, whatever the rounding.
        best = int(np.argmax(misfits <= misfits.min() * (1 + _ALIKE)))
        if misfits[best] < misfit * (1 - 1e-4):
            centres, radii, misfit = places[best : best + 1], sizes[best : best + 1], misfits[best]
        else:
            step *= _SHRINK
        if step < _FINEST:
            break
    return (centres, radii), float(misfit)


def _moves(centres: Array, radii: Array, outline: Outline, step: float, angle: float) -> tuple[Array, Array]:
    """Return chains (10 K + 2, K, ...) that differ from this one by one step each.

    In ten of them for each cone, the cone is resized; or it is moved one of four ways, the first of them at
    ``angle``, and then kept or made smaller. An end that is drawn out long needs both at once. In the last
    two all cones are resized. Steps are shares of the extents: else a slender outline would have coarse ones.
    """
    count = radii.shape[1]
    along, across = step * outline.extents
    turns = angle + np.pi / 2 * np.arange(4)
    east, north = _sideways(centres[0], outline.axes)
    ways = along * np.cos(turns)[:, None, None] * east + across * np.sin(turns)[:, None, None] * north
    ways = np.concatenate([ways, np.zeros((1, count, 3))])
    moved = centres[0] + np.concatenate([ways, ways])
    resized = radii[0] + across * np.array([0, 0, 0, 0, 1, -1, -1, -1, -1, -1])[:, None]
    places = np.broadcast_to(centres, (10, count, count, 3)).copy()
    sizes = np.broadcast_to(radii, (10, count, count)).copy()
    cones = np.arange(count)
    places[:, cones, cones], sizes[:, cones, cones] = moved / norm(moved)[..., None], resized
    places, sizes = places.reshape(-1, count, 3), sizes.reshape(-1, count)
    all_resized = radii + 0.5 * across * np.array([[1], [-1]])
    return np.concatenate([places, centres, centres]), np.concatenate([sizes, all_resized])


def _sideways(centres: Array, axes: Array) -> tuple[Array, Array]:
    """Return two unit vectors (K, 3) square to unit centres (K, 3), turning as the axes turn."""
    east = cross(axes[2], centres)
    east = np.where(norm(east)[..., None] > 1e-3, east, axes[0])
    east = east - np.sum(east * centres, axis=-1, keepdims=True) * centres
    east = east / norm(east)[..., None]
    return east, cross(centres, east)


def _holding(centres: Array, radii: Array, outline: Outline) -> tuple[Array, Array]:
    """Return the radii of chains, all of a chain larger by what it lacks to hold what the outline says, and
    the chains' misfits (m,): their areas and twice what they leave uncovered within the outline, steradians.
    That is what they and the outline do not share, but for the outline's own area. What they have beyond that
    area counts once more: it is what they should not.
    """
    radii, held = np.maximum(radii, 0.0), len(outline.held)
    inside, _ = slack(kusudamas(centres, radii), np.concatenate([outline.held, outline.rim])[:, None])
    least = np.minimum(inside[:held].min(axis=0), radii.min(axis=-1))
    lacking = np.maximum(outline.margin - least, 0.0)
    uncovered = outline.length * np.maximum(-inside[held:] - lacking, 0.0).mean(axis=0)
    radii = np.minimum(radii + lacking[:, None], np.pi)
    areas = chain_areas(centres, radii)
    return radii, areas + np.maximum(areas - outline.area, 0.0) + 2 * uncovered


def _sized(centres: Array, radii: Array, directions: Array, outline: Outline) -> tuple[Array, Array]:
    """Return the chain (1, K, ...) with all radii changed alike so that it has the outline's area, but holds
    all directions and the margin.
    """
    inside, _ = slack(kusudamas(centres, radii), directions[:, None])
    least = outline.margin - min(inside.min(), radii.min())
    enough = least + outline.extents.max()
    for _ in range(_HALVINGS):
        between = 0.5 * (least + enough)
        if chain_areas(centres, radii + between)[0] < outline.area:
            least = between
        else:
            enough = between
    return centres, np.clip(radii + least, outline.margin, np.pi)  # to the last bit
