# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What limits allow, written anew and one at a time, straight from their definitions; and random ones."""

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
from random_rigs import scipy_of
from scipy.spatial.transform import Rotation

from solvers import Cones, Ellipse, EulerLimit, Hinge

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
UP = np.array([0.0, 1.0, 0.0])


def unit(vectors):
    vectors = np.asarray(vectors, float)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def directions(rng, *shape):
    return unit(rng.normal(size=(*shape, 3)))


def angle_between(a, b):
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def corridors(cones):
    """Yield triangles (A, B, T) and the angle t of the circle about T that touches the cones at A and B."""
    for (first, a), (second, b) in pairwise(cones):
        first, second = unit(first), unit(second)
        apart, t = angle_between(first, second), (np.pi - a - b) / 2
        if max(abs(a - b), 1e-9) >= apart or apart >= np.pi - 1e-9 or t <= 0:
            continue
        gram = np.array([[1, np.cos(apart)], [np.cos(apart), 1]])
        in_plane = np.linalg.solve(gram, np.cos([a + t, b + t])) @ np.stack([first, second])
        height = np.sqrt(max(1 - in_plane @ in_plane, 0.0))
        for side in (1, -1):
            yield first, second, in_plane + side * height * unit(np.cross(first, second)), t


def outside(cones, x):
    """Return how far directions (N, 3) are outside the region, radians; zero and below is inside."""
    ways = [angle_between(unit(centre), x) - radius for centre, radius in cones]
    for first, second, circle, t in corridors(cones):
        if abs(np.linalg.det([first, second, circle])) > 1e-14:
            weights = np.linalg.solve(np.stack([first, second, circle], axis=-1), x.T)
            ways.append(np.where((weights > -1e-12).all(axis=0), t - angle_between(circle, x), np.inf))
    return np.min(ways, axis=0)


def outside_ellipse(radii, x):
    """Return how far directions (N, 3) are outside the ellipse, as a share of its radius; up to 0 inside.

    Across a radius of zero: how far, radians.
    """
    lean = np.hypot(x[:, 0], x[:, 2])
    angle = np.arctan2(lean, x[:, 1])
    swing = np.stack([x[:, 2], -x[:, 0]], axis=-1) * (angle / np.maximum(lean, 1e-300))[:, None]
    swing[(lean < 1e-15) & (x[:, 1] < 0)] = (0, -np.pi)
    locked, square = np.zeros(len(x)), np.zeros(len(x))
    for value, (plus, minus) in zip(swing.T, (radii[:2], radii[2:]), strict=True):
        radius = np.where(value >= 0, plus, minus)
        locked = np.maximum(locked, np.where(radius > 0, 0, np.abs(value)))
        square += (value / np.where(radius > 0, radius, np.inf)) ** 2
    return np.maximum(np.sqrt(square) - 1, locked)


def beyond(angles, lower, upper):
    """Return how far angles are out of range modulo a turn, 0 where in it."""
    lower, upper = np.broadcast_to(lower, angles.shape), np.broadcast_to(upper, angles.shape)
    over, under = (angles - upper) % (2 * np.pi), (lower - angles) % (2 * np.pi)
    inside = (angles - lower) % (2 * np.pi) <= upper - lower
    return np.where(inside | (upper - lower >= 2 * np.pi), 0.0, np.minimum(over, under))


def violation(limit, rotations):
    """Return how far local rotations (N, 4), wxyz, violate the limit, radians."""
    found = scipy_of(rotations)
    if isinstance(limit, Hinge) and limit.play:
        axis = unit(limit.axis)
        twist = 2 * np.arctan2(rotations[:, 1:] @ axis, rotations[:, 0])
        tilt = angle_between(axis, found.apply(axis)) - limit.play
        return np.maximum(np.maximum(tilt, 0), beyond(twist, limit.lower, limit.upper))
    if isinstance(limit, Hinge):
        vectors, axis = found.as_rotvec(), unit(limit.axis)
        off_axis = np.linalg.norm(vectors - np.outer(vectors @ axis, axis), axis=-1)
        return np.maximum(off_axis, beyond(vectors @ axis, limit.lower, limit.upper))
    if isinstance(limit, Cones | Ellipse):
        limb = unit(limit.limb) if isinstance(limit, Cones) else UP
        about = rotations[:, 1:] @ limb
        twist = 2 * np.arctan2(about, rotations[:, 0])
        # Straight back it has no meaning, and near there rounding says what it is.
        straight_back = np.hypot(about, rotations[:, 0]) < 1e-3
        up = found.apply(limb)
        swung = outside(limit.cones, up) if isinstance(limit, Cones) else outside_ellipse(limit.radii, up)
        twisted = np.where(straight_back, 0.0, beyond(twist, limit.lower, limit.upper))
        return np.maximum(np.maximum(swung, 0), twisted)
    columns = ["XYZ".index(axis) for axis in limit.order]
    lower, upper = limit.lower[:, columns], limit.upper[:, columns]
    with warnings.catch_warnings(action="ignore"):  # of gimbal lock
        first = found.as_euler(limit.order.lower())
    second = np.stack([first[:, 0] + np.pi, np.pi - first[:, 1], first[:, 2] + np.pi], axis=-1)
    off = np.min([beyond(angles, lower, upper).max(axis=-1) for angles in (first, second)], axis=0)
    # In gimbal lock the first and the last angle share one turn as they please: the middle one is judged.
    locked = np.abs(np.cos(first[:, 1])) < 1e-6
    return np.where(locked, beyond(first, lower, upper)[:, 1], off)


def random_hinge(rng, bone="joint"):
    lower = rng.uniform(-3, 1)
    return Hinge(bone, tuple(rng.normal(size=3)), lower, lower + rng.uniform(0.0, 2.5))


def random_cones(rng, bone="joint", count=None):
    """Random cones about +Y, well away from -Y, where twist has no meaning."""
    count = count or int(rng.integers(1, 4))
    centres = UP + rng.uniform(-0.5, 0.5, size=(count, 3))
    radii = rng.uniform(0.05, 0.8, size=count)
    lower = rng.uniform(-1.5, 0)
    cones = tuple((tuple(centre), float(r)) for centre, r in zip(centres, radii, strict=True))
    return Cones(bone, cones, lower, lower + rng.uniform(0.1, 2))


def random_ellipse(rng, bone="joint"):
    """Four radii that have nothing to do with each other, now and then one of nothing."""
    radii = np.where(rng.random(4) < 0.15, 0.0, rng.uniform(0.05, 2.0, size=4))
    lower = rng.uniform(-1.5, 0)
    return Ellipse(bone, tuple(radii.tolist()), lower, lower + rng.uniform(0.1, 2))


def random_euler(rng, bone="joint"):
    """A random order, each axis free, ranged or locked; the middle one away from gimbal lock."""
    order = ORDERS[int(rng.integers(6))]
    lower = rng.uniform(-1.2, 0.2, size=3)
    upper = lower + rng.choice([0.0, 0.5, 1.0], size=3)
    for axis in (order[0], order[2]):
        if rng.random() < 0.3:
            lower["XYZ".index(axis)], upper["XYZ".index(axis)] = -np.pi, np.pi
    return EulerLimit(bone, order, lower, upper)


def random_loose_hinge(rng, bone="joint"):
    """A hinge with play, away from half a turn, where the twist about a tilted axis has no meaning."""
    lower = rng.uniform(-2.5, 0.5)
    play = float(rng.uniform(0.05, 0.6))
    return replace(random_hinge(rng, bone), lower=lower, upper=lower + rng.uniform(0.1, 2.0), play=play)


def random_across(rng, bone="joint"):
    """Random cones of a bone that lies anyhow across its limb."""
    limit, turn = random_cones(rng, bone), Rotation.random(random_state=rng).as_matrix()
    cones = tuple((tuple((turn @ centre).tolist()), radius) for centre, radius in limit.cones)
    return replace(limit, cones=cones, limb=tuple((turn @ UP).tolist()))


RANDOM = {"hinge": random_hinge, "cones": random_cones, "ellipse": random_ellipse, "euler": random_euler}
RANDOM |= {"loose hinge": random_loose_hinge, "across": random_across}


def euler_lock(bone, order, locked, angles):
    """The limit that keeps the locked axes at their angles and leaves the others free."""
    angles = np.array(angles, float)
    return EulerLimit(bone, order, np.where(locked, angles, -np.pi), np.where(locked, angles, np.pi))
