# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the motion in which the effectors follow their targets: all frames of a clip as one problem."""

from collections.abc import Callable, Generator, Sequence

import numpy as np

from ..errors import EffectorError, GoalError, SettingsError, in_tuple
from ..geometry import Indices, Mask, are_numbers, is_number
from ..goals import Effector, Goal, Targets
from ..model import Pose, Skeleton
from ..pauses import finished
from ..problem import make_problem
from ..request import Request
from ..settings import Settings
from ..solve import Solution, solve_in_parts
from .changed import where_changed
from .descent import Patience
from .given_way import given_way
from .levels import together
from .narrowed import (
    bones_that_tell,
    narrowed,
    narrowed_solution,
    of_whole_limbs,
    widened,
    with_twists,
)
from .one_way import Level
from .ways import make_ways
from .windows import Part

# By default the last step saves this share of the cost: convergence is linear, and no more than half as much
# is left to save. Smooth motion begins farther from where it ends.
_LEVEL, _LEVEL_WHERE_SMOOTH = 3e-2, 1e-2


def solve_clip(
    skeleton: Skeleton,
    pose: Pose,
    effectors: Sequence[Effector],
    targets: Targets,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    smoothness: float = 0.0,
    patience: Patience | None = None,
    goals: Sequence[Goal] = (),
) -> Solution:
    """Return the motion nearest the targets that accelerates least, all frames as one problem.

    Rows of pose and targets are the frames of a clip, in order and evenly spaced. Joints with comfort are
    drawn to it, others to the ``pose`` of their frame.

    ``smoothness``, 0 to 1: at 0 targets are met as ``solve`` meets them, and the motion chooses among the
    poses that meet them. Above 0 targets give way to smooth motion, by up to a few hundredths of a limb;
    targets of rank 1 do not. ``patience``: when to end, if not by default.

    Frames are solved each on its own by methods other than "SUPERPOSE", in clips of two frames, which cannot
    accelerate, and for bodies that nothing may move.

    Raises what ``solve`` does, and SettingsError for a smoothness outside 0 to 1 or of another method.
    """
    asked, more = in_tuple(effectors, "The effectors", EffectorError), in_tuple(goals, "The goals", GoalError)
    request = Request(skeleton, pose, asked, targets, settings, more)
    return finished(solve_clip_in_parts(request, smoothness, patience))


def solve_clip_in_parts(
    request: Request,
    smoothness: float = 0.0,
    patience: Patience | None = None,
    stays: Mask | None = None,
    near: bool = False,
    begins: Mask | None = None,
    goes_on: bool = False,
) -> Generator[int, int | None, Solution]:
    """Solve as ``solve_clip`` does, giving the frames done so far after every step.

    A frame counts by half once it is solved on its own, and in full once it belongs to the motion.

    - ``stays`` (frames,): frames that keep the pose that they have, put within limits; the others make their
      way between them. No frame stays where frames are solved each on its own.
    - ``near``: frames begin near where they will end, for example where an earlier solve of the clip ended.
      So no way of missing what has to be missed is searched for.
    - ``begins`` (frames,): frames that begin in the pose that they have, since it meets all but what gives
      way gradually. So a clip that is solved again hardly changes.
    - ``goes_on``: ``give_way_in_parts`` is to follow where that can be seen. Then ways of missing what has to
      be missed are not joined before.
    """
    patience = patience or _patience(request)

    def solved(level: Level, _part: Part, _bones: Indices) -> Generator[int, int | None, Solution]:
        """Return the solution of the frames around a part, as one motion."""
        return together(level, patience, near)

    return (yield from _solved(request, smoothness, stays, begins, goes_on, solved))


def give_way_in_parts(
    request: Request,
    held: Solution,
    smoothness: float = 0.0,
    stays: Mask | None = None,
    firmly: Mask | None = None,
) -> Generator[int, int | None, Solution]:
    """Go on from a solution in which all goals were ``held``: now those of the gradual ranks may give way.

    They give way around the frames that miss them; the frames begin in the pose that they have. Gives the
    frames done so far, and raises, as ``solve_clip_in_parts`` does; ``stays`` is as there.

    ``firmly`` (frames,): goals give way hardly, only in frames that miss them, and not in these. These miss
    no more than before, the others little more.
    """
    patience = _patience(request)
    firmly = None if firmly is None else _frames(request, "firmly", firmly)

    def solved(level: Level, part: Part, bones: Indices) -> Generator[int, int | None, Solution]:
        """Return the solution of the frames around a part, gone on with from what was held there."""
        before = narrowed_solution(held.rows(part.around), bones)
        return given_way(level, before, patience, None if firmly is None else firmly[part.around])

    return (yield from _solved(request, smoothness, stays, None, False, solved))


def _solved(
    request: Request,
    smoothness: float,
    stays: Mask | None,
    begins: Mask | None,
    goes_on: bool,
    solved: Callable[[Level, Part, Indices], Generator[int, int | None, Solution]],
) -> Generator[int, int | None, Solution]:
    """Return the motion; ``solved``: finds that of the frames around a part, of these bones alone.

    Each frame is solved on its own where frames cannot be solved together.
    """
    if not (is_number(smoothness) and 0 <= smoothness <= 1):
        raise SettingsError(f"The smoothness must be from 0 to 1, not {smoothness}")
    settings = request.settings
    if smoothness and settings.method != "SUPERPOSE":
        raise SettingsError(f"Only the method 'SUPERPOSE' makes motion smooth, not '{settings.method}'")
    if settings.method != "SUPERPOSE" or len(request) < 3:
        return (yield from solve_in_parts(request))
    request.check()
    one = make_problem(request.rows(slice(1)))
    if not len(make_ways(one).rows):
        return (yield from solve_in_parts(request))
    stays, begins = (_frames(request, name, rows) for name, rows in (("stays", stays), ("begins", begins)))
    bones = bones_that_tell(request.skeleton, one)
    # What is narrowed has no name here: it would be in memory beside all bones at the end.
    found = yield from where_changed(
        Level(of_whole_limbs(narrowed(request, bones)), smoothness, 1, stays, begins, goes_on=goes_on),
        lambda level, part: solved(level, part, bones),
    )
    return widened(request, bones, with_twists(request, bones, found))


def _patience(request: Request) -> Patience:
    """Return when to end by default."""
    return Patience(request.settings.iterations, level=_LEVEL, where_smooth=_LEVEL_WHERE_SMOOTH)


def _frames(request: Request, name: str, rows: Mask | None) -> Mask:
    """Return which frames are meant, none by default. Raises SettingsError."""
    rows = np.zeros(len(request), dtype=bool) if rows is None else rows
    found = np.asarray(rows if are_numbers(rows) else 0)
    if found.dtype != np.bool_ or found.shape != (len(request),):
        raise SettingsError(f"'{name}' must be true or false for each of the {len(request)} frames")
    return found
