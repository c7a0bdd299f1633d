# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A problem rank by rank: the goals of some ranks alone, and those that have been sought, to be held."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..geometry import Indices
from ..goals import HeldGoals
from .problem import Held, Problem
from .residual import held_where_missed
from .state import State


def ranks_of(problem: Problem) -> Indices:
    """Return the ranks that there are, the first one first."""
    return np.unique(np.concatenate([problem.frames.ranks, *(group.ranks for group in problem.goals)]))


def of_ranks(problem: Problem, chosen: Callable[[Indices], NDArray[np.bool_]]) -> Problem:
    """Return the problem in which only goals of the ranks that are ``chosen`` weigh."""
    weighed = (
        group.weighed(chosen(group.ranks)[None].astype(float)) for group in (problem.frames, *problem.goals)
    )
    frames, *goals = weighed
    return replace(problem, frames=frames, goals=tuple(goals))


def lowering(problem: Problem, reached: Problem, rank: int) -> Problem:
    """Return the problem of one rank, those above it held as they are ``reached``."""
    above = (of_ranks(part, lambda ranks: ranks < rank) for part in (problem, reached))
    return replace(of_ranks(problem, lambda ranks: ranks == rank), held=Held(*above))


def where_reached(problem: Problem, rank: int, state: State, met: NDArray[np.bool_]) -> Problem:
    """Return the problem with the goals of a rank where the state is, in rows that have not ``met`` it."""
    held, own = held_where_missed(problem, state, met), problem.frames.ranks == rank
    frames = replace(
        problem.frames,
        target_points=np.where(own[:, None], held.frames.target_points, problem.frames.target_points),
        target_rotations=np.where(
            own[:, None, None], held.frames.target_rotations, problem.frames.target_rotations
        ),
    )
    goals = (HeldGoals(group.goals, group.reached * (group.ranks == rank)[:, None]) for group in held.goals)
    return replace(problem, frames=frames, goals=tuple(goals))
