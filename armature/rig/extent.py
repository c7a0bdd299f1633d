# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How large a figure is."""

from math import isfinite

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.floating]
# A figure is at most so many times as large as what is solved of it: an arm is a third of a human.
_LARGEST_FIGURE = 4.0


def figure_extent(heads: Values, solved: Values) -> float:
    """Return the ``extent`` of a figure with these heads (bones, 3), ``solved`` ones (n, 3) among them."""
    whole, own = _span(heads), _span(solved.astype(np.float64))
    return min(whole, _LARGEST_FIGURE * own) if own > 0 else whole


def _span(points: Values) -> float:
    """Return how far points (n, 3) are apart along one of the axes."""
    axes = np.ascontiguousarray(points.T)  # along which numpy finds ends three times as fast
    span = float((axes.max(axis=1) - axes.min(axis=1)).max())
    if isfinite(span):
        return span
    return _span(np.where(np.isfinite(points), points, points.dtype.type(0)))
