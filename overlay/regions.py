# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which directions of the bone's +Y a limit allows: an area of the unit sphere, or a line on it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..solvers.geometry import Array, Mask
from ..solvers.limits import (
    Cones,
    Ellipse,
    EulerLimit,
    Hinge,
    Limit,
    boundary,
    from_chart,
    kusudamas,
    slack,
    to_chart,
)
from .arcs import LEAST, Arcs, Inside, arcs, circle, nowhere, traced
from .sheets import on_sheets, sheet_arcs, sheets

_Y = np.array([0.0, 1.0, 0.0])
_ROUNDING = 1e-9
_AROUND = 361  # points of an ellipse
_NARROW = 1e-4  # radians; narrower ellipses are lines, as hinges are


@dataclass(frozen=True, eq=False)
class Region:
    """``inside``: of directions (n, 3). Polylines (k, 3): ``rims`` of areas, ``lines`` that have no area."""

    inside: Inside
    rims: Sequence[Array]
    lines: Sequence[Array]


def region(limit: Limit, depth: float = 0.0) -> Region:
    """Return the directions that are allowed, or those that are at least ``depth`` radians inside."""
    return _REGIONS[type(limit)](limit, depth)


def _hinge_region(limit: Hinge, depth: float) -> Region:
    axis = np.array(limit.axis) / np.linalg.norm(limit.axis)
    lower, upper = _narrowed(limit.lower, limit.upper, depth)
    arc = arcs([(axis, _Y, lower, min(upper, lower + 2 * np.pi))])
    return Region(nowhere, [], [arc.line(0, arc.lower[0], arc.upper[0])] if arc.lengths()[0] > LEAST else [])


def _cones_region(limit: Cones, depth: float) -> Region:
    centres = np.array([[direction for direction, _ in limit.cones]], dtype=np.float64)
    centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
    shape = kusudamas(centres, np.array([[radius for _, radius in limit.cones]], dtype=np.float64))
    radii, tangent_radii = np.split(shape.radii[0], [len(limit.cones)])
    cones = zip(shape.centres[0], radii - depth, strict=True)
    corridors = zip(shape.sides[0, :, :, 0], tangent_radii + depth, shape.exists[0], strict=True)
    circles = [circle(centre, radius) for centre, radius in cones if radius >= 0]
    circles += [circle(side, radius) for sides, radius, exists in corridors if exists for side in sides]
    return _traced_region(
        arcs(circles), lambda directions: slack(shape, directions[:, None])[0][:, 0] >= depth - _ROUNDING
    )


def _ellipse_region(limit: Ellipse, depth: float) -> Region:
    radii = np.maximum(np.array(limit.radii, dtype=np.float64) - depth, 0.0)
    rim = from_chart(boundary(radii, np.linspace(0.0, 2 * np.pi, _AROUND)))

    def inside(directions: Array) -> Mask:
        chart = to_chart(directions)
        reach = np.where(chart >= 0, radii[::2], radii[1::2])
        return np.sum((chart / np.maximum(reach, _ROUNDING)) ** 2, axis=-1) <= 1 + _ROUNDING

    about_x, about_z = radii[0] + radii[1], radii[2] + radii[3]
    if min(about_x, about_z) > _NARROW:
        return Region(inside, [rim], [])
    quarter = _AROUND // 4
    return Region(
        inside, [], [rim[: 2 * quarter + 1] if about_x > about_z else rim[quarter : 3 * quarter + 1]]
    )


def _euler_region(limit: EulerLimit, depth: float) -> Region:
    bounds = zip(limit.lower[0].tolist(), limit.upper[0].tolist(), strict=True)
    lower, upper = np.array([_narrowed(*pair, depth) for pair in bounds]).T
    faces = sheets(limit.order, lower, upper)
    return _traced_region(sheet_arcs(faces), lambda directions: on_sheets(faces, directions))


def _traced_region(candidates: Arcs, inside: Inside) -> Region:
    return Region(inside, *traced(candidates, inside))


def _narrowed(lower: float, upper: float, depth: float) -> tuple[float, float]:
    """Return the range without its ends; free and locked ones have none."""
    if upper - lower >= 2 * np.pi or upper - lower < 2 * depth:
        return lower, upper
    return lower + depth, upper - depth


_REGIONS = {Hinge: _hinge_region, Cones: _cones_region, Ellipse: _ellipse_region, EulerLimit: _euler_region}
