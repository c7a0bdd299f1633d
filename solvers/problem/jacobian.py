# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The residual's derivatives over turns and moves, and what its rows pull carried frames with.

A row with the slope ``s`` by a point that a turn ``w`` carries at the arm ``a`` changes by
``s . (w x a) = w . (a x s)``. So of goals of any kind slopes by points and turns of frames are enough; frame
goals, whose slopes by points are constant, have them as products of constant maps.
"""

import numpy as np

from ..geometry import Array, Indices, Rows, alike, einsum, product, vecmat
from ..goals import GoalGroup
from .problem import Problem
from .residual import Residual, looked_at
from .state import State


def jacobian(problem: Problem, state: State, residual: Residual) -> Array:
    """Return the scaled Jacobian (batch, R, n + k, 3) of the residual.

    Columns: world-frame rotation vectors of the n bones, then translations of the k roots, each in
    units of ``problem.compliance``.
    """
    tree, frames = problem.tree, problem.frames
    batch, bones, count = len(state.heads), len(tree.bones), frames.count
    places = np.concatenate([state.points, state.heads], axis=1)
    arms = places.take(tree.frames.carried, axis=1)
    arms -= state.heads[:, None]
    arms *= problem.moves[..., None]
    columns = np.empty((batch, residual.vector.shape[1], bones + len(tree.roots), 3))
    own = columns[:, : 6 * count].reshape(batch, count, 6, *columns.shape[2:])
    by_turns = frames.turn_rows(residual.rotation)[:, :, :, None]
    own[:, :, :3, :bones] = arms[:, :count, None] @ frames.lever_maps
    np.multiply(by_turns, problem.turns[:, :count, None, :, None], out=own[:, :, 3:, :bones])
    own[:, :, :3, bones:] = frames.translation_columns
    own[:, :, 3:, bones:] = 0.0
    if problem.goals:
        columns[:, 6 * count :] = goal_rows(problem, state, arms, problem.turns)
    return columns


def rows_felt(problem: Problem, rows: Array, residual: Array) -> list[tuple[Rows, Array, Array]]:
    """Return the rows of a batch that feel equally many rows of the residual together.

    Which, and what they feel of ``rows`` (batch, R, n + k, 3) and ``residual`` (batch, R): an inequality with
    slack takes part in nothing, and hundreds of them in nothing that takes time.
    """
    if not problem.goals:
        return [(slice(None), rows, residual)]
    felt = (residual != 0) | rows.any(axis=(-2, -1))
    felt[:, : max(6 * problem.frames.count, 1)] = True
    if felt.all():
        return [(slice(None), rows, residual)]
    return [(each, rows[each[:, None], kept], residual[each[:, None], kept]) for each, kept in alike(felt)]


def goal_rows(problem: Problem, state: State, arms: Array, turns: Array) -> Array:
    """Return the rows (batch, r, m + k, 3) of the goals of other kinds over m turns and moves of k roots.

    ``arms`` (batch, F, m, 3): from where each turn is about to what it carries of each frame, times how much
    it does; ``turns`` (b, F, m): how much it turns the frame.
    """
    rows = [_rows(problem, *_slopes(problem, state, group), arms, turns) for group in problem.goals]
    return np.concatenate(rows, axis=1)


def _slopes(problem: Problem, state: State, group: GoalGroup) -> tuple[Indices, Array, Array | None]:
    """Return frames (goals, c) and slopes (batch, goals, r, c, 3) of a group by them and by their turns.

    A goal whose rows look at a frame of their own each comes as so many goals: there may be hundreds.
    """
    by_point, by_turn = group.slopes(*looked_at(problem, state, group))
    if by_point.shape[3] == group.frames.shape[1]:
        return group.frames, by_point, by_turn
    return group.frames.reshape(-1, 1), by_point.reshape(len(by_point), -1, 1, 1, 3), None


def _rows(
    problem: Problem, frames: Indices, by_point: Array, by_turn: Array | None, arms: Array, turns: Array
) -> Array:
    """Return rows (batch, goals r, m + k, 3) of slopes (batch, goals, r, c, 3) by ``frames`` (goals, c)."""
    batch, goals, each, count, _ = by_point.shape
    ways = arms.shape[2]
    flat = arms.take(frames, axis=1).reshape(batch, goals, count, 3 * ways)
    slopes = np.ascontiguousarray(np.swapaxes(by_point, 2, 3)).reshape(batch, goals, count, 3 * each)
    # Sums over frames of arm times slope; the vector product is what is not symmetric of them.
    products = product(np.swapaxes(flat, -1, -2), slopes).reshape(batch, goals, ways, 3, each, 3)
    rows = np.empty((batch, goals, each, ways + problem.shifts.shape[1], 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rows[:, :, :, :ways, i] = np.swapaxes(products[..., j, :, k] - products[..., k, :, j], -1, -2)
    if by_turn is not None:
        carried = np.swapaxes(turns.take(frames, axis=1), -1, -2)
        by_turns = np.ascontiguousarray(np.swapaxes(by_turn, 2, 3)).reshape(batch, goals, count, 3 * each)
        turned = product(carried, by_turns).reshape(batch, goals, ways, each, 3)
        rows[:, :, :, :ways] += np.swapaxes(turned, 2, 3)
    shifts = np.swapaxes(problem.shifts[frames], 2, 3).reshape(goals, 3 * count, -1)
    moved = product(by_point.reshape(batch, goals, each, 3 * count), shifts[None])
    moved = moved.reshape(batch, goals, each, -1, 3)
    rows[:, :, :, ways:] = problem.length[:, None, None, None, None] * moved
    return rows.reshape(batch, goals * each, -1, 3)


def loads(problem: Problem, state: State, residual: Residual, multipliers: Array) -> tuple[Array, Array]:
    """Return the forces and moments (batch, F, 3), armature space, of multipliers (batch, R) of the rows."""
    frames, size = problem.frames, 6 * problem.frames.count
    own = multipliers[:, :size].reshape(len(multipliers), frames.count, 2, 3)
    forces, moments = goal_loads(problem, state, multipliers[:, size:])
    forces[:, : frames.count] = frames.forces(own[:, :, 0])
    moments[:, : frames.count] = vecmat(own[:, :, 1], frames.turn_rows(residual.rotation))
    return forces, moments


def goal_loads(problem: Problem, state: State, multipliers: Array) -> tuple[Array, Array]:
    """Return forces and moments (batch, F, 3) of multipliers (batch, r) of the rows of other goals."""
    forces = np.zeros((len(multipliers), problem.points.shape[1], 3))
    moments, first = np.zeros(forces.shape), 0
    for group in problem.goals:
        frames, by_point, by_turn = _slopes(problem, state, group)
        size = by_point.shape[1] * by_point.shape[2]
        weights = multipliers[:, first : first + size].reshape(by_point.shape[:3])
        forces[:, frames] = einsum("bgr,bgrci->bgci", weights, by_point, order="C")
        if by_turn is not None:
            moments[:, frames] = einsum("bgr,bgrci->bgci", weights, by_turn, order="C")
        first += size
    return forces, moments
