# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs that are squares of small deviations, and of large ones go on in proportion.

What has to go far, by its target or since motion is quick, is no reason for all else to give way to it.

Reference: Huber 1964 (10.1214/aoms/1177703732), by weights that follow from where the clip is (Holland and
Welsch 1977, 10.1080/03610927708827533).
"""

import numpy as np

from ..geometry import Array

_TINY = 1e-300


def trust_in(deviations: Array, most: float) -> Array:
    """Return by what share deviations (...,), from 0 on, are weighed less than their squares would.

    Less than 1 where they are more than ``most``.
    """
    trust: Array = np.minimum(most / np.maximum(deviations, _TINY), 1.0)
    return trust


def costs_of(deviations: Array, most: float) -> Array:
    """Return what deviations (...,) cost."""
    beyond = np.maximum(deviations - most, 0.0)
    costs: Array = 0.5 * (deviations**2 - beyond**2)
    return costs
