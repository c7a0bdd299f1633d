# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that bend to one side of themselves: knees backwards and elbows forwards.

Past straight such a limb adds ``(h / 0.05)^2`` to posture cost, ``h`` being the sine by which it points to
the other side; on its own side, nothing. A spread, alike both ways, cannot say that. It is no limit: targets
that leave no other way bend the joint all the same (a one-sided quadratic penalty; Nocedal and Wright,
Numerical Optimization, chapter 17, 10.1007/978-0-387-40065-5).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..errors import ComfortError
from ..geometry import Array, Indices, Mask, are_numbers, einsum, vecmat

# The sine that counts as a standard deviation.
_PAST = 0.05


@dataclass(frozen=True, eq=False)
class OneWay:
    """To which side a limb bends of itself.

    ``limb`` (3,): along the limb, in the bone's own frame; ``towards`` (3,): that side, in the bone's rest
    frame, square to where the limb points when it is straight. Both become unit vectors.

    Raises ComfortError where one is no direction.
    """

    limb: Array
    towards: Array

    def __post_init__(self) -> None:
        for name in ("limb", "towards"):
            given = getattr(self, name)
            size = np.linalg.norm(given) if are_numbers(given) and np.shape(given) == (3,) else 0.0
            if not 0 < size < np.inf:
                raise ComfortError(f"'{name}' of a limb's way must be three numbers, not all zero")
            object.__setattr__(self, name, np.array(given, dtype=np.float64) / size)


@dataclass(frozen=True, eq=False, slots=True)
class OneWays:
    """The ways of ``w`` limbs: which ``bones`` they are, ``limbs`` and ``towards`` (w, 3).

    ``sides`` (w, 3, 3): the outer products of both, which tell of a rotation how far a limb is on its side.
    """

    bones: Indices
    limbs: Array
    towards: Array
    sides: Array

    def past(self, rotations: Array) -> Array:
        """Return by what sine limbs point to the other side, (batch, w), negative; 0 on their own.

        ``rotations`` (batch, n, 3, 3): local ones, of all bones.
        """
        if not len(self.bones):
            return np.zeros((len(rotations), 0))
        pointing = einsum("bwij,wij->bw", rotations.take(self.bones, axis=1), self.sides)
        past: Array = np.minimum(pointing, 0.0)
        return past

    def overrun(self, before: Array, after: Array) -> Mask:
        """Return in which rows (batch,) a limb is past straight by a standard deviation more than before.

        ``before``, ``after`` (batch, n, 3, 3): local rotations, of all bones.
        """
        farther: Mask = np.any(self.past(after) < self.past(before) - _PAST, axis=-1)
        return farther

    def posture_cost(self, past: Array) -> Array:
        """Return what limbs past straight cost, (batch,)."""
        total: Array = einsum("bw,bw->b", past, past) / _PAST**2
        return total

    def slopes(self, past: Array, local: Array) -> tuple[Array, Array]:
        """Return gradients (batch, w, 3) and Gauss-Newton matrices (batch, w, 3, 3) of half that cost.

        Over turns in the bones' own frames; ``local`` (batch, w, 3, 3).
        """
        slopes = np.cross(self.limbs, self._towards(local))
        weights = ((past < 0) / _PAST**2)[..., None, None] * slopes[..., :, None] * slopes[..., None, :]
        return (past / _PAST**2)[..., None] * slopes, weights

    def bends(self, past: Array, local: Array) -> Array:
        """Return what these matrices lack of the second derivatives, (batch, w, 3, 3)."""
        towards = self._towards(local)
        outer = towards[..., :, None] * self.limbs[:, None]
        along = einsum("wi,bwi->bw", self.limbs, towards)
        bends: Array = 0.5 * (outer + outer.swapaxes(-1, -2)) - along[..., None, None] * np.eye(3)
        pushed: Array = (past / _PAST**2)[..., None, None] * bends
        return pushed

    def _towards(self, local: Array) -> Array:
        """Return the sides (batch, w, 3) in the bones' own frames."""
        return vecmat(np.broadcast_to(self.towards, local.shape[:-1]), local)


def one_ways(known: Iterable[tuple[int, OneWay]]) -> OneWays:
    """Return the ways of limbs by their bones' indices."""
    known = list(known)
    limbs, towards = (
        np.array([getattr(way, name) for _, way in known]).reshape(-1, 3) for name in ("limb", "towards")
    )
    bones = np.array([bone for bone, _ in known], dtype=np.int64)
    return OneWays(bones, limbs, towards, towards[:, :, None] * limbs[:, None])
