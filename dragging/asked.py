# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What effectors ask for while some of them are moved."""

from collections.abc import Set
from dataclasses import replace

from ..armature import MOVED, Rig


def while_moved(rig: Rig, moved: Set[int], are_pins_released: bool) -> Rig:
    """Return the rig with its effectors as they ask while those of the rows ``moved`` are moved.

    These come right after the places of pinned ones, whatever they hold themselves; who goes with the body
    asks for nothing. Where all are moved it is as a solve has it.
    """
    along, asked = going_along(rig, moved, are_pins_released), list(rig.effectors)
    if moved.issuperset(range(len(asked))):
        return rig
    for row, effector in enumerate(rig.effectors):
        if row in moved:
            asked[row] = replace(effector, rank=MOVED, rotation_rank=MOVED)
        elif row in along:
            asked[row] = replace(effector, position_weight=0.0, rotation_weight=0.0)
    return replace(rig, effectors=tuple(asked))


def going_along(rig: Rig, moved: Set[int], are_pins_released: bool) -> frozenset[int]:
    """Return the rows of the effectors that go with the body while others are moved."""
    free = {'FREE', 'PINNED'} if are_pins_released else {'FREE'}
    return frozenset(row for row, hold in enumerate(rig.holds) if hold in free and row not in moved)
