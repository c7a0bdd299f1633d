# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Angles: sheets of directions, and the twist that they leave."""

import numpy as np

from ...solvers import EulerLimit
from ...solvers.geometry import Array, Mask, rotation_vector_to_matrix
from ..grouped import group_of
from ..regions import Region, narrowed, traced_region
from ..sheets import on_sheets, sheet_arcs, sheets
from .kind import LOCKED, DrawnKind, Ranges

_Y = np.array([0.0, 1.0, 0.0])
_ROUNDING = 1e-6
_BISECTIONS = 24


class DrawnEuler(DrawnKind):
    """An area without a formula, traced along the arcs where one angle is at an end."""

    @classmethod
    def region(cls, limit: EulerLimit, depth: float = 0.0) -> Region:
        bounds = zip(limit.lower[0].tolist(), limit.upper[0].tolist(), strict=True)
        lower, upper = np.array([narrowed(*pair, depth) for pair in bounds]).T
        faces = sheets(limit.order, lower, upper)
        return traced_region(sheet_arcs(faces), lambda directions: on_sheets(faces, directions))

    @classmethod
    def twist(cls, limit: EulerLimit, local: Array) -> tuple[Array, Ranges]:
        near = group_of(limit).nearest(local[None, None])[0, 0]
        return near, _twist(limit, near)

    @classmethod
    def columns(cls, limit: EulerLimit, count: int) -> tuple[Mask, Mask]:
        twists = np.array([False, limit.order[0] == "Y", False])
        return np.tile(twists, 2), np.tile((limit.upper - limit.lower)[0] <= LOCKED, 2)


def _twist(limit: EulerLimit, local: Array) -> Ranges:
    """Return by how much the allowed rotation may turn about its own +Y; relative to it."""
    angles = np.linspace(-np.pi, np.pi, 361)
    allowed = _may_twist(limit, local, angles)
    if allowed.all():
        return ()
    # Begin where no twist is allowed, so that no range goes over the seam.
    first = int(np.argmin(allowed))
    angles = np.concatenate([angles[first:], angles[1 : first + 1] + 2 * np.pi])
    allowed = np.concatenate([allowed[first:], allowed[1 : first + 1]])
    change = np.flatnonzero(allowed[1:] != allowed[:-1])
    low, high, was = angles[change], angles[change + 1], allowed[change]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        same = _may_twist(limit, local, middle) == was
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    ends = (0.5 * (low + high)).reshape(-1, 2)
    turns = 2 * np.pi * np.round(ends.mean(axis=1, keepdims=True) / (2 * np.pi))
    return tuple(map(tuple, (ends - turns).tolist()))


def _may_twist(limit: EulerLimit, local: Array, angles: Array) -> Mask:
    turned = local @ rotation_vector_to_matrix(angles[:, None] * _Y)
    return (group_of(limit).room(turned[:, None])[1][:, 0] >= -_ROUNDING).all(axis=-1)
