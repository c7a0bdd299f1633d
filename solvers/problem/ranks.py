# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A problem rank by rank: the goals of some ranks alone, and those that have been sought, to be held."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, Mask, Rows, altered, einsum, in_full, matvec
from ..goals import HeldGoals, pressed_goals
from .problem import Held, Problem
from .residual import Residual, held_frames, held_goals, looked_at
from .state import State


def ranks_of(problem: Problem) -> list[int]:
    """Return the ranks that there are, the first one first."""
    return sorted(set(problem.frames.ranks.ravel().tolist()).union(*_of_others(problem, "ranks")))


def among(chosen: Indices) -> Callable[[Indices], Mask]:
    """Return what tells which ranks are among the ``chosen``."""
    return lambda ranks: (ranks[..., None] == chosen).any(axis=-1)


def is_first(ranks: Indices) -> Mask:
    """Return which ranks are the first there can be, that of what must hold."""
    first: Mask = ranks == 1
    return first


def rows_of_ranks(problem: Problem, state: State, chosen: Callable[[Indices], Mask]) -> Mask:
    """Return which rows (R,) of the residual are of goals of the ranks that are ``chosen``."""
    parts = [np.repeat(chosen(problem.frames.ranks), 3)]
    for group in problem.goals:
        rows = group.residual(*looked_at(problem, state, group)).shape[-1]
        parts.append(np.repeat(chosen(group.ranks), rows))
    return np.concatenate(parts)


def count_of_ranks(problem: Problem) -> Indices:
    """Return of how many ranks the goals are that weigh anything, (b,)."""
    frames = problem.frames
    weights = [frames.position_weights, frames.rotation_weights.sum(axis=-1), *_of_others(problem, "weights")]
    rows = max(map(len, weights))
    weighs = np.concatenate([np.broadcast_to(part, (rows, part.shape[1])) for part in weights], axis=1) > 0
    ranks = np.concatenate([*frames.ranks.T, *_of_others(problem, "ranks")])
    counts: Indices = np.sum([weighs[:, ranks == rank].any(axis=1) for rank in ranks_of(problem)], axis=0)
    return counts


@dataclass(frozen=True, eq=False, slots=True)
class LeftByRank:
    """What a state leaves of the goals of each of the ``ranks`` (r,), the first one first.

    ``missed`` (batch, r): whether any of them is; ``energies`` (batch, r): their part of the objective;
    ``distances`` (batch, r): characteristic lengths, root mean square; ``heaviest`` (b, r): the greatest
    weight that one has.
    """

    ranks: Indices
    missed: Mask
    energies: Array
    distances: Array
    heaviest: Array

    def rows(self, keep: Rows) -> "LeftByRank":
        """Return what is left in the rows ``keep``."""
        heaviest = self.heaviest if len(self.heaviest) == 1 else self.heaviest[keep]
        return LeftByRank(self.ranks, self.missed[keep], self.energies[keep], self.distances[keep], heaviest)


def left_by_rank(problem: Problem, state: State, residual: Residual) -> LeftByRank:
    """Return what the state, which leaves the ``residual``, leaves of the goals of each rank."""
    squares, met = _each_goal(problem, state, residual)
    weights, of = _weights_and_ranks(problem)
    ranks = np.array(ranks_of(problem))
    of_rank = of == ranks[:, None]
    weight, energies = (matvec(of_rank, each) for each in (weights, squares))
    distances = np.sqrt(energies / np.where(weight > 0, weight, 1.0)) / problem.length[:, None]
    missed = (of_rank & ~met[:, None]).any(axis=-1)
    return LeftByRank(ranks, missed, energies, distances, (weights[:, None] * of_rank).max(axis=-1))


def _each_goal(problem: Problem, state: State, residual: Residual) -> tuple[Array, Mask]:
    """Return the objective of each goal (batch, G) and which are met: places and turns, then other kinds."""
    batch, frames = len(residual.vector), problem.frames
    rows = residual.vector[:, : 6 * frames.count].reshape(batch, 2 * frames.count, 3)
    parts, angle = [einsum("bgr,bgr->bg", rows, rows)], problem.angle_tolerance
    lengths, sines = frames.squares(residual.position, residual.rotation)
    met = [lengths <= problem.tolerance[:, None] ** 2, sines <= np.sin(0.5 * angle) ** 2]
    met = [np.stack(met, axis=-1).reshape(batch, -1)]
    for group in problem.goals:
        seen = looked_at(problem, state, group)
        rows = group.residual(*seen)
        parts.append(einsum("bgr,bgr->bg", rows, rows))
        met.append(group.met(*seen, problem.tolerance, angle))
    return np.concatenate(parts, axis=1), np.concatenate(met, axis=1)


def heaviest(problem: Problem) -> Array:
    """Return the greatest weight that a goal has, (b,)."""
    weights, _ = _weights_and_ranks(problem)
    greatest: Array = weights.max(axis=1, initial=0.0)
    return greatest


def _weights_and_ranks(problem: Problem) -> tuple[Array, Indices]:
    """Return the weight (b, G) and the rank (G,) of each goal, in the order of _each_goal."""
    frames = problem.frames
    turning = frames.rotation_weights.sum(axis=-1) / problem.arm[:, None] ** 2
    own = np.empty((*np.broadcast(frames.position_weights, turning).shape, 2))
    own[..., 0], own[..., 1] = frames.position_weights, turning
    weights = [own.reshape(len(own), -1), *_of_others(problem, "weights")]
    rows = max(map(len, weights))
    whole = [in_full(part, (rows, part.shape[1])) for part in weights]
    ranks = frames.ranks.ravel(), *_of_others(problem, "ranks")
    return np.concatenate(whole, axis=1), np.concatenate(ranks)


def weighs_anything(problem: Problem) -> bool:
    """Return whether any goal has weight."""
    frames = problem.frames
    weighs = frames.position_weights.any() or frames.rotation_weights.any()
    return bool(weighs) or any(weights.any() for weights in _of_others(problem, "weights"))


def _of_others(problem: Problem, name: str) -> list[Array]:
    return [getattr(group, name) for group in problem.goals]


def of_ranks(problem: Problem, chosen: Callable[[Indices], Mask]) -> Problem:
    """Return the problem in which only goals of the ranks that are ``chosen`` weigh."""
    return weighed_by_rank(problem, lambda ranks: chosen(ranks).astype(float))


def weighed_by_rank(problem: Problem, factors: Callable[[Indices], Array]) -> Problem:
    """Return the problem in which goals weigh ``factors`` of their ranks as much."""
    return _weighed(problem, lambda ranks: factors(ranks)[None])


def counting(problem: Problem, factors: Callable[[Indices], Array | Mask]) -> Problem:
    """Return what ``weighed_by_rank`` does, without the groups of goals that weigh nothing then.

    Its residuals have no rows for these. ``factors`` may say, too, which ranks weigh.
    """
    goals = tuple(group for group in problem.goals if factors(group.ranks).any())
    return weighed_by_rank(altered(problem, goals=goals), lambda ranks: factors(ranks).astype(float))


def without_ranks(problem: Problem, chosen: Callable[[Indices], Mask], rows: Mask) -> Problem:
    """Return the problem in which goals of the ``chosen`` ranks do not weigh in ``rows`` (batch,)."""
    return _weighed(
        problem, lambda ranks: np.where(chosen(ranks) & rows.reshape(-1, *(1 for _ in ranks.shape)), 0.0, 1.0)
    )


def _weighed(problem: Problem, factors: Callable[[Indices], Array]) -> Problem:
    """Return the problem in which goals weigh so many times as much, by ``factors`` (b, ...) of ranks."""
    frames = problem.frames.weighed(factors(problem.frames.ranks))
    goals = tuple(group.weighed(factors(group.ranks)) for group in problem.goals)
    return altered(problem, frames=frames, goals=goals)


def lowering(
    problem: Problem,
    reached: Problem,
    rank: int,
    part_of: Callable[[Problem, Callable[[Indices], Mask]], Problem] = of_ranks,
) -> Problem:
    """Return the problem of one rank, those above it held as they are ``reached``.

    ``part_of``: ``of_ranks``, or ``counting`` where residuals need no rows for other ranks.
    """
    forms = tuple(group.goals if isinstance(group, HeldGoals) else group for group in reached.goals)
    asked = altered(problem, goals=forms)
    above = (part_of(part, lambda ranks: ranks < rank) for part in (asked, reached))
    return altered(part_of(problem, lambda ranks: ranks == rank), held=Held(*above))


def where_reached(problem: Problem, rank: int, state: State, met: Mask) -> Problem:
    """Return the problem with the goals of a rank where the state is, in rows that have not ``met`` it."""
    forms = (
        group.held(looked_at(problem, state, group)[0], problem.tolerance, group.ranks == rank)
        for group in problem.goals
    )
    problem = altered(problem, goals=tuple(forms))
    held, asked = held_frames(problem, state, met), problem.frames
    places, turns = (asked.ranks == rank).T
    frames = altered(
        asked,
        target_points=np.where(places[:, None], held.target_points, asked.target_points),
        target_rotations=np.where(turns[:, None, None], held.target_rotations, asked.target_rotations),
    )
    goals = tuple(
        _flat(HeldGoals(group.goals, group.reached * (group.ranks == rank)[:, None]))
        for group in held_goals(problem, state, met)
    )
    return altered(problem, frames=frames, goals=goals)


def _flat(held: HeldGoals) -> HeldGoals:
    """Return goals that are held twice as held once."""
    if not isinstance(held.goals, HeldGoals):
        return held
    return HeldGoals(held.goals.goals, held.goals.reached + held.reached)


def pressed(problem: Problem, state: State, within: Array) -> Problem:
    """Return the problem whose held inequalities with less slack than ``within`` (b,) are equations."""
    goals = (pressed_goals(group, looked_at(problem, state, group)[0], within) for group in problem.goals)
    return altered(problem, goals=tuple(goals))
