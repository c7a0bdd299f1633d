# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which directions of the bone's +Y a limit allows: an area of the unit sphere, or a line on it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..solvers.geometry import Array
from .arcs import Arcs, Inside, traced

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Region:
    """``inside``: of directions (n, 3). Polylines (k, 3): ``rims`` of areas, ``lines`` that have no area."""

    inside: Inside
    rims: Sequence[Array]
    lines: Sequence[Array]


def traced_region(candidates: Arcs, inside: Inside) -> Region:
    return Region(inside, *traced(candidates, inside))


def narrowed(lower: float, upper: float, depth: float) -> tuple[float, float]:
    """Return the range without its ends; free and locked ones have none."""
    if upper - lower >= 2 * np.pi or upper - lower < 2 * depth:
        return lower, upper
    return lower + depth, upper - depth
