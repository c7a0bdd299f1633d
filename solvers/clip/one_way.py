# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that were found on their own made one motion, on one way of meeting their targets."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..geometry import Array, Mask
from ..model import Pose, chosen_poses, joined_poses
from ..pauses import Pausing, quiet
from ..problem import (
    Problem,
    State,
    allowed_pose,
    copied,
    held_where_missed,
    is_first,
    make_problem,
    measure,
    of_ranks,
    pose_from_state,
    refuse_start,
    rmsd,
    rows_of_ranks,
    state_from_pose,
)
from ..request import Request
from ..settings import Settings
from ..solve import Solution, in_pose, joined, what_is_left
from ..steps import DescentOptions, descend, levenberg_marquardt_step
from .branches import joined_up
from .clip import fade, make_clip
from .descent import Descent, Patience, cost_at, descended
from .gradual import STEADINESS, Giving, around, as_firm, shares_given, without_gradual
from .jumps import Jumps, find_jumps, joined_jumps, with_jumps
from .nearness import is_surely_seen, nearly_met
from .places import Places
from .ways import ways_of
from .windows import Part, parts_around, parts_of

# Of coarse frames quick motion may look like a jump: joining them may cost so much more.
_WORTH = 1.1
# Around jumps of a clip frames are lowered again so many times as far as they are felt: all of a short one,
# which saves more.
_AROUND = 4

# A solution, what it costs, and where it jumps.
_Way = tuple[Solution, float, Jumps]


@dataclass(frozen=True, eq=False)
class Level:
    """Frames that are ``stride`` frames of the clip apart: what is asked of them, how smooth they are to be.

    - ``stays`` (frames,): those that stay in the pose that the request has
    - ``begins`` (frames,): those that begin in that pose, since it meets all but what gives way gradually
    - ``gives``: how goals give way gradually
    - ``expected``: what the frames cost at least, as far as that is known
    - ``goes_on``: where frames miss what can be seen another solve follows, in which frames that miss give
      way. How these jump is looked at there.
    """

    request: Request
    smoothness: float
    stride: int
    stays: Mask
    begins: Mask
    gives: Giving = field(default_factory=Giving)
    expected: float = 0.0
    goes_on: bool = False

    @cached_property
    def reach(self) -> int:
        """How many frames away nothing of a frame is felt any more."""
        gives = without_gradual(self.request) is not self.request
        return fade(max(self.smoothness, STEADINESS if gives else 0.0), self.stride)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts in which the frames are worked on."""
        return parts_of(len(self.request), ways_of(self.request), self.reach)

    @property
    def looks_everywhere(self) -> bool:
        """Whether jumps are looked for in all frames, so that what is found says of each whether it does."""
        return self.stride == 1 and not self.goes_on

    def every(self, stride: int) -> "Level":
        """Return the level of one in so many of its frames."""
        keep = slice(None, None, stride)
        return replace(
            self,
            request=self.request.rows(keep),
            stride=stride,
            stays=self.stays[keep],
            begins=self.begins[keep],
        )

    def among(self, part: Part) -> "Level":
        """Return the level of the frames around a part, of which all but its own stay."""
        stays = np.ones(part.end - part.begin, dtype=bool)
        stays[part.inner] = self.stays[part.own]
        rows = part.around
        request, begins = self.request.rows(rows), self.begins[rows]
        return replace(self, request=request, stays=stays, begins=begins, gives=self.gives.rows(rows))

    def giving(self, found: Pose, firmly: Mask | None = None) -> "Level":
        """Return the level in which goals may give way around frames that were ``found`` to miss them.

        ``firmly``: as of ``shares_given``. Then only the first of the ranks counts: the others have given way
        to it already. Frames around those that give way are held, and steady in what is left to them.
        """
        problem, ranks = make_problem(self.request), self.request.settings.gradual
        asked, found = ranks if firmly is None else ranks[:1], _allowed(problem, found, self.parts)
        shares = shares_given(problem, found, asked, self.stride, self.parts, firmly)
        steady = shares if firmly is None or len(shares) == 1 else around(shares, self.stride)
        return replace(self, gives=Giving(ranks, asked, shares, steady))

    def held(self) -> "Level":
        """Return the level with nothing that gives way gradually: it is held until it has to give way."""
        settings = replace(self.request.settings, gradual=())
        return replace(self, request=replace(self.request, settings=settings), goes_on=False)

    def begun_there(self, found: Solution) -> Solution:
        """Return what was found with the frames that begin in the pose that the request has in that.

        But not far from frames that were found to miss what gives way gradually: nothing has to there.
        """
        if not self.begins.any():
            return found
        pose = chosen_poses(self.begins & (self.gives.shares > 0), self.request.pose, found.pose)
        return in_pose(self.request, found, pose)

    def begun(self, pose: Pose) -> Pose:
        """Return the pose with the frames that stay as they do."""
        return chosen_poses(self.stays, self.request.pose, pose) if self.stays.any() else pose


def on_one_way(level: Level, alone: Solution, patience: Patience) -> Pausing[tuple[Solution, float]]:
    """Return the motion of least cost near the frames found ``alone``, and its cost.

    Jumps are mended where that can be; that of all frames of a clip says which are left.
    """
    alone = replace(alone, pose=level.begun(alone.pose))
    descent, found, jumps = yield from _looked_at(level, alone, patience)
    if not len(jumps.rows):
        return (with_jumps(found, jumps) if level.looks_everywhere else found), descent.cost
    pose_joined, gone = yield from joined_up(level.request, found, jumps, level.stays)
    joint, level = replace(alone, pose=pose_joined), replace(level, expected=0.0)
    if level.stride > 1:
        one_way, one_cost = yield from _lowered(level, joint, patience)
        return (one_way, one_cost) if one_cost < _WORTH * descent.cost else (found, descent.cost)
    gone[jumps.rows] = gone[jumps.rows - 1] = True
    mended, saved = [], 0.0
    for part in parts_around(gone, _AROUND * level.reach):
        here, rows = level.among(part), part.around
        as_found = found.rows(rows), _cost_around(descent, part, here.parts), jumps.among(rows)
        way = yield from _best_way(here, joint.rows(rows), as_found, patience)
        mended.append((part, way))
        saved += as_found[1] - way[1]
    joint = _with_ways(found, mended)
    if not level.looks_everywhere:
        joint = in_pose(level.request, joint, joint.pose)
    return joint, descent.cost - saved


def _cost_around(descent: Descent, part: Part, parts: Sequence[Part]) -> float:
    """Return what the frames around a part, worked on in ``parts``, cost where a descent is."""
    rows, places = part.around, descent.places
    return cost_at(Places(places.clip.rows(rows), places.pose.rows(rows), parts))


def _best_way(level: Level, joint: Solution, as_found: _Way, patience: Patience) -> Pausing[_Way]:
    """Return the way of fewest jumps, and of those of least cost: lowered from ``joint`` frames or not."""
    one_way, one_cost = yield from _lowered(level, joint, patience)
    left = yield from _jumps(level, one_way)
    ways = [(one_way, one_cost, left), as_found]
    if len(left.rows) and not level.smoothness:
        # Where targets jump themselves what accelerates least may jump more than what goes on from frame to
        # frame.
        as_joined, joined_cost = yield from _lowered(level, joint, replace(patience, steps=0))
        ways.append((as_joined, joined_cost, (yield from _jumps(level, as_joined))))
    return min(ways, key=lambda way: (len(way[2].rows), way[1]))


def _with_ways(found: Solution, ways: Sequence[tuple[Part, _Way]]) -> Solution:
    """Return what was found, with parts of it on their ``ways``: nothing else jumps."""
    pieces, left, last = [], [], 0
    for part, (solution, _, jumps) in ways:
        pieces += [found.rows(slice(last, part.first)), solution.rows(part.inner)]
        left.append(replace(jumps, rows=part.begin + jumps.rows))
        last = part.last
    pieces.append(found.rows(slice(last, None)))
    return with_jumps(joined(pieces), joined_jumps(left))


def _looked_at(level: Level, alone: Solution, patience: Patience) -> Pausing[tuple[Descent, Solution, Jumps]]:
    """Return the descent from the frames found ``alone``, the solution that it comes to, and its jumps."""
    descent = yield from descended(_begun(level, alone), patience, level.stays, level.expected)
    found = yield from _ended(level, alone, descent)
    return descent, found, (yield from _jumps(level, found))


def _jumps(level: Level, found: Solution) -> Pausing[Jumps]:
    """Return where what was found jumps.

    Of coarse frames as far as few steps tell, and only where targets are met: how far frames turn that have
    to miss them is told by those between. So it is by the motion that comes of this one.
    """
    request, is_coarse = level.request, level.stride > 1
    if not is_coarse and not (level.goes_on and is_surely_seen(*as_firm(request, found))):
        return (yield from quiet(find_jumps(request, found)))
    met = nearly_met(request, found)
    among = met & np.append(True, met[:-1])
    return (yield from quiet(find_jumps(request.in_few_steps() if is_coarse else request, found, among)))


def _lowered(level: Level, alone: Solution, patience: Patience) -> Pausing[tuple[Solution, float]]:
    """Return the solution of least cost near the frames found ``alone``, and that cost."""
    descent = yield from descended(_begun(level, alone), patience, level.stays, level.expected)
    return (yield from _ended(level, alone, descent)), descent.cost


def _begun(level: Level, alone: Solution) -> Places:
    """Return where a descent begins: at the frames found ``alone``."""
    problem, parts = make_problem(level.request), level.parts
    given = _allowed(problem, level.request.pose, parts)
    found = _allowed(problem, alone.pose, parts)
    for part in parts if problem.goals else ():
        rows = problem.rows(part.own)
        refuse_start(rows, state_from_pose(rows, given.rows(part.own)))
    clip = make_clip(problem, given, found, level.smoothness, level.stride, parts, level.gives)
    return Places(clip, found, parts)


def _allowed(problem: Problem, pose: Pose, parts: Sequence[Part]) -> Pose:
    """Return the pose within limits."""
    if not problem.limits:
        return pose
    return joined_poses([allowed_pose(problem.rows(part.own), pose.rows(part.own)) for part in parts])


def _ended(level: Level, alone: Solution, descent: Descent) -> Pausing[Solution]:
    """Return the solution where a descent is that has begun at the frames found ``alone``."""
    settings, parts = level.request.settings, []
    missed = "SMOOTHED" if level.smoothness else "STALLED"
    firm, judged = as_firm(level.request, alone)
    met = nearly_met(firm, judged) if level.smoothness else judged.converged
    alone = replace(
        alone,
        iterations=alone.iterations + descent.taken,
        stopped=np.where(met, missed, alone.stopped),
    )
    for part in level.parts:
        here = descent.places.at(part)
        clip, state = here.clip.rows(part.inner), here.state.rows(part.inner)
        if clip.kept is not None and descent.taken:
            begun = state_from_pose(clip.problem, descent.begun.rows(part.own))
            state = yield from _no_farther(clip.kept, clip.room, state, begun, settings)
        given = level.request.pose.rows(part.own)
        parts.append(_posed(clip.problem, alone.rows(part.own), state, given))
    return joined(parts)


def _posed(problem: Problem, found: Solution, state: State, given: Pose) -> Solution:
    """Return what was found in another state, of frames that were ``given`` a pose."""
    residual = measure(problem, state)
    return replace(
        found,
        pose=pose_from_state(problem, state, given),
        stopped=np.where(residual.met, "CONVERGED", found.stopped),
        **what_is_left(problem, state, residual),
    )


def _no_farther(kept: Problem, room: Array, state: State, found: State, settings: Settings) -> Pausing[State]:
    """Return the state, with frames brought back that are farther off what is kept than they were ``found``.

    To where that was found; where that cannot be, but for the ``room`` (b,), the whole frame is as found.
    """
    before, parts = measure(kept, found), [kept]
    if rows_of_ranks(kept, found, is_first).any():
        # Together all may be as near as they were, though of what must hold one has given way to others.
        parts.append(of_ranks(kept, is_first))
    rows = np.flatnonzero(_farther(parts, state, found, np.zeros(1)))
    if len(rows):
        as_found = held_where_missed(kept.rows(rows), found.rows(rows), before.met[rows])
        finish = DescentOptions(levenberg_marquardt_step, settings.iterations, progress=0.9, patience=2)
        state, begun = copied(state), state.rows(rows)
        ended = yield from descend(as_found, begun, measure(as_found, begun), finish)
        state.put(rows, ended.state)
        farther = _farther(parts, state, found, room)
        state.put(np.flatnonzero(farther), found.rows(farther))
    return state


def _farther(parts: list[Problem], state: State, found: State, room: Array) -> Mask:
    """Return which frames (frames,) miss any of the ``parts`` of what is kept by more than as they were
    ``found``.

    Only what goes beyond the ``room`` (b,) that there is counts.
    """
    farther = np.zeros(len(found.rotations), bool)
    for part in parts:
        before, residual = measure(part, found), measure(part, state)
        rise = rmsd(part, residual) - rmsd(part, before)
        beyond = np.where(before.met, ~residual.met, rise > part.tolerance)
        farther |= np.where(room > 0, rise > room, beyond)
    return farther
