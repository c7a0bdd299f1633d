# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric positive definite systems from Cholesky factors alone.

``numpy.linalg.solve`` and ``inv`` hand even the smallest system to all threads of OpenBLAS (numpy 1),
which on a busy machine wait for each other a thousand times longer than the system takes. Factors of up to
sixty rows are not threaded; larger ones, which would be rounded by the number of threads, are made by parts.
Eigenvectors have no parts, so curvature is made positive without them.
"""

from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from math import ceil, log
from typing import cast

import numpy as np

from .arrays import Array
from .products import einsum, gram, matvec, product, vecmat

# Rows of a block in substitution, two effectors' worth: few calls for one system, little waste for many.
_BLOCK = 12
# The most rows of a factor that is made whole, and of one that is inverted whole, by one of twice as many.
_ONE_THREAD, _WHOLE = 60, 30
# So many of these are factored one after the other; more are halved first: products of large parts cost less.
_FEW = 8
# The most rows of a triangular matrix that is multiplied with what is zero in it.
_SQUARE = 64
# How far below zero an eigenvalue may be, as a share of what is added to all, to be taken for none.
_TOLERATED = 1e-3
# The share of a matrix's size that its eigenvalues may be off by.
_ROUNDING = 1e-15
# Keeps a matrix of rank too low definite, as a share of its largest diagonal entry, and one of zeros.
_REGULAR, _TINY = 1e-12, 1e-150
# More than the inverse of that, but so little that what is left of the border has no subnormal squares, with
# which processors take three times as long.
_BORDER = 1e200
# What is added where curvature is negative: this share of the matrix's size at least, times the least power
# of the growth of which this share would have done.
_LEAST, _GROWTH, _WOULD_DO = 1e-9, 4.0, 0.7


def solve_definite(matrices: Array, right: Array) -> Array:
    """Return the solutions (batch, n) of symmetric positive semi-definite ``matrices`` (batch, n, n).

    The matrices are overwritten.
    """
    size = matrices.shape[-1]
    if size <= _BLOCK:
        root = inverse_root(matrices)
        return matvec(root, vecmat(right, root))
    _regularise(matrices)
    blocks, lower, inverses = _factors(matrices)
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
    return _root(matrices)


def inverse(matrices: Array) -> Array:
    """Return the inverses (batch, n, n) of symmetric positive semi-definite ``matrices``.

    The matrices are overwritten.
    """
    return _gram_of_upper(inverse_root(matrices))


def inverse_root_made_definite(matrices: Array, least: Array, sizes: Array) -> Array:
    """Return X (batch, n, n), ``X X^T`` the inverse of symmetric ``matrices``, all curvature made positive.

    ``least`` (batch,) is added to all curvature. Where some is below zero, but for little beside that, more
    is: at least 1.4 times what it is below zero, or its ways would lead far, and at most 2.9 times that,
    twice the least or a share of 1e-9 of ``sizes`` (batch,), which are no less than the largest eigenvalue.
    With eigenvectors such ways could be turned round one by one (saddle-free Newton): they take thirty times
    as long as a factor, and descents get no farther.

    Reference: Nocedal and Wright, Numerical Optimization, section 3.4 (10.1007/978-0-387-40065-5).
    """
    sizes = np.maximum(sizes, _TINY)
    try:
        _factored(_raised(matrices, _TOLERATED * least + _ROUNDING * sizes))
        return _inverses_transposed(_raised(matrices, least))
    except np.linalg.LinAlgError:
        if len(matrices) > 1:
            return _row_by_row(inverse_root_made_definite, matrices, least, sizes)
    least = np.maximum(_GROWTH * least, _LEAST * sizes)
    powers = ceil(log(_GROWTH * sizes[0] / least[0], _GROWTH))

    def would_do(power: int) -> bool:
        """Return whether less than the least times this power of the growth makes it definite."""
        return _are_definite(_raised(matrices, _WOULD_DO * _GROWTH**power * least))

    added = _GROWTH ** bisect_left(range(max(0, powers)), True, key=would_do) * least
    if _are_definite(_raised(matrices, 0.5 * _WOULD_DO * added)):
        added = 0.5 * added
    return _inverses_transposed(_raised(matrices, added))


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


def _regularise(matrices: Array) -> None:
    diagonal = einsum("bii->bi", matrices)
    parts = -(-matrices.shape[-1] // _WHOLE)  # each of them rounds what is left of the next
    diagonal += parts * _REGULAR * diagonal.max(axis=-1, keepdims=True) + _TINY


def _raised(matrices: Array, added: Array) -> Array:
    """Return the matrices (batch, n, n) with ``added`` (batch,) on their diagonals."""
    raised = matrices.copy()
    diagonal = einsum("bii->bi", raised)
    diagonal += added[:, None]
    return raised


def _are_definite(matrices: Array) -> bool:
    """Return whether all ``matrices`` (batch, n, n), which are overwritten, have factors."""
    try:
        _factored(matrices)
    except np.linalg.LinAlgError:
        return False
    return True


def _root(matrices: Array) -> Array:
    """Return ``inverse_root`` of matrices (batch, n, n) that are definite but for rounding."""
    try:
        return _inverses_transposed(matrices)
    except np.linalg.LinAlgError:
        if len(matrices) > 1:
            return _row_by_row(_root, matrices)
        sizes = np.abs(matrices).sum(axis=-1).max(axis=-1)
        return inverse_root_made_definite(matrices, _LEAST * sizes, sizes)


def _row_by_row(made: Callable[..., Array], *given: Array) -> Array:
    """Return what is made of each row of what is given (batch, ...) alone: one that fails, fails for all."""
    rows = (slice(row, row + 1) for row in range(len(given[0])))
    return np.concatenate([made(*(values[row] for values in given)) for row in rows])


def _factors(matrices: Array) -> tuple[list[slice], Array, list[Array]]:
    """Return blocks of rows, L of ``L L^T`` (batch, n, n), and the ``L^-T`` of each block on its diagonal.

    The matrices are overwritten.
    """
    most = _BLOCK if matrices.shape[-1] <= _ONE_THREAD else _WHOLE
    lower, blocks = _factored(matrices), _blocks(matrices.shape[-1], most)
    return blocks, lower, _block_inverses([lower[:, block, block] for block in blocks])


def _factored(matrices: Array) -> Array:
    """Return L of ``L L^T`` (batch, n, n), of large ones by halves."""
    size = matrices.shape[-1]
    if size <= _ONE_THREAD:
        return cast(Array, np.linalg.cholesky(matrices))  # numpy says any kind of float
    count = _WHOLE if size <= _FEW * _WHOLE else size // 2
    lower, first, rest = np.zeros(matrices.shape), slice(count), slice(count, None)
    own = matrices[:, first, first]
    made = _factor_and_inverse(own) if count == _WHOLE else (_factored(own), _inverses_transposed(own))
    lower[:, first, first], inverse = made
    lower[:, rest, first] = below = product(matrices[:, rest, first], inverse)
    lower[:, rest, rest] = _factored(matrices[:, rest, rest] - gram(below))
    return lower


def _blocks(size: int, most: int) -> list[slice]:
    return [slice(start, min(start + most, size)) for start in range(0, size, most)]


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
    """Return ``L^-T`` of ``L L^T`` (..., n, n), of large ones by parts.

    The first rows, and what is left of the others without them.
    """
    size = matrices.shape[-1]
    if size <= _WHOLE:
        return _factor_and_inverse(matrices)[1]
    count = -(-size // _WHOLE)
    first = size * (count // 2) // count
    root = np.zeros(matrices.shape)
    own = _inverses_transposed(matrices[..., :first, :first])
    below = product(matrices[..., first:, :first], own)
    rest = _inverses_transposed(matrices[..., first:, first:] - gram(below))
    root[..., :first, :first], root[..., first:, first:] = own, rest
    root[..., :first, first:] = -product(own, product(below.swapaxes(-1, -2), rest))
    return root


def _factor_and_inverse(matrices: Array) -> tuple[Array, Array]:
    """Return L and ``L^-T`` of ``L L^T`` (..., n, n): both are in the factor of ``[[L L^T, 1], [1, c]]``."""
    size = matrices.shape[-1]
    bordered = np.empty((*matrices.shape[:-2], 2 * size, 2 * size))
    bordered[:] = _border(size)
    bordered[..., :size, :size] = matrices
    factor = np.linalg.cholesky(bordered)
    return factor[..., :size, :size], factor[..., size:, :size]


@cache
def _identity(size: int) -> Array:
    return np.eye(size)


@cache
def _border(size: int) -> Array:
    """Return ``[[0, 1], [1, c]]``, ``c`` large enough for all that is factored to be definite."""
    border = np.eye(2 * size, k=size) + np.eye(2 * size, k=-size)
    border[size:, size:] = _BORDER * np.eye(size)
    return border
