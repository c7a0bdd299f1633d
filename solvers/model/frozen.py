# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that are values: read-only, and checked to be numbers once."""

from typing import TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import SkeletonError, SolverError
from ..geometry import Array, are_numbers

_Kind = TypeVar("_Kind", bound=np.generic)


def frozen(values: ArrayLike, what: str = "An array", error: type[SolverError] = SkeletonError) -> Array:
    """Return a read-only copy, so that a value stays a value; in order C, which rounding may depend on.

    What is one already comes back as it is. Raises the ``error`` saying ``what`` it is, unless it is an array
    of numbers.
    """
    return frozen_as(values, np.float64, what, error)


def frozen_as(values: ArrayLike, kind: type[_Kind], what: str, error: type[SolverError]) -> NDArray[_Kind]:
    """Return a read-only copy as ``frozen`` does, of numbers of a ``kind``."""
    if _is_frozen(values, kind):
        return values
    if not (isinstance(values, np.ndarray) and values.dtype == kind):
        if not are_numbers(values):
            raise error(f"{what} must be numbers in rows of one length")
        if np.issubdtype(kind, np.integer) and not (np.mod(values, 1) == 0).all():
            raise error(f"{what} must be whole numbers")
    array = np.array(values, dtype=kind, order="C")
    array.setflags(write=False)
    return array


def _is_frozen(values: ArrayLike, kind: type[_Kind]) -> TypeGuard[NDArray[_Kind]]:
    """Return whether an array is a value already, so that large ones need not be there twice."""
    if not isinstance(values, np.ndarray) or values.dtype != kind:
        return False
    flags = values.flags
    return flags.owndata and flags.c_contiguous and not flags.writeable
