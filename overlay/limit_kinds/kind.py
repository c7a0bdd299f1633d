# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How limits of a kind are drawn, so that what draws need not know which kinds there are."""

import numpy as np

from ...solvers.geometry import Array, Mask, untwisted
from ...solvers.limits import Limit
from ..regions import Region

AT_LIMIT = 1e-3  # radians; a bone nearer to its limit than this is at it
LOCKED = 2 * AT_LIMIT  # radians; in a range as narrow a bone is always at both ends

Ranges = tuple[tuple[float, float], ...]


class DrawnKind:
    """A kind of limit as an area or a line on the unit sphere, and a range of the twist.

    Where a kind does not say otherwise, its last range, ``lower`` to ``upper``, is that of the twist.
    """

    @classmethod
    def region(cls, limit: Limit, depth: float = 0.0) -> Region:
        """Return the directions that are allowed, or those that are at least ``depth`` radians inside."""
        raise NotImplementedError

    @classmethod
    def twist(cls, limit: Limit, local: Array) -> tuple[Array, Ranges]:
        """Return the frame (3, 3) in which the twist of a rotation ``local`` (3, 3) is drawn, and its ranges.

        The frame is relative to the bone's rest pose. No range is returned where the twist is free.
        """
        is_free = limit.upper - limit.lower >= 2 * np.pi
        return untwisted(local), () if is_free else ((limit.lower, limit.upper),)

    @classmethod
    def columns(cls, limit: Limit, count: int) -> tuple[Mask, Mask]:
        """Return which of the ``count`` columns of the limit's room are about the twist, and which about
        ranges of nothing.
        """
        ends = np.arange(count) >= count - 2
        return ends, ends & (limit.upper - limit.lower <= LOCKED)
