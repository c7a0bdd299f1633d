# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits on bones to test with, and how far a rotation is outside them, from what the bone stores."""

from math import pi

import armatures
import numpy as np
from mathutils import Matrix, Vector

ORDERS = ('XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX')
KINDS = ('HINGE', 'CONES', 'ELLIPSE', 'EULER')
UP = Vector((0, 1, 0))


def limit_at_random(bone, rng, kind=None):
    """Give the bone a limit of its own, away from where twist and angles have no meaning."""
    limit = bone.superpose.limit
    limit.kind = kind or KINDS[rng.integers(len(KINDS))]
    limit.axis = rng.normal(size=3)
    limit.hinge_min, limit.hinge_max = ends(rng, -2.5, 2.5)
    limit.cones.clear()
    for _ in range(rng.integers(1, 4)):
        cone = limit.cones.add()
        cone.direction, cone.radius = UP + Vector(rng.uniform(-0.8, 0.8, 3)), rng.uniform(0.05, 0.9)
    limit.radii = rng.uniform(0.1, 1.6, 4)
    limit.use_twist = bool(rng.random() < 0.7)
    limit.twist_min, limit.twist_max = ends(rng, -1.5, 1.5)
    limit.order = ORDERS[rng.integers(6)]
    limit.euler_min, limit.euler_max = np.transpose([ends(rng, -1.3, 1.3) for _ in "xyz"])
    return limit


def turn_of(bone):
    """How the bone's channels turn it, (3, 3)."""
    return armatures.array(bone.matrix_basis.to_quaternion().normalized().to_matrix())


def ends(rng, low, high):
    return np.sort(rng.uniform(low, high, 2))


def outside(rooms, limit, turn):
    """How far a rotation (3, 3), local to the bone, is outside the stored limit, radians; 0 inside."""
    quaternion = Matrix(turn.tolist()).to_quaternion()
    if limit.kind == 'HINGE':
        return of_hinge(limit, quaternion)
    if limit.kind == 'EULER':
        return of_euler(limit, turn, rooms)
    if limit.kind == 'ELLIPSE':
        return max(of_ellipse(limit, turn), of_twist(limit, quaternion, UP))
    return max(of_cones(rooms, limit, turn), of_twist(limit, quaternion, limit.limb.normalized()))


def of_hinge(limit, quaternion):
    if limit.hinge_play:
        axis = limit.axis.normalized()
        angle = 2 * np.arctan2(Vector(quaternion[1:]).dot(axis), quaternion.w)
        tilt = axis.angle(quaternion @ axis, 0.0) - limit.hinge_play
        return max(tilt, out_of(angle, limit.hinge_min, limit.hinge_max))
    axis, vector = limit.axis.normalized(), quaternion.to_exponential_map()
    angle = vector.dot(axis)
    return max((vector - angle * axis).length, out_of(angle, limit.hinge_min, limit.hinge_max))


def of_euler(limit, turn, rooms):
    found = []
    for angles in both_sets(rooms.geometry.matrix_to_euler(turn, limit.order), limit.order):
        bounds = zip(angles, limit.euler_min, limit.euler_max, strict=True)
        found.append(max(out_of(*three) for three in bounds))
    return min(found)


def both_sets(angles, order):
    other = angles + pi
    middle = "XYZ".index(order[1])
    other[middle] = pi - angles[middle]
    return angles, other


def of_cones(rooms, limit, turn):
    kusudama = rooms.kusudama
    centres = np.array([[cone.direction.normalized() for cone in limit.cones]], np.float64)
    radii = np.array([[cone.radius for cone in limit.cones]], np.float64)
    points = turn @ np.array(limit.limb.normalized())
    inside, _ = kusudama.slack(kusudama.kusudamas(centres, radii), points[None])
    return max(-float(inside[0]), 0.0)


def of_ellipse(limit, turn):
    """How far the swing is outside, measured straight through the middle: no less than the nearest way."""
    swing = UP.rotation_difference(Vector(turn[:, 1])).to_exponential_map()
    positive = [number >= 0 for number in (swing.x, swing.z)]
    radii = [limit.radii[row + (not up)] for row, up in zip((0, 2), positive, strict=True)]
    share = np.hypot(swing.x / radii[0], swing.z / radii[1])
    return max(swing.length * (1 - 1 / share), 0.0) if share else 0.0


def of_twist(limit, quaternion, axis):
    angle = 2 * np.arctan2(Vector(quaternion[1:]).dot(axis), quaternion.w)
    return out_of(angle, limit.twist_min, limit.twist_max) if limit.use_twist else 0.0


def out_of(angle, low, high):
    """How far an angle is out of a range, whole turns aside."""
    if high - low >= 2 * pi:
        return 0.0
    off = (angle - 0.5 * (low + high) + pi) % (2 * pi) - pi
    return max(abs(off) - 0.5 * (high - low), 0.0)


def local_turn(ob, name):
    """Blender's own evaluated rotation (3, 3) of a bone against rest, in its parent's frame."""
    bone = ob.pose.bones[name]
    matrix = ob.convert_space(pose_bone=bone, matrix=bone.matrix, from_space='POSE', to_space='LOCAL')
    return armatures.array(matrix.to_quaternion().normalized().to_matrix())
