# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long gaps of a track bridged by what the others do meanwhile, where those tell anything.

Arms swing with legs: where a track is from the middle of the others is learned from all frames nearby in
which it is known, over how the others are, move and are turned, and put between the ends of the gap. How much
that counts against a bridge by the track itself is measured on gaps of the same length that are made where
the track is known: the share that would have come nearest there.

References: Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, eq. 2.23; Gløersen and
Federolf 2016 (10.1371/journal.pone.0152616) on markers that tell of each other.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, Mask, norm
from .smoothing import bridged
from .spans import Span, spans_of

# Gaps of less than so many seconds are bridged by the track itself; frames on either side to learn from.
_SHORT, _LEARNED = 0.1, 300
# What a second's motion and a turn count beside a place; how alike is alike, as a share of what is usual.
_MOTION, _TURN, _ALIKE = 0.15, 0.3, 0.35
# The weights of likeness in all directions and in proportion, and of noise.
_LINEAR, _NOISE = 0.3, 1e-2
_TRIALS, _MARGIN = 10, 3


def helped(found: Array, rotations: Array, masked: Mask, rate: float) -> Array:
    """Return tracks ``found`` (frames, tracks, 3), bridged by themselves, with help of each other in gaps.

    ``rotations`` (frames, tracks, 3, 3); ``masked`` (frames, tracks); ``rate``: frames a second.
    """
    better = found.copy()
    if found.shape[1] < 3:
        return better
    for track in range(found.shape[1]):
        for gap in spans_of(masked[:, track]):
            if len(gap) > _SHORT * rate:
                rows = slice(max(gap.first - _LEARNED, 0), gap.last + 1 + _LEARNED)
                own = Span(gap.first - rows.start, gap.last - rows.start)
                others = [other for other in range(found.shape[1]) if other != track]
                part = _Gap.of(found[rows, track], found[rows][:, others], rotations[rows][:, others], rate)
                known = ~masked[rows, track]
                share = _share(part, known, len(own), rate)
                better[gap.rows, track] += share * (part.told(known, own) - found[gap.rows, track])
    return better


@dataclass(frozen=True, eq=False)
class _Gap:
    """A ``track`` (frames, 3), the ``middle`` (frames, 3) of others, and how ``alike`` (frames, frames)
    frames are by them."""

    track: Array
    middle: Array
    alike: Array

    @classmethod
    def of(cls, track: Array, others: Array, rotations: Array, rate: float) -> "_Gap":
        """Return the track beside others (frames, n, 3) and their rotations (frames, n, 3, 3)."""
        middle = others.mean(axis=1)
        places = (others - middle[:, None]).reshape(len(others), -1)
        places = places / max(float(norm(places).mean()), 1e-300)
        motion = _MOTION * rate * np.gradient(places, axis=0)
        turns = _TURN * rotations.reshape(len(others), -1) / np.sqrt(3 * rotations.shape[1])
        told = np.concatenate([places, motion, turns], axis=1)
        told = told - told.mean(axis=0)
        told = told / max(float(np.sqrt((told**2).sum(axis=1).mean())), 1e-300)
        products = told @ told.T
        squares = np.diag(products)
        apart = squares[:, None] + squares - 2 * products
        return cls(track, middle, np.exp(-0.5 * apart / _ALIKE**2) + _LINEAR * products)

    def told(self, known: Mask, gap: Span) -> Array:
        """Return what the others tell of the track in a gap, its ends brought to those that are known."""
        first, last = max(gap.first - 1, 0), min(gap.last + 1, len(known) - 1)
        rows, learned = np.arange(first, last + 1), np.flatnonzero(known)
        values = self.track - self.middle
        mean = values[learned].mean(axis=0)
        kernel = self.alike[np.ix_(learned, learned)] + _NOISE * np.eye(len(learned))
        weights = np.linalg.solve(kernel, values[learned] - mean)
        path = self.middle[rows] + mean + self.alike[np.ix_(rows, learned)] @ weights
        told: Array = (path + self._ends(path, rows, gap))[gap.first - first : gap.last - first + 1]
        return told

    def _ends(self, path: Array, rows: Indices, gap: Span) -> Array:
        """Return what brings a path (m, 3) to the track on either side of a gap."""
        begin, end = self.track[rows[0]] - path[0], self.track[rows[-1]] - path[-1]
        begin, end = (end if rows[0] == gap.first else begin), (begin if rows[-1] == gap.last else end)
        share = np.linspace(0, 1, len(rows))[:, None]
        ends: Array = (1 - share) * begin + share * end
        return ends


def _share(part: _Gap, known: Mask, length: int, rate: float) -> float:
    """Return how much of what the others tell comes nearest, 0 to 1, in gaps made where it is ``known``."""
    gained, apart = 0.0, 0.0
    for first in np.linspace(_MARGIN, len(known) - length - _MARGIN, _TRIALS).astype(int):
        made = Span(int(first), int(first) + length - 1)
        if first < _MARGIN or not known[made.first - _MARGIN : made.last + 1 + _MARGIN].all():
            continue
        left = known.copy()
        left[made.rows] = False
        alone = bridged(part.track[:, None], left[:, None], rate)[made.rows, 0]
        towards = part.told(left, made) - alone
        gained += float((towards * (part.track[made.rows] - alone)).sum())
        apart += float((towards**2).sum())
    return float(np.clip(gained / apart, 0.0, 1.0)) if apart > 0 else 0.0
