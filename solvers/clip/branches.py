# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""One way of meeting the targets for a whole clip, where frames on their own have chosen several.

Between jumps a clip runs on one way. The shortest run goes over to the way of a neighbour. Its frames are
solved anew all at once, with the bones that jump as the neighbour's end has them. If that does not do, and
the run is not long, they are solved one after the other, beginning at the neighbour's end. If that misses a
target that was met, the run stays as it is.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..geometry import Indices, Mask, conjugate, multiply
from ..model import Pose, carried_on, replaced_poses
from ..pauses import Pausing, quiet
from ..request import Request
from ..solve import Solution, joined, solve_in_parts
from .jumps import EXCESS, Jumps, turns, turns_between_rows
from .nearness import as_near

# How often bones that jump are carried over, each time from where they jump next.
_ROUNDS = 4
# Frames that miss their targets may do so by this part more.
_FARTHER = 1e-2
# Frames carried over at first, then twice as many each time.
_CARRIED = 2
# No longer run is followed: each frame strays a little farther from the pose that it was given.
_MOST_FOLLOWED = 512


def joined_up(request: Request, solution: Solution, jumps: Jumps, held: Mask) -> Pausing[tuple[Pose, Mask]]:
    """Return the pose of a solution whose runs between ``jumps`` have gone over to each other's way.

    And which frames (frames,) have. Those that are ``held`` (frames,) stay, and so do their runs.
    """
    rotations, translations = solution.pose.rotations.copy(), solution.pose.translations.copy()
    ends = [0, *jumps.rows.tolist(), len(rotations)]
    closed: set[int] = set()
    gone = np.zeros_like(held)
    while runs := [run for run in _free(ends, held) if ends[run] not in closed and len(ends) > 2]:
        lengths = np.diff(ends)
        run = min(runs, key=lambda run: lengths[run])
        for backwards in _sides(lengths, run):
            frames = np.arange(ends[run] - 1, ends[run + 1])
            frames = frames[::-1] + 1 if backwards else frames
            now = Pose(rotations[frames], translations[frames])
            found = yield from _gone_over(request.rows(frames), now, solution.rows(frames))
            if found is not None:
                free = ~held[frames]  # the neighbour's end may be held
                rotations[frames[free]] = found.rotations[free]
                translations[frames[free]] = found.translations[free]
                gone[frames] = True
                del ends[run + 1 if backwards else run]
                break
        else:
            closed.add(ends[run])
    rotations.setflags(write=False)  # a pose takes them as they are, then
    return Pose(rotations, translations), gone


def _free(ends: list[int], held: Mask) -> list[int]:
    """Return the runs between ``ends`` no frame of which is ``held`` (frames,)."""
    return [run for run, (first, end) in enumerate(pairwise(ends)) if not held[first:end].any()]


def _sides(lengths: Indices, run: int) -> list[bool]:
    """Return from which ends a run can be followed, backwards or not, that of the longer neighbour first."""
    before = lengths[run - 1] if run else 0
    after = lengths[run + 1] if run + 1 < len(lengths) else 0
    sides = [side for side, length in ((False, before), (True, after)) if length]
    return sides[::-1] if after > before else sides


def _gone_over(request: Request, now: Pose, alone: Solution) -> Pausing[Pose | None]:
    """Return the pose of a run on the way that the frame before it, the first, is on.

    ``now``: the pose of all of them. None if that cannot be without leaving what is as near as it was
    ``alone``.
    """
    before, pose, begin = _far(request.pose, now), now, 0
    before[0] = False  # that is to go
    for _ in range(_ROUNDS):
        rest = slice(begin, None)
        found = yield from _carried_over(request.rows(rest), pose.rows(rest), alone.rows(rest), before[rest])
        if found is None:
            break
        pose = replaced_poses(pose, slice(begin, begin + len(found)), found)
        ends = np.flatnonzero(_far(request.pose, pose) > before)
        if not ends.size:
            return pose
        if ends[0] <= begin:
            break
        begin = int(ends[0])
    if len(request) > _MOST_FOLLOWED:
        return None
    return (yield from _followed(request, now, alone))


def _far(given: Pose, pose: Pose) -> Mask:
    """Return from which frames to the next some bone turns far, (frames - 1,), beside those ``given``."""
    far: Mask = np.any(turns_between_rows(pose) - turns_between_rows(given) > EXCESS, axis=1)
    return far


def _carried_over(request: Request, now: Pose, alone: Solution, before: Mask) -> Pausing[Pose | None]:
    """Return the pose of the frames solved each from ``now``, bones that jump turned as in the first one.

    Of those up to a piece in which they turn far where they did not ``before`` (frames - 1,). None as soon as
    one is farther off than it was ``alone``.
    """
    given, jump = request.pose.rotations, slice(1, 2)
    jumping = turns(now.rotations[:1], now.rotations[jump])[0] > EXCESS / 2
    turned = multiply(conjugate(given[:1]), now.rotations[:1])
    start = Pose(np.where(jumping[:, None], multiply(given, turned), now.rotations), now.translations)

    def solved(some: slice, _parts: list[Solution]) -> Pausing[Solution]:
        """Return the frames of a piece, each from the ``start``."""
        return _found_from(request.rows(some), start.rows(some), in_sequence=False, follows=True)

    def turns_far(parts: list[Solution]) -> bool:
        """Return whether frames of the ``parts`` turn far."""
        pose = joined(parts).pose
        far = _far(request.pose.rows(slice(len(pose))), pose)
        return bool((far > before[: len(far)]).any())

    return (yield from _in_pieces(request, _doubled(len(request)), solved, alone, turns_far))


def _followed(request: Request, now: Pose, alone: Solution) -> Pausing[Pose | None]:
    """Return the pose of the frames solved each from the one before.

    None as soon as one is farther off than it was ``alone``.
    """

    def solved(some: slice, parts: list[Solution]) -> Pausing[Solution]:
        """Return the frames of a piece, from where the ``parts`` before it end."""
        before = parts[-1].pose.rows(slice(-1, None)) if parts else now.rows(slice(1))
        return _gone_on(request.rows(some), before, follows=bool(parts))

    pieces = (slice(frame, frame + 1) for frame in range(len(request)))
    return (yield from _in_pieces(request, pieces, solved, alone))


def _doubled(frames: int) -> Iterator[slice]:
    """Yield pieces that have all frames, each with twice as many as the one before; the last has the rest."""
    first, count = 0, _CARRIED
    while frames - first >= 2 * count:
        yield slice(first, first + count)
        first, count = first + count, 2 * count
    yield slice(first, None)


def _in_pieces(
    request: Request,
    pieces: Iterable[slice],
    solved: Callable[[slice, list[Solution]], Pausing[Solution]],
    alone: Solution,
    until: Callable[[list[Solution]], bool] = lambda _parts: False,
) -> Pausing[Pose | None]:
    """Return the pose of pieces that are ``solved``, given those before, ``until`` they are enough.

    None as soon as a frame but the first, which stays, is farther off than it was ``alone``: a long way may
    end after few frames, and would be gone for nothing.
    """
    parts: list[Solution] = []
    for some in pieces:
        found = yield from solved(some, parts)
        if not as_near(request.rows(some), found, alone.rows(some), _FARTHER)[0 if parts else 1 :].all():
            return None
        parts.append(found)
        if until(parts):
            break
    return joined(parts).pose


def _gone_on(request: Request, before: Pose, follows: bool) -> Pausing[Solution]:
    """Return the frames solved each from the one before, the first from the pose ``before``, of one row."""
    start = carried_on(request.skeleton.rows(slice(1)), before, request.pose.rows(slice(1)))
    begun = replaced_poses(request.pose, slice(1), start)
    return (yield from _found_from(request, begun, in_sequence=True, follows=follows))


def _found_from(request: Request, start: Pose, in_sequence: bool, follows: bool) -> Pausing[Solution]:
    """Return the frames solved from ``start`` in few steps, without comfort: near where they start."""
    begun = replace(request.without_comfort().in_few_steps(), pose=start)
    return (yield from quiet(solve_in_parts(begun, in_sequence, follows=follows)))
