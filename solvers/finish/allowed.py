# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far bones may turn on: until a limit, or something else, no longer lets them."""

from collections.abc import Callable

import numpy as np

from ..geometry import Array, Mask

ALLOWED = 1e-6  # radians outside a limit that count as within, as of all solutions
_HALVINGS = 24


def farthest(fits: Callable[[Array], Mask], least: Array, most: Array) -> Array:
    """Return how far from ``least``, which fits, towards ``most``, which does not, still fits, elementwise.

    To 2**-24 of what lies between; where both are the same, that.
    """
    for _ in range(_HALVINGS):
        middle = 0.5 * (least + most)
        is_fit = fits(middle)
        least, most = np.where(is_fit, middle, least), np.where(is_fit, most, middle)
    return least
