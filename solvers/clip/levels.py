# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse to fine: some of the frames are one problem first, and tell the others where to begin.

So a way of bending is chosen for the clip and not frame by frame, and the last level has little left to do.
"""

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ..model import Pose, carried_on
from ..pauses import Pausing, quiet, telling
from ..request import Request
from ..solve import Solution, joined, solve_in_parts
from .between import between
from .descent import Patience
from .one_way import Level, on_one_way

# Every so manieth frame is on the first level, which is worth it for so many frames.
STRIDE = 4
_FEWEST = 3 * STRIDE
# Two poses are as near to their targets if that differs by less than this part.
_AS_NEAR = 1e-5


def together(
    request: Request, smoothness: float, patience: Patience, before: Pose
) -> Generator[int, None, Solution]:
    """Return the frames' solution as one motion, of which the first frames stay as they are ``before``.

    Where targets are held the last level costs about what the first one does, for as many frames, and is only
    lowered where it costs more. Where they give way it has more targets to make out the motion from.

    Gives how many frames are done: a quarter of them when those of the first level are, half when all are
    solved on their own.
    """
    start, count, expected = request.pose, len(request.pose), 0.0
    if count >= _FEWEST:
        every = slice(None, None, STRIDE)
        level = Level(request.rows(every), smoothness, STRIDE, before.rows(every))
        found, cost = yield from telling(_solved(level, start.rows(every), patience), 0)
        start = between(start, found.pose, STRIDE)
        if not (smoothness or patience.is_thorough):
            expected = cost * count / len(found.pose)
    level = Level(request, smoothness, 1, before, expected)
    found, _ = yield from telling(_solved(level, start, patience), count // 2)
    return found


def _solved(level: Level, start: Pose, patience: Patience) -> Pausing[tuple[Solution, float]]:
    """Return the solution of a level whose frames begin at ``start``, and its cost."""
    alone = yield from quiet(_each_alone(level.request, start))
    return (yield from on_one_way(level, alone, patience))


def _each_alone(request: Request, start: Pose) -> Generator[int, None, Solution]:
    """Return every frame's solution from ``start``; what misses its targets then, from the frame's own pose.

    Of two that are as near that from ``start`` is taken, since it is on the others' way. Comfort is left to
    the clip.
    """
    if start is request.pose:
        return (yield from solve_in_parts(request))
    begun = replace(request.plainly(), pose=carried_on(request.skeleton, start, request.pose))
    found = yield from solve_in_parts(begun, follows=True)
    rows = np.flatnonzero(~found.converged)
    if not len(rows):
        return found
    own = yield from solve_in_parts(request.rows(rows))
    nearer = own.converged | (np.abs(found.rmsd[rows] - own.rmsd) > _AS_NEAR * own.rmsd)
    picks = np.arange(len(start))
    picks[rows[nearer]] = len(start) + np.flatnonzero(nearer)
    return joined([found, own]).rows(picks)
