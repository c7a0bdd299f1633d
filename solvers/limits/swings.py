# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints whose bone points into a region of directions and twists about itself within a range."""

from dataclasses import dataclass
from math import pi

import numpy as np

from ..rotation import (
    Array,
    arctan2,
    conjugate,
    matrix_to_quaternion,
    multiply,
    norm,
    quaternion_to_matrix,
    rotation_vector_to_quaternion,
    shortest_arc,
)
from .angle_ranges import between, clamped, in_range, room_within
from .ellipses import boundary, chart_faces, nearest_in_ellipse, to_chart
from .group import Group
from .kusudama import Kusudamas, nearest, slack

_UP = np.array([0.0, 1.0, 0.0])
# Comfortable joints keep this share of the width of their swing from either end.
_COMFORT = 0.3


@dataclass(frozen=True, eq=False, slots=True)
class Swings(Group):
    """Twist bounds (m,), applied after the region of directions that each kind adds.

    A kind gives ``_nearest_directions``, ``_swing_faces`` and ``_swing_sampled``.
    """

    lower: Array
    upper: Array

    def nearest(self, local: Array, previous: Array | None = None) -> Array:
        """Return the rotations swung the shortest way into their regions, then twisted into range."""
        before = None if previous is None else previous[..., :, 1]
        direction = local[..., :, 1]
        allowed = self._nearest_directions(direction, before)
        swung = multiply(shortest_arc(direction, allowed), matrix_to_quaternion(local))
        twist, angle = _twist(swung)
        if previous is None or in_range(angle, self.lower, self.upper).all():
            angle = clamped(angle, self.lower, self.upper)
        else:
            angle = clamped(angle, self.lower, self.upper, _twist(matrix_to_quaternion(previous))[1])
        return self._twisted(multiply(swung, conjugate(twist)), angle)

    def room(self, local: Array) -> tuple[Array, Array, Array]:
        """Return the faces: those of the region, then twist up and down."""
        swing, inside = self._swing_faces(local)
        q = matrix_to_quaternion(local)
        w, x, y, z = (q[..., i] for i in range(4))
        size = np.maximum(w * w + y * y, 1e-12)
        twist = np.stack([(w * z + y * x) / size, np.ones_like(w), (y * z - w * x) / size], axis=-1)
        up, down = room_within(2 * arctan2(y, w), self.lower, self.upper)
        normals = np.concatenate([swing, twist[..., None, :], -twist[..., None, :]], axis=-2)
        room = np.concatenate([inside, up[..., None], down[..., None]], axis=-1)
        return normals, room, np.zeros(room.shape[-1], bool)

    def comfortable(self, local: Array, share: Array) -> Array:
        """Return the rotations as they are: a swing has no end to get away from."""
        return local

    def sampled(self, points: Array) -> Array:
        """Return swings by two coordinates, twisted by the third."""
        swing = self._swing_sampled(points)
        return self.nearest(self._twisted(swing, between(points[..., 2], self.lower, self.upper)))

    def _twisted(self, swing: Array, angle: Array) -> Array:
        about_y = angle[..., None] * _UP
        return quaternion_to_matrix(multiply(swing, rotation_vector_to_quaternion(about_y)))


@dataclass(frozen=True, eq=False, slots=True)
class ConeSwings(Swings):
    """The bones point into kusudamas, ``regions``."""

    regions: Kusudamas

    def _nearest_directions(self, directions: Array, previous: Array | None) -> Array:
        return nearest(self.regions, directions, previous)

    def _swing_faces(self, local: Array) -> tuple[Array, Array]:
        inside, way = slack(self.regions, local[..., :, 1])
        out = np.einsum("...ji,...j->...i", local, way)
        normal = np.stack([out[..., 2], np.zeros_like(inside), -out[..., 0]], axis=-1)
        return normal[..., None, :], inside[..., None]

    def _swing_sampled(self, points: Array) -> Array:
        count = self.regions.radii.shape[1]
        cone = np.minimum((points[..., 0] * count).astype(int), count - 1)
        each = np.arange(len(self.bones))
        centre, radius = self.regions.centres[each, cone], self.regions.radii[each, cone]
        around = 2 * pi * ((points[..., 0] * count) % 1.0)
        lean = radius * np.sqrt(points[..., 1])
        side = np.stack([np.cos(around) * lean, 0 * lean, np.sin(around) * lean], axis=-1)
        up = np.broadcast_to(_UP, centre.shape)
        return multiply(shortest_arc(up, centre), rotation_vector_to_quaternion(side))


@dataclass(frozen=True, eq=False, slots=True)
class EllipseSwings(Swings):
    """The bones swing within ellipses of four ``radii`` (m, 4); see ellipses.py."""

    radii: Array

    def _nearest_directions(self, directions: Array, previous: Array | None) -> Array:
        return nearest_in_ellipse(self.radii, directions, previous)

    def _swing_faces(self, local: Array) -> tuple[Array, Array]:
        return chart_faces(self.radii, local)

    def comfortable(self, local: Array, share: Array) -> Array:
        """Return the rotations swung off the ends of their radii: knees are ellipses too."""
        chart = to_chart(local[..., :, 1])
        upper, lower = self.radii[:, ::2], -self.radii[:, 1::2]
        margin = _COMFORT * (upper - lower)
        # The way there is straight and the ellipse convex, so all of it is allowed.
        inner = chart + share[..., None] * (np.clip(chart, lower + margin, upper - margin) - chart)
        return self._twisted(_swing(inner), _twist(matrix_to_quaternion(local))[1])

    def _swing_sampled(self, points: Array) -> Array:
        return _swing(boundary(self.radii, 2 * pi * points[..., 0]) * np.sqrt(points[..., 1, None]))


def _swing(chart: Array) -> Array:
    """Return the quaternions of swings about X and Z, chart points (..., 2)."""
    x, z = np.moveaxis(chart, -1, 0)
    return rotation_vector_to_quaternion(np.stack([x, np.zeros_like(x), z], axis=-1))


def _twist(quaternions: Array) -> tuple[Array, Array]:
    """Return the twist about +Y, quaternion and angle; none where the swing is a half turn."""
    twist = quaternions * np.array([1.0, 0.0, 1.0, 0.0])
    size = norm(twist)[..., None]
    twist = np.where(size > 1e-12, twist / np.maximum(size, 1e-12), np.array([1.0, 0.0, 0.0, 0.0]))
    twist = np.where(twist[..., :1] < 0, -twist, twist)
    return twist, 2 * arctan2(twist[..., 2], twist[..., 0])
