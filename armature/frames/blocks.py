# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long clips worked on some frames at a time: what is worked out on the way never has all of them.

What all frames have is kept once.
"""

from collections.abc import Callable

import numpy as np

from ...solvers.geometry import Array

_AT_ONCE = 512


def in_blocks(work: Callable[[slice], tuple[Array, ...]], frames: int) -> tuple[Array, ...]:
    """Return the arrays (frames, ...) of which ``work`` returns the rows of a slice.

    Each row must depend on its own frame alone.
    """
    found = [work(slice(first, first + _AT_ONCE)) for first in range(0, frames, _AT_ONCE)]
    return found[0] if len(found) == 1 else tuple(map(np.concatenate, zip(*found, strict=True)))


def kept_once(values: Array) -> Array:
    """Return what all frames have, (1, ...), where ``values`` (frames, ...) are the same in each."""
    return values[:1].copy() if (values == values[:1]).all() else values
