# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays in single precision as text, to be stored with an armature."""

from base64 import b64decode, b64encode

import numpy as np
from numpy.typing import NDArray


def to_text(values: NDArray[np.float32]) -> str:
    """Return an array as text that can be stored; its shape is not kept."""
    return b64encode(values.tobytes()).decode()


def from_text(text: str) -> NDArray[np.float32]:
    """Return the values (n,) that were stored as text."""
    return np.frombuffer(b64decode(text), np.float32)
