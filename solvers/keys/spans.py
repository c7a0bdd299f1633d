# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which spans of a curve one cubic can stand for, and the fewest of them that make the whole.

A span's cubic begins and ends on the curve and has the slopes of least squares, after P. J. Schneider, *An
algorithm for automatically fitting digitized curves*, Graphics Gems (1990), here with time as it is. The
fewest spans are a shortest path (J.-C. Perez and E. Vidal, *Optimum polygonal approximation of digitized
curves*, Pattern Recognit. Lett. 15, 1994).
"""

from functools import lru_cache
from itertools import count

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..geometry import Array, Indices, Mask

# Samples from one key of the full clip to the next.
SUBFRAMES = 4
# The most samples of a span that are looked at: long spans are smooth.
_LOOKED_AT = 64
# Spans are no longer than this many keys of the full clip, unless one is enough for all.
_LONGEST = 128
# Spans are given up at the first lengths, so many in a row, that fit nowhere.
_TRIED = 3
# Of paths with as few spans that is taken whose spans fit better.
_CLOSER = 1e-3


@lru_cache(maxsize=512)
def basis(length: int, step: int = 1) -> Array:
    """Return the cubics (4, samples) of a span: of its values at both ends, and of its slopes."""
    u = np.linspace(0.0, 1.0, SUBFRAMES * length + 1)[::step]
    u2, u3 = u * u, u * u * u
    ends, slopes = (1 - 3 * u2 + 2 * u3, 3 * u2 - 2 * u3), (u - 2 * u2 + u3, u3 - u2)
    cubics: Array = np.stack([*ends, length * slopes[0], length * slopes[1]])
    cubics.setflags(write=False)
    return cubics


@lru_cache(maxsize=512)
def slopes_of(length: int, step: int = 1) -> Array:
    """Return what takes the rest (samples,) of a span, less its ends' cubics, to its slopes (samples, 2)."""
    inverse = np.linalg.pinv(basis(length, step)[2:]).astype(np.float64)
    inverse.setflags(write=False)
    return inverse


def fewest_spans(values: Array, tolerances: Array) -> list[Indices]:
    """Return for each channel the keys, ascending, between which one cubic is near enough.

    ``values`` and ``tolerances`` (channels, samples). From one key of the full clip to the next always is.
    """
    whole = _fit_as_one(values, tolerances)
    paths = iter(_shortest(_misfits(values[~whole], tolerances[~whole])))
    last = (values.shape[1] - 1) // SUBFRAMES
    return [np.unique([0, last]) if one else next(paths) for one in whole]


def _fit_as_one(values: Array, tolerances: Array) -> Mask:
    """Return which channels (channels,) are one span."""
    length = (values.shape[1] - 1) // SUBFRAMES
    if not length:
        return np.ones(len(values), bool)
    starts = np.zeros((len(values), length + 1), bool)
    starts[:, 0] = True
    return _misfit(values, 1.0 / tolerances, length, starts) <= 1.0


def _shortest(misfits: Array) -> list[Indices]:
    """Return for each channel the keys of the fewest spans, given the misfits of all."""
    channels, ends = misfits.shape[:2]
    costs, before = np.full((channels, ends), np.inf), np.zeros((channels, ends), np.int64)
    costs[:, 0] = 0.0
    for end in range(1, ends):
        lengths = np.arange(1, min(end, misfits.shape[2]) + 1)
        misfit = misfits[:, end - lengths, lengths - 1]
        misfit[:, 0] = np.minimum(misfit[:, 0], 1.0)
        paths = np.where(misfit <= 1.0, costs[:, end - lengths] + 1.0 + _CLOSER * misfit, np.inf)
        best = np.argmin(paths, axis=1)
        costs[:, end] = np.take_along_axis(paths, best[:, None], axis=1)[:, 0]
        before[:, end] = end - lengths[best]
    return [_path(row) for row in before]


def _path(before: Indices) -> Indices:
    keys = [len(before) - 1]
    while keys[-1] > 0:
        keys.append(int(before[keys[-1]]))
    return np.array(keys[::-1])


def _misfits(values: Array, tolerances: Array) -> Array:
    """Return how many times too far off spans are (channels, starts, lengths), lengths from 1 on."""
    ends = (values.shape[1] - 1) // SUBFRAMES + 1
    tables, going, failed = [], np.ones((len(values), ends), bool), np.zeros((len(values), ends), np.int64)
    weights = 1.0 / tolerances
    for length in count(1):
        if length >= min(ends, _LONGEST) or not going.any():
            break
        going[:, ends - length :] = False
        table = np.full((len(values), ends), np.inf, np.float32)
        table[going] = _misfit(values, weights, length, going)
        failed = np.where(table > 1.0, failed + 1, 0)
        going &= failed < _TRIED
        tables.append(table)
    whole = np.full((len(values), ends, max(len(tables), 1)), np.inf, np.float32)
    for place, table in enumerate(tables):
        whole[:, :, place] = table
    return whole


def _misfit(values: Array, weights: Array, length: int, chosen: Mask) -> Array:
    """Return the misfits of spans of one length that begin where ``chosen`` (channels, keys)."""
    step = max(1, SUBFRAMES * length // _LOOKED_AT)
    windows = (sliding_window_view(x, SUBFRAMES * length + 1, axis=1) for x in (values, weights))
    rows, starts = np.nonzero(chosen)
    span, weight = (window[rows, SUBFRAMES * starts, ::step] for window in windows)
    cubics = basis(length, step)
    rest = span - span[:, :1] * cubics[0] - values[rows, SUBFRAMES * (starts + length), None] * cubics[1]
    apart = rest - (rest @ slopes_of(length, step)) @ cubics[2:]
    misfit: Array = (np.abs(apart) * weight).max(axis=1)
    return misfit
