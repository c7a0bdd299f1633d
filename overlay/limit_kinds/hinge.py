# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges: a fan in a plane, or a twist."""

import numpy as np

from ...solvers import Hinge
from ...solvers.geometry import Array, Mask
from ..arcs import LEAST, arcs, nowhere
from ..regions import Region, narrowed
from .kind import DrawnKind, Ranges

_Y = np.array([0.0, 1.0, 0.0])


class DrawnHinge(DrawnKind):
    """Of the columns of its room the last two are its ends, those before its play."""

    @classmethod
    def region(cls, limit: Hinge, depth: float = 0.0) -> Region:
        axis = np.array(limit.axis) / np.linalg.norm(limit.axis)
        lower, upper = narrowed(limit.lower, limit.upper, depth)
        arc = arcs([(axis, _Y, lower, min(upper, lower + 2 * np.pi))])
        lines = [arc.line(0, arc.lower[0], arc.upper[0])] if arc.lengths()[0] > LEAST else []
        return Region(nowhere, [], lines)

    @classmethod
    def twist(cls, limit: Hinge, local: Array) -> tuple[Array, Ranges]:
        return np.eye(3), _twist(limit)

    @classmethod
    def columns(cls, limit: Hinge, count: int) -> tuple[Mask, Mask]:
        ends, locked = super().columns(limit, count)
        return ends & bool(_twist(limit)), locked


def _twist(limit: Hinge) -> Ranges:
    """Return the range of a hinge that twists, none of one that bends."""
    along = limit.axis[1] / np.linalg.norm(limit.axis)
    if abs(along) < 1 - 1e-9 or limit.upper - limit.lower >= 2 * np.pi:
        return ()
    return ((limit.lower, limit.upper),) if along > 0 else ((-limit.upper, -limit.lower),)
