# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways in which a body may move: turns of joints about axes of the bones' own frames, and shifts of
roots.

In own frames what a bone's acceleration says of one frame and of the next does not depend on how it is
turned.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, Indices, dot, matvec
from ..problem import Problem, State, make_problem
from ..request import Request

_IDENTITY = np.eye(3)


@dataclass(frozen=True, eq=False, slots=True)
class Ways:
    """``q`` ways, those of bones before those of roots.

    ``rows`` (q,): the row, of ``count`` rows of a step, that each moves: bones before roots. ``turns``: how
    many are turns. ``axes`` (q, 3): unit vectors, of turns in the bones' own frames, of shifts in armature
    space.
    ``pairs`` (2, p): ways that move the same row.
    """

    rows: Indices
    count: int
    turns: int
    axes: Array
    pairs: Indices

    @property
    def by_bones(self) -> tuple[Indices, Indices]:
        """Of each way which of the rows that move it moves, and the how manieth of that row's it is, (q,)."""
        begins = np.append(True, self.rows[1:] != self.rows[:-1])
        bones = np.cumsum(begins) - 1
        return bones, np.arange(len(bones)) - np.flatnonzero(begins)[bones]

    def directions(self, state: State) -> Array:
        """Return the ways in armature space, (batch, q, 3)."""
        rotations = state.rotations.take(self.rows[: self.turns], axis=1)
        turns = matvec(rotations, self.axes[: self.turns])
        shifts = np.broadcast_to(self.axes[self.turns :], (len(turns), len(self.rows) - self.turns, 3))
        return np.concatenate([turns, shifts], axis=1)

    def own_parts(self, vectors: Array) -> Array:
        """Return vectors (batch, count, 3), of bones in their own frames, along the ways, (batch, q)."""
        return self.parts(vectors, self.axes[None])

    def own_entries(self, matrices: Array) -> Array:
        """Return the entries (batch, p) at the pairs of matrices (batch, count, 3, 3) in own frames."""
        return self.entries(matrices, self.axes[None])

    def parts(self, vectors: Array, directions: Array) -> Array:
        """Return what vectors (batch, count, 3) are along the ways' ``directions`` (b, q, 3), (batch, q)."""
        return dot(vectors.take(self.rows, axis=1), directions)

    def entries(self, matrices: Array, directions: Array) -> Array:
        """Return the entries (batch, p) at the pairs of matrices (batch, count, 3, 3)."""
        first, second = self.pairs
        across = matvec(matrices.take(self.rows[first], axis=1), directions.take(second, axis=1))
        return dot(directions.take(first, axis=1), across)

    def step(self, directions: Array, lengths: Array) -> Array:
        """Return the step (batch, count, 3) of ``lengths`` (batch, q) along ``directions`` (batch, q, 3)."""
        step = np.zeros((self.count, len(lengths), 3))
        np.add.at(step, self.rows, np.swapaxes(directions * lengths[..., None], 0, 1))
        return np.ascontiguousarray(np.swapaxes(step, 0, 1))


def make_ways(problem: Problem) -> Ways:
    """Return the ways in which what is not locked may move."""
    bones = len(problem.mobility)
    bases = {int(bone): _IDENTITY for bone in np.flatnonzero(problem.mobility > 0)}
    for group in problem.limits:
        if (axes := group.only_axes()) is not None:
            bases |= {int(bone): axis[None] for bone, axis in zip(group.bones, axes, strict=True)}
    for row, root in enumerate(problem.tree.roots, start=bones):
        values, vectors = np.linalg.eigh(problem.freedom[root])
        bases[row] = vectors.T[values > 0.5]
    rows = np.repeat(np.array(list(bases), np.int64), [len(basis) for basis in bases.values()])
    pairs = np.stack(np.nonzero(np.equal.outer(rows, rows)))
    count = bones + len(problem.tree.roots)
    return Ways(rows, count, int((rows < bones).sum()), np.concatenate(list(bases.values())), pairs)


def ways_of(request: Request) -> int:
    """Return in how many ways the body may move."""
    return len(make_ways(make_problem(request.rows(slice(1)))).rows)
