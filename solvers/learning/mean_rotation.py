# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The mean of rotations and how they spread about it."""

import numpy as np

from ..geometry import Array, conjugate, multiply, quaternion_to_rotation_vector


def mean_rotation(quaternions: Array) -> Array:
    """Return the mean (..., 4), ``w >= 0``, of unit quaternions (..., samples, 4), whatever their signs.

    It is the rotation with the least sum of squared Frobenius distances: the top eigenvector of
    ``sum q q^T`` (F. L. Markley and others 2007, doi 10.2514/1.28949).
    """
    mean = np.linalg.eigh(np.swapaxes(quaternions, -1, -2) @ quaternions)[1][..., -1]
    return np.where(mean[..., :1] < 0, -mean, mean)


def turns_from(mean: Array, quaternions: Array) -> Array:
    """Return rotation vectors v (..., samples, 3), in the bone's own frame at ``mean`` (..., 4).

    Each sample is ``mean * exp(v)``: turn by v first, then by the mean.
    """
    return quaternion_to_rotation_vector(multiply(conjugate(mean)[..., None, :], quaternions))


def spread_of(turns: Array) -> Array:
    """Return the covariance (..., 3, 3) in rad^2 of turns (..., samples, 3) about none at all."""
    spread: Array = np.swapaxes(turns, -1, -2) @ turns / turns.shape[-2]
    return spread
