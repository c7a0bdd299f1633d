# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion in which all was held until it had to give way, solved on so that some gives way gradually."""

from collections.abc import Generator
from dataclasses import replace

from ..geometry import Mask
from ..pauses import telling
from ..solve import Solution, in_pose
from .descent import Patience
from .one_way import Level, on_one_way
from .spread import regained

# As a share of what steps save otherwise that are the last: those that leave what is held firmly off.
_FIRM = 0.01


def given_way(
    level: Level, held: Solution, patience: Patience, firmly: Mask | None
) -> Generator[int, int | None, Solution]:
    """Return the motion near the pose that is asked for, in which goals give way gradually.

    They give way around the frames that miss them in ``held``, where nothing gave way. With ``firmly``
    (frames,) they give way hardly, and only in frames that miss them. Gives how many frames are done.
    """
    level, half = level.giving(held.pose, firmly), len(level.request) // 2
    alone = in_pose(level.request, held, level.request.pose)
    if firmly is not None:
        patience = replace(patience, level=_FIRM * patience.level)
    found, _ = yield from telling(on_one_way(level, alone, patience), half)
    if not level.smoothness:
        found = yield from telling(regained(level.request, found, alone, level.stays), len(level.request))
    return found
