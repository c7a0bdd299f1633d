# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation that minimises the weighted root-mean-square deviation of two point sets.

For moved points ``a`` and target points ``b`` about a fixed pivot, ``sum w |R a - b|^2`` is least where
``q^T K q`` is greatest, ``K`` being the traceless key matrix of the covariance ``S = sum w a b^T``. The
largest root of its characteristic polynomial (QCP) gives the residual, its eigenvector the rotation.

References: Horn 1987 (10.1364/JOSAA.4.000629); Theobald 2005 (10.1107/S0108767305015266);
Liu, Agrafiotis and Theobald 2010 (10.1002/jcc.21439).
"""

import numpy as np

from ..rotation import Array, key_matrix, norm

# Eigenvalues of K / |S| closer than this to the largest belong to one eigenspace: the rotation is
# undetermined there to about machine precision over this gap, and the smallest turn is taken.
_GAP = 1e-9
# Below this squared cosine of the half angle a turn is a half turn, and the identity has no projection.
_HALF_TURN = 1e-24


def best_rotation(covariance: Array) -> Array:
    """Return the quaternions (..., 4) that best turn the moved points onto the targets.

    ``covariance`` is ``S = sum w a b^T`` about the pivot, (..., 3, 3), at any scale. The eigenvector
    comes from a symmetric eigen-decomposition, which stays exact where Newton's root of the quartic
    loses half its digits (double roots). Where the best rotation is not unique (one point, collinear
    points, mirrored sets) the identity is projected onto the top eigenspace: the smallest turn. A half
    turn about an undetermined axis takes the axis nearest to x, else y, else z; zero covariance gives
    the identity.
    """
    size = np.sqrt(np.einsum("...ij,...ij->...", covariance, covariance))[..., None, None]
    values, vectors = np.linalg.eigh(key_matrix(covariance / np.where(size > 0, size, 1.0)))
    best = vectors[..., -1]
    if (values[..., -2] >= values[..., -1] - _GAP).any():
        best = _smallest_turn(vectors, values >= values[..., -1:] - _GAP)
    return np.where(best[..., :1] < 0, -best, best)


def _smallest_turn(vectors: Array, top: Array) -> Array:
    """Return the quaternion of the eigenspace marked in ``top`` that is nearest to the identity."""
    projector = (vectors * top[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    weights = np.einsum("...ii->...i", projector)
    column = np.where(weights[..., 0] > _HALF_TURN, 0, np.argmax(weights > 0.25, axis=-1))
    nearest = np.take_along_axis(projector, column[..., None, None], axis=-1)[..., 0]
    return nearest / norm(nearest)[..., None]
