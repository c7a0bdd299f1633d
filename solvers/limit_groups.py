# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of one kind as arrays over ``m`` bones, so that a hundred joints cost what one does.

Every kind answers the same. Local rotations are (batch, m, 3, 3).

- ``nearest(local)``: the nearest allowed rotations.
- ``room(local)``: a linear model of what is allowed, for turns in the bones' own frames: normals
  (batch, m, c, 3), the room left along each (batch, m, c), and which hold both ways (c,).
- ``comfortable(local, share)``: rotations moved off the ends of their ranges, all the way at ``share``
  (batch, 1) of one.
- ``sampled(points)``: allowed rotations (m, 3, 3) of points (m, 3) in the unit cube.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import inf, pi
from typing import Self

import numpy as np

from .kusudama import Kusudamas, kusudamas, nearest, slack
from .limits import Cones, EulerLimit, Hinge, Limit
from .rotation import (
    Array,
    arctan2,
    conjugate,
    euler_to_matrix,
    matrix_to_euler,
    matrix_to_quaternion,
    multiply,
    quaternion_to_matrix,
    rotation_vector_to_matrix,
    rotation_vector_to_quaternion,
)
from .tree import Indices

# Comfortable joints keep this share of their range from either end.
_COMFORT = 0.3
# How far a free angle is sampled either way, radians.
_FREE_SAMPLE = 0.6
# Euler angles' rates grow without bound towards gimbal lock; they are followed up to this factor.
_GIMBAL = 1e-3


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Limits of one kind on ``bones`` (m,)."""

    bones: Indices

    def members(self, keep: Indices) -> Self:
        """Return the group of the members ``keep``."""
        return type(self)(*(getattr(self, field.name)[keep] for field in fields(self)))

    def rows(self, keep: Array) -> Self:
        """Return the group of the rows ``keep`` of a batch; only Euler limits differ from row to row."""
        return self


@dataclass(frozen=True, eq=False, slots=True)
class Hinges(Group):
    """``axes`` (m, 3), ``across`` (m, 2, 3) the directions they do not turn about, bounds (m,)."""

    axes: Array
    across: Array
    lower: Array
    upper: Array

    def nearest(self, local: Array) -> Array:
        return self._turned(clamped(self._angles(local), self.lower, self.upper))

    def room(self, local: Array) -> tuple[Array, Array, Array]:
        up, down = _room(self._angles(local), self.lower, self.upper)
        normals = np.concatenate([self.axes[:, None], -self.axes[:, None], self.across], axis=1)
        none = np.zeros_like(up)
        room = np.stack([up, down, none, none], axis=-1)
        return np.broadcast_to(normals, (*room.shape, 3)), room, np.array([False, False, True, True])

    def comfortable(self, local: Array, share: Array) -> Array:
        return self._turned(_eased(self._angles(local), self.lower, self.upper, share))

    def sampled(self, points: Array) -> Array:
        return self._turned(self.lower + points[:, 0] * (self.upper - self.lower))

    def _angles(self, local: Array) -> Array:
        q = matrix_to_quaternion(local)
        return 2 * arctan2(np.sum(q[..., 1:] * self.axes, axis=-1), q[..., 0])

    def _turned(self, angles: Array) -> Array:
        return rotation_vector_to_matrix(angles[..., None] * self.axes)


@dataclass(frozen=True, eq=False, slots=True)
class Swings(Group):
    """Kusudamas ``regions`` and twist bounds (m,); swing first, then twist."""

    regions: Kusudamas
    lower: Array
    upper: Array

    def nearest(self, local: Array) -> Array:
        direction = local[..., :, 1]
        turned = multiply(
            _shortest_arc(direction, nearest(self.regions, direction)), matrix_to_quaternion(local)
        )
        twist, angle = _twist(turned)
        return self._twisted(multiply(turned, conjugate(twist)), clamped(angle, self.lower, self.upper))

    def room(self, local: Array) -> tuple[Array, Array, Array]:
        inside, way = slack(self.regions, local[..., :, 1])
        out = np.einsum("...ji,...j->...i", local, way)
        swing = np.stack([out[..., 2], np.zeros_like(inside), -out[..., 0]], axis=-1)
        w, x, y, z = np.moveaxis(matrix_to_quaternion(local), -1, 0)
        size = np.maximum(w * w + y * y, 1e-12)
        twist = np.stack([(w * z + y * x) / size, np.ones_like(w), (y * z - w * x) / size], axis=-1)
        up, down = _room(2 * arctan2(y, w), self.lower, self.upper)
        normals = np.stack([swing, twist, -twist], axis=-2)
        return normals, np.stack([inside, up, down], axis=-1), np.zeros(3, bool)

    def comfortable(self, local: Array, share: Array) -> Array:
        return local

    def sampled(self, points: Array) -> Array:
        count = self.regions.radii.shape[1]
        cone = np.minimum((points[:, 0] * count).astype(int), count - 1)[:, None]
        centre = np.take_along_axis(self.regions.centres, cone[..., None], axis=1)[:, 0]
        radius = np.take_along_axis(self.regions.radii, cone, axis=1)[:, 0]
        around = 2 * pi * ((points[:, 0] * count) % 1.0)
        lean = radius * np.sqrt(points[:, 1])
        side = np.stack([np.cos(around) * lean, 0 * lean, np.sin(around) * lean], axis=-1)
        up = np.broadcast_to([0.0, 1.0, 0.0], centre.shape)
        swing = multiply(_shortest_arc(up, centre), rotation_vector_to_quaternion(side))
        return self.nearest(self._twisted(swing, _between(points[:, 2], self.lower, self.upper))[None])[0]

    def _twisted(self, swing: Array, angle: Array) -> Array:
        about_y = angle[..., None] * np.array([0.0, 1.0, 0.0])
        return quaternion_to_matrix(multiply(swing, rotation_vector_to_quaternion(about_y)))


@dataclass(frozen=True, eq=False, slots=True)
class Eulers(Group):
    """Bounds (batch or 1, m, 3) of the angles in one ``order``."""

    order: str
    lower: Array
    upper: Array

    def members(self, keep: Indices) -> "Eulers":
        return Eulers(self.bones[keep], self.order, self.lower[:, keep], self.upper[:, keep])

    def rows(self, keep: Array) -> "Eulers":
        bounds = (value if len(value) == 1 else value[keep] for value in (self.lower, self.upper))
        return Eulers(self.bones, self.order, *bounds)

    def nearest(self, local: Array) -> Array:
        return euler_to_matrix(clamped(self._angles(local), self.lower, self.upper), self.order)

    def room(self, local: Array) -> tuple[Array, Array, Array]:
        angles = self._angles(local)
        up, down = _room(angles, self.lower, self.upper)
        rates = self._rates(angles)
        return (
            np.concatenate([rates, -rates], axis=-2),
            np.concatenate([up, down], axis=-1),
            np.zeros(6, bool),
        )

    def comfortable(self, local: Array, share: Array) -> Array:
        angles = _eased(self._angles(local), self.lower, self.upper, share[..., None])
        return euler_to_matrix(angles, self.order)

    def sampled(self, points: Array) -> Array:
        return euler_to_matrix(_between(points, self.lower[0], self.upper[0]), self.order)

    def _angles(self, local: Array) -> Array:
        """Return the angles; of the two triples that make a rotation the one nearer to the allowed ones."""
        first = matrix_to_euler(local, self.order)
        second = first + pi
        middle = "XYZ".index(self.order[1])
        second[..., middle] = pi - first[..., middle]
        beyond = [self._beyond(angles) for angles in (first, second)]
        return np.where((beyond[0] <= beyond[1] + 1e-9)[..., None], first, second)

    def _beyond(self, angles: Array) -> Array:
        up, down = _room(angles, self.lower, self.upper)
        return np.maximum(-np.minimum(up, down), 0.0).sum(axis=-1)

    def _rates(self, angles: Array) -> Array:
        """Return rows (..., 3, 3) that give each angle's rate from a turn in the bone's frame."""
        before, columns = np.eye(3), [None] * 3
        for axis in map("XYZ".index, self.order):
            columns[axis] = np.broadcast_to(np.swapaxes(before, -1, -2)[..., axis], angles.shape)
            before = rotation_vector_to_matrix(angles[..., axis, None] * np.eye(3)[axis]) @ before
        x, y, z = columns
        volume = np.sum(x * np.cross(y, z), axis=-1)
        volume = np.where(np.abs(volume) < _GIMBAL, np.copysign(_GIMBAL, volume), volume)
        rows = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=-2)
        return rows / volume[..., None, None]


def group_limits(limits: Sequence[Limit], place: dict[str, int]) -> tuple[Group, ...]:
    """Return the limits of the bones in ``place`` (name to index), grouped by kind."""
    limits = sorted((limit for limit in limits if limit.bone in place), key=lambda limit: place[limit.bone])
    bones = {id(limit): place[limit.bone] for limit in limits}
    groups: list[Group] = []
    for kind, build in ((Hinge, _hinges), (Cones, _swings)):
        chosen = [limit for limit in limits if isinstance(limit, kind)]
        if chosen:
            groups.append(build(np.array([bones[id(limit)] for limit in chosen]), chosen))
    eulers = [limit for limit in limits if isinstance(limit, EulerLimit)]
    for order in sorted({limit.order for limit in eulers}):
        chosen = [limit for limit in eulers if limit.order == order]
        bounds = [
            np.stack(np.broadcast_arrays(*(getattr(c, n) for c in chosen)), 1) for n in ("lower", "upper")
        ]
        groups.append(Eulers(np.array([bones[id(limit)] for limit in chosen]), order, *bounds))
    return tuple(groups)


def _hinges(bones: Indices, limits: Sequence[Hinge]) -> Hinges:
    axes = np.array([limit.axis for limit in limits], dtype=np.float64)
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    across = np.linalg.svd(axes[:, None])[2][:, 1:]
    return Hinges(bones, axes, across, *_bounds(limits))


def _swings(bones: Indices, limits: Sequence[Cones]) -> Swings:
    count = max(len(limit.cones) for limit in limits)
    padded = [(*limit.cones, *([limit.cones[-1]] * (count - len(limit.cones)))) for limit in limits]
    centres = np.array([[direction for direction, _ in cones] for cones in padded], dtype=np.float64)
    centres /= np.linalg.norm(centres, axis=-1, keepdims=True)
    radii = np.array([[radius for _, radius in cones] for cones in padded], dtype=np.float64)
    return Swings(bones, kusudamas(centres, radii), *_bounds(limits))


def _bounds(limits: Sequence[Hinge | Cones]) -> tuple[Array, Array]:
    return np.array([float(limit.lower) for limit in limits]), np.array(
        [float(limit.upper) for limit in limits]
    )


def clamped(angles: Array, lower: Array, upper: Array) -> Array:
    """Return the angles modulo a turn, those out of range at the nearer end; free ones as they are."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    off = (angles - middle + pi) % (2 * pi) - pi
    return np.where(half >= pi, angles, middle + np.clip(off, -half, half))


def _room(angles: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return the room up and down, infinite where free."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    off = (angles - middle + pi) % (2 * pi) - pi
    return np.where(half >= pi, inf, half - off), np.where(half >= pi, inf, half + off)


def _eased(angles: Array, lower: Array, upper: Array, share: Array) -> Array:
    margin = _COMFORT * np.asarray(share) * (upper - lower)
    eased = clamped(angles, lower + margin, upper - margin)
    return np.where(upper - lower >= 2 * pi, angles, eased)


def _between(shares: Array, lower: Array, upper: Array) -> Array:
    free = upper - lower >= 2 * pi
    bounded = lower + shares * (upper - lower)
    return np.where(free, _FREE_SAMPLE * (2 * shares - 1), bounded)


def _twist(quaternions: Array) -> tuple[Array, Array]:
    """Return the twist about +Y, quaternion and angle; none where the swing is a half turn."""
    twist = quaternions * np.array([1.0, 0.0, 1.0, 0.0])
    size = np.linalg.norm(twist, axis=-1, keepdims=True)
    twist = np.where(size > 1e-12, twist / np.maximum(size, 1e-12), np.array([1.0, 0.0, 0.0, 0.0]))
    twist = np.where(twist[..., :1] < 0, -twist, twist)
    return twist, 2 * arctan2(twist[..., 2], twist[..., 0])


def _shortest_arc(start: Array, end: Array) -> Array:
    """Return the quaternions of the least turn between unit vectors; half turns go about x, or z."""
    w = 1 + np.sum(start * end, axis=-1, keepdims=True)
    axis = np.where(np.abs(start[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    axis = axis - start * np.sum(axis * start, axis=-1, keepdims=True)
    flipped = np.concatenate([np.zeros_like(w), axis], axis=-1)
    arc = np.where(w < 1e-12, flipped, np.concatenate([w, np.cross(start, end)], axis=-1))
    return arc / np.linalg.norm(arc, axis=-1, keepdims=True)
