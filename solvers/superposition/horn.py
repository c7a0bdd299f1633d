# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The superposition of qcp.py by a symmetric eigen-decomposition of the key matrix, as Horn has it.

It is exact however close eigenvalues lie, and it knows all eigenvectors, so it can choose where the best
rotation is not unique.

Reference: Horn 1987 (10.1364/JOSAA.4.000629).
"""

import numpy as np

from ..rotation import Array, key_matrix, norm
from .covariance import scaled

# Eigenvalues of K / |S| closer than this to the largest belong to one eigenspace: the rotation is
# undetermined there to about machine precision over this gap, and the smallest turn is taken.
_GAP = 1e-9
# Below this squared cosine of the half angle a turn is a half turn, and the identity has no projection.
_HALF_TURN = 1e-24


def horn_rotation(covariance: Array) -> Array:
    """Return the quaternions (..., 4), w >= 0, that best turn the moved points onto the targets.

    ``covariance`` is ``S = sum w a b^T`` about the pivot, (..., 3, 3), at any scale. Where the best rotation
    is not unique (one point, collinear points, mirrored sets) the identity is projected onto the top
    eigenspace: the smallest turn. A half turn about an undetermined axis takes the axis nearest to x, else
    y, else z; zero covariance gives the identity.
    """
    entries, _ = scaled(covariance)
    values, vectors = np.linalg.eigh(key_matrix(np.ascontiguousarray(entries.T).reshape(-1, 3, 3)))
    best = vectors[..., -1]
    top = values >= values[..., -1:] - _GAP
    tied = np.flatnonzero(top[..., -2])
    if tied.size:
        best[tied] = _smallest_turn(vectors[tied], top[tied])
    return np.where(best[..., :1] < 0, -best, best).reshape(*covariance.shape[:-2], 4)


def _smallest_turn(vectors: Array, top: Array) -> Array:
    """Return the quaternion of the eigenspace marked in ``top`` that is nearest to the identity."""
    projector = (vectors * top[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    weights = np.einsum("...ii->...i", projector)
    column = np.where(weights[..., 0] > _HALF_TURN, 0, np.argmax(weights > 0.25, axis=-1))
    nearest = np.take_along_axis(projector, column[..., None, None], axis=-1)[..., 0]
    return nearest / norm(nearest)[..., None]
