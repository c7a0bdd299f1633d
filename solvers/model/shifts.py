# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Translations as poses keep them: of the bones that are moved alone.

Only roots are, and of long clips with many bones all the others' would take nearly as much as rotations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ..geometry import Array, Indices, Rows


@dataclass(frozen=True, eq=False, slots=True)
class Shifts:
    """Translations ``values`` (batch, m, 3) of the ``moved`` (m,) of so many ``bones``, ascending.

    Others are not moved in any row.
    """

    bones: int
    moved: Indices
    values: Array

    def rows(self, keep: Rows) -> "Shifts":
        """Return those of the rows ``keep``."""
        return Shifts(self.bones, self.moved, self.values[keep])

    def whole(self) -> Array:
        """Return the translations of all bones (batch, bones, 3), read-only."""
        whole = np.zeros((len(self.values), self.bones, 3))
        whole[:, self.moved] = self.values
        whole.setflags(write=False)
        return whole


def shifts_of(translations: Array) -> Shifts:
    """Return translations (batch, bones, 3) as shifts."""
    moved = np.flatnonzero((translations != 0).any(axis=0).any(axis=1))
    return Shifts(translations.shape[1], moved, translations.take(moved, axis=1))


def joined_shifts(parts: Sequence[Shifts]) -> Shifts:
    """Return the shifts of consecutive rows as one."""
    moved: Indices = reduce(np.union1d, [part.moved for part in parts])
    values = np.zeros((sum(len(part.values) for part in parts), len(moved), 3))
    first = 0
    for part in parts:
        rows = slice(first, first + len(part.values))
        values[rows, np.searchsorted(moved, part.moved)] = part.values
        first = rows.stop
    return Shifts(parts[0].bones, moved, values)
