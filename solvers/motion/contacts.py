# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of a body that stand on something: where they are low and slow.

There are two thresholds (hysteresis). A contact begins with frames in which a point is surely low and slow.
It goes on for as long as the point may be standing and is near to where it surely stood; a point that creeps
away has left.

Heights are over a floor nearby in time, since captured floors drift and ground is uneven. For feet it is the
lowest height at which each point has stayed within a second. A foot that is held up has no floor there: a
floor is no higher over those of the other feet than a step, unless the point stands still. But something
carries the body. A foot that is slow while all others swing stands on a floor of its own, as on stairs,
slopes and ladders.

Reference: thresholds with hysteresis as in Canny 1986 (10.1109/TPAMI.1986.4767851).
"""

import numpy as np

from ..geometry import Array, Mask, norm
from .spans import mask_of, spans_of

# Figure sizes a second below which a point is surely slow, and maybe; for times of half a blink.
_SLOW, _SLOWISH, _BLINK = 0.14, 0.25, 1 / 30
# Figure sizes over the floor below which it is surely low, and maybe.
_LOW, _LOWISH = 0.025, 0.05
# Floors: within so many seconds; a step, figure sizes; what stands still, figure sizes a second.
_NEARBY, _STEP, _STILL = 1.0, 0.06, 0.02
# How much distances within a foot change, figure sizes; for how many seconds feet carry the body alone.
_ONE, _CARRIES = 0.01, 0.15
# How high a wrist is over a palm that rests on the floor, figure sizes.
_PALM = 0.03
# Breaks that are none, and spans that are, seconds.
_BREAK, _SHORTEST = 0.05, 0.08
_LOWEST = 5  # percent


def find_contacts(points: Array, feet: Mask, size: float, rate: float) -> Mask:
    """Return in which frames (frames, points) points stand on something.

    ``points`` (frames, points, 3), Z up, cleaned; ``feet`` (points,): which are a foot's, some at least.
    ``size`` of the figure, a length; ``rate``: frames a second. Points of other limbs, as hands, stand where
    they are at the height of the feet's floor.
    """
    speeds = _speeds(points, rate) / size
    heights = points[..., 2] / size
    floors = np.empty_like(heights)
    floors[:, feet], ground = _floors(heights[:, feet], speeds[:, feet], rate)
    floors[:, feet] = _carrying(points[:, feet] / size, speeds[:, feet], floors[:, feet], rate)
    floors[:, ~feet] = ground + _PALM
    over = heights - floors
    sure = (speeds < _SLOW) & (over < _LOW)
    maybe = (speeds < _SLOWISH) & (over < _LOWISH)
    maybe &= _away(points, sure) < _SLOWISH * _SHORTEST * size
    return np.stack([_grown(*columns, rate) for columns in zip(sure.T, maybe.T, strict=True)], axis=-1)


def _away(points: Array, sure: Mask) -> Array:
    """Return how far (frames, points) points are from where they last or next ``sure`` stood, the nearer."""
    every = np.arange(len(points))[:, None]
    last = np.maximum.accumulate(np.where(sure, every, -1), axis=0)
    after = np.minimum.accumulate(np.where(sure, every, len(points))[::-1], axis=0)[::-1]
    away = np.full(sure.shape, np.inf)
    for rows in (last, after):
        known = (rows >= 0) & (rows < len(points))
        there = np.take_along_axis(points, np.clip(rows, 0, len(points) - 1)[..., None], axis=0)
        away = np.where(known, np.minimum(away, norm(points - there)), away)
    return away


def _speeds(points: Array, rate: float) -> Array:
    """Return speeds (frames, points), from half a blink before to half a blink after."""
    times = np.arange(len(points)) / rate
    before, after = (np.clip(times + shift, 0, times[-1]) for shift in (-_BLINK, _BLINK))
    away = _at(points, after * rate) - _at(points, before * rate)
    speeds: Array = norm(away) / np.maximum(after - before, 1 / rate)[:, None]
    return speeds


def _at(points: Array, rows: Array) -> Array:
    """Return points at rows (n,) that need not be whole."""
    low = np.floor(rows).astype(int)
    share = (rows - low)[:, None, None]
    between: Array = (1 - share) * points[low] + share * points[np.minimum(low + 1, len(points) - 1)]
    return between


def _floors(heights: Array, speeds: Array, rate: float) -> tuple[Array, Array]:
    """Return the floor of each point (frames, points) of feet, and of all, (frames, 1); figure sizes."""
    near = max(round(_NEARBY * rate), 1)
    own = _running_least(_stayed(heights, rate), near)
    usual = np.percentile(heights, _LOWEST, axis=0)
    ground = _running_least((own - usual).min(axis=1, keepdims=True), near)
    stands = -_running_least(-speeds, max(near // 4, 1)) < _STILL
    floors = np.where((own < ground + usual + _STEP) | stands, own, ground + usual)
    return floors, ground + usual.min()


def _carrying(points: Array, speeds: Array, floors: Array, rate: float) -> Array:
    """Return ``floors`` (frames, n), of feet that are slow while all others are fast where they are then.

    ``points`` (frames, n, 3), figure sizes, of which those of one foot are always as far apart; ``speeds``
    (frames, n), figure sizes a second.
    """
    floors, slow, fast = floors.copy(), speeds < _SLOW, speeds > _SLOWISH
    for point in range(points.shape[1]):
        others = np.std(norm(points - points[:, [point]]), axis=0) > _ONE
        carries = slow[:, point] & fast[:, others].all(axis=1) & others.any()
        for span in spans_of(slow[:, point]):
            if carries[span.rows].sum() >= max(_CARRIES * rate, 1):
                least = points[span.rows, point, 2].min()
                floors[span.rows, point] = np.maximum(floors[span.rows, point], least)
    return floors


def _stayed(heights: Array, rate: float) -> Array:
    """Return how high points (frames, n) stay for the least time of a contact: a moment below is no floor."""
    half = round(_SHORTEST * rate / 2)
    if len(heights) <= 2 * half:
        return heights
    highest = -_running_least(-heights, half)
    stayed: Array = highest[np.clip(np.arange(len(heights)), half, len(heights) - 1 - half)]
    return stayed


def _running_least(values: Array, near: int) -> Array:
    """Return the least of values (frames, n) at most ``near`` rows away."""
    near = min(near, len(values))
    width = 2 * near + 1
    filled = np.pad(values, ((near, near), (0, 0)), constant_values=np.inf)
    done = 1
    while done < width:
        shift = min(done, width - done)
        filled = np.minimum(filled[: len(filled) - shift], filled[shift:])
        done += shift
    return filled


def _grown(sure: Mask, maybe: Mask, rate: float) -> Mask:
    """Return spans of ``maybe`` (frames,) with something ``sure``, joined where little is between."""
    spans = [span for span in spans_of(maybe) if sure[span.rows].any()]
    mask = mask_of(spans, len(sure))
    breaks = [pause for pause in spans_of(~mask) if len(pause) < _BREAK * rate and 0 < pause.first]
    mask |= mask_of([pause for pause in breaks if pause.last < len(mask) - 1], len(mask))
    return mask_of([span for span in spans_of(mask) if len(span) >= _SHORTEST * rate], len(mask))
