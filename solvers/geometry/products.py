# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Products that round each row of a batch as if it were alone.

``@`` hands the matrices of a stack to BLAS one by one, so matrices times matrices round that way as they are.
Vectors do not. A matrix (n, m) that all rows share and vectors (batch, m) are one product, which BLAS rounds
by how many rows there are. And of a matrix and a vector each, OpenBLAS kernels for older processors round by
where in memory the row begins. The sums here are numpy's own.

Names and shapes are those of numpy 2.2. Order C: sums are rounded by how their terms lie in memory, which may
not depend on how many rows there are. That is also why bones are picked with ``take``: what ``x[:, bones]``
gives has the bones outermost.

Large matrices OpenBLAS hands to threads, and rounds by how many there are; ``product`` keeps from that.
"""

from inspect import unwrap

import numpy as np

from .arrays import Array, Mask, in_full

# Without the questions whether arrays of some other library have a say, and in what order to sum: of small
# arrays these take as long as the sums do. Where numpy keeps it differs from version to version.
einsum = unwrap(np.einsum).__globals__["c_einsum"]

# The most multiplications in a product of matrices that OpenBLAS hands to no other thread.
_ONE_THREAD = 2**18
# The most rows of a symmetric product of which all entries are worked out.
_HALVED = 48


def matvec(matrices: Array | Mask, vectors: Array) -> Array:
    """Return ``A v``, (..., i), of matrices (..., i, j) and vectors (..., j)."""
    if vectors.shape[:-1] != matrices.shape[:-2]:
        vectors = in_full(vectors, np.broadcast(matrices[..., 0, :], vectors).shape)
    products: Array = einsum("...ij,...j->...i", matrices, vectors, order="C")
    return products


def vecmat(vectors: Array, matrices: Array | Mask) -> Array:
    """Return ``v A``, (..., j), of vectors (..., i) and matrices (..., i, j)."""
    products: Array = einsum("...i,...ij->...j", vectors, matrices, order="C")
    return products


def gram(matrices: Array) -> Array:
    """Return ``A A^T`` (..., i, i) of matrices (..., i, j)."""
    if matrices.shape[-2] == 1:
        return matvec(matrices, matrices[..., 0, :])[..., None]
    # Of a copy: numpy hands a matrix times its own transpose to other threads.
    return product(matrices, np.ascontiguousarray(matrices.swapaxes(-1, -2)))


def product(left: Array, right: Array, out: Array | None = None) -> Array:
    """Return ``A B`` (..., i, k) of matrices (..., i, j) and (..., j, k), however many threads BLAS has.

    Large ones by halves, in all three directions. ``out``: where to, if not to an array of its own.
    """
    rows, inner, columns = *left.shape[-2:], right.shape[-1]
    if rows * inner * columns <= _ONE_THREAD:
        return np.matmul(left, right, out=out)
    if out is None:
        out = np.empty((*np.broadcast(left[..., 0, 0], right[..., 0, 0]).shape, rows, columns))
    if columns >= max(rows, inner):
        half = columns // 2
        product(left, right[..., :half], out[..., :half])
        product(left, right[..., half:], out[..., half:])
    elif rows >= inner:
        half = rows // 2
        product(left[..., :half, :], right, out[..., :half, :])
        product(left[..., half:, :], right, out[..., half:, :])
    else:
        half = inner // 2
        product(left[..., :half], right[..., :half, :], out)
        out += product(left[..., half:], right[..., half:, :])
    return out


def entries_first(matrices: Array) -> Array:
    """Return small matrices (batch, n, i, j) with their entries outermost, (i, j, n, batch)."""
    return np.ascontiguousarray(matrices.transpose(2, 3, 1, 0))


def entries_last(entries: Array) -> Array:
    """Return the matrices (batch, n, i, j) of ``entries`` (i, j, n, batch)."""
    return np.ascontiguousarray(entries.transpose(3, 2, 0, 1))


def small_product(left: Array, right: Array) -> Array:
    """Return ``A B`` (i, k, ...) of matrices (i, j, ...) and (j, k, ...) whose entries are outermost.

    Of 3x3 in a third of the time that a call of BLAS for each of them takes.
    """
    products: Array = einsum("ij...,jk...->ik...", left, right)
    return products


def symmetric_product(left: Array, right: Array, out: Array) -> Array:
    """Return ``A B`` (..., i, i), of which it is known that it is symmetric, in ``out``."""
    size = left.shape[-2]
    if size <= _HALVED:
        return product(left, right, out)
    first, rest = slice(size // 2), slice(size // 2, None)
    symmetric_product(left[..., first, :], right[..., first], out[..., first, first])
    symmetric_product(left[..., rest, :], right[..., rest], out[..., rest, rest])
    product(left[..., first, :], right[..., rest], out[..., first, rest])
    out[..., rest, first] = out[..., first, rest].swapaxes(-1, -2)
    return out
