# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric positive definite systems from Cholesky factors alone.

``numpy.linalg.solve`` and ``inv`` hand even the smallest system to all threads of OpenBLAS (numpy 1),
which on a busy machine wait for each other a thousand times longer than the system takes. Factors of this
size are not threaded.
"""

import numpy as np

from .rotation import Array

# Systems are substituted in blocks, whose inverses are cheap; for small ones one block does. Which way is
# never a matter of how many there are: rounding would differ, and rows depend on their company.
_BLOCK, _ONE_BLOCK = 6, 12
# Keeps a matrix of rank too low definite, as a share of its largest diagonal entry.
_REGULAR = 1e-12


def solve_definite(matrices: Array, right: Array) -> Array:
    """Return the solutions (batch, n) of symmetric positive semi-definite ``matrices`` (batch, n, n).

    The matrices are overwritten.
    """
    size = matrices.shape[-1]
    diagonal = np.einsum("bii->bi", matrices)
    diagonal += _REGULAR * diagonal.max(axis=-1, keepdims=True) + 1e-150
    if size <= _ONE_BLOCK:
        inverse = _inverse_of_factor(matrices)
        return (inverse @ (np.swapaxes(inverse, -1, -2) @ right[..., None]))[..., 0]
    return _substituted(np.linalg.cholesky(matrices), right)


def _substituted(lower: Array, right: Array) -> Array:
    """Return the solutions by forward and backward substitution, block by block."""
    size = right.shape[-1]
    blocks = [slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK)]
    whole = np.stack([lower[:, block, block] for block in blocks if block.stop - block.start == _BLOCK], 1)
    inverses = list(np.moveaxis(_inverses_of_lower(whole), 1, 0))
    if len(inverses) < len(blocks):
        inverses.append(_inverses_of_lower(lower[:, blocks[-1], blocks[-1]]))
    solution = right[..., None].copy()
    for block, inverse in zip(blocks, inverses, strict=True):
        left = solution[:, block] - lower[:, block, : block.start] @ solution[:, : block.start]
        solution[:, block] = inverse @ left
    for block, inverse in zip(reversed(blocks), reversed(inverses), strict=True):
        below = np.swapaxes(lower[:, block.stop :, block], -1, -2)
        left = solution[:, block] - below @ solution[:, block.stop :]
        solution[:, block] = np.swapaxes(inverse, -1, -2) @ left
    return solution[..., 0]


def _inverses_of_lower(lower: Array) -> Array:
    """Return the inverses of lower triangular matrices (..., n, n), row by row."""
    inverses = np.zeros_like(lower)
    for row in range(lower.shape[-1]):
        pivot = 1.0 / lower[..., row, row]
        above = lower[..., row : row + 1, :row] @ inverses[..., :row, :row]
        inverses[..., row, :row] = -above[..., 0, :] * pivot[..., None]
        inverses[..., row, row] = pivot
    return inverses


def _inverse_of_factor(matrices: Array) -> Array:
    """Return ``L^-T`` of ``A = L L^T``: it stands in the factor of ``[[A, 1], [1, c]]``, whatever c."""
    size = matrices.shape[-1]
    bordered = np.zeros((len(matrices), 2 * size, 2 * size))
    bordered[:, :size, :size] = matrices
    each = np.arange(size)
    bordered[:, size + each, each] = 1.0
    bordered[:, size + each, size + each] = 1e300  # so that the whole is definite
    return np.linalg.cholesky(bordered)[:, size:, :size]
