# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far comfort may turn joints in a frame that follows one before.

The most comfortable pose near the last one may cease to be any: an arm lowered past the middle likes to swing
over to the other side. Left alone, comfort would slide there, however far, within one frame. So a joint turns
from the frame before by little more than the targets alone turn it, and the slide takes several frames.
"""

from dataclasses import dataclass
from math import radians

import numpy as np

from ..geometry import Array, Mask, Rows, angle_between, norm

# Added to what the targets alone turn a joint; or what they turn the fastest one, if that is more, since
# comfort has more to do where much moves. Motion in which comfort does not slide takes less.
_LEAST = radians(15)
_NOTHING = 1e-6  # radians: nearer to its most than that a joint is there


@dataclass(frozen=True, eq=False, slots=True)
class Pace:
    """Local rotations ``before`` (batch, n, 3, 3), and the ``most`` (batch, n) to turn from there."""

    before: Array
    most: Array

    def rows(self, keep: Rows) -> "Pace":
        """Return the pace of the rows ``keep``."""
        return Pace(self.before[keep], self.most[keep])

    def outrun(self, local: Array) -> Mask:
        """Return which rows (batch,) of local rotations (batch, n, 3, 3) turn a joint by more."""
        too_far: Mask = np.any(angle_between(self.before, local) > self.most + _NOTHING, axis=-1)
        return too_far

    def share(self, local: Array, turns: Array) -> Array:
        """Return the share (batch,) that may be taken of turns (batch, n, 3) of joints at ``local``."""
        left = self.most - angle_between(self.before, local)
        left = np.where(left > _NOTHING, left, 0.0)
        share: Array = np.minimum(left / np.maximum(norm(turns), 1e-12), 1.0).min(axis=-1)
        return share


def pace(before: Array, met: Array) -> Pace:
    """Return the pace of joints that the targets alone turn from ``before`` to ``met`` (batch, n, 3, 3)."""
    needed = angle_between(before, met)
    return Pace(before, needed + np.maximum(needed.max(axis=-1, keepdims=True), _LEAST))
