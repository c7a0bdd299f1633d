# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip solved in parts, so that memory is bounded however long it is."""

from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np

from ..geometry import Mask
from ..model import Pose, Shifts, joined_shifts
from ..pauses import passed_on
from ..problem import make_problem
from ..request import Request
from ..solve import Solution, joined, with_shared_twists
from .descent import Patience
from .levels import STRIDE, together
from .objective import fade
from .ways import make_ways

# Numbers that the elimination of a part of a clip may keep at a time.
_MOST_ENTRIES = 2**23
# Frames before a part, which its acceleration begins with, on every level.
_HELD = 2 * STRIDE


def in_windows(
    request: Request, smoothness: float, patience: Patience, stays: Mask
) -> Generator[int, int | None, Solution]:
    """Return the solution of all frames together, worked out in parts that overlap.

    Those that ``stays`` (frames,) says keep their pose.

    What is beyond the overlap moves a frame by less than a millionth. Each part begins at the frames before.
    Rotations are written in place: of long clips with many bones there is no room for them twice.
    """
    rotations, before = np.empty_like(request.pose.rotations), request.pose.rows(slice(0))
    parts: list[Solution] = []
    shifts: list[Shifts] = []
    for first, last, end in windows(len(request), ways_of(request), fade(smoothness)):
        begin = first - len(before)
        part = slice(begin, end)
        work = together(request.rows(part), smoothness, patience, before, stays[part])
        found = (yield from _counted_from(work, begin, last)).rows(slice(first - begin, last - begin))
        if request.skeleton.twists:
            found = with_shared_twists(request.rows(slice(first, last)), found)
        rotations[first:last], before = found.pose.rotations, found.pose.rows(slice(-_HELD, None))
        shifts.append(found.pose.shifts)
        parts.append(replace(found, pose=found.pose.rows(slice(0))))
    rotations.setflags(write=False)  # a pose takes them as they are, then
    return replace(joined(parts), pose=Pose(rotations, joined_shifts(shifts)))


def ways_of(request: Request) -> int:
    """Return in how many ways the body may move."""
    return len(make_ways(make_problem(request.rows(slice(1)))).rows)


def _counted_from(
    work: Generator[int, int | None, Solution], begin: int, last: int
) -> Generator[int, int | None, Solution]:
    """Do work on a part of the clip, and say how many of the clip's frames are done."""
    return passed_on(work, lambda done: min(begin + done, last))


def windows(frames: int, ways: int, overlap: int) -> Iterator[tuple[int, int, int]]:
    """Yield first and last frames of parts of a clip, and how far each has to look ahead.

    Parts begin at frames that every level of them has.
    """
    most = max(2 * overlap, _MOST_ENTRIES // (2 * ways**2))
    most += -most % STRIDE
    for first in range(0, frames, most):
        last = min(first + most, frames)
        yield first, last, min(last + overlap, frames)
