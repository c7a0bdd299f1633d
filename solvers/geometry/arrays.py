# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What arrays hold: numbers, places in other arrays, or marks; and how rows of a batch are named."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rows = Mask | Indices | slice


def are_numbers(*values: object) -> bool:
    """Return whether all are real numbers or arrays of such: no text, nothing missing, no ragged rows."""
    try:
        return all(np.asarray(value).dtype.kind in "biuf" for value in values)
    except ValueError:  # ragged
        return False
