# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a ray from the mouse meets what is dragged: the unit sphere, or an arc on which an angle is read."""

from dataclasses import dataclass
from math import atan2, degrees, hypot, radians

import numpy as np

from ..solvers.geometry import Array
from .arcs import turned

SNAP = 5.0  # degrees
# How far an angle may move between two events, and how finely that is searched.
_WINDOW, _SAMPLES, _ROUNDS = radians(60.0), 25, 8


@dataclass(frozen=True, eq=False)
class Ray:
    """A line of sight through ``origin`` (3,) along the unit ``direction`` (3,)."""

    origin: Array
    direction: Array

    def on_sphere(self, near: Array) -> Array:
        """Return where it meets the unit sphere on the side of the point ``near``, or comes nearest to it."""
        along = self.origin @ self.direction
        middle = self.origin - along * self.direction
        depth = np.sqrt(max(1 - middle @ middle, 0.0))
        met = middle + np.copysign(depth, self.direction @ near) * self.direction
        return met / np.linalg.norm(met)

    def distances(self, points: Array) -> Array:
        """Return how far points (..., 3) are from the line."""
        return np.linalg.norm(np.cross(points - self.origin, self.direction), axis=-1)


@dataclass(frozen=True, eq=False)
class Dial:
    """Angles on a circle: ``centre + size * start`` (3,), turned about the unit ``axis`` (3,) there."""

    axis: Array
    start: Array
    centre: Array
    size: float = 1.0

    def at(self, angles: Array) -> Array:
        """Return the points (..., 3) at angles (...)."""
        return self.centre + self.size * turned(self.axis, self.start, np.asarray(angles))

    def outwards(self, angle: float, side: int) -> Array:
        """Return the unit vector (3,) along the circle at an angle: up for a ``side`` of 1, down for -1."""
        return turned(self.axis, side * np.cross(self.axis, self.start), np.asarray(angle))

    def angle(self, ray: Ray, near: float) -> float:
        """Return the angle whose point is nearest to the ray, of those within 60 degrees of ``near``.

        So an angle goes on past half a turn, and a circle seen from its edge does not flip over.
        """
        half = _WINDOW
        for _ in range(_ROUNDS):
            angles = near + np.linspace(-half, half, _SAMPLES)
            near = float(angles[np.argmin(ray.distances(self.at(angles)))])
            half *= 2.0 / (_SAMPLES - 1)
        return near


def snapped(angle: float) -> float:
    """Return the angle in whole steps."""
    return radians(SNAP * round(degrees(angle) / SNAP))


def snapped_direction(direction: Array) -> Array:
    """Return the unit direction with its lean from +Y, and the side it leans to, in whole steps."""
    x, y, z = direction
    lean, side = snapped(atan2(hypot(x, z), y)), snapped(atan2(x, z))
    return np.array([np.sin(lean) * np.sin(side), np.cos(lean), np.sin(lean) * np.cos(side)])
