# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where points stand while they have contact, and how limbs are led there and away.

A contact is held at the median of where it was recorded. If it drifts farther than its noise and than a few
centimetres of a person, it is held in parts with a step between them: else it would be held far from where it
was. A limb has two points, a heel and a ball. They stand as far apart as they are; where one alone stands,
the other goes along. Between two contacts no point sinks below the lower of their floors.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Mask, matvec, norm, quaternion_to_matrix, shortest_arc
from .noise import noise_of
from .smoothing import smoothed
from .spans import Span, spans_of

# How far recorded points may be from where they are held, figure sizes; the least time that they are.
_DRIFT, _SHORTEST = 0.0086, 0.08
# Seconds in which limbs are led to where they stand, and in which they step on.
_EASE, _STEP = 0.2, 0.1
_NOTHING = 1e-300
# Shares of coordinates that are none of a step.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Planted:
    """``held`` (frames, limbs, 2): where heads and tips stand; ``places`` (frames, limbs, 2, 3): their paths
    as they are led, which are where they stand in frames that are held."""

    held: Mask
    places: Array

    def rows(self, keep: slice) -> "Planted":
        """Return those of the frames ``keep``."""
        return Planted(self.held[keep], self.places[keep])


def plant(points: Array, contacts: Mask, size: float, rate: float) -> Planted:
    """Return heads and tips of limbs, ``points`` (frames, limbs, 2, 3), Z up, held where they have contact.

    ``contacts`` (frames, limbs, 2); ``size`` of the figure, a length; ``rate``: frames a second.
    """
    held, shifts = np.zeros_like(contacts), np.zeros_like(points)
    for limb in range(points.shape[1]):
        spots = [_spots(points[:, limb, end], contacts[:, limb, end], size, rate) for end in (0, 1)]
        heads = _apart(spots, points[:, limb])
        for end, stands in enumerate((heads, spots[1])):
            held[:, limb, end], shifts[:, limb, end] = _shifts(points[:, limb, end], stands)
    eased = _eased(held, rate)[..., None]
    own, other = eased * shifts, (eased * shifts)[:, :, ::-1]
    places = points + own + (1 - eased) * other
    places[..., 2] = np.maximum(places[..., 2], _floors(places[..., 2], held))
    return Planted(held, places)


def steps(contacts: Mask, planted: Planted) -> float:
    """Return how far it is at most, within one of the ``contacts`` (frames, limbs, 2) of a point, from where
    it stands to where it stands next.
    """
    apart = [0.0]
    for limb, end in zip(*np.nonzero(contacts.any(axis=0)), strict=True):
        for span in spans_of(contacts[:, limb, end]):
            stood = planted.places[span.rows, limb, end][planted.held[span.rows, limb, end]]
            apart += norm(np.diff(stood, axis=0)).tolist()
    return max(apart) if max(apart) > _ROUNDING * float(np.abs(planted.places).max()) else 0.0


def unheld(contacts: Mask, planted: Planted, rate: float) -> Mask:
    """Return where (frames, limbs) limbs stand nowhere though they have ``contacts`` (frames, limbs, 2).

    In all of a contact, or for longer than a step takes at ``rate`` frames a second.
    """
    loose = np.zeros(contacts.shape[:2], dtype=bool)
    for limb, end in zip(*np.nonzero(contacts.any(axis=0)), strict=True):
        for span in spans_of(contacts[:, limb, end]):
            head, tip = planted.held[span.rows, limb].T
            free = ~(head | tip)
            for run in spans_of(free):
                if free.all() or run.last - run.first >= _pause(rate):
                    loose[span.first + run.first : span.first + run.last + 1, limb] = True
    return loose


def led(points: Array, planted: Planted) -> tuple[Array, Array]:
    """Return the shifts (frames, limbs, 3) and turns (frames, limbs, 3, 3) that lead heads of limbs.

    Tips then are where they stand wherever they do, whatever becomes of heads that do not.
    """
    before = points[:, :, 1] - points[:, :, 0]
    after = planted.places[:, :, 1] - planted.places[:, :, 0]
    turns = quaternion_to_matrix(shortest_arc(before, after))
    from_tip = planted.places[:, :, 1] - matvec(turns, before)
    by_tip = planted.held[..., 1:] & ~planted.held[..., :1]
    return np.where(by_tip, from_tip, planted.places[:, :, 0]) - points[:, :, 0], turns


Spots = list[tuple[Span, Array]]


def _spots(path: Array, contact: Mask, size: float, rate: float) -> Spots:
    """Return where a point with a ``path`` (frames, 3) stands, and in which frames."""
    spots: Spots = []
    for span in spans_of(contact):
        calm, first, drift = path.copy(), span.first, _DRIFT * size
        if not _is_near(path[span.rows], drift):
            calm[span.rows], noise = _calmed(path[span.rows], rate)
            drift += noise
        while first <= span.last:
            last = _stays(calm, first, span.last, drift)
            if last - first + 1 >= _SHORTEST * rate:
                spots.append((Span(first, last), np.median(path[first : last + 1], axis=0)))
                first = last + _pause(rate)
            first += 1
    return spots


def _pause(rate: float) -> int:
    """Return how many frames a step takes."""
    return max(round(_STEP * rate), 1)


def _calmed(path: Array, rate: float) -> tuple[Array, float]:
    """Return the path (frames, 3) of a point in contact without its noise, and the noise's deviation.

    What trembles does not drift. At the ends about as much of the noise is left.
    """
    believed = np.ones(len(path), bool)
    return smoothed(path[:, None], believed[:, None], rate)[:, 0], noise_of(path, believed)


def _stays(path: Array, first: int, end: int, drift: float) -> int:
    """Return the last row up to ``end`` until which a path stays as near to its median as ``drift``."""
    if _is_near(path[first : end + 1], drift):
        return end
    low, high = first, end - 1
    while low < high:
        middle = (low + high + 1) // 2
        near = _is_near(path[first : middle + 1], drift)
        low, high = (middle, high) if near else (low, middle - 1)
    return low


def _is_near(path: Array, drift: float) -> bool:
    """Return whether a path (frames, 3) stays as near to its median as ``drift``."""
    return bool(norm(path - np.median(path, axis=0)).max() <= drift)


def _apart(spots: list[Spots], points: Array) -> Spots:
    """Return where heads stand: as far from tips that stand meanwhile as the limb (frames, 2, 3) is long."""
    length = float(np.median(norm(points[:, 1] - points[:, 0])))
    found: Spots = []
    for span, place in spots[0]:
        beside = [(tip, at) for tip, at in spots[1] if tip.first <= span.last and span.first <= tip.last]
        if not beside:
            found.append((span, place))
            continue
        tip, at = max(beside, key=lambda spot: min(spot[0].last, span.last) - max(spot[0].first, span.first))
        first = max([span.first, *(one.last + 1 for one, _ in beside if one.last < tip.first)])
        last = min([span.last, *(one.first - 1 for one, _ in beside if one.first > tip.last)])
        found.append((Span(first, last), at + length * (place - at) / max(float(norm(place - at)), _NOTHING)))
    return found


def _shifts(path: Array, spots: Spots) -> tuple[Mask, Array]:
    """Return where (frames,) a point stands, and its way there (frames, 3), between spots in even steps."""
    held, shifts = np.zeros(len(path), dtype=bool), np.zeros_like(path)
    for span, place in spots:
        held[span.rows], shifts[span.rows] = True, place - path[span.rows]
    rows = np.flatnonzero(held)
    if len(rows):
        every = np.arange(len(path))
        shifts = np.stack([np.interp(every, rows, shifts[rows, axis]) for axis in range(3)], axis=-1)
    return held, shifts


def _floors(heights: Array, held: Mask) -> Array:
    """Return the lower of the floors (frames, limbs, 2) that points come from and go to, if both are known.

    Nobody knows from what a point comes to the first one, or where it goes from the last: a foot on stairs or
    a ladder comes from below, and may go there.
    """
    floors = np.full(heights.shape, -np.inf)
    for limb, end in zip(*np.nonzero(held.any(axis=0)), strict=True):
        rows, each = np.flatnonzero(held[:, limb, end]), np.arange(len(held))
        known = np.concatenate([[-np.inf], heights[rows, limb, end], [-np.inf]])
        before = known[np.searchsorted(rows, each, side="right")]
        after = known[np.searchsorted(rows, each) + 1]
        floors[:, limb, end] = np.minimum(before, after)
    return floors


def _eased(held: Mask, rate: float) -> Array:
    """Return 1 where points stand, falling to 0 within the time of easing, (frames, ...)."""
    every = np.arange(len(held), dtype=float).reshape(-1, *[1] * (held.ndim - 1))
    before = np.maximum.accumulate(np.where(held, every, -np.inf), axis=0)
    after = np.minimum.accumulate(np.where(held, every, np.inf)[::-1], axis=0)[::-1]
    away = np.minimum(np.minimum(every - before, after - every) / (_EASE * rate), 1.0)
    eased: Array = 1 - away**2 * (3 - 2 * away)
    return eased
