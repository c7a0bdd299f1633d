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
from ..geometry import Array, Indices, are_numbers, einsum, matvec, vecmat

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
            vector = np.array(getattr(self, name), dtype=np.float64)
            size = np.linalg.norm(vector) if vector.shape == (3,) and are_numbers(vector) else 0.0
            if not 0 < size < np.inf:
                raise ComfortError(f"'{name}' of a limb's way must be three numbers, not all zero")
            object.__setattr__(self, name, vector / size)


@dataclass(frozen=True, eq=False, slots=True)
class OneWays:
    """The ways of ``w`` limbs: which ``bones`` they are, ``limbs`` and ``towards`` (w, 3)."""

    bones: Indices
    limbs: Array
    towards: Array

    def posture_cost(self, rotations: Array) -> Array:
        """Return what limbs past straight cost, (batch,), at all bones' local rotations (batch, n, 3, 3)."""
        past = self._past(rotations.take(self.bones, axis=1))
        total: Array = einsum("bw,bw->b", past, past) / _PAST**2
        return total

    def derivatives(self, local: Array) -> tuple[Array, Array, Array]:
        """Return those of half that cost over turns in the bones' own frames, of local (batch, w, 3, 3).

        Gradients (batch, w, 3), Gauss-Newton matrices (batch, w, 3, 3), and what these lack of the second
        derivatives.
        """
        past, towards = self._past(local), vecmat(np.broadcast_to(self.towards, local.shape[:-1]), local)
        slopes = np.cross(self.limbs, towards)
        pulls = past / _PAST**2
        weights = ((past < 0) / _PAST**2)[..., None, None] * slopes[..., :, None] * slopes[..., None, :]
        outer = towards[..., :, None] * self.limbs[:, None]
        mixed = 0.5 * (outer + np.swapaxes(outer, -1, -2))
        along = einsum("wi,bwi->bw", self.limbs, towards)
        bends = mixed - along[..., None, None] * np.eye(3)
        return pulls[..., None] * slopes, weights, pulls[..., None, None] * bends

    def _past(self, local: Array) -> Array:
        """Return by what sine limbs point to the other side, (batch, w), negative; 0 on their own."""
        pointing = matvec(local, np.broadcast_to(self.limbs, local.shape[:-1]))
        past: Array = np.minimum(einsum("wi,bwi->bw", self.towards, pointing), 0.0)
        return past


def one_ways(known: Iterable[tuple[int, OneWay]]) -> OneWays:
    """Return the ways of limbs by their bones' indices."""
    known = list(known)
    limbs, towards = (np.array([getattr(way, name) for _, way in known]) for name in ("limb", "towards"))
    return OneWays(
        np.array([bone for bone, _ in known], dtype=np.int64), limbs.reshape(-1, 3), towards.reshape(-1, 3)
    )
