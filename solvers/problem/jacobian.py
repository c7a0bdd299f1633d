# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The residual's derivatives over turns and moves, and what its rows pull carried frames with.

A row with the slope ``s`` by a point that a turn ``w`` carries at the arm ``a`` changes by
``s . (w x a) = w . (a x s)``. So of goals of any kind slopes by points and turns of frames are enough; frame
goals, whose slopes by points are constant, have them as products of constant maps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, Mask, Rows, alike, einsum, in_full, product, vecmat
from ..goals import GoalGroup
from .problem import Problem
from .residual import Residual, looked_at
from .state import State

# Rows of effectors: as many as a factor has that is made whole. Of fewer nothing is left out.
_FEW = 60


def jacobian(
    problem: Problem, state: State, residual: Residual, pulls: "Sequence[Pulls] | None" = None
) -> Array:
    """Return the scaled Jacobian (batch, R, n + k, 3) of the residual.

    Columns: world-frame rotation vectors of the n bones, then translations of the k roots, each in
    units of ``problem.compliance``. ``pulls``: of the goals of other kinds, if they are known.
    """
    tree, frames = problem.tree, problem.frames
    batch, bones, count = len(state.heads), len(tree.bones), frames.count
    places = np.concatenate([state.points, state.heads], axis=1)
    pulls = goal_pulls(problem, state) if pulls is None else pulls
    used = frames_pulled(problem, pulls)
    arms = places.take(tree.frames.carried[used], axis=1)
    arms -= state.heads[:, None]
    arms *= problem.moves.take(used, axis=1)[..., None]
    columns = np.empty((batch, residual.vector.shape[1], bones + len(tree.roots), 3))
    own = columns[:, : 6 * count].reshape(batch, count, 6, *columns.shape[2:])
    by_turns = frames.turn_rows(residual.rotation)[:, :, :, None]
    np.matmul(arms[:, :count, None], frames.lever_maps, out=own[:, :, :3, :bones])
    np.multiply(by_turns, problem.turns[:, :count, None, :, None], out=own[:, :, 3:, :bones])
    own[:, :, :3, bones:] = frames.translation_columns
    own[:, :, 3:, bones:] = 0.0
    if problem.goals:
        turns = problem.turns.take(used, axis=1)
        columns[:, 6 * count :] = goal_rows(problem, pulls, used, arms, turns)
    return columns


def rows_felt(
    problem: Problem, rows: Array, residual: Array, all_of_few: bool = False
) -> list[tuple[Rows, Indices, Array, Array]]:
    """Return the rows of a batch that feel the same rows of effectors, and equally many others, together.

    Which, the effector of each row of one that they feel (see normal_matrix.py), and what they feel of
    ``rows`` (batch, R, n + k, 3) and ``residual`` (batch, R). ``all_of_few``: nothing is left out, unless
    there are many effectors.
    """
    owners = np.arange(problem.frames.count).repeat(6)
    if not is_crowded(problem) and (all_of_few or not problem.goals):
        return [(slice(None), owners, rows, residual)]
    felt = are_felt(problem, rows, residual)
    if felt.all():
        return [(slice(None), owners, rows, residual)]
    return [
        (each, owners[own], rows[each[:, None], kept], residual[each[:, None], kept])
        for each, own, kept in felt_alike(felt, len(owners))
    ]


def are_felt(problem: Problem, rows: Array, residual: Array) -> Mask:
    """Return which rows (batch, R) of the residual are felt, given as in ``rows_felt``.

    An inequality with slack takes part in nothing, and hundreds of them in nothing that takes time; so do
    hundreds of effectors of which only places are asked, or that are of other ranks.
    """
    felt: Mask = (residual != 0) | rows.any(axis=(-2, -1))
    felt[:, : 1 if is_crowded(problem) else max(6 * problem.frames.count, 1)] = True
    return felt


def is_crowded(problem: Problem) -> bool:
    """Return whether there are so many effectors that it is worth to look for rows that none feels."""
    return 6 * problem.frames.count > _FEW


def felt_alike(felt: Mask, count: int) -> list[tuple[Indices, Indices, Indices]]:
    """Return rows (g,) of a batch that feel the same of the first ``count`` rows and equally many in all.

    With which of the first they feel, (f,), and which of all, (g, r).
    """
    groups: dict[bytes, list[int]] = {}
    for row, own in enumerate(felt[:, :count]):
        groups.setdefault(own.tobytes(), []).append(row)
    found = []
    for group in map(np.array, groups.values()):
        own = felt[group[0], :count].nonzero()[0]
        found += [(group[rows], own, kept) for rows, kept in alike(felt[group])]
    return found


@dataclass(frozen=True, eq=False, slots=True)
class Pulls:
    """What the rows of a group of goals pull ``frames`` (g, c) with.

    ``by_point`` (batch, g, r, c, 3), and ``by_turn`` alike or None. Of ``count`` goals the ``chosen`` (g,);
    the others, inequalities with slack, pull nothing in any row of the batch.
    """

    frames: Indices
    by_point: Array
    by_turn: Array | None
    chosen: Indices
    count: int

    def in_full(self, rows: Array) -> Array:
        """Return the rows (batch, count * r, ...) of all goals, of those (batch, g, r, ...) of the chosen."""
        full = np.zeros((len(rows), self.count, *rows.shape[2:]))
        full[:, self.chosen] = rows
        return full.reshape(len(rows), self.count * rows.shape[2], *rows.shape[3:])


def goal_pulls(problem: Problem, state: State) -> list[Pulls]:
    """Return what each group of goals of other kinds pulls with.

    A goal whose rows look at a frame of their own each comes as so many goals: there may be hundreds, of
    which few pull.
    """
    return [_pulls(problem, state, group) for group in problem.goals]


def _pulls(problem: Problem, state: State, group: GoalGroup) -> Pulls:
    by_point, by_turn = group.slopes(*looked_at(problem, state, group))
    if by_point.shape[3] == group.frames.shape[1]:
        return Pulls(group.frames, by_point, by_turn, np.arange(len(group.frames)), len(group.frames))
    by_point = by_point.reshape(len(by_point), -1, 1, 1, 3)
    chosen = np.flatnonzero(by_point.any(axis=(0, 2, 3, 4)))
    frames = group.frames.reshape(-1, 1)
    return Pulls(frames[chosen], by_point.take(chosen, axis=1), None, chosen, len(frames))


def inequalities(problem: Problem, pulls: "Sequence[Pulls]", batch: int) -> Mask:
    """Return which rows (batch, R) of the residual are inequalities, zero where they hold."""
    parts = [np.zeros((batch, 6 * problem.frames.count), bool)]
    for group, pulled in zip(problem.goals, pulls, strict=True):
        shape = batch, len(group.frames), pulled.count * pulled.by_point.shape[2] // len(group.frames)
        parts.append(in_full(~group.both_sides, shape).reshape(batch, -1))
    return np.concatenate(parts, axis=1)


def frames_pulled(problem: Problem, pulls: Sequence[Pulls]) -> Indices:
    """Return the carried frames (f,), in order, that something pulls: those of effectors come first."""
    pulled = np.arange(problem.points.shape[1]) < problem.frames.count
    for group in pulls:
        pulled[group.frames] = True
    return pulled.nonzero()[0]


def goal_rows(problem: Problem, pulls: Sequence[Pulls], used: Indices, arms: Array, turns: Array) -> Array:
    """Return the rows (batch, r, m + k, 3) of the goals of other kinds over m turns and moves of k roots.

    Of the frames ``used`` (f,): ``arms`` (batch, f, m, 3) from where each turn is about to what it carries of
    each, times how much it does; ``turns`` (b, f, m): how much it turns the frame.
    """
    rows = [group.in_full(_rows(problem, group, used, arms, turns)) for group in pulls]
    return np.concatenate(rows, axis=1)


def _rows(problem: Problem, pulls: Pulls, used: Indices, arms: Array, turns: Array) -> Array:
    """Return the rows (batch, g, r, m + k, 3) of the goals that pull."""
    by_point, frames = pulls.by_point, np.searchsorted(used, pulls.frames)
    batch, goals, each, count, _ = by_point.shape
    ways, roots = arms.shape[2], problem.shifts.shape[1]
    flat = arms.take(frames, axis=1).reshape(batch, goals, count, 3 * ways)
    slopes = np.ascontiguousarray(by_point.swapaxes(2, 3)).reshape(batch, goals, count, 3 * each)
    # Sums over frames of arm times slope; the vector product is what is not symmetric of them.
    products = product(flat.swapaxes(-1, -2), slopes).reshape(batch, goals, ways, 3, each, 3)
    rows = np.empty((batch, goals, each, ways + roots, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rows[:, :, :, :ways, i] = (products[..., j, :, k] - products[..., k, :, j]).swapaxes(-1, -2)
    if pulls.by_turn is not None:
        carried = turns.take(frames, axis=1).swapaxes(-1, -2)
        by_turns = np.ascontiguousarray(pulls.by_turn.swapaxes(2, 3))
        turned = product(carried, by_turns.reshape(batch, goals, count, 3 * each))
        rows[:, :, :, :ways] += turned.reshape(batch, goals, ways, each, 3).swapaxes(2, 3)
    shifts = problem.shifts[pulls.frames].swapaxes(2, 3).reshape(goals, 3 * count, 3 * roots)
    moved = product(by_point.reshape(batch, goals, each, 3 * count), shifts[None])
    moved = moved.reshape(batch, goals, each, roots, 3)
    rows[:, :, :, ways:] = problem.length[:, None, None, None, None] * moved
    return rows


def loads(
    problem: Problem,
    state: State,
    residual: Residual,
    multipliers: Array,
    pulls: Sequence[Pulls] | None = None,
) -> tuple[Array, Array]:
    """Return the forces and moments (batch, F, 3), armature space, of multipliers (batch, R) of the rows.

    ``pulls`` as of ``jacobian``.
    """
    pulls = goal_pulls(problem, state) if pulls is None else pulls
    frames, size = problem.frames, 6 * problem.frames.count
    own = multipliers[:, :size].reshape(len(multipliers), frames.count, 2, 3)
    forces, moments = loads_of(problem, pulls, multipliers[:, size:])
    forces[:, : frames.count] = frames.forces(own[:, :, 0])
    moments[:, : frames.count] = vecmat(own[:, :, 1], frames.turn_rows(residual.rotation))
    return forces, moments


def loads_of(problem: Problem, pulls: Sequence[Pulls], multipliers: Array) -> tuple[Array, Array]:
    """Return forces and moments (batch, F, 3) of multipliers (batch, r) of the rows of goals that pull."""
    forces = np.zeros((len(multipliers), problem.points.shape[1], 3))
    moments, first = np.zeros(forces.shape), 0
    for group in pulls:
        each = group.by_point.shape[2]
        size = group.count * each
        weights = multipliers[:, first : first + size].reshape(len(multipliers), group.count, each)
        weights = weights.take(group.chosen, axis=1)
        forces[:, group.frames] = einsum("bgr,bgrci->bgci", weights, group.by_point, order="C")
        if group.by_turn is not None:
            moments[:, group.frames] = einsum("bgr,bgrci->bgci", weights, group.by_turn, order="C")
        first += size
    return forces, moments
