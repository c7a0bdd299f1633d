# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comfort drawn to a pose, as a drag draws it to where that began, in every move to another share."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Mask, slerp
from .comfort import Comfort

# How far bones that carry what is to be held stray, as a share of how far they do else.
_CARRYING = 0.2


@dataclass(frozen=True, eq=False, slots=True)
class Drawing:
    """Comfort that can be drawn to a pose: the ``own`` one of m bones, and of others, ``given``.

    ``begin`` (..., m, 4): the pose, and ``resting``, alike, comfort; ``carrying`` (m,): which carry what is
    to be held; ``limbs``, by the bone where they end: which belong there (m,) and may have a share of their
    own.
    """

    own: tuple[Comfort, ...]
    given: tuple[Comfort, ...]
    begin: Array
    resting: Array
    carrying: Mask
    limbs: Mapping[str, Mask]

    def at(self, share: float, limbs: Mapping[str, float]) -> tuple[Comfort, ...]:
        """Return the comfort with its own moved to ``share`` of the way from the pose, or more in ``limbs``.

        Bones stray as before, but those that carry by as much less as the share is less than 1.
        """
        if share >= 1.0 or not self.own:
            return *self.own, *self.given
        shares = np.full(len(self.own), share)
        for end, of in limbs.items():
            shares[self.limbs[end]] = of
        turned = np.moveaxis(slerp(self.begin, self.resting, shares), -2, 0)
        strays = np.where(self.carrying, share + (1 - share) * _CARRYING, 1.0)
        return *map(Comfort.moved, self.own, turned, strays.tolist(), shares), *self.given
