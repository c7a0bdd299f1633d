# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans of frames, and masks that say the same frame by frame."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..geometry import Mask


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Rows from ``first`` to ``last``, both included."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def rows(self) -> slice:
        """The rows."""
        return slice(self.first, self.last + 1)


def spans_of(mask: Mask) -> list[Span]:
    """Return the spans in which a mask (frames,) holds."""
    edges = np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8))
    ends = zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True)
    return [Span(int(first), int(end) - 1) for first, end in ends]


def mask_of(spans: Iterable[Span], frames: int) -> Mask:
    """Return the mask (frames,) that holds in the spans."""
    mask = np.zeros(frames, dtype=bool)
    for span in spans:
        mask[span.rows] = True
    return mask
