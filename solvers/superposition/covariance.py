# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Covariances ``sum w a b^T`` of moved points and targets, whatever their size."""

import numpy as np

from ..geometry import Array


def scaled(covariance: Array) -> tuple[Array, Array]:
    """Return the entries (9, rows) of covariances (..., 3, 3) at a Frobenius norm of 1, and what that was.

    Norms are (rows,). What is zero stays zero.
    """
    entries = np.ascontiguousarray(covariance.reshape(-1, 9).T)
    largest = np.abs(entries).max(axis=0)  # squares of the entries themselves may leave the range of floats
    entries = entries / np.where(largest > 0, largest, 1.0)
    squares = entries * entries
    columns = squares[:3] + squares[3:6] + squares[6:]
    norms = np.sqrt(columns[0] + columns[1] + columns[2])
    return entries / np.where(norms > 0, norms, 1.0), largest * norms
