# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roots of many functions of one variable at once, each between two ends.

Reference: Chandrupatla 1997 (10.1016/S0965-9978(96)00051-8): inverse quadratic interpolation where three
points show the function to be tame, bisection elsewhere.
"""

from collections.abc import Callable

import numpy as np

from .arrays import Array

_STEPS = 100
_NEAR = 1e-14


def bracketed_roots(values: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Return where the elementwise ``values`` change sign between ``low`` and ``high``, to 1e-14.

    Where they do not: ``low``.
    """
    a, b = low, high
    at_a, at_b = values(a), values(b)
    idle = np.sign(at_a) == np.sign(at_b)
    b, at_b = np.where(idle, a, b), np.where(idle, at_a, at_b)
    share = np.full(a.shape, 0.5)
    # What is found stays as it is, however long the others take.
    root, found = a, np.zeros(a.shape, bool)
    for _ in range(_STEPS):
        new = a + share * (b - a)
        at_new = values(new)
        same = np.sign(at_new) == np.sign(at_a)
        c, at_c = np.where(same, a, b), np.where(same, at_a, at_b)
        b, at_b = np.where(same, b, a), np.where(same, at_b, at_a)
        a, at_a = new, at_new
        root = np.where(found, root, a)
        found |= (np.abs(b - a) <= 2 * _NEAR) | (at_a == 0)
        if found.all():
            break
        share = _share(a, b, c, at_a, at_b, at_c)
    return root


def _share(a: Array, b: Array, c: Array, at_a: Array, at_b: Array, at_c: Array) -> Array:
    """Return how far from the latest point a to the other end b to go; c is the point before."""
    width = np.where(b == a, 1.0, b - a)
    apart, rise = _ratio(a - b, c - b), _ratio(at_a - at_b, at_c - at_b)
    tame = (rise**2 < apart) & ((1 - rise) ** 2 < 1 - apart)
    by_ends = _ratio(at_a, at_b - at_a) * _ratio(at_c, at_b - at_c)
    by_before = (c - a) / width * _ratio(at_a, at_c - at_a) * _ratio(at_b, at_c - at_b)
    least = np.minimum(_NEAR / np.abs(width), 0.5)
    return np.clip(np.where(tame, by_ends + by_before, 0.5), least, 1 - least)


def _ratio(part: Array, whole: Array) -> Array:
    return part / np.where(whole == 0, 1.0, whole)
