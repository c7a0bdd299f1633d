# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip of which a part has changed: frames that stay as they are, are not solved again.

Some frames beside those that change are solved all the same, since they may have to change to the same way of
bending. What keeps the others off their targets is looked for only where they are farthest off.
"""

from collections.abc import Callable, Generator
from dataclasses import replace

import numpy as np

from ..pauses import Pausing, passed_on, quiet
from ..problem import allowed_pose, make_problem
from ..request import Request
from ..solve import KEPT_OFF_BY, Solution, chunks_of, joined, solve_in_parts, unsought
from .one_way import Level
from .windows import Part, parts_around

_BESIDE = 6

# Returns the solution of the frames of a level, those around a part of the clip.
Solve = Callable[[Level, Part], Generator[int, int | None, Solution]]


def where_changed(level: Level, solve: Solve) -> Generator[int, int | None, Solution]:
    """Return the solution of all frames, of which those that change are what ``solve`` finds.

    Of smooth motion all are solved: of a frame that misses it has to be known whether it gave way. Gives how
    many frames are done.
    """
    frames = len(level.request)
    if level.smoothness or not level.stays.any():
        return (yield from solve(level, Part(0, frames, 0, frames)))
    found, last = [], 0
    for part in parts_around(~level.stays, _BESIDE):
        found += _at_rest(level.request, last, part.first)
        work, done = solve(level.among(part), part), part.begin.__add__
        found.append((yield from passed_on(work, done)).rows(part.inner))
        last = part.last
    return joined([*found, *_at_rest(level.request, last, frames)])


def _at_rest(request: Request, first: int, end: int) -> list[Solution]:
    """Return the solution of the frames up to the ``end`` as they stay, within limits, in chunks."""
    if first == end:
        return []
    some = request.rows(slice(first, end))
    return [_unmoved(some.rows(rows)) for rows in chunks_of(some)]


def _unmoved(request: Request) -> Solution:
    """Return the poses of the request, within limits, with what they leave of what is asked."""
    found = unsought(replace(request, pose=allowed_pose(make_problem(request), request.pose)))
    return replace(found, stopped=np.where(found.converged, "CONVERGED", found.stopped))


def with_worst_sought(request: Request, found: Solution) -> Pausing[Solution]:
    """Return what was found with what keeps targets off told of frames that are ``UNSOUGHT`` and worst.

    Of each effector the farthest of these in place, and that in rotation.
    """
    left = np.hstack([found.position_residuals, found.rotation_residuals])
    off = np.where((found.stopped == "UNSOUGHT")[:, None], left, 0.0)
    worst = np.unique(off.argmax(axis=0)[off.max(axis=0) > 0])
    if not len(worst):
        return found
    sought = yield from quiet(solve_in_parts(request.rows(worst)))
    told = {name: getattr(found, name).copy() for name in KEPT_OFF_BY}
    for name in KEPT_OFF_BY:
        told[name][worst] = getattr(sought, name)
    stopped = found.stopped.astype(f"U{len('OUT_OF_REACH')}")
    stopped[worst] = np.where(sought.converged, "STALLED", sought.stopped)
    return replace(found, stopped=stopped, **told)
