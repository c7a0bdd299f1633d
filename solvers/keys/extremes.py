# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where curves turn back."""

import numpy as np

from ..geometry import Array, Indices


def extremes(values: Array, wiggles: float) -> Indices:
    """Return the first place, the last, and where values (keys,) turn back by more than ``wiggles``."""
    found, highest, lowest, way = [0], 0, 0, 0
    for place, value in enumerate(values):
        highest = place if value > values[highest] else highest
        lowest = place if value < values[lowest] else lowest
        if way >= 0 and values[highest] - value > wiggles:
            found.append(highest)
            way, lowest, highest = -1, place, place
        elif way <= 0 and value - values[lowest] > wiggles:
            found.append(lowest)
            way, lowest, highest = 1, place, place
    return np.unique([*found, len(values) - 1])
