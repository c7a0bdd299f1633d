# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a state leaves of the goals: rows of the objective, and lengths and angles as users read them."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..geometry import Array, Indices, Mask, Rows, altered, einsum
from ..goals import FrameGoals, GoalGroup, HeldGoals
from .problem import Problem
from .state import State


@dataclass(frozen=True, eq=False, slots=True)
class Residual:
    """What is left, ``R`` rows: six of each frame goal, then those of the goals of other kinds.

    ``position`` (batch, E, 3) and ``rotation`` (batch, E, 4): deviations of frame goals. ``vector``
    (batch, R): its squared length is the objective ``energy`` (batch,). ``met`` (batch,): whether every goal
    is as near to its target as asked for.
    """

    position: Array
    rotation: Array
    vector: Array
    energy: Array
    met: Mask

    def rows(self, keep: Rows) -> "Residual":
        """Return the residuals of the rows ``keep``."""
        return Residual(*(getattr(self, name)[keep] for name in self.__slots__))

    def put(self, rows: Rows, other: "Residual") -> None:
        """Overwrite ``rows`` with the rows of ``other``."""
        for name in self.__slots__:
            getattr(self, name)[rows] = getattr(other, name)


_Value = TypeVar("_Value", State, Residual)


def copied(value: _Value) -> _Value:
    """Return a copy whose arrays may be written."""
    return type(value)(*(getattr(value, name).copy() for name in value.__slots__))


def replaced(value: _Value, rows: Indices, other: _Value) -> _Value:
    """Return the value with the ``rows``, in order, of another, which is not to be used any more."""
    if len(rows) == len(getattr(value, value.__slots__[0])):
        return other
    value.put(rows, other.rows(rows))
    return value


def measure(problem: Problem, state: State, like: Residual | None = None) -> Residual:
    """Return what the state leaves of the goals; infinite energy where it does not keep what is held.

    ``like``: what it leaves of a problem whose frame goals have the same targets, if that is known.
    """
    frames = problem.frames
    if like is None:
        rotations = state.rotations.take(problem.tree.effectors.bones, axis=1)
        position, rotation = frames.deviations(state.points[:, : frames.count], rotations)
    else:
        position, rotation = like.position, like.rotation
    vector = frames.vector(position, rotation)
    lengths_squared, sines_squared = frames.squares(position, rotation)
    near, turned = problem.tolerance[:, None], problem.angle_tolerance
    met = ((lengths_squared <= near**2) & (sines_squared <= np.sin(0.5 * turned) ** 2)).all(axis=-1)
    for group in problem.goals:
        seen = looked_at(problem, state, group)
        vector = np.concatenate([vector, group.residual(*seen).reshape(len(vector), -1)], axis=1)
        if met.any():
            met = met & group.met(*seen, problem.tolerance, turned).all(axis=-1)
    energy = einsum("bi,bi->b", vector, vector)
    if problem.held is not None:
        energy = np.where(measure(problem.held.reached, state).met, energy, np.inf)
    return Residual(position, rotation, vector, energy, met)


def held_where_missed(problem: Problem, state: State, met: Mask) -> Problem:
    """Return the problem whose rows that are not ``met`` (batch,) ask for what the state has come to."""
    frames, goals = held_frames(problem, state, met), held_goals(problem, state, met)
    return altered(problem, frames=frames, goals=goals)


def held_frames(problem: Problem, state: State, met: Mask) -> FrameGoals:
    """Return the frame goals of ``held_where_missed``."""
    rotations = state.rotations.take(problem.tree.effectors.bones, axis=1)
    return problem.frames.held(~met, state.points[:, : problem.frames.count], rotations)


def held_goals(problem: Problem, state: State, met: Mask) -> tuple[HeldGoals, ...]:
    """Return the goals of other kinds of ``held_where_missed``."""
    held = []
    for group in problem.goals:
        rows = group.residual(*looked_at(problem, state, group))
        held.append(HeldGoals(group, np.where(met[:, None, None], 0.0, rows)))
    return tuple(held)


def looked_at(problem: Problem, state: State, group: GoalGroup) -> tuple[Array, Array]:
    """Return points (batch, m, c, 3) and rotations (batch, m, c, 3, 3) of a group's frames."""
    bones = problem.tree.frames.bones.take(group.frames)
    return state.points.take(group.frames, axis=1), state.rotations.take(bones, axis=1)


def refuse_start(problem: Problem, state: State) -> None:
    """Raise GoalError for goals that make no sense where the state is, as an aim at the bone's own point."""
    for group in problem.goals:
        group.refuse(looked_at(problem, state, group)[0])


def rmsd(problem: Problem, residual: Residual) -> Array:
    """Return the weighted root-mean-square deviation (batch,), a length."""
    weight = problem.frames.total_weight(problem.arm)
    for group in problem.goals:
        weight = weight + group.weights.sum(axis=-1)
    return np.sqrt(residual.energy / np.where(weight > 0, weight, 1.0))


def residuals(problem: Problem, residual: Residual) -> tuple[Array, Array]:
    """Return lengths (batch, E) in the counted axes and angles (batch, E) about them, radians.

    Of frame goals. Zero where the weight is.
    """
    lengths_squared, sines_squared = problem.frames.squares(residual.position, residual.rotation)
    return np.sqrt(lengths_squared), 2 * np.arcsin(np.minimum(np.sqrt(sines_squared), 1.0))


def goal_residuals(problem: Problem, state: State) -> tuple[Array, Mask]:
    """Return lengths and angles (batch, G, 2) of goals of other kinds, one group's after the other's.

    And which of them are met (batch, G).
    """
    if not problem.goals:
        return np.zeros((len(state.heads), 0, 2)), np.zeros((len(state.heads), 0), bool)
    left, met = [], []
    for group in problem.goals:
        seen = looked_at(problem, state, group)
        left.append(np.stack(group.left(*seen), axis=-1))
        met.append(group.met(*seen, problem.tolerance, problem.angle_tolerance))
    return np.concatenate(left, axis=1), np.concatenate(met, axis=1)
