# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comfort drawn to a pose: a drag draws it to the pose where it began, by another share in every move."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Mask, slerp
from .comfort import Comfort

# How far bones that carry what is to be held stray, as a share of how far they do else; and those of limbs
# whose ends merely follow, which bend for that before the trunk leans.
_CARRYING, _BENDING = 0.2, 0.4


@dataclass(frozen=True, eq=False, slots=True)
class Drawing:
    """Comfort that can be drawn to a pose.

    ``own``: the comfort of m bones that have one, at rest in ``resting`` (..., m, 4). ``begin`` (..., m, 4):
    these bones in the pose. ``given``: the comfort of the other bones, which is the pose. ``carrying`` (m,):
    which bones carry what should be held, ``bending`` (m,): of these, the limbs of what merely follows.
    ``limbs``: by the bone where a limb ends, which bones (m,) belong to it; a limb may have a share of its
    own.
    """

    own: tuple[Comfort, ...]
    given: tuple[Comfort, ...]
    begin: Array
    resting: Array
    carrying: Mask
    bending: Mask
    limbs: Mapping[str, Mask]

    def at(self, share: float, limbs: Mapping[str, float]) -> tuple[Comfort, ...]:
        """Return the comfort of all bones, the own one at ``share`` of the way from the pose to where it is.

        ``limbs``: by the bone where a limb ends, its own share. Bones stray as before. Those that carry what
        should be held stray less, the less the share is.
        """
        if share >= 1.0 or not self.own:
            return *self.own, *self.given
        shares = np.full(len(self.own), share)
        for end, of in limbs.items():
            shares[self.limbs[end]] = of
        turned = np.moveaxis(slerp(self.begin, self.resting, shares), -2, 0)
        least = np.where(self.bending, _BENDING, np.where(self.carrying, _CARRYING, 1.0))
        strays = 1 - (1 - share) * (1 - least)
        return *map(Comfort.moved, self.own, turned, strays.tolist(), shares), *self.given
