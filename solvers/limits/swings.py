# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints whose bone points into a region of directions and twists about itself within a range."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from math import pi

import numpy as np

from ..geometry import (
    Array,
    Mask,
    arctan2,
    dot,
    einsum,
    multiply,
    norm,
    rotation_vector_to_quaternion,
    shortest_arc,
    swing_to,
    twist_angles,
    twisted,
)
from .angle_ranges import are_out, between, clamped, eased, room_within
from .ellipses import boundary, chart_faces, nearest_in_ellipse, to_chart
from .group import Group
from .kusudama import Kusudamas, nearest, slack

_UP = np.array([0.0, 1.0, 0.0])
# Comfortable joints keep this share of the width of their swing from either end.
_COMFORT = 0.3
_ASIDE = np.array([0.1, 0.0, 0.11])  # any way that no symmetry prefers
_TINY = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class Swings(Group):
    """Twist bounds (m,), applied after the region of directions that each kind adds."""

    lower: Array
    upper: Array

    def nearest(self, local: Array, previous: Array | None = None) -> Array:
        """Return the rotations swung the shortest way into their regions, then twisted into range.

        Allowed ones as they are.
        """
        before = None if previous is None else previous[..., :, 1]
        direction = local[..., :, 1]
        allowed = self._nearest_directions(direction, before)
        angle = twist_angles(local)
        wrong = are_out(angle, self.lower, self.upper)
        if allowed is not direction:
            wrong |= (allowed != direction).any(axis=-1)
        if not wrong.any():
            return local
        members, allowed = np.nonzero(wrong)[-1], allowed[wrong]
        angle = angle[wrong] + _excess(direction[wrong], allowed)
        angle_before = None if previous is None else partial(twist_angles, previous[wrong])
        angle = clamped(angle, self.lower[members], self.upper[members], angle_before)
        nearest = local.copy()
        nearest[wrong] = twisted(swing_to(allowed), angle)
        return nearest

    def room(self, local: Array) -> tuple[Array, Array]:
        """Return the faces: those of the region, then twist up and down."""
        swing, inside = self._swing_faces(local)
        twist = local[..., 1, :] / np.maximum(1 + local[..., 1, 1:2], 1e-12)
        twist[..., 1] = 1.0
        up, down = room_within(twist_angles(local), self.lower, self.upper)
        normals = np.concatenate([swing, twist[..., None, :], -twist[..., None, :]], axis=-2)
        room = np.concatenate([inside, up[..., None], down[..., None]], axis=-1)
        return normals, room

    def sampled(self, points: Array) -> Array:
        """Return swings by two coordinates, twisted by the third."""
        swing = self._swing_sampled(points)
        return self.nearest(twisted(swing, between(points[..., 2], self.lower, self.upper)))

    @abstractmethod
    def _nearest_directions(self, directions: Array, previous: Array | None) -> Array:
        """Return the directions (..., m, 3) of the region nearest to ``directions``, as ``nearest`` does."""

    @abstractmethod
    def _swing_faces(self, local: Array) -> tuple[Array, Array]:
        """Return the faces of the region: normals (..., m, c, 3) and room (..., m, c)."""

    @abstractmethod
    def _swing_sampled(self, points: Array) -> Array:
        """Return swings into the region, quaternions (..., m, 4), by the first two coordinates of points."""


@dataclass(frozen=True, eq=False, slots=True)
class ConeSwings(Swings):
    """The bones, or where ``hinged`` (m,) the axes of hinges with play, point into kusudamas, ``regions``."""

    regions: Kusudamas
    hinged: Mask

    def comfortable(self, local: Array, share: Array) -> Array:
        """Return hinges twisted off the ends of their ranges: so bent knees are; a swing has no end."""
        if not self.hinged.any():
            return local
        bent = twisted(swing_to(local[..., :, 1]), eased(twist_angles(local), self.lower, self.upper, share))
        return np.where(self.hinged[:, None, None], bent, local)

    def _nearest_directions(self, directions: Array, previous: Array | None) -> Array:
        return nearest(self.regions, directions, previous)

    def _swing_faces(self, local: Array) -> tuple[Array, Array]:
        inside, way = slack(self.regions, local[..., :, 1])
        out = einsum("...ji,...j->...i", local, way)
        if not self.hinged.any():
            return _turns_along(out)[..., None, :], inside[..., None]
        play = np.where(self.hinged, self.regions.radii[:, 0], 1.0)  # of others a cone may be a point
        ways = _all_round(out, inside / play, self.hinged)
        radius, left = self.regions.radii[:, :1], inside[..., None]
        sides = radius - (radius - left) * dot(ways, out[..., None, :])
        alone = np.concatenate([left, np.full((*inside.shape, 3), np.inf)], axis=-1)
        return _turns_along(ways), np.where(self.hinged[:, None], sides, alone)

    def _swing_sampled(self, points: Array) -> Array:
        count = self.regions.centres.shape[1]
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
        return twisted(_swing(inner), twist_angles(local))

    def _swing_sampled(self, points: Array) -> Array:
        return _swing(boundary(self.radii, 2 * pi * points[..., 0]) * np.sqrt(points[..., 1, None]))


def _all_round(out: Array, inside: Array, hinged: Mask) -> Array:
    """Return the ways (..., m, 4, 3) out of cones, back and to both sides, in the bones' frames.

    The play of a hinge is so narrow that a step crosses it on any side. ``out`` (..., m, 3): the straight way
    out; ``inside`` (..., m): how far it is, in radii. Where no bone is ``hinged`` (m,) the first is ``out``.
    """
    # Rounding must not choose where no way leads out more than others: at the centre, where joints rest.
    lean = np.clip(1 - inside, 0.0, 1.0)[..., None]
    first = np.where(hinged[:, None], lean * out + (1 - lean * lean) * _ASIDE, out)
    first /= np.maximum(norm(first), _TINY)[..., None]
    ways = np.empty((*inside.shape, 4, 3))
    ways[..., 0, :], ways[..., 3, :] = first, _turns_along(first)
    ways[..., 1, :], ways[..., 2, :] = -first, -ways[..., 3, :]
    return ways


def _turns_along(ways: Array) -> Array:
    """Return the unit turns (..., 3) that move +Y along tangents (..., 3), both in the bones' frames."""
    turns = np.zeros(ways.shape)
    turns[..., 0], turns[..., 2] = ways[..., 2], -ways[..., 0]
    return turns


def _swing(chart: Array) -> Array:
    """Return the quaternions of swings about X and Z, chart points (..., 2)."""
    x, z = np.moveaxis(chart, -1, 0)
    return rotation_vector_to_quaternion(np.stack([x, np.zeros_like(x), z], axis=-1))


def _excess(start: Array, end: Array) -> Array:
    """Return how much a bone that swings the shortest way from one direction to another twists, radians.

    The spherical excess, the area, of the triangle of +Y and the unit vectors (..., 3).
    """
    volume = start[..., 2] * end[..., 0] - start[..., 0] * end[..., 2]
    return 2 * arctan2(volume, 1 + start[..., 1] + end[..., 1] + dot(start, end))
