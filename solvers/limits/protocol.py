# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What limits of any kind answer, so that the solver need not know which kinds there are.

A kind has a value, ``Limit``, which is what callers give, and a ``Group`` (group.py), which is all limits of
the kind in one skeleton as arrays.
"""

from collections.abc import Sequence
from typing import Any, Protocol, Self

from ..geometry import Array, Indices, Rows
from .group import Group


class Limit(Protocol):
    """What one joint may not do. It speaks of the bone's rotation relative to rest, in its parent's frame.

    Values that make no sense raise LimitError, naming the bone, when the limit is made.
    """

    @property
    def bone(self) -> str:
        """The name of the bone."""

    @property
    def cushion(self) -> float:
        """The width of the soft rim inside the limit, radians; 0 for none."""

    @property
    def sort(self) -> str:
        """Limits of one sort, of whatever class, make one group, by ``grouped`` of one of them."""

    @property
    def batch(self) -> int:
        """How many rows it has: one for all problems of a batch, or one for each."""

    def rows(self, keep: Rows) -> Self:
        """Return the limit of the rows ``keep`` of a batch; what all rows share is left alone."""

    @classmethod
    def grouped(cls, limits: Sequence[Any], bones: Indices, cushions: Array) -> Group:
        """Return limits of one sort as a group, on ``bones`` (m,), which ascend, with soft rims (m,)."""
