# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip smoothed in parts, so that memory is bounded however long it is."""

from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np

from ..model import Pose
from ..pauses import Pausing, telling
from ..problem import (
    Problem,
    State,
    forward_kinematics,
    make_problem,
    measure,
    pose_from_state,
    rmsd,
    snapped,
    state_from_pose,
)
from ..settings import Settings
from ..solve import Solution, joined, what_is_left
from ..steps import DescentOptions, descend, levenberg_marquardt_step
from .branches import Asked
from .descent import Patience, smoothed
from .objective import fade, make_clip
from .ways import make_ways

# Numbers that the elimination of a part of a clip may keep at a time.
_MOST_ENTRIES = 2**25
_HELD = 2  # frames before a part, which its acceleration begins with


def in_windows(
    asked: Asked, alone: Solution, smoothness: float, patience: Patience
) -> Generator[int, None, Solution]:
    """Return the solution whose frames were found ``alone``, smoothed in parts that overlap.

    What is beyond the overlap moves a frame by less than a millionth. Each part begins at the two frames
    before.
    """
    parts: list[Solution] = []
    batch, problem = len(asked.pose), _problem(asked)
    for first, last, end in windows(batch, len(make_ways(problem).rows), fade(smoothness)):
        begin = max(first - _HELD, 0)
        part, rows = asked.rows(slice(begin, end)), alone.rows(slice(begin, end))
        if parts:
            rows = replace(rows, pose=_after(parts[-1].pose, rows.pose))
        done = (batch + first) // 2
        found = yield from telling(_smoothed(part, rows, smoothness, patience, first - begin), done)
        parts.append(found.rows(slice(first - begin, last - begin)))
    return joined(parts)


def _problem(asked: Asked) -> Problem:
    return make_problem(asked.skeleton, asked.effectors, asked.targets, asked.settings, asked.goals)


def windows(frames: int, ways: int, overlap: int) -> Iterator[tuple[int, int, int]]:
    """Yield first and last frames of parts of a clip, and how far each has to look ahead."""
    most = max(2 * overlap, _MOST_ENTRIES // (4 * ways**2))
    for first in range(0, frames, most):
        last = min(first + most, frames)
        yield first, last, min(last + overlap, frames)


def _after(before: Pose, pose: Pose) -> Pose:
    """Return the pose with its first frames those at the end of the pose ``before``."""
    rotations, translations = pose.rotations.copy(), pose.translations.copy()
    rotations[:_HELD], translations[:_HELD] = before.rotations[-_HELD:], before.translations[-_HELD:]
    return Pose(rotations, translations)


def _smoothed(
    asked: Asked, alone: Solution, smoothness: float, patience: Patience, held: int
) -> Pausing[Solution]:
    """Return the solution of one part, whose first frames are ``held``."""
    problem = _problem(asked)
    given, found = (_within(problem, state_from_pose(problem, pose)) for pose in (asked.pose, alone.pose))
    clip = make_clip(problem, given, found, smoothness)
    state, steps = yield from smoothed(clip, found, patience, held)
    if clip.is_exact:
        state = yield from _no_farther(problem, state, found, asked.settings)
    residual = measure(problem, state)
    missed = np.where(alone.converged, "SMOOTHED" if smoothness else "STALLED", alone.stopped)
    return replace(
        alone,
        pose=pose_from_state(problem, state, asked.pose),
        iterations=alone.iterations + steps,
        stopped=np.where(residual.met, "CONVERGED", missed),
        **what_is_left(problem, state, residual, asked.goals),
    )


def _within(problem: Problem, state: State) -> State:
    """Return the state with every joint within its limit."""
    if not problem.limits:
        return state
    return forward_kinematics(problem, snapped(problem, state.rotations), state.translations)


def _no_farther(problem: Problem, state: State, found: State, settings: Settings) -> Pausing[State]:
    """Return the state, with frames that are farther off than they were ``found`` brought back."""
    before, residual = measure(problem, found), measure(problem, state)
    rows = np.flatnonzero(before.met & ~residual.met)
    if len(rows):
        finish = DescentOptions(levenberg_marquardt_step, settings.iterations, progress=0.9, patience=2)
        ended = yield from descend(problem.rows(rows), state.rows(rows), residual.rows(rows), finish)
        state.put(rows, ended.state)
        residual.put(rows, ended.residual)
    farther = rmsd(problem, residual) > rmsd(problem, before) + problem.tolerance
    farther = np.where(before.met, ~residual.met, farther)
    state.put(np.flatnonzero(farther), found.rows(farther))
    return state
