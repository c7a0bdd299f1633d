# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What arrays hold: numbers, places in other arrays, or marks; and how rows of a batch are named."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rows = Mask | Indices | slice
_Kind = TypeVar("_Kind", bound=np.generic)


def are_numbers(*values: object) -> bool:
    """Return whether all are real numbers or arrays of such: no text, nothing missing, no ragged rows."""
    try:
        return all(np.asarray(value).dtype.kind in "biuf" for value in values)
    except ValueError:  # ragged
        return False


def is_number(value: object) -> bool:
    """Return whether it is one real number."""
    return are_numbers(value) and np.asarray(value).ndim == 0


def is_whole(value: object) -> bool:
    """Return whether it is a whole number, of Python's or numpy's."""
    return isinstance(value, int | np.integer)


def are_all(keep: Rows, count: int) -> bool:
    """Return whether the rows that are kept are all of so many, in order."""
    if isinstance(keep, slice) or len(keep) != count:
        return False
    return bool((keep if keep.dtype == np.bool_ else keep == np.arange(count)).all())


def in_full(values: NDArray[_Kind], shape: tuple[int, ...]) -> NDArray[_Kind]:
    """Return the values with this shape, in order C, repeated along what they have one of or none.

    A layout that depended on the number of rows would have rounding depend on it, and numpy's sums take three
    times as long where rows share one; its ``broadcast_to`` takes as long as many a sum.
    """
    if values.shape == shape:
        return values
    full: NDArray[_Kind] = np.empty(shape, values.dtype)
    full[...] = values
    return full


def beside(*parts: Array) -> Array:
    """Return the parts (...) side by side (..., parts); ``numpy.stack`` takes three times as long."""
    whole = np.empty((*parts[0].shape, len(parts)))
    for place, part in enumerate(parts):
        whole[..., place] = part
    return whole


def alike(chosen: Mask) -> list[tuple[Indices, Indices]]:
    """Return rows (g,) of ``chosen`` (batch, r) that choose equally many, and what they choose (g, count).

    Sums are rounded by how many terms they have: so rows that are shortened are put together by their length,
    not by that of the longest.
    """
    owners, places = chosen.nonzero()
    counts = np.bincount(owners, minlength=len(chosen))
    lengths = sorted(set(counts.tolist()))
    if len(lengths) == 1:
        return [(np.arange(len(chosen)), places.reshape(len(chosen), -1))]
    groups = ((counts == count).nonzero()[0] for count in lengths)
    return [(rows, np.nonzero(chosen[rows])[1].reshape(len(rows), counts[rows[0]])) for rows in groups]
