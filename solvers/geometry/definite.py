# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric positive definite systems from Cholesky factors alone.

``numpy.linalg.solve`` and ``inv`` hand even the smallest system to all threads of OpenBLAS (numpy 1),
which on a busy machine wait for each other a thousand times longer than the system takes. Factors of up to
sixty rows are not threaded.
"""

from functools import cache
from typing import cast

import numpy as np

from .arrays import Array
from .products import einsum, gram, matvec, product, vecmat

# Rows of a block in substitution, two effectors' worth: few calls for one system, little waste for many.
_BLOCK = 12
# The most rows whose factor is inverted whole; the factor for that has twice as many.
_WHOLE = 30
# The most rows of a triangular matrix that is multiplied with what is zero in it.
_SQUARE = 64
# How far below zero an eigenvalue may be, as a share of what is added to all, to be taken for none.
_TOLERATED = 1e-3
# The share of a matrix's size that its eigenvalues may be off by.
_ROUNDING = 1e-15
# Keeps a matrix of rank too low definite, as a share of its largest diagonal entry.
_REGULAR = 1e-12


def solve_definite(matrices: Array, right: Array) -> Array:
    """Return the solutions (batch, n) of symmetric positive semi-definite ``matrices`` (batch, n, n).

    The matrices are overwritten.
    """
    size = matrices.shape[-1]
    if size <= _BLOCK:
        root = inverse_root(matrices)
        return matvec(root, vecmat(right, root))
    _regularise(matrices)
    lower = cast(Array, np.linalg.cholesky(matrices))  # numpy says any kind of float
    blocks = [slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK)]
    inverses = _block_inverses([lower[:, block, block] for block in blocks])
    solution = right.copy()
    for block, inverse in zip(blocks, inverses, strict=True):
        if block.start:
            solution[:, block] -= matvec(lower[:, block, : block.start], solution[:, : block.start])
        solution[:, block] = vecmat(solution[:, block], inverse)
    for block, inverse in zip(reversed(blocks), reversed(inverses), strict=True):
        if block.stop < size:
            solution[:, block] -= vecmat(solution[:, block.stop :], lower[:, block.stop :, block])
        solution[:, block] = matvec(inverse, solution[:, block])
    return solution


def inverse_root(matrices: Array) -> Array:
    """Return X (batch, n, n), ``X X^T`` the inverse of symmetric positive semi-definite ``matrices``.

    The matrices are overwritten.
    """
    _regularise(matrices)
    return _inverses_transposed(matrices)


def inverse(matrices: Array) -> Array:
    """Return the inverses (batch, n, n) of symmetric positive semi-definite ``matrices``.

    However many threads BLAS has. The matrices are overwritten.
    """
    _regularise(matrices, -(-matrices.shape[-1] // _WHOLE))  # each part rounds what is left of the next
    return _gram_of_upper(_inverses_transposed_by_parts(matrices))


def _gram_of_upper(root: Array) -> Array:
    """Return ``U U^T`` of upper triangular matrices (..., n, n), of large ones without what is zero."""
    size = root.shape[-1]
    if size <= _SQUARE:
        return gram(root)
    half, found = size // 2, np.empty(root.shape)
    beside, last = root[..., :half, half:], root[..., half:, half:]
    across = product(beside, last.swapaxes(-1, -2))
    found[..., :half, :half] = _gram_of_upper(root[..., :half, :half]) + gram(beside)
    found[..., :half, half:], found[..., half:, :half] = across, across.swapaxes(-1, -2)
    found[..., half:, half:] = _gram_of_upper(last)
    return found


def inverse_root_of_sizes(matrices: Array, shift: Array, sizes: Array) -> Array:
    """Return X (batch, n, n), ``X X^T`` the inverse of symmetric ``matrices``, all curvature made positive.

    That is, of ``|M| + shift``, ``shift`` (batch,). Where no eigenvalue is below zero, but for little beside
    the shift, none is needed; they take six times as long. ``sizes`` (batch,): no
    less than the largest, of which rounding takes its share.
    """
    each, size = np.arange(matrices.shape[-1]), len(matrices)
    definite = matrices.copy()
    definite[:, each, each] += (_TOLERATED * shift + _ROUNDING * sizes)[:, None]
    try:
        np.linalg.cholesky(definite)
    except np.linalg.LinAlgError:
        if size == 1:
            values, vectors = _sizes_and_ways(matrices)
            root: Array = vectors / np.sqrt(values + shift[:, None])[:, None]
            return root
        rows = (slice(row, row + 1) for row in range(size))
        return np.concatenate([inverse_root_of_sizes(matrices[row], shift[row], sizes[row]) for row in rows])
    definite[:] = matrices
    definite[:, each, each] += shift[:, None]
    return _inverses_transposed(definite)


def _sizes_and_ways(matrices: Array) -> tuple[Array, Array]:
    """Return what eigenvalues of symmetric ``matrices`` (batch, n, n) are but for their signs, and vectors.

    The driver of ``eigh``, by divide and conquer, ends without an answer for a few matrices, however plain
    they are. Singular vectors are as good: ``|M| = V S V^T``.
    """
    try:
        values, vectors = np.linalg.eigh(matrices)
    except np.linalg.LinAlgError:
        _, sizes, turned = np.linalg.svd(matrices)
        return sizes, turned.swapaxes(-1, -2)
    return np.abs(values), vectors


def inverse_root_of_blocks(matrices: Array, least: float) -> Array:
    """Return lower triangular X (..., 3, 3), ``X^T X`` the inverse of symmetric ``matrices`` (..., 3, 3).

    ``least``: what none of their eigenvalues is below, but for rounding; no pivot is either.
    """
    a, b, c = (matrices[..., row, row] for row in range(3))
    first = 1 / np.sqrt(np.maximum(a, least))
    below, last = matrices[..., 1, 0] * first, matrices[..., 2, 0] * first
    second = 1 / np.sqrt(np.maximum(b - below * below, least))
    between = (matrices[..., 2, 1] - last * below) * second
    third = 1 / np.sqrt(np.maximum(c - last * last - between * between, least))
    root = np.zeros(matrices.shape)
    root[..., 0, 0], root[..., 1, 1], root[..., 2, 2] = first, second, third
    root[..., 1, 0] = -below * first * second
    root[..., 2, 1] = -between * second * third
    root[..., 2, 0] = (between * below * second - last) * first * third
    return root


def _regularise(matrices: Array, times: int = 1) -> None:
    diagonal = einsum("bii->bi", matrices)
    diagonal += times * _REGULAR * diagonal.max(axis=-1, keepdims=True) + 1e-150


def _block_inverses(lower: list[Array]) -> list[Array]:
    """Return ``L^-T`` of lower triangular matrices, all but the last of one size."""
    size, count = lower[0].shape[-1], len(lower)
    square = np.empty((len(lower[0]), count, size, size))
    square[:] = _identity(size)
    for place, matrix in enumerate(lower):
        square[:, place, : matrix.shape[-1], : matrix.shape[-1]] = matrix
    inverses = _inverses_transposed(gram(square))
    last = lower[-1].shape[-1]
    return [*(inverses[:, place] for place in range(count - 1)), inverses[:, -1, :last, :last]]


def _inverses_transposed(matrices: Array) -> Array:
    """Return ``L^-T`` of ``L L^T`` (..., n, n): it stands in the factor of ``[[L L^T, 1], [1, c]]``."""
    size = matrices.shape[-1]
    bordered = np.empty((*matrices.shape[:-2], 2 * size, 2 * size))
    bordered[:] = _border(size)
    bordered[..., :size, :size] = matrices
    return np.linalg.cholesky(bordered)[..., size:, :size]


def _inverses_transposed_by_parts(matrices: Array) -> Array:
    """Return the same of large matrices: the first rows, and what is left of the others without them."""
    size = matrices.shape[-1]
    if size <= _WHOLE:
        return _inverses_transposed(matrices)
    count = -(-size // _WHOLE)
    first = size * (count // 2) // count
    root = np.zeros(matrices.shape)
    own = _inverses_transposed_by_parts(matrices[..., :first, :first])
    below = product(matrices[..., first:, :first], own)
    rest = _inverses_transposed_by_parts(matrices[..., first:, first:] - gram(below))
    root[..., :first, :first], root[..., first:, first:] = own, rest
    root[..., :first, first:] = -product(own, product(below.swapaxes(-1, -2), rest))
    return root


@cache
def _identity(size: int) -> Array:
    return np.eye(size)


@cache
def _border(size: int) -> Array:
    """Return ``[[0, 1], [1, c]]``, ``c`` large enough for all that is factored to be definite."""
    border = np.eye(2 * size, k=size) + np.eye(2 * size, k=-size)
    border[size:, size:] = 1e300 * np.eye(size)
    return border
