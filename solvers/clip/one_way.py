# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that were found on their own made one motion, on one way of meeting their targets."""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry import Mask
from ..model import Pose
from ..pauses import Pausing, quiet
from ..problem import (
    Problem,
    State,
    forward_kinematics,
    held_where_missed,
    is_first,
    make_problem,
    measure,
    of_ranks,
    pose_from_state,
    refuse_start,
    rmsd,
    rows_of_ranks,
    snapped,
    state_from_pose,
)
from ..request import Request
from ..settings import Settings
from ..solve import Solution, what_is_left
from ..steps import DescentOptions, descend, levenberg_marquardt_step
from .branches import joined_up
from .descent import Patience, smoothed
from .jumps import Jumps, find_jumps
from .objective import make_clip

# Of coarse frames quick motion may look like a jump: joining them may cost so much more.
_WORTH = 1.1


@dataclass(frozen=True, eq=False)
class Level:
    """Frames that are ``stride`` frames of the clip apart: what is asked of them, how smooth they are to be.

    ``before``: the pose of the first of them, which stay as they are; so do those that ``stays`` (frames,)
    says, in the pose that the request has. ``expected``: what they cost at least, as far as that is known.
    """

    request: Request
    smoothness: float
    stride: int
    before: Pose
    stays: Mask
    expected: float = 0.0

    @property
    def held(self) -> Mask:
        """Which frames (frames,) stay."""
        held: Mask = self.stays | (np.arange(len(self.stays)) < len(self.before))
        return held

    def begun(self, pose: Pose) -> Pose:
        """Return the pose with the frames that stay as they do."""
        rotations, translations = pose.rotations.copy(), pose.translations.copy()
        given = self.request.pose.rows(self.stays)
        rotations[self.stays], translations[self.stays] = given.rotations, given.translations
        held = len(self.before)
        rotations[:held], translations[:held] = self.before.rotations, self.before.translations
        return Pose(rotations, translations)


def on_one_way(level: Level, alone: Solution, patience: Patience) -> Pausing[tuple[Solution, float]]:
    """Return the motion of least cost near the frames found ``alone``, and its cost.

    Jumps are mended where that can be.
    """
    alone = replace(alone, pose=level.begun(alone.pose))
    found, cost = yield from _lowered(level, alone, patience)
    jumps = yield from _jumps(level, found)
    if not len(jumps.rows):
        return found, cost
    pose_joined = yield from joined_up(level.request, found, jumps, level.held)
    joint, level = replace(alone, pose=pose_joined), replace(level, expected=0.0)
    one_way, one_cost = yield from _lowered(level, joint, patience)
    if level.stride > 1:
        return (one_way, one_cost) if one_cost < _WORTH * cost else (found, cost)
    if level.smoothness:
        return one_way, one_cost
    left = yield from _jumps(level, one_way)
    if not len(left.rows):
        return one_way, one_cost
    # Where targets jump themselves what accelerates least may jump more than what goes on from frame to
    # frame.
    as_joined, joined_cost = yield from _lowered(level, joint, replace(patience, steps=0))
    fewer = yield from _jumps(level, as_joined)
    return (as_joined, joined_cost) if len(fewer.rows) < len(left.rows) else (one_way, one_cost)


def _jumps(level: Level, found: Solution) -> Pausing[Jumps]:
    """Return where what was found jumps.

    Of coarse frames as far as few steps tell, and only where targets are met: how far frames turn that have
    to miss them is told by those between.
    """
    if level.stride == 1:
        return (yield from quiet(find_jumps(level.request, found)))
    met = found.converged
    return (yield from quiet(find_jumps(level.request.quickly(), found, met & np.append(True, met[:-1]))))


def _lowered(level: Level, alone: Solution, patience: Patience) -> Pausing[tuple[Solution, float]]:
    """Return the solution of least cost near the frames found ``alone``, and that cost."""
    request = level.request
    problem = make_problem(request)
    given, found = (_within(problem, state_from_pose(problem, pose)) for pose in (request.pose, alone.pose))
    refuse_start(problem, given)
    clip = make_clip(problem, given, found, level.smoothness, level.stride)
    state, steps, cost = yield from smoothed(clip, found, patience, level.held, level.expected)
    if clip.kept is not None and state is not found:
        state = yield from _no_farther(clip.kept, state, found, request.settings)
    residual = measure(problem, state)
    missed = np.where(alone.converged, "SMOOTHED" if level.smoothness else "STALLED", alone.stopped)
    lowered = replace(
        alone,
        pose=pose_from_state(problem, state, request.pose),
        iterations=alone.iterations + steps,
        stopped=np.where(residual.met, "CONVERGED", missed),
        **what_is_left(problem, state, residual, request.goals),
    )
    return lowered, cost


def _within(problem: Problem, state: State) -> State:
    """Return the state with every joint within its limit."""
    if not problem.limits:
        return state
    return forward_kinematics(problem, snapped(problem, state.rotations), state.translations)


def _no_farther(kept: Problem, state: State, found: State, settings: Settings) -> Pausing[State]:
    """Return the state, with frames brought back that are farther off what is kept than they were ``found``.

    To where that was found; where that cannot be, the whole frame is as it was found.
    """
    before, parts = measure(kept, found), [kept]
    if rows_of_ranks(kept, found, is_first).any():
        # Together all may be as near as they were, though of what must hold one has given way to others.
        parts.append(of_ranks(kept, is_first))
    rows = np.flatnonzero(_farther(parts, state, found))
    if len(rows):
        as_found = held_where_missed(kept.rows(rows), found.rows(rows), before.met[rows])
        finish = DescentOptions(levenberg_marquardt_step, settings.iterations, progress=0.9, patience=2)
        begun = state.rows(rows)
        ended = yield from descend(as_found, begun, measure(as_found, begun), finish)
        state.put(rows, ended.state)
        farther = _farther(parts, state, found)
        state.put(np.flatnonzero(farther), found.rows(farther))
    return state


def _farther(parts: list[Problem], state: State, found: State) -> Mask:
    """Return which frames (frames,) are farther off any of the ``parts`` of what is kept than they were
    ``found``."""
    farther = np.zeros(len(found.rotations), bool)
    for part in parts:
        before, residual = measure(part, found), measure(part, state)
        away = rmsd(part, residual) > rmsd(part, before) + part.tolerance
        farther |= np.where(before.met, ~residual.met, away)
    return farther
