# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ellipses: an area, or a line where two sides are locked."""

import numpy as np

from ...solvers import Ellipse
from ...solvers.geometry import Array, Mask
from ...solvers.limits import boundary, from_chart, to_chart
from ..regions import ROUNDING, Region
from .kind import LOCKED, DrawnKind

_AROUND = 361  # points of an ellipse
_NARROW = 1e-4  # radians; narrower ellipses are lines, as hinges are


class DrawnEllipse(DrawnKind):
    """An area of four quarters."""

    @classmethod
    def region(cls, limit: Ellipse, depth: float = 0.0) -> Region:
        radii = np.maximum(np.array(limit.radii, dtype=np.float64) - depth, 0.0)
        rim = from_chart(boundary(radii, np.linspace(0.0, 2 * np.pi, _AROUND)))

        def inside(directions: Array) -> Mask:
            chart = to_chart(directions)
            reach = np.where(chart >= 0, radii[::2], radii[1::2])
            return np.sum((chart / np.maximum(reach, ROUNDING)) ** 2, axis=-1) <= 1 + ROUNDING

        about_x, about_z = radii[0] + radii[1], radii[2] + radii[3]
        if min(about_x, about_z) > _NARROW:
            return Region(inside, [rim], [])
        quarter = _AROUND // 4
        return Region(
            inside, [], [rim[: 2 * quarter + 1] if about_x > about_z else rim[quarter : 3 * quarter + 1]]
        )

    @classmethod
    def columns(cls, limit: Ellipse, count: int) -> tuple[Mask, Mask]:
        twists, locked = super().columns(limit, count)
        x_plus, x_minus, z_plus, z_minus = limit.radii
        locked[:4] = np.repeat([x_plus + x_minus <= LOCKED, z_plus + z_minus <= LOCKED], 2)
        return twists, locked
