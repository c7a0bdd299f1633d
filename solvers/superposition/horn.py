# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The superposition of qcp.py by a symmetric eigen-decomposition of the key matrix, as Horn has it.

It is exact however close eigenvalues lie, and it knows all eigenvectors, so it can choose where the best
rotation is not unique.

Reference: Horn 1987 (10.1364/JOSAA.4.000629).
"""

import numpy as np

from ..geometry import HALF_TURN, Array, Mask, einsum, key_matrix, matvec, norm
from .covariance import covariances, scaled

# Eigenvalues of K / |S| closer than this to the largest belong to one eigenspace: the rotation is
# undetermined there to about machine precision over this distance, and the smallest turn is taken.
_CLOSE = 1e-9
# An axis with less than this in the eigenspace, of one, is as good as across it.
_ACROSS = 1e-6


def horn_rotation(covariance: Array) -> Array:
    """Return the quaternions (..., 4), w >= 0, that best turn the moved points onto the targets.

    ``covariance`` is ``S = sum w a b^T`` about the pivot, (..., 3, 3), at any scale. Where the best rotation
    is not unique (one point, collinear points, mirrored sets) the identity is projected onto the top
    eigenspace: the smallest turn. A half turn about an undetermined axis takes the axis nearest to x, else
    y, else z; zero covariance gives the identity. Raises SolverError for covariances that are none.
    """
    covariance = covariances(covariance)
    values, vectors = _decomposed(covariance)
    best = vectors[..., -1]
    top = values >= values[..., -1:] - _CLOSE
    tied = np.flatnonzero(top[..., -2])
    if tied.size:
        best[tied] = _smallest_turn(_projector(vectors[tied], top[tied]))
    return np.where(best[..., :1] < 0, -best, best).reshape(*covariance.shape[:-2], 4)


def half_turns(covariance: Array, axes: Array) -> Array:
    """Return, of the best rotations, the half turns (..., 4) about what is nearest to ``axes`` (..., 3).

    For covariances (..., 3, 3) whose best rotations are half turns. Where all of these go across the axis it
    is zero, which is no rotation.
    """
    values, vectors = _decomposed(covariance)
    projector = _projector(vectors, values >= values[..., -1:] - _CLOSE)
    nearest = matvec(projector[..., 1:], axes.reshape(-1, 3))
    length = norm(nearest)[..., None]
    found = np.where(length > _ACROSS, nearest / np.maximum(length, _ACROSS), 0.0)
    return found.reshape(*covariance.shape[:-2], 4)


def _decomposed(covariance: Array) -> tuple[Array, Array]:
    """Return eigenvalues (rows, 4), the largest last, and eigenvectors (rows, 4, 4) of K / |S|."""
    entries, _ = scaled(covariance)
    return np.linalg.eigh(key_matrix(np.ascontiguousarray(entries.T).reshape(-1, 3, 3)))


def _projector(vectors: Array, top: Mask) -> Array:
    """Return the projection (rows, 4, 4) onto the eigenvectors marked in ``top``."""
    return (vectors * top[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def _smallest_turn(projector: Array) -> Array:
    """Return the quaternion of an eigenspace that is nearest to the identity."""
    weights = einsum("...ii->...i", projector)
    column = np.where(weights[..., 0] > HALF_TURN, 0, np.argmax(weights > 0.25, axis=-1))
    nearest = np.take_along_axis(projector, column[..., None, None], axis=-1)[..., 0]
    return nearest / norm(nearest)[..., None]
