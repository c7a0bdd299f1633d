# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""From one start to where it leads: bodies as wholes first, then step after step."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ..geometry import Array, Mask
from ..methods import sweep_step
from ..pauses import Pausing
from ..problem import (
    Problem,
    Residual,
    State,
    comfortable,
    copied,
    forward_kinematics,
    measure,
    rmsd,
    snapped,
)
from ..settings import Settings
from ..steps import (
    DescentOptions,
    SearchResult,
    before_swings,
    descend,
    has_swings,
    joint_newton_step,
    least_squares_step_held,
    levenberg_marquardt_step,
    newton_step,
    newton_step_held,
    step_along_edges,
    superpose_bodies,
    swing_limbs,
)

Improve = Callable[[Problem, SearchResult], Pausing[SearchResult]]
# A body whose effectors are this near (root mean square, in characteristic lengths) is not moved as a
# whole; from twice that on it is moved all the way.
NEARBY = 0.25
# Damping from which on steps are too short: limits leave little room, and other starts bring more; or what is
# held does, and they end where it is brought back to.
_NARROW = 100.0
_MOST_JOINTS = 64  # that Newton within limits is worth its cubic cost for


def superposed(
    problem: Problem, start: State, excess: Array, settings: Settings, eases: bool = True
) -> Pausing[SearchResult]:
    """Return where the start leads: bodies superposed as wholes (see ``_aligned``), then all kinds of steps.

    ``excess`` (batch, effectors): how far targets are out of reach at least, lengths.
    """
    aligned, residual = _aligned(problem, start, excess, eases)
    found = SearchResult(aligned, residual, np.zeros(len(start.heads), int), np.zeros(len(start.heads), bool))
    narrow = has_swings(problem, aligned)
    if narrow:
        found = yield from improved(problem, found, ~residual.met, partial(_swung, settings=settings))
    return (yield from _descended_by_all(problem, found, settings, narrow))


def _swung(problem: Problem, found: SearchResult, settings: Settings) -> Pausing[SearchResult]:
    """Return what was found with limbs swung once other goals are nearly met, if that brings more.

    A limb that is swung on the way there meets limits that it would not meet in the end.
    """
    others = before_swings(problem, found.state)
    begun = replace(found, residual=measure(others, found.state))
    ended = yield from _descended_by_all(others, begun, settings, narrow=True)
    result = replace(found.copy(), steps=ended.steps)
    for state in (ended.state, swing_limbs(problem, ended.state)):
        residual = measure(problem, state)
        nearer = np.flatnonzero(residual.energy < result.residual.energy)
        result.state.put(nearer, state.rows(nearer))
        result.residual.put(nearer, residual.rows(nearer))
    return result


def _descended_by_all(
    problem: Problem, found: SearchResult, settings: Settings, narrow: bool
) -> Pausing[SearchResult]:
    """Return what all kinds of steps, one after the other, make of what was found; ``narrow`` as below."""
    for rule in _rules(problem, settings, narrow):
        found = yield from descended(problem, found, rule)
    return found


def descended(problem: Problem, found: SearchResult, rule: DescentOptions) -> Pausing[SearchResult]:
    """Return what a descent makes of the rows that still miss their targets."""
    return improved(problem, found, ~found.residual.met, partial(by, rule=rule))


def by(problem: Problem, found: SearchResult, rule: DescentOptions) -> Pausing[SearchResult]:
    """Return what a descent makes of what was found."""
    return descend(problem, found.state, found.residual, rule)


def improved(problem: Problem, found: SearchResult, rows: Mask, improve: Improve) -> Pausing[SearchResult]:
    """Return what was found, with what ``improve`` makes of the ``rows`` (batch,); steps add up."""
    if rows.all():
        return (yield from improve(problem, found.begun())).after(found)
    if rows.any():
        part = yield from improve(problem.rows(rows), found.rows(rows).begun())
        found = found.copy()
        found.put(np.flatnonzero(rows), part)
    return found


def _rules(problem: Problem, settings: Settings, narrow: bool) -> Iterator[DescentOptions]:
    """Yield the descents, each for what those before it have left open.

    ``narrow``: whether limits leave the way there little room, as where limbs have poles.
    """
    if settings.sweeps:
        yield _sweeps(settings)
    # Newton's turns are absolute, so it knows neither limits (until the end) nor who feels what.
    newton = not problem.limits and (problem.tree.passes == 1).all()
    progress = 0.7 if newton else 0.9
    steps = DescentOptions(levenberg_marquardt_step, settings.iterations, progress, patience=2, damping=0.1)
    if narrow and problem.limits:
        steps = replace(steps, step=step_along_edges, ceiling=_NARROW, twice=True)
    yield steps
    if newton:
        yield DescentOptions(newton_step, settings.iterations, progress=1 - 1e-7, patience=2, damping=0.01)


def _sweeps(settings: Settings) -> DescentOptions:
    def step(problem: Problem, state: State, residual: Residual, _damping: Array) -> State:
        """Sweep; no damping shortens that."""
        return sweep_step(problem, state, residual, settings)

    return DescentOptions(step=step, steps=settings.sweeps, progress=1 - 1e-9, patience=2)


def finish_within_limits(problem: Problem, settings: Settings) -> DescentOptions:
    """Return the descent, within limits, for what no start has met."""
    alone = problem.held is None
    if suits_newton(problem):
        options = DescentOptions(
            joint_newton_step, settings.iterations, progress=1 - 1e-6, patience=2, damping=0.01
        )
        if alone:
            return options
        # A way is narrow where a limb that is held is drawn straight: steps leave what others take off.
        twice = not settings.worth
        return replace(options, step=newton_step_held, ceiling=_NARROW, worth=settings.worth, twice=twice)
    step = levenberg_marquardt_step if alone else least_squares_step_held
    return DescentOptions(step, settings.iterations, progress=1 - 1e-4, patience=2)


def suits_newton(problem: Problem) -> bool:
    """Return whether Newton's step over the joints is worth its cost, and knows who feels what."""
    few = np.count_nonzero(problem.mobility) <= _MOST_JOINTS
    return bool(few and (problem.tree.passes == 1).all())


def _aligned(problem: Problem, start: State, excess: Array, eases: bool) -> tuple[State, Residual]:
    """Return the start with bodies superposed on their targets as a whole, and its residual.

    Free bodies only as far as they are far off, so that a drag moves no more than need be; anchored ones
    as far as their targets are out of reach (``excess``), where nothing is gained by bending first. Joints
    that far from their work come off the ends of their ranges, if it ``eases`` them: a straight knee does
    not know where to bend.
    """
    residual = measure(problem, start)
    near = NEARBY * problem.length
    far_off = (rmsd(problem, residual) / near - 1).clip(0.0, 1.0)
    if not (far_off.any() or excess.any()):
        return start, residual
    free = problem.freedom[problem.tree.roots].any(axis=(-2, -1))
    beyond = (problem.tree.bodies.belongs * excess[:, None]).max(axis=-1, initial=0.0)
    share = np.where(free, far_off[:, None], (beyond / near[:, None]).clip(0.0, 1.0))
    eased = far_off if eases and (problem.limits or problem.has_comfort) else np.zeros_like(far_off)
    rows = np.flatnonzero(share.any(axis=-1) | (eased > 0))
    state = start
    if len(rows):
        state = copied(start)
        part = problem.rows(rows)
        moved = superpose_bodies(part, comfortable(part, start.rows(rows), eased[rows]), share[rows])
        if problem.limits:
            held = snapped(part, moved.rotations, start.rotations[rows])
            moved = forward_kinematics(part, held, moved.translations)
        moved_residual = measure(part, moved)
        better = moved_residual.energy < residual.energy[rows]
        state.put(rows[better], moved.rows(better))
        residual.put(rows[better], moved_residual.rows(better))
    return state, residual
