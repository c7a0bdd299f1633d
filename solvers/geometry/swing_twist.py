# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as a *twist* about +Y, a bone's own length, and then the shortest *swing* to where +Y points.

Any number of leading axes. Straight back, at half a turn, no swing is the shortest, and a twist says nothing.
"""

import numpy as np

from .arrays import Array, beside
from .rotations import arctan2, dot, normalised, quaternion_to_matrix, rotation_vector_to_matrix

_Y = np.array([0.0, 1.0, 0.0])
_TINY = 1e-30


def twist_about(quaternions: Array, axis: Array) -> Array:
    """Return the angles (...) of the turns about the unit ``axis`` (3,) that come nearest to quaternions.

    They are within a whole turn either way.
    """
    return 2 * arctan2(dot(quaternions[..., 1:], axis), quaternions[..., 0])


def twist_angles(matrices: Array) -> Array:
    """Return the angles (...) of the twists of matrices (..., 3, 3), within half a turn."""
    return arctan2(matrices[..., 0, 2] - matrices[..., 2, 0], matrices[..., 0, 0] + matrices[..., 2, 2])


def swing_to(directions: Array) -> Array:
    """Return the quaternions (..., 4) of the swings to unit vectors (..., 3); a half turn goes about X."""
    x, y, z = (directions[..., axis] for axis in range(3))
    return normalised(beside(1 + y, z + _TINY, np.zeros_like(x), -x))


def twisted(swings: Array, angles: Array) -> Array:
    """Return the matrices (..., 3, 3) of twists by angles (...), then swings, quaternions (..., 4)."""
    w, x, y, z = (swings[..., part] for part in range(4))
    sine, cosine = np.sin(0.5 * angles), np.cos(0.5 * angles)
    product = w * cosine - y * sine, x * cosine - z * sine, w * sine + y * cosine, x * sine + z * cosine
    return quaternion_to_matrix(beside(*product))


def untwisted(matrices: Array) -> Array:
    """Return the matrices (..., 3, 3) of the swings alone."""
    return matrices @ rotation_vector_to_matrix(-twist_angles(matrices)[..., None] * _Y)
