# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse to fine: some of the frames are one problem first, and tell the others where to begin.

So a way of bending is chosen for the clip and not frame by frame, and the last level has little left to do.
"""

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ..geometry import Array, Indices, Mask
from ..model import Pose, carried_on, chosen_poses
from ..pauses import telling
from ..problem import with_prepared
from ..request import Request
from ..solve import Solution, in_pose, joined, solve_in_parts
from .between import between
from .descent import Patience
from .gradual import as_firm, some_keep_all, without_gradual
from .nearness import holds, misses, nearly_met, next_to_nothing
from .one_way import Level, on_one_way
from .spread import regained, spread
from .windows import Part

# Every so manieth frame is on the first level, which is worth it for so many frames.
STRIDE = 4
_FEWEST = 3 * STRIDE
# So many frames apart, if there are three of them, are those that begin in their own pose.
_APART = (4, 2)
# Two poses are as near to their targets if that differs by less than this part; and a frame misses as much as
# those around it up to so many times that.
_AS_NEAR, _AS_FAR = 1e-3, 1.1


def together(level: Level, patience: Patience, near: bool = False) -> Generator[int, int | None, Solution]:
    """Return the solution of all frames, those of the last level, as one motion.

    ``near``: frames begin near where they end, and miss what they have to. If they are many, no way of
    missing is searched for then.

    Where targets are held, the last level costs about as much as the first one, for as many frames. It is
    only lowered where it costs more. Where targets give way it has more of them to tell the motion from.

    Gives how many frames are done: a quarter of them when those of the first level are, half when all are
    solved on their own.
    """
    request, coarse = with_prepared(level.request), None
    level = replace(level, request=request)
    missed = np.full(len(request), np.inf if near else 0.0)
    may_hold = not (near or level.stays.any())  # frames beside those that stay have to lead on from them
    if len(request) >= _FEWEST:
        first = level.every(STRIDE)
        if near:
            work = _near_by(first.request, missed[::STRIDE])
        else:
            work = _from_own_poses(first.request, first.begins)
        alone = yield from telling(work, 0)
        if may_hold and not some_keep_all(first.request, alone):
            level = level.held()
            request, first = level.request, level.every(STRIDE)
        if not near:
            missed = _misses_around(first.request, alone, len(request))
        alone = yield from telling(spread(first.request, alone), len(request) // 4)
        first = first.giving(alone.pose)
        alone = first.begun_there(alone)
        found, cost = yield from telling(on_one_way(first, alone, patience), len(request) // 4)
        coarse = found.pose
        if not (level.smoothness or patience.is_thorough):
            level = replace(level, expected=cost * len(request) / len(coarse))
    alone = yield from telling(_all_alone(level, coarse, missed), len(request) // 2)
    if may_hold and coarse is None and not some_keep_all(request, alone):
        level = level.held()
        request = level.request
    alone = yield from telling(spread(request, alone), len(request) // 2)
    level = level.giving(alone.pose)
    alone = level.begun_there(alone)
    found, _ = yield from telling(on_one_way(level, alone, patience), len(request) // 2)
    if not level.smoothness:
        found = yield from telling(regained(request, found, alone, level.stays), len(request))
    return found


def _all_alone(level: Level, coarse: Pose | None, missed: Array) -> Generator[int, int | None, Solution]:
    """Return every frame's solution from between the ``coarse`` frames, or else from its own pose.

    ``missed`` (frames,): as in ``_each_alone``.
    """
    request, alone = level.request, []
    for part in level.parts:
        given = request.rows(part.own)
        start = given.pose if coarse is None else _between(request.pose, coarse, part)
        alone.append((yield from _each_alone(given, start, missed[part.own])))
    return joined(alone)


def _between(given: Pose, coarse: Pose, part: Part) -> Pose:
    """Return a start for the frames of a part, among as many coarse frames as have a say in it."""
    begin, end = max(part.first // STRIDE - 2, 0), part.last // STRIDE + 3
    frames = given.rows(slice(begin * STRIDE, end * STRIDE))
    return between(frames, coarse.rows(slice(begin, end)), STRIDE).rows(
        slice(part.first - begin * STRIDE, part.last - begin * STRIDE)
    )


def _misses_around(coarse: Request, alone: Solution, count: int) -> Array:
    """Return the greater of the distances by which coarse frames on either side of a frame miss, (count,).

    Nothing where one of them misses next to nothing.
    """
    before = np.arange(count) // STRIDE
    sides = np.stack([before, np.minimum(before + 1, len(alone.rmsd) - 1)])
    missed = misses(coarse, alone)[sides].max(axis=0)
    around: Array = np.where(nearly_met(coarse, alone)[sides].any(axis=0), 0.0, missed)
    return around


def _from_own_poses(request: Request, begins: Mask) -> Generator[int, int | None, Solution]:
    """Return every frame's solution; comfort has a say in it where targets are missed.

    Of these a few are searched for, and tell the others where to begin.
    """
    found = yield from _from_few(request.with_worth(np.inf), begins)
    missed, each = ~nearly_met(request, found), np.arange(len(found.pose))
    between_samples = (each % STRIDE > 0) & (each < each[::STRIDE].max())
    anew = np.flatnonzero(missed & ~between_samples)
    found = yield from _searched(request, found, anew, always=bool(request.skeleton.comforts))
    rows = np.flatnonzero(missed & between_samples)
    if not len(rows):
        return found
    every = slice(None, None, STRIDE)
    samples = found.rows(every)
    expected = _misses_around(request.rows(every), samples, len(missed))
    start = between(request.pose, samples.pose, STRIDE)
    near = yield from _each_alone(request.rows(rows), start.rows(rows), expected[rows])
    return _put(found, rows, near)


def _from_few(request: Request, begins: Mask) -> Generator[int, int | None, Solution]:
    """Return every frame's solution, begun between frames that were solved before it.

    A few begin in their own poses, and so do those that ``begins`` names. So most frames have little way to
    go, and hardly any gets on another way than its neighbours.
    """
    apart = next((apart for apart in _APART if len(request) > 2 * apart), 1)
    found = yield from _without_comfort(request.rows(slice(None, None, apart)))
    while apart > 1:
        apart //= 2
        every = slice(None, None, apart)
        found = yield from _twice_as_many(request.rows(every), found, begins[every])
    return found


def _twice_as_many(request: Request, found: Solution, begins: Mask) -> Generator[int, int | None, Solution]:
    """Return every frame's solution, if every other one is ``found``: the rest begins between those.

    If one of the two beside a frame misses its targets, the frame begins in its own pose.
    """
    each = np.arange(len(request))
    met = nearly_met(request.rows(each[::2]), found)
    rows, start = each[1::2], between(request.pose, found.pose, 2)
    own = begins[rows] | ~(met[rows // 2] & met[np.minimum(rows // 2 + 1, len(met) - 1)])
    others = request.rows(rows)
    begun = chosen_poses(own, others.pose, carried_on(request.skeleton, start.rows(rows), others.pose))
    more = yield from _without_comfort(replace(others, pose=begun))
    return _in_order(found, each[::2], more, rows)


def _searched(
    request: Request, found: Solution, rows: Indices, always: bool = False
) -> Generator[int, int | None, Solution]:
    """Return what was found, with ``rows`` as they are found from their own pose where that differs.

    ``always``: there too where it is as near.
    """
    if not len(rows):
        return found
    own = yield from solve_in_parts(request.rows(rows).with_worth())
    other = _differs(found.rows(rows), own) | always
    return _put(found, rows[other], own.rows(other))


def _each_alone(request: Request, start: Pose, expected: Array) -> Generator[int, int | None, Solution]:
    """Return every frame's solution from ``start``, or from the frame's own pose where that misses its
    targets.

    The frame's own pose is tried only if there is something to win: if more is missed from ``start`` than was
    ``expected`` (frames,), and more than next to nothing, or if something is missed that must hold. If both
    are equally near, that from ``start`` is taken, since it is on the same way as the other frames.
    """
    if start is request.pose:
        return (yield from solve_in_parts(request))
    begun = replace(request, pose=carried_on(request.skeleton, start, request.pose))
    found = yield from _near_by(begun, expected)
    firm, judged = as_firm(request, found)
    rows = np.flatnonzero(~judged.converged)
    if len(rows):
        farther = misses(firm, judged)[rows] > _AS_FAR * np.maximum(expected[rows], next_to_nothing(request))
        rows = rows[farther | ~holds(firm.rows(rows), found.pose.rows(rows))]
    return (yield from _searched(request, found, rows))


def _near_by(begun: Request, expected: Array) -> Generator[int, int | None, Solution]:
    """Return every frame's solution near where it has ``begun``, with comfort where its targets are missed.

    Where targets are met, comfort is left to the clip. How others are missed comfort decides, too; from the
    beginning where a miss is ``expected`` (frames,).
    """
    if not begun.skeleton.comforts:
        return (yield from _without_comfort(begun))
    hopeful = np.flatnonzero(expected == 0)
    if not len(hopeful):
        return (yield from _roughly(begun))
    found = yield from _without_comfort(begun.rows(hopeful))
    met = nearly_met(begun.rows(hopeful), found)
    others = np.setdiff1d(np.arange(len(begun)), hopeful[met])
    if not len(others):
        return found
    comforted = yield from _roughly(begun.rows(others))
    return _in_order(found.rows(met), hopeful[met], comforted, others)


def _roughly(request: Request) -> Generator[int, int | None, Solution]:
    """Return every frame's solution near its pose, with comfort.

    But if goals give way gradually, without these goals and without comfort: both are left to the motion.
    """
    firm = without_gradual(request)
    if firm is request:
        return (yield from solve_in_parts(request.in_few_steps()))
    found = yield from _without_comfort(firm)
    given_up = np.where(found.converged, "STALLED", found.stopped)
    return in_pose(request, replace(found, stopped=given_up), found.pose)


def _without_comfort(request: Request) -> Generator[int, int | None, Solution]:
    """Return every frame's solution without comfort, near its pose; little of it stays where there is any."""
    plain = request.without_comfort()
    plain = plain.in_few_steps() if request.skeleton.comforts else plain
    return (yield from solve_in_parts(plain, follows=True))


def _differs(found: Solution, own: Solution) -> Mask:
    """Return in which frames (frames,) their ``own`` solution meets targets, or is nearer or farther."""
    differs: Mask = own.converged | (np.abs(found.rmsd - own.rmsd) > _AS_NEAR * own.rmsd)
    return differs


def _in_order(found: Solution, rows: Indices, others: Solution, their_rows: Indices) -> Solution:
    """Return what was found of these rows and of ``their_rows``, which together are all, as one."""
    return joined([found, others]).rows(np.argsort(np.append(rows, their_rows)))


def _put(found: Solution, rows: Indices, others: Solution) -> Solution:
    """Return what was found with the ``rows`` those of ``others``."""
    picks = np.arange(len(found.pose))
    picks[rows] = len(picks) + np.arange(len(rows))
    return joined([found, others]).rows(picks)
