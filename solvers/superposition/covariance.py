# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Covariances ``sum w a b^T`` of moved points and targets, whatever their size."""

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SolverError
from ..geometry import Array, are_numbers


def covariances(values: ArrayLike) -> Array:
    """Return the values as covariances (..., 3, 3), float64. Raises SolverError where they are none."""
    if not are_numbers(values):
        raise SolverError("Covariances must be numbers in rows of one length")
    found = np.asarray(values, dtype=np.float64)
    if found.shape[-2:] != (3, 3):
        raise SolverError(f"Covariances have the shape {found.shape}, not (..., 3, 3)")
    if not np.isfinite(found).all():
        raise SolverError("A covariance is not finite")
    return found


def sums(values: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """Return sums that broadcast to the ``shape``, float64. Raises SolverError where they are none."""
    if not are_numbers(values):
        raise SolverError(f"{what} must be numbers in rows of one length")
    found = np.asarray(values, dtype=np.float64)
    own = found.shape[::-1]
    if len(own) > len(shape) or any(o not in (1, s) for o, s in zip(own, shape[::-1], strict=False)):
        raise SolverError(f"{what} have the shape {found.shape}, not {shape}, that of the covariances")
    if not (np.isfinite(found) & (found >= 0)).all():
        raise SolverError(f"{what} must be finite, from 0 on")
    return found


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
