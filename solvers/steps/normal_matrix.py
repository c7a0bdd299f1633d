# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Products of Jacobians of many effectors, most of which is zero.

Two effectors share only the bones above both. Bones come after their parents, so what one shares with any
other ends at its own bone; and the product is symmetric. Bones that move one effector alone, as those of
a limb of its own, add to its own block only.
"""

from typing import NamedTuple

import numpy as np

from ..geometry import Array, Indices, Mask, gram, product

_FEW = 60  # rows; fewer are not worth a division
_AT_ONCE = 192


class RowsOf(NamedTuple):
    """What rows are of: F rows of effectors come first, in order, then any others.

    ``owners`` (F,): the effector of each; ``moves`` (E, n): whether bone b moves effector e. Columns are
    vectors of n bones, then of k ``roots``.
    """

    owners: Indices
    moves: Mask
    roots: int

    @property
    def are_many(self) -> bool:
        """Whether it is worth to leave out what is zero."""
        return len(self.owners) > _FEW


def squared(rows: Array, of: RowsOf) -> Array:
    """Return ``A A^T`` (batch, r, r) of ``rows`` (batch, r, 3 (n + k))."""
    if of.are_many:
        return normal_matrix(rows, np.ascontiguousarray(rows.swapaxes(-1, -2)), of)
    return gram(rows)


def normal_matrix(left: Array, right: Array, of: RowsOf) -> Array:
    """Return ``left right`` (batch, r, r), which is symmetric.

    ``left`` (batch, r, 3 (n + k)), ``right`` (batch, 3 (n + k), r); rows are ``of`` these effectors, and zero
    for bones that do not move them.
    """
    if not of.are_many:
        return product(left, right)
    shared = np.count_nonzero(of.moves, axis=0) > 1
    if 2 * np.count_nonzero(shared) > len(shared):  # to part them costs more than it spares
        ends = 3 * (of.moves.shape[1] - of.moves[:, ::-1].argmax(axis=1))[of.owners]
        return product(left, right) if len(ends) <= _AT_ONCE else _of_shared(left, right, ends, 3 * of.roots)
    columns = np.flatnonzero(np.append(shared, [True] * of.roots).repeat(3))
    last = of.moves.shape[1] - 1 - of.moves[:, ::-1].argmax(axis=1)
    ends = 3 * np.cumsum(shared)[last][of.owners]
    normal = _of_shared(left.take(columns, axis=2), right.take(columns, axis=1), ends, 3 * of.roots)
    others = slice(len(of.owners), None)
    bounds = np.searchsorted(of.owners, np.arange(len(of.moves) + 1)).tolist()
    for effector, alone in enumerate(of.moves & ~shared):
        rows, own = slice(*bounds[effector : effector + 2]), np.flatnonzero(alone.repeat(3))
        mine = left[:, rows].take(own, axis=2)
        normal[:, rows, rows] += product(mine, right[..., rows].take(own, axis=1))
        part = product(mine, right[..., others].take(own, axis=1))
        normal[:, rows, others] += part
        normal[:, others, rows] += part.swapaxes(-1, -2)
    lone = np.flatnonzero(np.append(~shared, [False] * of.roots).repeat(3))
    beside = left[:, others].take(lone, axis=2), right[..., others].take(lone, axis=1)
    normal[:, others, others] += product(*beside)
    return normal


def _of_shared(left: Array, right: Array, ends: Indices, roots: int) -> Array:
    """Return ``left right`` (batch, r, r), of rows that are zero from ``ends`` (F,) to the ``roots``.

    These are the last columns; rows after the first F may have any.
    """
    normal = product(left[..., left.shape[-1] - roots :], right[:, right.shape[1] - roots :])
    for first in range(0, len(ends), _AT_ONCE):
        some = ends[first : first + _AT_ONCE]
        chosen, end = slice(first, first + len(some)), some.max()
        part = product(left[:, chosen, :end], right[:, :end, chosen.start :])
        normal[:, chosen, chosen.start :] += part
        normal[:, chosen.stop :, chosen] += part[..., chosen.stop - chosen.start :].swapaxes(-1, -2)
    others = slice(len(ends), None)
    count = left.shape[-1] - roots
    normal[:, others, others] += product(left[:, others, :count], right[:, :count, others])
    return normal
