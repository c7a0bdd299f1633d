# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other poses to start from where a solve from the given one got stuck: the same ones every time.

An arm of six hinges meets a target in up to 16 separate poses (Raghavan and Roth 1993, 10.1115/1.2919218).
Limits forbid most of these, and a descent that has set out for one of them does not get to another. A body
with joints to spare bends from one into the next.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..geometry import Array, Indices, Mask, rotation_vector_to_matrix
from ..problem import (
    Problem,
    State,
    forward_kinematics,
    jacobian,
    local_rotations,
    measure,
    rotations_of_local,
)
from ..steps import SearchResult

_SPREAD = 0.6  # radians each way per component: bent clearly, not tangled
# Poses looked at, of which the nearest to the targets are tried: a look costs a hundredth of a try.
_SAMPLES = 64
_MOST_ROTATIONS = 2**16  # looked at in one go
# With fewer turns than this for each condition the poses that meet the targets are few and far apart.
_SPARE = 1.25
_MANY = 10  # times as many starts there


@dataclass(frozen=True, eq=False, slots=True)
class Seeds:
    """Start poses of rows that are at ``state``, bent in all ways.

    ``local`` (batch, n, 3, 3): their rotations; ``bends`` (samples, n, 3, 3): those to put in their place,
    of ``points`` (samples, n, 3) in the unit cube; ``bent`` (n,): the bones for which that is done.
    """

    problem: Problem
    state: State
    local: Array
    points: Array
    bends: Array
    bent: Mask

    def posed(self, rows: Indices, samples: Indices) -> tuple[Problem, State]:
        """Return problem and state with a row for each pair of a row and a sample."""
        problem, local = self.problem.rows(rows), self.local[rows]
        bends = self.bends[samples]
        for group in problem.limits:
            if group.per_row():
                bends[:, group.bones] = group.sampled(self.points[samples].take(group.bones, axis=1))
        local = np.where(self.bent[rows, :, None, None], bends, local)
        rotations = rotations_of_local(problem, local)
        return problem, forward_kinematics(problem, rotations, self.state.translations[rows])

    def ranked(self) -> Indices:
        """Return for each row the samples (batch, samples), nearest to the targets first."""
        count, (samples, bones) = len(self.local), self.bends.shape[:2]
        size = max(1, _MOST_ROTATIONS // (samples * bones))
        energies = [
            measure(*self.posed(np.repeat(rows, samples), np.tile(np.arange(samples), len(rows)))).energy
            for rows in np.split(np.arange(count), range(size, count, size))
        ]
        return np.argsort(np.concatenate(energies).reshape(count, samples), axis=1, kind="stable")


def rounds(count: int, tight: bool, again: bool = False) -> tuple[int, ...]:
    """Return how many starts to try at a time on rows that still need more.

    ``count`` at once, so that there is a choice, and if ``again`` twice as many after that; where joints are
    ``tight`` ten times as many in all, one at first and then twice as many each time. There are no more than
    the poses looked at.
    """
    count, most = min(count, _SAMPLES), min(_MANY * count, _SAMPLES)
    if not tight:
        return (count, min(2 * count, _SAMPLES - count)) if again else (count,)
    tried = [min(2**n - 1, most) for n in range((most + 1).bit_length() + 1)]
    return tuple(later - earlier for earlier, later in pairwise(tried) if later > earlier)


def are_tight(problem: Problem) -> Mask:
    """Return the rows (batch,) whose joints have little to spare for what is asked of them."""
    moves = np.einsum("nii->", problem.freedom[problem.tree.roots])
    turns = 3 * np.count_nonzero(problem.mobility) - sum(group.locked() for group in problem.limits)
    frames = problem.frames
    positions = np.linalg.matrix_rank(frames.axes) * (frames.position_weights > 0)
    rotations = np.count_nonzero(frames.rotation_weights, axis=(-2, -1))
    conditions = positions.sum(axis=-1) + rotations
    for group in problem.goals:
        conditions = conditions + group.conditions * np.count_nonzero(group.weights, axis=-1)
    return np.broadcast_to(turns + moves < _SPARE * conditions, len(frames.target_points))


def seeds(problem: Problem, state: State) -> Seeds:
    """Return the seeds for the rows of ``state``.

    Bodies that are free to move stay where they are; only what hangs from them is bent anew, and of that only
    what goals feel: a hand that only its wrist is asked of stays as it is.
    """
    kept = problem.freedom.any(axis=(-2, -1)) | (problem.mobility == 0)
    felt = (jacobian(problem, state, measure(problem, state)) != 0).any(axis=(1, 3))[:, : len(kept)]
    points = np.random.default_rng(0).random((_SAMPLES, len(kept), 3))
    local = local_rotations(problem, state.rotations)
    return Seeds(problem, state, local, points, _bends(problem, points), felt & ~kept)


def _bends(problem: Problem, points: Array) -> Array:
    """Return local rotations (samples, n, 3, 3), spread out within what limits all rows share."""
    bent = rotation_vector_to_matrix(_SPREAD * (2 * points - 1))
    for group in problem.limits:
        if not group.per_row():
            bent[:, group.bones] = group.sampled(points.take(group.bones, axis=1))
    return bent


def cost(problem: Problem, begin: State, attempt: SearchResult) -> Array:
    """Return what ranks attempts, (batch,): how far they went, or, beyond any such distance, what is left."""
    apart = local_rotations(problem, attempt.state.rotations) - local_rotations(problem, begin.rotations)
    # The squared distance between two rotation matrices is at most 8.
    farthest = 8.0 * apart.shape[1]
    left = farthest + attempt.residual.energy / problem.length**2
    costs: Array = np.where(attempt.residual.met, np.einsum("bnij,bnij->b", apart, apart), left)
    return costs
