# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long gaps of a track bridged by what the others do meanwhile.

Arms swing with legs. Where a track is from the middle of the others is taken as a Gaussian process, the sum
of one over how the others are shortly before, at and after a frame, and one over time: it is learned from the
frames nearby in which the track is known, and tells of the gap. The first part says what the body does, the
second lets the bridge meet the track at both ends. How much each counts is the same for all motion; where
others do what they do nowhere else, neither tells anything, and the mean is what is left.

References: Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, eq. 2.23 and section 4.2;
Gløersen and Federolf 2016 (10.1371/journal.pone.0152616) on markers that tell of each other.
"""

import numpy as np

from ..geometry import Array, Mask
from .spans import Span, spans_of

# Gaps of less than so many seconds are bridged by the track itself; frames on either side to learn from.
_SHORT, _LEARNED = 0.1, 300
# Seconds from a frame at which others are looked at, and what these places count beside those in it.
_AROUND, _BESIDE = (0.1, 0.2, 0.3), 0.5
# How far apart others do something else, in what is usual; what time counts beside that; its reach, seconds.
_ALIKE, _TIME, _REACH = 2.5, 0.1, 0.5
# The variance of noise, as a share of the track's.
_NOISE = 1e-4
_LEAST = 1e-300


def helped(found: Array, masked: Mask, rate: float) -> Array:
    """Return tracks ``found`` (frames, tracks, 3), bridged by themselves, with help of each other in gaps.

    ``masked`` (frames, tracks): where they are bridged; ``rate``: frames a second.
    """
    better = found.copy()
    if found.shape[1] < 3:
        return better
    for track in range(found.shape[1]):
        others = np.delete(found, track, axis=1)
        for gap in spans_of(masked[:, track]):
            if len(gap) > _SHORT * rate:
                rows = slice(max(gap.first - _LEARNED, 0), gap.last + 1 + _LEARNED)
                own = Span(gap.first - rows.start, gap.last - rows.start)
                known = ~masked[rows, track]
                better[gap.rows, track] = _told(found[rows, track], others[rows], known, own, rate)
    return better


def _told(track: Array, others: Array, known: Mask, gap: Span, rate: float) -> Array:
    """Return where a ``track`` (frames, 3) is in a gap, by ``others`` (frames, n, 3), where it is known."""
    middle = others.mean(axis=1)
    values, learned = track - middle, np.flatnonzero(known)
    mean = values[learned].mean(axis=0)
    away = values[learned] - mean
    spread = max(float((away**2).mean()), _LEAST)
    likeness = _likeness(others - middle[:, None], rate)
    kernel = likeness[np.ix_(learned, learned)] + _NOISE * np.eye(len(learned))
    weights = np.linalg.solve(kernel, away / np.sqrt(spread))
    told: Array = np.sqrt(spread) * (likeness[gap.rows][:, learned] @ weights) + mean + middle[gap.rows]
    return told


def _likeness(others: Array, rate: float) -> Array:
    """Return how alike frames (frames, frames) are, by places of others (frames, n, 3) and by time."""
    frames = np.arange(len(others))
    places = others.reshape(len(others), -1)
    shifts = [sign * round(seconds * rate) for seconds in _AROUND for sign in (-1, 1)]
    beside = [_BESIDE * places[np.clip(frames + shift, 0, len(frames) - 1)] for shift in shifts]
    told = np.concatenate([places, *beside], axis=1)
    told = told - told.mean(axis=0)
    told = told / max(float(np.sqrt((told**2).sum(axis=1).mean())), _LEAST)
    products = told @ told.T
    squares = np.diag(products)
    apart = np.maximum(squares[:, None] + squares - 2 * products, 0.0)
    pause = np.sqrt(5) * np.abs(frames[:, None] - frames) / (_REACH * rate)
    alike: Array = np.exp(-0.5 * apart / _ALIKE**2) + _TIME * (1 + pause + pause**2 / 3) * np.exp(-pause)
    return alike
