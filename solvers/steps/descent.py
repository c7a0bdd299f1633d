# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Damped second-order descent of a batch: take a step where it lowers the objective, refuse it elsewhere.

A row leaves the batch when its targets are met, when it stops getting anywhere, or when steps run out. All
end after a step that is told to be late.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ..geometry import Array, Indices, Mask, Rows
from ..pauses import Pausing
from ..problem import Problem, Residual, State, copied, measure, rmsd

_Value = TypeVar("_Value", State, Residual)
Step = Callable[[Problem, State, Residual, Array], State]


@dataclass(frozen=True, slots=True)
class DescentOptions:
    """How to descend.

    ``step``: (problem, state, residual, damping (batch,)) to the state to try. ``steps``: the most tried.
    ``progress``: a step that leaves more than this share of the objective is slow; ``patience`` slow
    steps in a row end the descent. ``damping``: what to begin with, never less than ``least_damping``; steps
    damped as much as ``ceiling`` are slow.
    So is one that brings less than the share ``worth`` of the tolerance, root mean square: at a least that is
    not zero what is left says nothing of how near it is.
    How little a step brings does not count where it was damped more than ``free``: it was short for that.
    ``twice``: a step that raises the objective is followed by one more, and both are judged as one.
    ``measured``: the residual of a state, whose energy descends.
    """

    step: Step
    steps: int
    progress: float
    patience: int
    damping: float = 1.0
    least_damping: float = 1e-8
    ceiling: float = 1e8
    worth: float = 0.0
    free: float = np.inf
    twice: bool = False
    measured: Callable[[Problem, State], Residual] = measure


@dataclass(frozen=True, eq=False, slots=True)
class SearchResult:
    """Where a search ended: state, residual, steps tried (batch,), whether they ran out (batch,)."""

    state: State
    residual: Residual
    steps: Indices
    unfinished: Mask

    def rows(self, keep: Rows) -> "SearchResult":
        """Return what was found for the rows ``keep``."""
        return SearchResult(
            self.state.rows(keep), self.residual.rows(keep), self.steps[keep], self.unfinished[keep]
        )

    def copy(self) -> "SearchResult":
        """Return a copy whose arrays may be written."""
        return SearchResult(
            copied(self.state), copied(self.residual), self.steps.copy(), self.unfinished.copy()
        )

    def begun(self) -> "SearchResult":
        """Return this as where another search begins, which counts steps of its own."""
        return replace(self, steps=np.zeros_like(self.steps))

    def after(self, earlier: "SearchResult") -> "SearchResult":
        """Return this with the steps of an earlier search of the same rows added."""
        return replace(self, steps=self.steps + earlier.steps)

    def put(self, rows: Rows, other: "SearchResult") -> None:
        """Overwrite ``rows`` with ``other``, adding up the steps of both."""
        self.state.put(rows, other.state)
        self.residual.put(rows, other.residual)
        self.steps[rows] += other.steps
        self.unfinished[rows] = other.unfinished


# A refused step raises the damping, an accepted one lowers it (Marquardt 1963, 10.1137/0111030).
_RAISE, _LOWER = 8.0, 0.25
# A step that changes the objective by no more than this share, up or down, is the last: it is level here.
_FLAT = 1e-9


def descend(
    problem: Problem, state: State, residual: Residual, rule: DescentOptions
) -> Pausing[SearchResult]:
    """Return what a descent from ``state``, with its ``residual``, finds; rows do not influence each other.

    Steps that raise the objective are refused, so that of no row is ever higher than at the start.
    """
    count = len(state.heads)
    rows, ended = np.arange(count), None
    steps, slow = np.zeros(count, int), np.zeros(count, int)
    damping = np.full(count, rule.damping)
    for _ in range(rule.steps):
        live = ~residual.met & (slow < rule.patience)
        going_on = np.count_nonzero(live)
        if not going_on:
            break
        if going_on < len(live):
            ended = ended or SearchResult(
                copied(state), copied(residual), np.zeros(count, int), np.zeros(count, bool)
            )
            done = SearchResult(state, residual, steps, np.zeros(len(rows), bool))
            ended.put(rows[~live], done.rows(~live))
            problem, state, residual = problem.rows(live), state.rows(live), residual.rows(live)
            rows, damping, slow, steps = rows[live], damping[live], slow[live], steps[live]
        trial = rule.step(problem, state, residual, damping)
        trial_residual = rule.measured(problem, trial)
        if rule.twice:
            trial, trial_residual = _followed(problem, residual, trial, trial_residual, damping, rule)
        better = trial_residual.energy < residual.energy
        short = better & (damping > rule.free)
        stuck = better & ~short & _is_slow(problem, residual, trial_residual, rule)
        slow = np.where(stuck | (damping >= rule.ceiling), slow + 1, np.where(better, 0, slow))
        is_level = np.abs(trial_residual.energy - residual.energy) <= _FLAT * residual.energy
        slow[is_level & ~short] += rule.patience
        if np.count_nonzero(better) == len(better):
            state, residual = trial, trial_residual
        else:
            state, residual = _where(better, trial, state), _where(better, trial_residual, residual)
        damping = np.where(better, np.maximum(damping * _LOWER, rule.least_damping), damping * _RAISE)
        steps = steps + 1
        if (yield):
            break
    last = SearchResult(state, residual, steps, ~residual.met & (slow < rule.patience))
    if ended is None:
        return last
    ended.put(rows, last)
    return ended


def _followed(
    problem: Problem,
    before: Residual,
    trial: State,
    residual: Residual,
    damping: Array,
    rule: DescentOptions,
) -> tuple[State, Residual]:
    """Return the trial and its residual, in rows where it raises the objective after one more step.

    Along what is narrow and round a straight step leaves what the next one gets back to (the watchdog
    technique, Chamberlain and others 1982, 10.1007/BFb0120945).
    """
    raised = np.flatnonzero((residual.energy >= before.energy) & (damping < rule.ceiling))
    if not len(raised):
        return trial, residual
    part, trial, residual = problem.rows(raised), copied(trial), copied(residual)
    again = rule.step(part, trial.rows(raised), residual.rows(raised), damping[raised])
    trial.put(raised, again)
    residual.put(raised, rule.measured(part, again))
    return trial, residual


def _is_slow(problem: Problem, before: Residual, after: Residual, rule: DescentOptions) -> Mask:
    """Return in which rows (batch,) a step brings little, if anything."""
    slow: Mask = after.energy > rule.progress * before.energy
    if rule.worth:
        slow |= rmsd(problem, before) - rmsd(problem, after) < rule.worth * problem.tolerance
    return slow


def _where(better: Mask, new: _Value, old: _Value) -> _Value:
    picked = copied(old)
    picked.put(better, new.rows(better))
    return picked
