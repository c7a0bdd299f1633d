# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step of a whole clip solves: least squares of residuals, with posture and acceleration.

    min over x of (x^T P x + sum_f (J_f x_f + e_f)^T W (J_f x_f + e_f)) / 2 + g^T x

``P`` couples a bone's ways with each other, and with themselves in other frames; only the rows of ``J``
couple bones. Where there are many rows, each frame is a block, and the blocks are eliminated one after the
other. Where there are few rows beside the ways, they become the unknowns: the pulls ``p = W (J x + e)`` at
targets, with ``x = -P^-1 (g + J^T p)``. The system

    (W^-1 + J P^-1 J^T) p = e - J P^-1 g

is dense over all frames, but small. Both lead to the same, but for rounding.

Reference: Woodbury 1950.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry import Array, gram, matvec, product, solve_definite, vecmat
from ..pauses import Pausing
from .elimination import Eliminated, eliminated, eliminated_from_both_ends
from .ways import Ways

# How many times as long a multiplication takes where matrices are a bone's own.
_SLOWER = 4


@dataclass(frozen=True, eq=False, slots=True)
class System:
    """The least squares of a step, by the names that the formulas above have.

    - ``own`` (frames, p): entries of P at the ways' pairs, without the acceleration's
    - ``bands`` (3, frames, q): those of the acceleration
    - ``columns`` (frames, q, r): J, transposed; ``weights`` (b, r): W, where b is frames or 1
    - ``residual`` (frames, r): e; ``pull`` (frames, q): g
    - ``blocks`` (frames, q, q): what rows and ties make of the frames' own; None where rows are unknown
    """

    ways: Ways
    own: Array
    bands: Array
    columns: Array
    weights: Array
    residual: Array
    pull: Array
    blocks: Array | None

    def pressed(self, own: Array, push: Array) -> "System":
        """Return the system with springs: they add to ``own``, and ``push`` (frames, q)."""
        return replace(self, own=self.own + own, pull=self.pull - push)

    def solution(self) -> Pausing[Array]:
        """Return the least x (frames, q)."""
        if self.blocks is None:
            return (yield from _by_rows(self))
        right = -self.pull - matvec(self.columns, self.weights * self.residual)
        whole = yield from eliminated_from_both_ends(self._made_whole(self.blocks), self.bands)
        return whole.solution(right)

    def _made_whole(self, blocks: Array) -> Array:
        """Return the ``blocks`` with all that is of a frame alone."""
        blocks, each = blocks.copy(), np.arange(blocks.shape[-1])
        blocks[:, self.ways.pairs[0], self.ways.pairs[1]] += self.own
        blocks[:, each, each] += self.bands[0]
        return blocks


def make_system(
    ways: Ways,
    own: Array,
    tied: Array,
    bands: Array,
    columns: Array,
    weights: Array,
    residual: Array,
    pull: Array,
) -> System:
    """Return the system of what is said there; ``tied`` (frames, t, q): rows whose square P lacks."""
    system = System(ways, own, bands, columns, weights, residual, pull, None)
    if not tied.shape[1] and has_few_rows(*columns.shape):
        return system
    blocks = product(weights[:, None] * columns, columns.swapaxes(-1, -2))
    if tied.shape[1]:
        blocks -= gram(tied.swapaxes(-1, -2))
    return replace(system, blocks=blocks)


def has_few_rows(frames: int, ways: int, rows: int) -> bool:
    """Return whether it takes less to solve for the rows of all frames than for the ways."""
    by_frames = frames * ways**2 * (2.5 * ways + rows)
    of_bones = _SLOWER * frames**2 * ways * (9 + 1.5 * rows + 0.5 * rows**2)
    return of_bones + (frames * rows) ** 3 / 6 < by_frames


def _by_rows(system: System) -> Pausing[Array]:
    """Return the solution where rows are unknown."""
    ways, (frames, _, count) = system.ways, system.columns.shape
    bones, slots = ways.by_bones
    first, second = ways.pairs
    own = np.empty((frames, bones[-1] + 1, 3, 3))
    own[:] = np.eye(3)  # ways that a bone does not have are on their own
    own[:, bones[first], slots[first], slots[second]] = system.own
    own[:, bones, slots, slots] += system.bands[0]
    bands, rows = np.zeros((3, *own.shape[:3])), np.zeros((*own.shape[:3], count))
    bands[:, :, bones, slots], rows[:, bones, slots] = system.bands, system.columns
    pull = np.zeros(own.shape[:3])
    pull[:, bones, slots] = system.pull
    whole = yield from eliminated(own, bands)
    dense = yield from _through(whole, rows)
    flat = rows.reshape(frames, -1, count)
    freely = whole.solution(pull).reshape(frames, -1)
    dense[np.diag_indices(frames * count)] += np.broadcast_to(1 / system.weights, (frames, count)).ravel()
    right = (system.residual - vecmat(freely, flat)).reshape(1, -1)
    pulls = solve_definite(dense[None], right).reshape(frames, count)
    found = whole.solution(-pull - matvec(flat, pulls).reshape(pull.shape))
    return found[:, bones, slots]


def _through(whole: Eliminated, rows: Array) -> Pausing[Array]:
    """Return ``J P^-1 J^T`` (frames * r, frames * r) of bones' ``rows`` (frames, b, 3, r).

    P after elimination: of its inverse a frame's rows, from its own frame on, follow from those of the two
    after it.
    """
    frames, bones, _, count = rows.shape
    dense, flat = np.empty((frames, count, frames, count)), rows.reshape(frames, -1, count)
    across = whole.own * whole.far[..., None, :]
    later, last = np.zeros((bones, 3, 2, 3)), np.zeros((bones, 3, 1, 3))
    for frame in reversed(range(frames)):
        takes, width = (whole.near[frame], across[frame]), later.shape[2]
        last = np.concatenate([later[:, :, 1].swapaxes(1, 2)[:, :, None], last], axis=2)
        flats = (row.reshape(bones, 3, 3 * width) for row in (later, last))
        row = -sum(take @ of for take, of in zip(takes, flats, strict=True)).reshape(bones, 3, width, 3)
        first = whole.own[frame] - sum(take @ row[:, :, of].swapaxes(1, 2) for of, take in enumerate(takes))
        first = 0.5 * (first + first.swapaxes(1, 2))  # what rounds otherwise would grow
        last, later = later, np.concatenate([first[:, :, None], row], axis=2)
        pulled = rows[frame].swapaxes(1, 2) @ later[:, :, :-2].reshape(bones, 3, -1)
        pulled = pulled.reshape(bones, count, -1, 3).transpose(2, 1, 0, 3).reshape(-1, count, 3 * bones)
        made = product(pulled, flat[frame:])
        dense[frame, :, frame:] = made.swapaxes(0, 1)
        dense[frame:, :, frame] = made.swapaxes(1, 2)
        yield
    return dense.reshape(frames * count, -1)
