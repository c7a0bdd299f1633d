# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Euler angles as Blender reads them from rotations."""

from math import pi

import numpy as np

from ..solvers.geometry import Array, matrix_to_euler, quaternion_to_matrix

_TURN = 2 * pi


def blenders_angles(local: Array, order: str) -> Array:
    """Return the Euler angles (..., 3) that Blender reads from a quaternion's matrix."""
    first = matrix_to_euler(quaternion_to_matrix(local), order)
    second = (other_angles(first, order) + pi) % _TURN - pi
    smaller = np.abs(second).sum(axis=-1) < np.abs(first).sum(axis=-1)
    return np.where(smaller[..., None], second, first)


def other_angles(angles: Array, order: str) -> Array:
    """Return the other set of Euler angles (..., 3) that makes the same rotation, by axis."""
    middle, other = "XYZ".index(order[1]), angles + pi
    other[..., middle] = pi - angles[..., middle]
    return other
