# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that stray together: a knee bends with its hip, a neck against the head, arms alike.

Strays ``z``, in standard deviations, are what ``k`` habits of the whole body have them be, and more that is
the joint's own: ``z_b = T_b f + y_b``, habits ``f`` of variance 1, ``y_b`` of ``1 - T_b T_b^T`` (factor
analysis; Bishop, Pattern Recognition and Machine Learning, section 12.2.4). So ``T_b T_c^T`` is the
correlation of two joints, and with ``f`` left out their joint precision is, in blocks ``N_b``,

    N - N T (1 + T^T N T)^-1 T^T N        N_b = (1 - T_b T_b^T)^-1

a block for each bone less ``k`` rows for all. A stray past what is a habit says little more of others than
there: one ``d`` deviations long counts as ``d / (1 + (d / 3)^4)^(1/4)``. With an edge at three, poses would
come to lie there, and steps go back and forth across it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..geometry import Array, Indices, Rows, dot, matvec, vecmat

# As many as a joint may have, and as files store.
MOST_TIES = 8
# Standard deviations that no stray counts as more than.
_MOST = 3.0
_IDENTITY = np.eye(3)


@dataclass(frozen=True, eq=False, slots=True)
class Ties:
    """What the joint precision of ``t`` bones has beside that of each alone, ``precisions`` (b, t, 3, 3).

    ``bones``: which they are of those with comfort. ``added`` (b, t, 3, 3): what each has more, and ``rows``
    (b, k, t, 3): whose squares are to be taken off. Per square radian, in the bones' own frames.
    """

    bones: Indices
    precisions: Array
    added: Array
    rows: Array

    def of_rows(self, keep: Rows) -> "Ties":
        """Return the ties of the rows ``keep`` of a batch; what all rows share is left alone."""
        if len(self.added) == 1:
            return self
        precisions = self.precisions if len(self.precisions) == 1 else self.precisions[keep]
        return replace(self, precisions=precisions, added=self.added[keep], rows=self.rows[keep])

    def cost(self, strays: Array) -> Array:
        """Return what turns (batch, t, 3) cost more than each alone, (batch,)."""
        share, _, _ = self._habits(strays)
        habits = share * strays
        common = self._common(habits)
        cost: Array = np.einsum("bti,bti->b", habits, matvec(self.added, habits))
        cost -= np.einsum("bk,bk->b", common, common)
        return cost

    def model(self, strays: Array) -> tuple[Array, Array, Array]:
        """Return half the gradient (batch, t, 3) of that, blocks (batch, t, 3, 3) and rows (batch, k, t, 3).

        Blocks less the rows' squares are half its curvature, but for how what counts of strays is curved,
        which leads uphill where they are far.
        """
        share, drawn, squares = self._habits(strays)
        # How the share falls, of itself and by half a square.
        faded = squares / (_MOST**4 + squares**2) * drawn
        rates = share[..., None] * (_IDENTITY - strays[..., :, None] * faded[..., None, :])
        blocks = rates.swapaxes(-1, -2) @ self.added @ rates
        return vecmat(self._pulls(share * strays), rates), blocks, vecmat(self.rows, rates[:, None])

    def _habits(self, strays: Array) -> tuple[Array, Array, Array]:
        """Return the share of turns (batch, t, 3) that counts, what draws each alone, and its square length.

        (batch, t, 1), (batch, t, 3) and, in standard deviations, (batch, t, 1).
        """
        drawn = matvec(self.precisions, strays)
        squares = dot(strays, drawn)[..., None]
        return counted(squares), drawn, squares

    def _pulls(self, habits: Array) -> Array:
        """Return half the gradient of the cost over habits (batch, t, 3)."""
        rows = self.rows.reshape(*self.rows.shape[:2], -1)
        shared: Array = vecmat(self._common(habits), rows).reshape(habits.shape)
        return matvec(self.added, habits) - shared

    def _common(self, habits: Array) -> Array:
        """Return how far habits (batch, t, 3) go along each of the rows, (batch, k)."""
        return matvec(self.rows.reshape(*self.rows.shape[:2], -1), habits.reshape(len(habits), -1))


def counted(squares: Array) -> Array:
    """Return the share that counts of strays so many standard deviations long, squared."""
    share: Array = (1 + (squares / _MOST**2) ** 2) ** -0.25
    return share


def ties(given: Sequence[Array | None], roots: Array) -> Ties | None:
    """Return the ties of bones that each have (b, 3, k) or None, and ``roots`` (b, m, 3, 3) of precisions.

    Symmetric ones. None where no two are tied.
    """
    found = {bone: own for bone, own in enumerate(given) if own is not None}
    if len(found) < 2:
        return None
    bones, count = np.array(list(found), dtype=np.int64), max(own.shape[-1] for own in found.values())
    tied = np.zeros((max(map(len, found.values())), len(bones), 3, count))
    for place, own in enumerate(found.values()):
        tied[:, place, :, : own.shape[-1]] = own
    roots = roots.take(bones, axis=1)
    alone = np.linalg.inv(_IDENTITY - tied @ np.swapaxes(tied, -1, -2))
    pulled = alone @ tied
    habits = np.eye(count) + np.einsum("btik,btil->bkl", tied, pulled)
    rows = roots @ pulled @ np.swapaxes(np.linalg.inv(np.linalg.cholesky(habits)), -1, -2)[:, None]
    return Ties(bones, roots @ roots, roots @ (alone - _IDENTITY) @ roots, np.moveaxis(rows, -1, 1))
