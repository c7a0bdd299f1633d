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
"""

from inspect import unwrap

import numpy as np

from .arrays import Array, Mask

# Without the question whether arrays of some other library have a say: of small arrays that takes as long as
# the sums do.
einsum = unwrap(np.einsum)


def matvec(matrices: Array | Mask, vectors: Array) -> Array:
    """Return ``A v``, (..., i), of matrices (..., i, j) and vectors (..., j)."""
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
    return matrices @ np.ascontiguousarray(matrices.swapaxes(-1, -2))
