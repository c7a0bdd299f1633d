# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cones: circles, and the corridors between neighbours."""

import numpy as np

from ...solvers import Cones
from ...solvers.limits import kusudamas, slack
from ..arcs import arcs, circle
from ..regions import ROUNDING, Region, traced_region
from .kind import DrawnKind


class DrawnCones(DrawnKind):
    """An area about the bone, or about its limb."""

    @classmethod
    def region(cls, limit: Cones, depth: float = 0.0) -> Region:
        centres = np.array([[direction for direction, _ in limit.cones]], dtype=np.float64)
        centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
        shape = kusudamas(centres, np.array([[radius for _, radius in limit.cones]], dtype=np.float64))
        radii, tangent_radii = np.split(shape.radii[0], [len(limit.cones)])
        cones = zip(shape.centres[0], radii - depth, strict=True)
        corridors = zip(shape.sides[0, :, :, 0], tangent_radii + depth, shape.exists[0], strict=True)
        circles = [circle(centre, radius) for centre, radius in cones if radius >= 0]
        circles += [circle(side, radius) for sides, radius, exists in corridors if exists for side in sides]
        return traced_region(
            arcs(circles), lambda directions: slack(shape, directions[:, None])[0][:, 0] >= depth - ROUNDING
        )
