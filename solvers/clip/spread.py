# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that miss their targets, tried from the poses of neighbours that meet theirs, or from their own.

Near the end of what a body can do there may be one way only. A frame on its own may end beside it although
its neighbour has found it. A pose that meets targets is passed on, from frame to frame.
"""

from dataclasses import replace

import numpy as np

from ..geometry import Indices, Mask
from ..model import Pose, carried_on, replaced_poses
from ..pauses import Pausing, quiet
from ..request import Request
from ..solve import Solution, in_pose, solve_in_parts
from .gradual import as_firm
from .nearness import nearly_met


def spread(request: Request, found: Solution) -> Pausing[Solution]:
    """Return what was found, with frames that miss their targets as they meet them beside a neighbour.

    What gives way gradually may be missed.
    """
    firm, judged = as_firm(request, found)
    met = nearly_met(firm, judged)
    if met.all():
        return found
    rotations, translations = found.pose.rotations.copy(), found.pose.translations.copy()
    latest = met
    while len((beside := _beside(met, latest))[0]):
        frames, neighbours = beside
        start = Pose(rotations[neighbours], translations[neighbours])
        pose, good = yield from _tried(firm.rows(frames), start)
        rows, latest = frames[good], np.zeros_like(met)
        rotations[rows], translations[rows] = pose.rotations[good], pose.translations[good]
        latest[rows] = True
        met = met | latest
    return in_pose(request, found, Pose(rotations, translations))


def regained(request: Request, found: Solution, before: Solution, stays: Mask) -> Pausing[Solution]:
    """Return what was found, with frames that met their targets ``before`` as they meet them near there.

    A motion in which some give way gradually leaves others off by next to nothing, which can be seen.
    Frames that ``stays`` (frames,) says are left as they are.
    """
    firm, judged = as_firm(request, found)
    if firm is request:
        return found
    met_before = as_firm(request, before)[1].converged
    frames = np.flatnonzero(met_before & ~judged.converged & ~stays)
    if not len(frames):
        return found
    pose, good = yield from _tried(firm.rows(frames), found.pose.rows(frames))
    again = in_pose(request, found, replaced_poses(found.pose, frames[good], pose.rows(good)))
    stopped = np.where(again.converged, "CONVERGED", again.stopped)
    return replace(again, stopped=stopped, jumped_by=found.jumped_by)


def _tried(request: Request, start: Pose) -> Pausing[tuple[Pose, Mask]]:
    """Return the pose of each frame near where it starts, and which of them (frames,) meet their targets."""
    begun = replace(request.without_comfort(), pose=carried_on(request.skeleton, start, request.pose))
    found = yield from quiet(solve_in_parts(begun, follows=True))
    return found.pose, nearly_met(begun, found)


def _beside(met: Mask, latest: Mask) -> tuple[Indices, Indices]:
    """Return the frames that are not ``met`` (frames,) beside the ``latest`` ones that are, and these."""
    before, after = np.append(False, latest[:-1]), np.append(latest[1:], False)
    frames = np.flatnonzero(~met & (before | after))
    return frames, np.where(before[frames], frames - 1, frames + 1)
